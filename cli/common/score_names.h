/* score_names.h - the scores of an evaluation by name. */
#ifndef SCONE_CLI_SCORE_NAMES_H
#define SCONE_CLI_SCORE_NAMES_H

#include "printing.h"

/* All scores as members of an object. */
void json_scores(json *j, cJSON *object, const scone_scores *scores);

#endif
