/* examine.h - what the preflight (scone_check_run, scone_check_conditions) holds against the tables
 * of a run, so that whoever did not ask it hears of it all the same. */
#ifndef SCONE_DISCOVER_EXAMINE_H
#define SCONE_DISCOVER_EXAMINE_H

#include "data/conditions/conditions.h"
#include "discover/warnings.h"

/* Adds a warning for every kind of finding of weight, but for constant columns and equal tables, of
 * which the column map warns (column_map.h). conditions: those that the second table of the pair
 * holds, one after the other, or NULL. Costs what the preflight costs. */
scone_status examine_tables(warning_list *warnings, const scone_pair *given,
                            const scone_conditions *conditions, const scone_context *context);

#endif
