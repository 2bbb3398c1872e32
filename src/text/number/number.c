/* number.c - decimal text to the nearest double (see number.h).
 *
 * The digits are read eight at a time into a 64-bit integer w, the value being w * 10^q. Small w
 * and q need one exact multiplication or division (Clinger, "How to read floating point numbers
 * accurately", PLDI 1990). The rest multiplies w by 128 bits of 10^q, which always decides the
 * rounding for w below 2^64 (Lemire, "Number parsing at a gigabyte per second", Software: Practice
 * and Experience 51, 2021; Mushtak and Lemire, "Fast number parsing without fallback", ibid. 53,
 * 2023). With more than 19 digits both w and w + 1 are tried; only if they differ is the full text
 * compared with the halfway point (number_decide.c). Cost: O(digits).
 */
#include "text/number/number.h"

#include "text/number/number_scan.h"

/* Appends a run of digits to *w (modulo 2^64; the caller counts) and returns its end. */
static inline const char *read_digits(uint64_t *w, const char *text, const char *end)
{
    while (end - text >= 8) {
        uint64_t digits = number_load(text), others = number_others(digits);
        if (others) {
            unsigned count = (unsigned)__builtin_ctzll(others) / 8;
            if (count == 0) return text;
            *w = *w * number_small_powers[count] + number_combine(digits << (64 - 8 * count));
            return text + count;
        }
        *w = *w * 100000000u + number_combine(digits);
        text += 8;
    }
    while (text < end && number_is_digit(*text)) *w = *w * 10 + (uint64_t)(*text++ - '0');
    return text;
}

/* More than 19 characters of digits: reads the first 19 significant ones, and decides between the
 * two candidates that leaves. `exponent` is that of the last digit. */
static __attribute__((noinline)) uint64_t round_long(const char *text, const char *end,
                                                     int64_t exponent)
{
    while (text < end && (*text == '0' || *text == '.')) text++;
    uint64_t w = 0;
    int64_t count = 0, dropped = 0;
    bool exact = true;
    for (const char *c = text; c < end; c++) {
        if (*c == '.') continue;
        if (count < NUMBER_DIGITS) {
            w = w * 10 + (uint64_t)(*c - '0');
            count++;
        } else {
            exact = exact && *c == '0';
            dropped++;
        }
    }
    uint64_t low = number_round(w, exponent + dropped);
    if (exact || low == number_round(w + 1, exponent + dropped)) return low;
    return number_decide(low, text, end, exponent);
}

/* Adds an exponent part at text ("e-12"), if there is one, to *exponent; returns its end. */
static const char *read_exponent(int64_t *exponent, const char *text, const char *end)
{
    const char *at = text + 1;
    if (text == end || (*text != 'e' && *text != 'E')) return text;
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    if (at == end || !number_is_digit(*at)) return text;
    int64_t value = 0;
    for (; at < end && number_is_digit(*at); at++) {
        if (value < NUMBER_EXPONENT_CAP) value = value * 10 + (*at - '0');
    }
    *exponent += negative ? -value : value;
    return at;
}

/* The general case, near the end of the text or with more digits than the quick one takes. */
static __attribute__((noinline)) const char *scan_any(double *value, number_kind *kind,
                                                      const char *text, const char *end)
{
    const char *at = text;
    *kind = NUMBER_BAD;
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;

    const char *digits = at;
    uint64_t w = 0;
    at = read_digits(&w, at, end);
    int64_t exponent = 0, count = at - digits;
    if (at < end && *at == '.') {
        const char *fraction = at + 1;
        at = read_digits(&w, fraction, end);
        exponent = fraction - at;
        count -= exponent;
    }
    if (count == 0) return text; /* no digit, or a point alone */
    const char *digits_end = at;
    at = read_exponent(&exponent, at, end);

    uint64_t bits = count > NUMBER_DIGITS ? round_long(digits, digits_end, exponent)
                                          : number_round(w, exponent);
    *kind = bits >> NUMBER_SIGNIFICAND == NUMBER_INFINITE ? NUMBER_OVERFLOW : NUMBER_OK;
    *value = number_from_bits(bits | (uint64_t)negative << 63);
    return at;
}

const char *number_quick_exponent(double *value, uint64_t w, int64_t exponent, uint64_t negative,
                                  const char *at, const char *end)
{
    at = read_exponent(&exponent, at, end);
    uint64_t bits = number_round(w, exponent);
    if (bits >> NUMBER_SIGNIFICAND == NUMBER_INFINITE) return NULL;
    *value = number_from_bits(bits | negative << 63);
    return at;
}

const char *number_scan(double *value, number_kind *kind, const char *text, const char *end)
{
    const char *stop = end - text < NUMBER_ROOM ? NULL : number_scan_quick(value, text, end, ',');
    if (!stop) return scan_any(value, kind, text, end);
    *kind = NUMBER_OK;
    return stop;
}

number_kind number_parse(double *value, const char *text, const char *end)
{
    number_kind kind;
    double result;
    const char *stop = number_scan(&result, &kind, text, end);
    if (stop == text || stop != end) return NUMBER_BAD;
    *value = result;
    return kind;
}
