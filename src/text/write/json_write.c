/* json_write.c - writing JSON (see json_write.h). Cost: linear in the output. */
#include "text/write/json_write.h"

#include <inttypes.h>

static const char *escape(char character, char room[WRITER_ESCAPE_SIZE])
{
    if (character == '"') return "\\\"";
    if (character == '\\') return "\\\\";
    if (character == '\n') return "\\n";
    if ((unsigned char)character >= 0x20) return NULL;
    (void)snprintf(room, WRITER_ESCAPE_SIZE, "\\u%04x", (unsigned)(unsigned char)character);
    return room;
}

static void write_quoted(json_writer *j, const char *text)
{
    writer_text(&j->out, "\"");
    writer_escaped(&j->out, text, escape);
    writer_text(&j->out, "\"");
}

static void new_line(json_writer *j, int depth)
{
    writer_print(&j->out, "\n%*s", 2 * depth, "");
}

/* What stands before a value: the comma after the one before it, its line, its key. */
static void begin_value(json_writer *j, const char *key)
{
    uint32_t bit = 1u << j->depth;
    bool line = j->lines & bit;
    if (j->filled & bit) writer_text(&j->out, line ? "," : ", ");
    if (line) new_line(j, j->depth);
    j->filled |= bit;
    if (!key) return;
    write_quoted(j, key);
    writer_text(&j->out, ": ");
}

static void set_bit(uint32_t *bits, uint32_t bit, bool value)
{
    *bits = value ? *bits | bit : *bits & ~bit;
}

static void open_value(json_writer *j, const char *key, bool array, bool lines)
{
    begin_value(j, key);
    if (j->depth == JSON_WRITE_DEPTH) {
        if (j->out.status == SCONE_OK) {
            j->out.status = RAISE(SCONE_ERR_DEFECT, "internal error: JSON is nested too deep");
        }
        return;
    }
    uint32_t bit = 1u << ++j->depth;
    set_bit(&j->arrays, bit, array);
    set_bit(&j->lines, bit, lines);
    set_bit(&j->filled, bit, false);
    writer_text(&j->out, array ? "[" : "{");
}

void json_write_object(json_writer *j, const char *key)
{
    open_value(j, key, false, false);
}

void json_write_array(json_writer *j, const char *key)
{
    open_value(j, key, true, false);
}

void json_write_lines(json_writer *j, const char *key)
{
    open_value(j, key, true, true);
}

void json_write_close(json_writer *j)
{
    uint32_t bit = 1u << j->depth;
    if (j->depth > 0) j->depth--;
    if (j->lines & j->filled & bit) new_line(j, j->depth);
    writer_text(&j->out, j->arrays & bit ? "]" : "}");
}

json_writer json_write_start(output_file *stream)
{
    json_writer j = {.out = {.stream = stream}};
    open_value(&j, NULL, false, true);
    return j;
}

scone_status json_write_end(json_writer *j)
{
    if (j->depth != 1 && j->out.status == SCONE_OK) {
        j->out.status = RAISE(SCONE_ERR_DEFECT, "internal error: JSON is not closed as opened");
    }
    json_write_close(j);
    writer_text(&j->out, "\n");
    return j->out.status;
}

void json_write_string(json_writer *j, const char *key, const char *text)
{
    if (!text) {
        json_write_null(j, key);
        return;
    }
    begin_value(j, key);
    write_quoted(j, text);
}

void json_write_number(json_writer *j, const char *key, double value)
{
    begin_value(j, key);
    writer_number(&j->out, value, "null");
}

void json_write_decimals(json_writer *j, const char *key, double value, int decimals)
{
    begin_value(j, key);
    writer_decimals(&j->out, value, decimals, "null");
}

void json_write_count(json_writer *j, const char *key, uint64_t value)
{
    begin_value(j, key);
    writer_print(&j->out, "%" PRIu64, value);
}

void json_write_hash(json_writer *j, const char *key, uint64_t hash)
{
    begin_value(j, key);
    writer_print(&j->out, "\"%016" PRIx64 "\"", hash);
}

void json_write_boolean(json_writer *j, const char *key, bool value)
{
    begin_value(j, key);
    writer_text(&j->out, value ? "true" : "false");
}

void json_write_null(json_writer *j, const char *key)
{
    begin_value(j, key);
    writer_text(&j->out, "null");
}
