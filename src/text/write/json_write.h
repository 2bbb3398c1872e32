/* json_write.h - a JSON file as it is written: an object of members, each on a line of its own,
 * whose values stand on one line or, for long lists, have a line for every element.
 *
 *     json_writer j = json_write_start(stream);        {
 *     json_write_string(&j, "format", "example");        "format": "example",
 *     json_write_lines(&j, "pairs");                     "pairs": [
 *     json_write_object(&j, NULL);                         {"a": 1, "b": [0.5]}
 *     json_write_count(&j, "a", 1);                      ]
 *     json_write_array(&j, "b");                       }
 *     json_write_number(&j, NULL, 0.5);
 *     json_write_close(&j);
 *     json_write_close(&j);
 *     json_write_close(&j);
 *     return json_write_end(&j);
 *
 * A key belongs to every member of an object and is NULL for the elements of arrays. Failures are
 * carried along (text/write/writer.h).
 */
#ifndef SCONE_TEXT_WRITE_JSON_WRITE_H
#define SCONE_TEXT_WRITE_JSON_WRITE_H

#include "text/write/writer.h"

enum { JSON_WRITE_DEPTH = 31 };

typedef struct json_writer {
    writer out;
    int depth;
    uint32_t arrays; /* bit d: what is open at depth d is an array, */
    uint32_t lines;  /* has its parts on lines, */
    uint32_t filled; /* has a part already */
} json_writer;

json_writer json_write_start(output_file *stream);
/* Closes the file's object; the status of all that was written. */
scone_status json_write_end(json_writer *j);

void json_write_object(json_writer *j, const char *key);
void json_write_array(json_writer *j, const char *key);
void json_write_lines(json_writer *j, const char *key); /* an array with a line for each element */
void json_write_close(json_writer *j);                  /* the innermost that is open */

void json_write_string(json_writer *j, const char *key, const char *text); /* NULL: null */
/* null if the value is infinite or not a number */
void json_write_number(json_writer *j, const char *key, double value);
void json_write_decimals(json_writer *j, const char *key, double value, int decimals);
void json_write_count(json_writer *j, const char *key, uint64_t value);
void json_write_hash(json_writer *j, const char *key, uint64_t hash); /* a string of 16 digits */
void json_write_boolean(json_writer *j, const char *key, bool value);
void json_write_null(json_writer *j, const char *key);

#endif
