/* csv_quick.c - rows of plain numbers, parsed where they lie in the buffer (see csv_parts.h).
 *
 * One body, compiled with the portable and the wide number scanner. The buffer continues with zeros
 * (CSV_PADDING), so that numbers are read without asking for its end. Cost: O(bytes).
 */
#include "text/number/number_scan.h"
#include "data/csv_parts.h"

/* A field to be skipped or kept as text: returns its end, or NULL if it is quoted or cut. */
static const char *text_field(const char *at, const char *end, char delimiter)
{
    for (; at < end && *at != delimiter; at++) {
        if (*at == '"' || *at == '\0') return NULL;
        if (*at == '\n' || *at == '\r') break;
    }
    return at < end ? at : NULL;
}

/* A row index, or a label. */
static __attribute__((noinline)) const char *
other_field(csv_role role, delimited_field *label, const char *at, const char *end, char delimiter)
{
    while (at < end && (*at == ' ' || (*at == '\t' && delimiter != '\t'))) at++;
    const char *stop = text_field(at, end, delimiter);
    if (!stop || role != CSV_LABEL) return stop;
    *label = (delimited_field){at, (size_t)(stop - at), false};
    /* the tokenizer knows about blanks at the end, and what to do with missing labels */
    if (stop == at || stop[-1] == ' ' || stop[-1] == '\t') return NULL;
    return csv_label_missing(at, label->length) ? NULL : stop;
}

/* A number with blanks before it, many digits, or at the end of the buffer. */
static __attribute__((noinline)) const char *slow_number(double *out, const char *at,
                                                         const char *end)
{
    while (at < end && *at == ' ') at++;
    number_kind kind;
    at = number_scan(out, &kind, at, end);
    return kind == NUMBER_OK && at < end ? at : NULL;
}

/* Where the row after this line break starts, or NULL if there is none or it is cut. */
static inline const char *next_line(const char *at, const char *end)
{
    if (*at == '\n' && at < end) return at + 1;
    if (*at != '\r' || at + 1 >= end) return NULL;
    return at + (at[1] == '\n' ? 2 : 1);
}

#define QUICK_ROW(name_, scan_)                                                                    \
    static const char *name_(const csv_header *header, double *out, delimited_field *label,        \
                             const char *at, const char *end)                                      \
    {                                                                                              \
        const char delimiter = header->delimiter;                                                  \
        const csv_role *role = header->roles, *last = role + header->fields - 1;                   \
        for (;; role++) {                                                                          \
            if (*role == CSV_VALUE) {                                                              \
                const char *start = at;                                                            \
                at = scan_(out, start, end, delimiter);                                            \
                if (!at) at = slow_number(out, start, end);                                        \
                out++;                                                                             \
            } else {                                                                               \
                at = other_field(*role, label, at, end, delimiter);                                \
            }                                                                                      \
            if (!at) return NULL;                                                                  \
            if (role == last) return next_line(at, end);                                           \
            if (*at++ != delimiter) return NULL;                                                   \
        }                                                                                          \
    }

QUICK_ROW(quick_row, number_scan_quick)

#if defined(__x86_64__)
NUMBER_WIDE_TARGET QUICK_ROW(quick_row_wide, number_scan_wide)
#endif

csv_quick csv_quick_choose(void)
{
#if defined(__x86_64__)
    if (number_has_wide()) return quick_row_wide;
#endif
    return quick_row;
}
