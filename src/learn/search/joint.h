/* joint.h - parents that show only together.
 *
 * At a node y = f(x1, ..., x5) e each parent alone may say nothing, yet without any one of them the
 * others say nothing either. With D the bases of all candidates, r = y - mean and v its variance,
 *     maximize g' (sum min(r^2 / v, 9) D D') g  subject to  g' D'D g = 1:
 * the direction in which the spread of y varies most, an eigenvector of one small problem. The
 * share of a candidate's columns in D g ranks it.
 * Cost: O(k^2 rows + k^3) for k columns of the candidates, on a sample of the rows.
 */
#ifndef SCONE_LEARN_SEARCH_JOINT_H
#define SCONE_LEARN_SEARCH_JOINT_H

#include "learn/fit/basis.h"

enum { JOINT_MOST_CANDIDATES = 64, JOINT_ROWS = 2048 };

typedef struct joint_work joint_work; /* scratch of one thread */
scone_status joint_work_alloc(joint_work **out, const basis *b);
void joint_work_free(joint_work *work);

/* shares[c] of candidates[c] in the variance of D g, c < count <= JOINT_MOST_CANDIDATES; they are
 * 0 or more, and all 0 if there is no such direction. */
void joint_rank(double *shares, joint_work *work, size_t node, const uint32_t *candidates,
                size_t count);

#endif
