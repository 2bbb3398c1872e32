/* team_alone.c - the team of a build without MPI: this process and no other (see team.h). */
#include "parallel/team.h"

#include <sched.h>

scone_status team_link_open(team_link *link)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    *link = (team_link){.size = 1, .processors = count > 0 ? count : 1};
    return SCONE_OK;
}
