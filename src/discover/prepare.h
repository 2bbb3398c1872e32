/* prepare.h - what the learners get to see: the columns that vary, in the order of their names, and
 * what is known about them beforehand. */
#ifndef SCONE_DISCOVER_PREPARE_H
#define SCONE_DISCOVER_PREPARE_H

#include "decode/knowledge.h"
#include "discover/column_map.h"

/* *out is a copy of the nodes' columns. With `scaled` a column whose values are so large or small
 * that their squares would overflow or vanish is brought to size 1, by a power of two, which rounds
 * nothing. */
scone_status prepare_pair(scone_pair **out, const column_map *map, const scone_pair *given,
                          bool scaled);

/* Reads the knowledge file; *known is about variables, *part about nodes. `path` NULL gives NULL
 * for both; the file is noted in `inputs`. Fails with SCONE_ERR_INPUT if an edge of a variable that
 * does not vary is required. */
scone_status prepare_knowledge(knowledge **known, knowledge **part, const column_map *map,
                               const char *path, input_list *inputs);

#endif
