/* input_tables.h - the tables of a command, in whichever of three forms they are given: files, one
 * file with a column of regimes or conditions, or a folder.
 */
#ifndef SCONE_CLI_INPUT_TABLES_H
#define SCONE_CLI_INPUT_TABLES_H

#include "options.h"
#include "scone.h"
#include "session.h"

typedef struct tables_options {
    const char *regime, *conditions;
    size_t index;
    bool index_given;
} tables_options;

static inline option option_regime(tables_options *o)
{
    return option_text("regime", 'r', "COLUMN[=C]",
                       "the column that tells the regimes apart; rows with\n"
                       "the value C (default: 0, else the first row's) are\n"
                       "from before the change",
                       &o->regime);
}

static inline option option_conditions(tables_options *o)
{
    return option_text("conditions", 'c', "COLUMN[=C[,N...]]",
                       "the column that tells the conditions of one long\n"
                       "table apart; rows with the value C (default: 0, else\n"
                       "the first row's) are the control; every other value is\n"
                       "a condition, only those named if any are named",
                       &o->conditions);
}

static inline option option_index(tables_options *o)
{
    return option_number(OPTION_COUNT, "index", 'i', "I",
                         "which problem of a folder (default: the first)", 0, 1e9, &o->index,
                         &o->index_given);
}

/* The files that were read, for the record. */
typedef struct tables_files {
    char **paths;
    size_t count;
    bool dcdi; /* they are problem `index` of a DCDI folder */
    size_t index;
} tables_files;

/* Do the arguments fit one of the three forms? Reports a usage error; returns an exit code. */
int tables_usage(const command *about, const arguments *parsed, const tables_options *o);
/* Reads the pair; returns an exit code and reports a failure. Free the files in any case. */
int tables_read(scone_pair **pair, tables_files *files, session *s, const arguments *parsed,
                const tables_options *o, const scone_read_options *how);
void tables_files_free(tables_files *files);

/* Do the arguments name several conditions: more than two tables, a table with a name (NAME=FILE),
 * --conditions, a DCDI folder with several regimes (whose file is read for it), or a folder with
 * obs.csv, c1.csv, c2.csv, ...? */
bool tables_many(const arguments *parsed, const tables_options *o);
/* The same for these: reports a usage error; reads them. */
int tables_many_usage(const command *about, const arguments *parsed, const tables_options *o);
int tables_many_read(scone_conditions **conditions, tables_files *files, session *s,
                     const arguments *parsed, const tables_options *o,
                     const scone_read_options *how);

#endif
