/* knowledge_targets.h - the statements about targets, which knowledge.c compiles with the others.
 */
#ifndef SCONE_DECODE_KNOWLEDGE_TARGETS_H
#define SCONE_DECODE_KNOWLEDGE_TARGETS_H

#include "decode/knowledge.h"
#include "text/names.h"

/* Fills in what k knows of targets; sorted: its variables by name, which are all known. */
scone_status knowledge_targets_compile(knowledge *k, const knowledge_file *file,
                                       const knowledge_names *names, const named_place *sorted);
/* Of node i of part what k knows of columns[i]. */
scone_status knowledge_targets_restrict(knowledge *part, const knowledge *k, const size_t *columns);

#endif
