/* column_map.h - the numberings of a run. A column has its place in the caller's tables. A variable
 * has its place among the names in natural order; everything is kept and written by variable, so
 * that the order of the columns shows nowhere. A node is a variable that varies within a table;
 * the learners and the decoding see nodes alone.
 *
 * The first stage makes the map from the tables, and from then on nobody changes it.
 */
#ifndef SCONE_DISCOVER_COLUMN_MAP_H
#define SCONE_DISCOVER_COLUMN_MAP_H

#include "base/arena.h"
#include "data/table.h"
#include "discover/warnings.h"

typedef enum variable_kind {
    VARIABLE_VARIES = 0,
    VARIABLE_CONSTANT = 1, /* one value in both tables */
    VARIABLE_SPLIT = 2     /* one value in each table: it tells the tables apart and nothing else */
} variable_kind;

typedef struct column_map {
    arena *memory;           /* of the names */
    size_t count;            /* variables */
    size_t *columns;         /* [count] variable -> column */
    size_t *variables;       /* [count] column -> variable */
    const char **names;      /* [count] by variable */
    unsigned char *kinds;    /* [count] variable_kind */
    size_t *nodes;           /* [node_count] node -> variable, increasing */
    const char **node_names; /* [node_count] */
    size_t node_count;
    size_t rows[2];
    uint64_t hashes[2]; /* XXH64 of names and values by variable */
} column_map;

/* Fails with SCONE_ERR_INPUT if a table has no columns or fewer than two rows, if a cell is missing
 * or infinite, and if a name is repeated or cannot be written. Warns of constant columns and of
 * tables that are the same. The caller frees also after a failure. O(cells + N log N). */
scone_status column_map_make(column_map *out, const scone_pair *given, warning_list *warnings,
                             const scone_context *context);
void column_map_free(column_map *map);

/* Names of columns and of conditions go into files of many kinds: not empty, UTF-8, no control
 * characters. */
bool column_map_name_fits(const char *name);

#endif
