/* formats.h - what the tests of the graph formats share: a graph as one line of text, files in
 * memory, random graphs with awkward names. */
#ifndef SCONE_TESTS_FORMATS_H
#define SCONE_TESTS_FORMATS_H

#include "testing.h"
#include "sample.h"

#include "io/file.h"
#include "graph/format/format.h"
#include "text/limits.h"

#include <stdlib.h>
#include <unistd.h>

/* "A B C: A>B B-C", nodes and edges in the order of the node numbers; the caller frees it. */
static inline char *describe(const graph *g)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    for (size_t i = 0; i < scone_graph_nodes(g); i++) {
        (void)fprintf(stream, "%s%s", i ? " " : "", scone_graph_name(g, i));
    }
    (void)fputc(':', stream);
    for (size_t i = 0; i < scone_graph_nodes(g); i++) {
        for (size_t j = 0; j < scone_graph_nodes(g); j++) {
            scone_mark mark = scone_graph_mark(g, i, j);
            bool once = mark == SCONE_MARK_UNDIRECTED && i < j;
            if (mark != SCONE_MARK_FORWARD && !once) continue;
            (void)fprintf(stream, " %s", scone_graph_name(g, i));
            (void)fprintf(stream, "%c%s", once ? '-' : '>', scone_graph_name(g, j));
        }
    }
    (void)fclose(stream);
    return text;
}

/* The text reads as the graph that `expected` describes. */
static inline void check_reads_bytes(scone_graph_format format, const char *text, size_t size,
                                     const char *expected)
{
    graph *g;
    scone_status status = graph_parse(&g, text, size, format);
    if (status != SCONE_OK) fail_msg("'%s': %s", text, scone_error_message());
    char *found = describe(g);
    assert_string_equal(found, expected);
    free(found);
    scone_graph_free(g);
}

static inline void check_reads(scone_graph_format format, const char *text, const char *expected)
{
    check_reads_bytes(format, text, strlen(text), expected);
}

typedef struct refused_case {
    scone_graph_format format;
    const char *text;
    size_t size;
    const char *message;
} refused_case;

/* Each text is refused with exactly its message, from a copy without a byte to spare. */
static inline void check_refused(const refused_case *cases, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        graph *g;
        char *exact = malloc(cases[k].size ? cases[k].size : 1);
        memcpy(exact, cases[k].text, cases[k].size);
        scone_status status = graph_parse(&g, exact, cases[k].size, cases[k].format);
        free(exact);
        if (status != SCONE_ERR_INPUT) fail_msg("'%s': status %d", cases[k].text, (int)status);
        CHECK(g == NULL);
        assert_string_equal(scone_error_message(), cases[k].message);
    }
}

/* A name for a file of this process, in memory if the system has such a folder: every output is
 * synced to disk, and these tests write thousands. */
static inline const char *scratch_path(const char *ending)
{
    static char path[128];
    bool shared = access("/dev/shm", W_OK) == 0;
    (void)snprintf(path, sizeof path, "%sformats-%ld%s", shared ? "/dev/shm/" : "", (long)getpid(),
                   ending);
    return path;
}

/* What a graph is written as; the caller frees it with mem_free. */
static inline char *written(const graph *g, scone_graph_format format, size_t *size)
{
    char *bytes;
    const char *path = scratch_path(".out");
    CHECK_OK(scone_graph_write(g, path, format));
    CHECK_OK(file_read_all(&bytes, size, path, TEXT_FILE_LIMIT));
    (void)remove(path);
    return bytes;
}

/* Names that formats tend to get wrong; all distinct, all valid UTF-8 and fit for XML. */
static inline void awkward_name(char out[64], size_t i)
{
    static const char *const parts[] = {
        "X",
        "a,b",
        "a;b",
        "say \"hi\"",
        "two\nlines",
        "\xC3\xA9t\xC3\xA9",
        "<&>",
        " lead",
        "tail ",
        "7up",
        "tab\there",
        "C:\\dir\\",
        "\xF0\x9F\x98\x80",
        "it's",
        "->",
        "\\\"",
        "]]>",
        "&amp;",
        "{x}",
        "#no",
        "cr\rlf\r\n",
        "null",
        "node",
        "true",
        "0",
        "-1.5",
        "'",
        "\\\n",
        "\"",
        "\"\"",
        "\\",
        "a\\nb",
        "source",
        "target",
        "//x",
        "\t",
    };
    size_t count = sizeof parts / sizeof *parts;
    if (i < count) {
        (void)snprintf(out, 64, "%s", parts[i]);
    } else {
        (void)snprintf(out, 64, "%s%zu%s", parts[i % count], i,
                       i % 3 ? "" : parts[(i / 3) % count]);
    }
}

/* A random graph: names awkward (1), plain words (2) or none (0); edges with chance `density`, of
 * them `undirected` undirected. */
static inline graph *random_graph(sample_stream *s, size_t nodes, int naming, double density,
                                  double undirected)
{
    graph *g;
    CHECK_OK(scone_graph_alloc(&g, nodes, NULL));
    char(*names)[64] = calloc(nodes + 1, sizeof *names);
    const char **pointers = calloc(nodes + 1, sizeof *pointers);
    for (size_t i = 0; i < nodes; i++) {
        if (naming == 1) awkward_name(names[i], i);
        if (naming == 2) (void)snprintf(names[i], sizeof names[i], "gene%zu", (i * 7919) % 10007);
        pointers[i] = names[i];
    }
    if (naming) CHECK_OK(graph_set_names(g, pointers));
    free(names);
    free(pointers);
    for (size_t i = 0; i < nodes; i++) {
        for (size_t j = i + 1; j < nodes; j++) {
            if (sample_uniform(s) >= density) continue;
            scone_mark mark = sample_uniform(s) < 0.5 ? SCONE_MARK_FORWARD : SCONE_MARK_BACKWARD;
            if (sample_uniform(s) < undirected) mark = SCONE_MARK_UNDIRECTED;
            scone_graph_set(g, i, j, mark);
        }
    }
    return g;
}

#endif
