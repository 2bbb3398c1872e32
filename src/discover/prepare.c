/* prepare.c - columns and knowledge for the learners (see prepare.h). */
#include "discover/prepare.h"

#include "text/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Columns whose largest value is beyond 2^this or below 2^-this are brought to size 1. */
enum { PREPARE_LARGEST_EXPONENT = 200 };

/* ---- columns ---- */

/* The power of two that brings a column to size 1; 0: it is of a size that squares can take. */
static int column_shift(const scone_pair *given, size_t column)
{
    double largest = 0.0;
    for (int regime = 0; regime < 2; regime++) {
        const double *x = table_column(given->tables[regime], column);
        for (size_t i = 0; i < given->tables[regime]->rows; i++) {
            double size = fabs(x[i]);
            largest = size > largest ? size : largest;
        }
    }
    if (largest == 0.0) return 0;
    return abs(ilogb(largest)) > PREPARE_LARGEST_EXPONENT ? -ilogb(largest) : 0;
}

scone_status prepare_pair(scone_pair **out, const column_map *map, const scone_pair *given,
                          bool scaled)
{
    scone_status status = SCONE_OK;
    scone_pair *pair = NULL;
    *out = NULL;
    TRY_ZERO(pair, 1);
    for (int regime = 0; regime < 2; regime++) {
        const table *from = given->tables[regime];
        TRY(table_alloc(&pair->tables[regime], from->rows, map->node_count, map->node_names));
    }
    for (size_t i = 0; i < map->node_count; i++) {
        size_t column = map->columns[map->nodes[i]];
        int shift = scaled ? column_shift(given, column) : 0;
        for (int regime = 0; regime < 2; regime++) {
            const table *from = given->tables[regime];
            double *x = table_column(pair->tables[regime], i);
            memcpy(x, table_column(from, column), from->rows * sizeof *x);
            for (size_t k = 0; shift != 0 && k < from->rows; k++) x[k] = ldexp(x[k], shift);
        }
    }
    *out = pair;
    pair = NULL;
cleanup:
    scone_pair_free(pair);
    return status;
}

/* ---- knowledge ---- */

/* A constant column has no edges, so it cannot have a required one. */
static scone_status check_constant(const knowledge *k, const column_map *map)
{
    for (size_t v = 0; v < map->count; v++) {
        if (map->kinds[v] == VARIABLE_VARIES) continue;
        for (size_t e = 0; e < k->requirement_count; e++) {
            const knowledge_edge *edge = &k->requirements[e];
            if (edge->from != v && edge->to != v) continue;
            return RAISE(SCONE_ERR_INPUT,
                         "line %zu requires %s -> %s, but column '%s' is constant and gets no "
                         "edges; remove the line or the column",
                         edge->line, SHOW(map->names[edge->from], strlen(map->names[edge->from])),
                         SHOW(map->names[edge->to], strlen(map->names[edge->to])),
                         SHOW(map->names[v], strlen(map->names[v])));
        }
    }
    return SCONE_OK;
}

scone_status prepare_knowledge(knowledge **known, knowledge **part, const column_map *map,
                               const scone_conditions *conditions,
                               const scone_discover_options *options, input_list *inputs)
{
    scone_status status = SCONE_OK;
    const char *path = options->knowledge;
    knowledge_file file = {0};
    knowledge_names names = {.variables = map->names,
                             .count = map->count,
                             .conditions = &options->condition,
                             .condition_count = 1};
    if (conditions) {
        names.conditions = (const char *const *)conditions->names + 1;
        names.condition_count = conditions->count;
        names.control = conditions->names[0];
    }
    *known = *part = NULL;
    if (!path) return SCONE_OK;
    TRY(knowledge_read(&file, path, inputs));
    status = knowledge_compile(known, &file, &names);
    if (status == SCONE_OK) status = check_constant(*known, map);
    if (status == SCONE_ERR_INPUT) status_prefix("%s", path);
    if (status != SCONE_OK) goto cleanup;
    TRY(knowledge_restrict(part, *known, map->nodes, map->node_count));
cleanup:
    knowledge_file_free(&file);
    return status;
}
