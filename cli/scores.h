/* scores.h - the scores of an evaluation by name. */
#ifndef SCONE_CLI_SCORES_H
#define SCONE_CLI_SCORES_H

#include "output.h"

/* All scores as members of an object. */
void json_scores(json *j, cJSON *object, const scone_scores *scores);

#endif
