/* csv_header.c - the header of a table in text: names, and what each field is for (see
 * csv_parts.h). Cost: O(bytes of the header).
 */
#include "text/number/number.h"
#include "data/csv_parts.h"

#include <string.h>

enum { PREAMBLE = 256 };

/* Formats that people hand to a CSV reader, by their first bytes. */
static const struct {
    const char *mark;
    size_t length;
    const char *what;
} formats[] = {
    {"PK\x03\x04", 4, "a zip archive or an Excel workbook (.xlsx)"},
    {"\xD0\xCF\x11\xE0", 4, "an Excel workbook (.xls)"},
    {"\x93NUMPY", 6, "a NumPy array; name it *.npy"},
    {"\x89HDF\r\n", 6, "an HDF5 file"},
    {"PAR1\x15", 5, "a Parquet file"},
    {"ARROW1\0", 7, "an Arrow file"},
    {"BZh91AY&SY", 10, "a bzip2 archive"},
    {"\xFD"
     "7zXZ",
     5, "an xz archive"},
    {"\x28\xB5\x2F\xFD", 4, "a Zstandard archive"},
    {"RDX3\n", 5, "an R data file"},
    {"RDX2\n", 5, "an R data file"},
    {"\x80\x04\x95", 3, "a Python pickle"},
    {"%PDF-", 5, "a PDF document"},
};

scone_status csv_header_preamble(csv_text *text)
{
    scone_status status = SCONE_OK;
    while (text->end - text->begin < PREAMBLE && !text->finished) TRY(csv_text_more(text));
    const char *begin = text->bytes + text->begin, *start = begin, *end = text->bytes + text->end;
    if (begin == end) FAIL(SCONE_ERR_INPUT, "the file is empty; a table needs a header and rows");
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if ((size_t)(end - begin) < formats[i].length) continue;
        if (memcmp(begin, formats[i].mark, formats[i].length) != 0) continue;
        FAIL(SCONE_ERR_INPUT,
             "this is not text but %s; give a CSV file (plain or .gz) or a NumPy array (.npy)",
             formats[i].what);
    }
    if ((size_t)(end - begin) > PREAMBLE) end = begin + PREAMBLE; /* however much was read */
    TRY(delimited_skip_mark(&start, end));
    text->begin += (size_t)(start - begin);
cleanup:
    return status;
}

/* ---- checks of the names ---- */

/* 0 if [text, text + length) is clean UTF-8 text, else the position from 1 of the first bad byte */
static size_t bad_byte(const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        unsigned char c = (unsigned char)text[i];
        size_t size = csv_utf8_length(text + i, text + length);
        if (size == 0 || c == 0x7f || (c < 0x20 && c != '\t' && c != '\n' && c != '\r')) {
            return i + 1;
        }
        i += size;
    }
    return 0;
}

static scone_status check_name(const csv_header *header, size_t field)
{
    const char *name = header->names[field];
    size_t length = strlen(name), empty = 0;
    if (length == 0) {
        for (size_t j = header->fields; j-- > 0 && !header->names[j][0];) empty++;
        if (empty && header->fields - empty <= field) {
            return RAISE(
                SCONE_ERR_INPUT,
                "row %zu: the header ends with %zu empty name%s; remove the delimiter%s at "
                "the end of every line, or name the column%s",
                header->row, empty, empty > 1 ? "s" : "", empty > 1 ? "s" : "",
                empty > 1 ? "s" : "");
        }
        return RAISE(SCONE_ERR_INPUT, "row %zu, column %zu: the header has an empty name; name it",
                     header->row, field + 1);
    }
    size_t bad = bad_byte(name, length);
    if (bad) {
        char shown[CSV_SHOW_SIZE];
        return RAISE(SCONE_ERR_INPUT,
                     "row %zu, column %zu: the name '%s' holds the byte 0x%02x, which is not UTF-8 "
                     "text; save the file as UTF-8",
                     header->row, field + 1, csv_show(shown, name, length),
                     (unsigned)(unsigned char)name[bad - 1]);
    }
    return SCONE_OK;
}

/* A first line of data instead of names: numbers, and perhaps missing cells among them. */
static bool is_data(const csv_header *header)
{
    size_t numbers = 0;
    for (size_t j = 0; j < header->fields; j++) {
        if (header->roles[j] == CSV_INDEX) continue;
        double value;
        csv_cell cell = csv_cell_parse(&value, header->names[j], strlen(header->names[j]));
        if (cell == CSV_TEXT) return false;
        numbers += cell == CSV_NUMBER;
    }
    return numbers > 0;
}

static uint64_t hash_name(const char *name)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a, then mixed for the low bits */
    for (; *name; name++) hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
    return hash ^ hash >> 29;
}

