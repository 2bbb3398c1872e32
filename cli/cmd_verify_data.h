/* cmd_verify_data.h - scone verify --data: the part of the command that works on simulated data. */
#ifndef SCONE_CLI_CMD_VERIFY_DATA_H
#define SCONE_CLI_CMD_VERIFY_DATA_H

#include "scone_lab.h"
#include "session.h"

typedef struct data_options {
    bool data, force;
    const char *rows, *subsets, *mechanisms; /* NULL: not given */
    size_t count, restarts;                  /* 0: not given */
    uint64_t seed;
    bool seed_given;
} data_options;

/* An option that makes sense with --data alone, or NULL if none was given. */
const char *data_option_given(const data_options *d);

/* Lists and names as the library wants them; SCONE_ERR_USAGE after a message. */
int data_options_read(scone_consistency_options *o, const command *about, const data_options *d);

/* Runs, prints and writes to the folder `output`, which may be NULL. */
int verify_data(session *s, const scone_consistency_options *o, const char *output, bool force);

#endif
