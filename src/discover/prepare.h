/* prepare.h - what the learners get to see: the columns that vary, in the order of their names, and
 * what is known about them beforehand. */
#ifndef SCONE_DISCOVER_PREPARE_H
#define SCONE_DISCOVER_PREPARE_H

#include "data/conditions/conditions.h"
#include "decode/knowledge.h"
#include "discover/column_map.h"

/* *out is a copy of the nodes' columns. With `scaled` a column whose values are so large or small
 * that their squares would overflow or vanish is brought to size 1, by a power of two, which rounds
 * nothing. */
scone_status prepare_pair(scone_pair **out, const column_map *map, const scone_pair *given,
                          bool scaled);

/* Reads the knowledge file of the options; *known is about variables, *part about nodes, both about
 * the conditions; `conditions` NULL: about the changed table, which the options name. Without a
 * file both are NULL; it is noted in `inputs`. Fails with SCONE_ERR_INPUT if an edge of a variable
 * that does not vary is required. */
scone_status prepare_knowledge(knowledge **known, knowledge **part, const column_map *map,
                               const scone_conditions *conditions,
                               const scone_discover_options *options, input_list *inputs);

#endif
