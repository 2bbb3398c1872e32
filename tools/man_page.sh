#!/usr/bin/env bash
# Prints docs/man/scone.1 with the parts that follow from the commands and their options as the program
# has them now. Usage: tools/man_page.sh SCONE >NEW; then NEW takes the place of the page. The parts
# stand between the lines `.\" begin NAME` and `.\" end`; a part without a place is an error.
set -eu -o pipefail
page=$(dirname "$0")/../docs/man/scone.1
"$1" help --man | awk -v page="$page" '
    /^\.\\" begin / { part = $0 }
    { text[part] = text[part] $0 "\n" }
    END {
        while ((getline line <page) > 0) {
            if (line ~ /^\.\\" begin /) {
                if (!(line in text)) { print "no part is called: " line >"/dev/stderr"; exit 1 }
                printf "%s", text[line]
                delete text[line]
                inside = 1
            }
            if (!inside) print line
            if (line ~ /^\.\\" end/) inside = 0
        }
        for (part in text) { print "no place for: " part >"/dev/stderr"; exit 1 }
    }'
