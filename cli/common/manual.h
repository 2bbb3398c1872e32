/* manual.h - the parts of the manual page that follow from the commands and their options, in the
 * macros of mdoc(7). tools/man_page.sh puts them into docs/man/scone.1.
 */
#ifndef SCONE_CLI_MANUAL_H
#define SCONE_CLI_MANUAL_H

#include "options.h"

/* Both are writers for options_help_as. The usage lines, for SYNOPSIS: */
void manual_synopsis(FILE *stream, const command *about, const option *table);
/* a subsection with paragraphs and options, for DESCRIPTION. */
void manual_command(FILE *stream, const command *about, const option *table);

#endif
