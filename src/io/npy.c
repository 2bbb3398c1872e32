/* npy.c - reading and writing NumPy's array files (see npy.h).
 *
 * A file is "\x93NUMPY", two version bytes, the header's length (2 bytes little-endian in version
 * 1, 4 in versions 2 and 3), the header and the values. The header's claim is compared with the
 * number of bytes that are really there before anything of that size is allocated. Values stream
 * through one small buffer, so reading needs the array plus about half a megabyte; a compressed
 * file or a pipe, whose size is not known beforehand, is held as well while it is converted.
 * Cost O(values).
 */
#include "io/npy.h"

#include "io/file.h"
#include "io/input_list.h"
#include "io/npy_header.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum {
    CHUNK_VALUES = 32768,   /* values converted at a time: two buffers of at most 256 KiB */
    GROWTH_START = 1 << 16, /* first buffer for a source of unknown size */
    PREFIX_SIZE = 8         /* magic and version */
};

/* Bytes from memory or from a file, whichever is set. */
typedef struct npy_source {
    input_file *file;
    const unsigned char *bytes;
    size_t left; /* bytes not yet taken; meaningful if known */
    bool known;  /* the number of bytes is known */
    bool failed; /* reading itself failed, with a message that names the file */
} npy_source;

/* Takes up to `size` bytes; *got < size only at the end. */
static scone_status source_take(npy_source *source, void *out, size_t size, size_t *got)
{
    *got = 0;
    if (!source->file) {
        *got = size < source->left ? size : source->left;
        if (*got) memcpy(out, source->bytes, *got);
        source->bytes += *got;
        source->left -= *got;
        return SCONE_OK;
    }
    while (*got < size) {
        size_t part = 0;
        scone_status status = input_read(source->file, (char *)out + *got, size - *got, &part);
        if (status != SCONE_OK) {
            source->failed = true;
            return status;
        }
        if (part == 0) break;
        *got += part;
    }
    source->left = source->left > *got ? source->left - *got : 0;
    return SCONE_OK;
}

/* ---- the header ---- */

static scone_status raise_not_npy(const unsigned char *prefix, size_t got)
{
    const char *hint = "";
    if (got >= 4 && memcmp(prefix, "PK\3\4", 4) == 0) {
        hint = " (it looks like an .npz archive; save the array alone with numpy.save)";
    } else if (got >= 1 && prefix[0] == 0x80) {
        hint = " (it looks like a Python pickle, which is never loaded; use numpy.save)";
    } else if (got == 0) {
        hint = " (it is empty)";
    }
    return RAISE(SCONE_ERR_INPUT, "not an NPY file%s", hint);
}

static scone_status raise_truncated_header(void)
{
    return RAISE(SCONE_ERR_INPUT, "truncated: the file ends inside the NPY header; copy or save it "
                                  "again");
}

static scone_status read_header(npy_layout *layout, npy_source *source)
{
    scone_status status = SCONE_OK;
    unsigned char prefix[PREFIX_SIZE], size_bytes[4];
    char header[NPY_HEADER_LIMIT];
    size_t got;
    TRY(source_take(source, prefix, sizeof prefix, &got));
    if (got < 6 || memcmp(prefix, "\x93NUMPY", 6) != 0) {
        TRY(raise_not_npy(prefix, got));
    }
    if (got < sizeof prefix) TRY(raise_truncated_header());
    if (prefix[6] < 1 || prefix[6] > 3 || prefix[7] != 0) {
        FAIL(
            SCONE_ERR_INPUT,
            "NPY version %d.%d is not known (1.0, 2.0 and 3.0 are); save the array with numpy.save",
            prefix[6], prefix[7]);
    }
    size_t width = prefix[6] == 1 ? 2 : 4, length = 0;
    TRY(source_take(source, size_bytes, width, &got));
    if (got < width) TRY(raise_truncated_header());
    for (size_t i = width; i-- > 0;) length = length << 8 | size_bytes[i];
    if (length > sizeof header) {
        FAIL(
            SCONE_ERR_INPUT,
            "the NPY header has %zu bytes; at most %d are accepted, since a table of numbers needs "
            "about 100",
            length, NPY_HEADER_LIMIT);
    }
    TRY(source_take(source, header, length, &got));
    if (got < length) TRY(raise_truncated_header());
    TRY(npy_header_parse(layout, header, length));
cleanup:
    return status;
}

static scone_status raise_size(const npy_layout *layout, size_t found, bool at_least)
{
    bool less = found < layout->data_bytes;
    return RAISE(SCONE_ERR_INPUT,
                 "%s: %zu x %zu values of type '%s' are %zu bytes, but %s%zu follow the header; "
                 "copy or save the file again",
                 less ? "truncated" : "trailing bytes", layout->rows, layout->columns, layout->type,
                 layout->data_bytes, at_least ? "at least " : "", found);
}

