/* prepare.h - the first stage of discovery: what the learners get to see. */
#ifndef SCONE_DISCOVER_PREPARE_H
#define SCONE_DISCOVER_PREPARE_H

#include "discover/result.h"

/* Checks options and tables, numbers the variables by name, reads the knowledge and picks the
 * columns that vary; fills in what result.h has about them. *pair is a copy of these columns in the
 * order of their names, *part the knowledge about them (NULL without knowledge). */
scone_status prepare(scone_result *r, scone_pair **pair, knowledge **part, const scone_pair *given,
                     const scone_discover_options *options, const scone_context *context);

#endif
