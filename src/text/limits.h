/* limits.h - how much a text file may hold, whatever the numbers in it say: what every reader of
 * JSON, XML and graphs shares. */
#ifndef SCONE_TEXT_LIMITS_H
#define SCONE_TEXT_LIMITS_H

enum {
    TEXT_FILE_LIMIT = 1073741824,     /* 1 GiB after decompression */
    TEXT_JSON_VALUE_LIMIT = 16777216, /* values of a JSON file, about 150 bytes each */
    TEXT_NESTING_LIMIT = 64           /* subgraphs, XML elements and JSON values in each other */
};

#endif