/* ---- the values ---- */

static double half_to_double(uint16_t half)
{
    /* sign 1, exponent 5, fraction 10 bits; IEEE 754-2008 binary16 */
    uint64_t sign = (uint64_t)(half >> 15) << 63;
    uint64_t exponent = (half >> 10) & 31, fraction = half & 1023, bits;
    double value;
    if (exponent == 0) { /* zero or fraction * 2^-24, exact in double */
        value = (double)fraction * 0x1p-24;
        return sign ? -value : value;
    }
    exponent = exponent == 31 ? 2047 : exponent - 15 + 1023;
    bits = sign | exponent << 52 | fraction << 42;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint16_t load_16(const unsigned char *in, bool swap)
{
    uint16_t bits;
    memcpy(&bits, in, sizeof bits);
    return swap ? __builtin_bswap16(bits) : bits;
}

static uint32_t load_32(const unsigned char *in, bool swap)
{
    uint32_t bits;
    memcpy(&bits, in, sizeof bits);
    return swap ? __builtin_bswap32(bits) : bits;
}

static uint64_t load_64(const unsigned char *in, bool swap)
{
    uint64_t bits;
    memcpy(&bits, in, sizeof bits);
    return swap ? __builtin_bswap64(bits) : bits;
}

static void convert_floats(double *out, const unsigned char *in, size_t count,
                           const npy_layout *layout)
{
    bool swap = layout->swap;
    if (layout->bytes == 8) {
        for (size_t i = 0; i < count; i++) {
            uint64_t bits = load_64(in + 8 * i, swap);
            memcpy(&out[i], &bits, sizeof bits);
        }
    } else if (layout->bytes == 4) {
        for (size_t i = 0; i < count; i++) {
            uint32_t bits = load_32(in + 4 * i, swap);
            float value;
            memcpy(&value, &bits, sizeof value);
            out[i] = (double)value;
        }
    } else {
        for (size_t i = 0; i < count; i++) out[i] = half_to_double(load_16(in + 2 * i, swap));
    }
}

/* Integers beyond 2^53 become the nearest double. */
static void convert_integers(double *out, const unsigned char *in, size_t count,
                             const npy_layout *layout)
{
    bool swap = layout->swap, is_signed = layout->kind == 'i';
    for (size_t i = 0; i < count; i++) {
        const unsigned char *at = in + layout->bytes * i;
        switch (layout->bytes) {
        case 1:
            out[i] = is_signed ? (double)(int8_t)*at : (double)*at;
            break;
        case 2: {
            uint16_t bits = load_16(at, swap);
            out[i] = is_signed ? (double)(int16_t)bits : (double)bits;
            break;
        }
        case 4: {
            uint32_t bits = load_32(at, swap);
            out[i] = is_signed ? (double)(int32_t)bits : (double)bits;
            break;
        }
        default: {
            uint64_t bits = load_64(at, swap);
            out[i] = is_signed ? (double)(int64_t)bits : (double)bits;
            break;
        }
        }
    }
}

static void convert(double *out, const unsigned char *in, size_t count, const npy_layout *layout)
{
    if (layout->kind == 'f') {
        convert_floats(out, in, count, layout);
    } else if (layout->kind == 'b') {
        for (size_t i = 0; i < count; i++) out[i] = in[i] ? 1.0 : 0.0;
    } else {
        convert_integers(out, in, count, layout);
    }
}

/* Places `count` values that start at value `first` of a row-major array: whole rows, or a part of
 * one row, column by column so that stores are contiguous. */
static void scatter_rows(npy_array *array, const double *in, size_t first, size_t count)
{
    size_t columns = array->columns, row = first / columns, column = first % columns;
    if (column != 0 || count < columns) {
        for (size_t j = 0; j < count; j++) array->values[row + array->rows * (column + j)] = in[j];
        return;
    }
    size_t block = count / columns;
    for (size_t j = 0; j < columns; j++) {
        double *out = array->values + array->rows * j + row;
        for (size_t r = 0; r < block; r++) out[r] = in[r * columns + j];
    }
}

/* How many values to convert at once: whole rows if they fit, else a part that ends
 * with the row. */
static size_t next_chunk(const npy_layout *layout, bool row_major, size_t done)
{
    size_t left = layout->values - done, columns = layout->columns, size = CHUNK_VALUES;
    if (row_major) {
        size_t to_row_end = columns - done % columns;
        if (columns <= CHUNK_VALUES) {
            size = CHUNK_VALUES / columns * columns;
        } else if (to_row_end < size) {
            size = to_row_end;
        }
    }
    return size < left ? size : left;
}

static scone_status read_values(npy_array *array, npy_source *source, const npy_layout *layout)
{
    scone_status status = SCONE_OK;
    unsigned char *raw = NULL;
    double *block = NULL;
    bool row_major = !layout->fortran && layout->columns > 1 && layout->rows > 1;
    size_t room = layout->values < CHUNK_VALUES ? layout->values : CHUNK_VALUES, got;
    array->rows = layout->rows;
    array->columns = layout->columns;
    array->values = mem_aligned(layout->values, sizeof *array->values);
    if (!array->values) TRY(SCONE_ERR_MEMORY);
    TRY_ALLOC(raw, room * layout->bytes);
    if (row_major) TRY_ALLOC(block, room);
    for (size_t done = 0; done < layout->values;) {
        size_t count = next_chunk(layout, row_major, done);
        TRY(source_take(source, raw, count * layout->bytes, &got));
        if (got < count * layout->bytes) {
            TRY(raise_size(layout, done * layout->bytes + got, false));
        }
        convert(row_major ? block : array->values + done, raw, count, layout);
        if (row_major) scatter_rows(array, block, done, count);
        done += count;
    }
    TRY(source_take(source, raw, 1, &got));
    if (got) TRY(raise_size(layout, layout->data_bytes + 1, true));
cleanup:
    mem_free(raw);
    mem_free(block);
    return status;
}

/* A source of unknown size is read into a buffer that grows with what really comes. */
static scone_status hold_data(unsigned char **held, npy_source *source, const npy_layout *layout)
{
    scone_status status = SCONE_OK;
    size_t room = 0, size = 0, got;
    for (;;) {
        if (size == room) {
            /* never more than twice what has come; one byte more than claimed
             * shows trailing bytes */
            room = room ? room : GROWTH_START / 2;
            room = room > layout->data_bytes / 2 ? layout->data_bytes + 1 : 2 * room;
            unsigned char *grown = mem_resize(*held, room, 1);
            if (!grown) TRY(SCONE_ERR_MEMORY);
            *held = grown;
        }
        TRY(source_take(source, *held + size, room - size, &got));
        size += got;
        if (size < room || size > layout->data_bytes) break;
    }
    if (size != layout->data_bytes) TRY(raise_size(layout, size, size > layout->data_bytes));
    *source = (npy_source){.bytes = *held, .left = size, .known = true};
cleanup:
    return status;
}

static scone_status read_array(npy_array *array, npy_source *source)
{
    scone_status status = SCONE_OK;
    npy_layout layout;
    unsigned char *held = NULL;
    *array = (npy_array){0};
    TRY(read_header(&layout, source));
    if (!source->known) {
        TRY(hold_data(&held, source, &layout));
    } else if (source->left != layout.data_bytes) {
        TRY(raise_size(&layout, source->left, false));
    }
    TRY(read_values(array, source, &layout));
cleanup:
    mem_free(held);
    if (status != SCONE_OK) {
        mem_free(array->values);
        *array = (npy_array){0};
    }
    return status;
}

scone_status npy_parse(npy_array *array, const unsigned char *bytes, size_t size)
{
    npy_source source = {.bytes = bytes, .left = size, .known = true};
    return read_array(array, &source);
}

scone_status npy_read(npy_array *array, const char *path, input_list *inputs)
{
    scone_status status = SCONE_OK;
    npy_source source = {0};
    *array = (npy_array){0};
    TRY(input_open(&source.file, path)); /* names the file itself */
    source.left = input_size_hint(source.file);
    source.known = source.left > 0;
    input_file *file = source.file; /* reading may switch the source to memory */
    status = read_array(array, &source);
    if (status == SCONE_OK) {
        status = input_list_note(inputs, file);
        if (status != SCONE_OK) {
            mem_free(array->values);
            *array = (npy_array){0};
        }
    }
    input_close(file);
    if (status == SCONE_ERR_INPUT && !source.failed) status_prefix("%s", path);
cleanup:
    return status;
}

scone_status npy_is_file(bool *npy, const char *path)
{
    scone_status status = SCONE_OK;
    input_file *file = NULL;
    struct stat info;
    char magic[6];
    size_t have = 0, got = 1;
    *npy = false;
    if (stat(path, &info) != 0) {
        if (errno == ENOENT || errno == ENOTDIR) return SCONE_OK; /* who opens it will say so */
        return RAISE(SCONE_ERR_IO, "%s: cannot examine: %s", path, strerror(errno));
    }
    if (!S_ISREG(info.st_mode)) return SCONE_OK;
    TRY(input_open(&file, path));
    for (; have < sizeof magic && got > 0; have += got) {
        TRY(input_read(file, magic + have, sizeof magic - have, &got));
    }
    *npy = have == sizeof magic && memcmp(magic, "\x93NUMPY", sizeof magic) == 0;
cleanup:
    input_close(file);
    return status;
}