/* Open addressing with at most half of the places taken. */
static scone_status check_unique(const csv_header *header)
{
    scone_status status = SCONE_OK;
    size_t places = 16, *taken = NULL; /* field + 1, 0 for free */
    while (places < 2 * header->fields) places *= 2;
    TRY_ZERO(taken, places);
    for (size_t j = 0; j < header->fields; j++) {
        if (header->roles[j] == CSV_INDEX) continue;
        size_t at = (size_t)hash_name(header->names[j]) & (places - 1);
        while (taken[at] && strcmp(header->names[taken[at] - 1], header->names[j]) != 0) {
            at = (at + 1) & (places - 1);
        }
        if (taken[at]) {
            char shown[CSV_SHOW_SIZE];
            FAIL(SCONE_ERR_INPUT,
                 "row %zu: columns %zu and %zu are both named '%s'; give every column its own name",
                 header->row, taken[at], j + 1,
                 csv_show(shown, header->names[j], strlen(header->names[j])));
        }
        taken[at] = j + 1;
    }
cleanup:
    mem_free(taken);
    return status;
}

/* ---- roles ---- */

/* The column without a name that pandas and R put first, also under the name it gets when pandas
 * reads and writes it again. */
static void find_index(csv_header *header)
{
    for (size_t j = 0; j < header->fields; j++) {
        const char *name = header->names[j];
        bool index = (j == 0 && !*name) || strncmp(name, "Unnamed: 0", 10) == 0;
        if (!index) return;
        if (header->roles[j] == CSV_VALUE) header->roles[j] = CSV_INDEX;
    }
}

static scone_status find_label(csv_header *header, const char *label_column)
{
    for (size_t j = 0; j < header->fields; j++) {
        if (strcmp(header->names[j], label_column) == 0) {
            header->roles[j] = CSV_LABEL;
            return SCONE_OK;
        }
    }
    char list[512], shown[CSV_SHOW_SIZE];
    size_t used = 0;
    list[0] = '\0';
    for (size_t j = 0; j < header->fields && used < sizeof list - CSV_SHOW_SIZE - 8; j++) {
        const char *name = csv_show(shown, header->names[j], strlen(header->names[j]));
        int length = snprintf(list + used, sizeof list - used, "%s%s", j ? ", " : "", name);
        used += length > 0 ? (size_t)length : 0;
    }
    return RAISE(SCONE_ERR_INPUT, "there is no column '%s'; the columns are: %s%s",
                 csv_show(shown, label_column, strlen(label_column)), list,
                 used < sizeof list - CSV_SHOW_SIZE - 8 ? "" : ", ...");
}

/* Copies the names out of the record, which the buffer overwrites. */
static scone_status take_names(csv_header *header, const delimited_record *record)
{
    scone_status status = SCONE_OK;
    if (record->count > CSV_COLUMN_LIMIT) {
        FAIL(SCONE_ERR_INPUT, "row %zu: %zu columns; at most %d are possible", header->row,
             record->count, CSV_COLUMN_LIMIT);
    }
    TRY_ZERO(header->names, record->count);
    TRY_ZERO(header->roles, record->count);
    header->fields = record->count;
    for (size_t j = 0; j < record->count; j++) {
        header->names[j] = mem_copy_text(record->fields[j].text, record->fields[j].length);
        if (!header->names[j]) TRY(SCONE_ERR_MEMORY);
    }
cleanup:
    return status;
}

scone_status csv_header_build(csv_header *header, const delimited_record *record,
                              const char *label_column)
{
    scone_status status = SCONE_OK;
    TRY(take_names(header, record));
    find_index(header);
    if (is_data(header)) {
        FAIL(SCONE_ERR_INPUT,
             "row %zu: there is no header, only numbers; put a line with the names of the columns "
             "first, such as X0%cX1 (pandas: data.add_prefix(\"X\"))",
             header->row, header->delimiter == '\t' ? ' ' : header->delimiter);
    }
    if (label_column) TRY(find_label(header, label_column));
    for (size_t j = 0; j < header->fields; j++) {
        if (header->roles[j] == CSV_INDEX) continue;
        TRY(check_name(header, j));
        header->columns += header->roles[j] == CSV_VALUE;
    }
    TRY(check_unique(header));
    if (header->columns == 0) {
        FAIL(SCONE_ERR_INPUT, "row %zu: there is no column of numbers besides the %s", header->row,
             label_column ? "regime column" : "row index");
    }
cleanup:
    return status;
}

void csv_header_free(csv_header *header)
{
    for (size_t j = 0; j < header->fields; j++) mem_free(header->names ? header->names[j] : NULL);
    mem_free(header->names);
    mem_free(header->roles);
}
