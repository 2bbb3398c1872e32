/* clock.h - how long something takes. */
#ifndef SCONE_BASE_CLOCK_H
#define SCONE_BASE_CLOCK_H

/* Seconds since some fixed time, 0 if the system has no such clock. Only
 * differences mean anything. */
double clock_seconds(void);

#endif
