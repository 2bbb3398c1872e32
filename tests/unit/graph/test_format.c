/* test_format.c - graphs written and read back in every format, and the bytes that are written. */
#include "formats.h"

#include "text/text.h"

#include <zlib.h>

static const scone_graph_format all_formats[] = {
    SCONE_GRAPH_EDGES, SCONE_GRAPH_ADJACENCY, SCONE_GRAPH_NPY,
    SCONE_GRAPH_JSON,  SCONE_GRAPH_DOT,       SCONE_GRAPH_GRAPHML,
};
enum { FORMATS = sizeof all_formats / sizeof *all_formats };

/* Every mark of a is found in b between the nodes of the same names. */
static void check_same_by_name(const graph *a, const graph *b)
{
    CHECK(scone_graph_nodes(a) == scone_graph_nodes(b));
    CHECK(scone_graph_edges(a) == scone_graph_edges(b));
    size_t n = scone_graph_nodes(a);
    size_t *place = malloc((n + 1) * sizeof *place);
    for (size_t i = 0; i < n; i++) {
        place[i] = graph_find(b, scone_graph_name(a, i));
        if (place[i] == SIZE_MAX) fail_msg("no node '%s'", scone_graph_name(a, i));
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            CHECK(scone_graph_mark(a, i, j) == scone_graph_mark(b, place[i], place[j]));
        }
    }
    free(place);
}

/* Written, read, and written again: the same graph and the same bytes. */
static void check_round_trip(const graph *g, scone_graph_format format)
{
    if (format == SCONE_GRAPH_NPY && g->nodes == 0) return; /* refused, see below */
    size_t size, size_again;
    char *bytes = written(g, format, &size);
    graph *read;
    scone_status status = graph_parse(&read, bytes, size, format);
    if (status != SCONE_OK)
        fail_msg("format %d: %s\n%s", (int)format, scone_error_message(), bytes);
    if (format == SCONE_GRAPH_NPY) {
        CHECK(graph_equal_marks(g, read));
        CHECK(read->names == NULL);
    } else {
        check_same_by_name(g, read);
    }
    /* An edge list has no order of nodes; the others keep it. */
    if (format != SCONE_GRAPH_EDGES) {
        CHECK(graph_equal_marks(g, read));
        for (size_t i = 0; g->names && read->names && i < g->nodes; i++) {
            assert_string_equal(g->names[i], read->names[i]);
        }
    }
    char *again = written(read, format, &size_again);
    CHECK(size == size_again && memcmp(bytes, again, size) == 0);
    mem_free(again);
    scone_graph_free(read);
    /* The content alone tells the format. */
    graph *found;
    CHECK_OK(graph_parse(&found, bytes, size, SCONE_GRAPH_AUTO));
    CHECK(scone_graph_edges(found) == scone_graph_edges(g));
    CHECK(graph_format_of_content(bytes, size) == format);
    scone_graph_free(found);
    mem_free(bytes);
}

static void test_round_trips(void **state)
{
    (void)state;
    sample_stream s = {20260101};
    static const size_t sizes[] = {0, 1, 2, 3, 5, 8, 13, 40, 64, 65, 110};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        for (int naming = 0; naming < 3; naming++) {
            for (int kinds = 0; kinds < 4; kinds++) {
                double density = kinds == 0 ? 0.0 : kinds == 1 ? 1.0 : 3.0 / (double)(sizes[k] + 1);
                double undirected = kinds == 2 ? 0.0 : kinds == 3 ? 0.4 : 0.5;
                graph *g = random_graph(&s, sizes[k], naming, density, undirected);
                for (size_t f = 0; f < FORMATS; f++) check_round_trip(g, all_formats[f]);
                scone_graph_free(g);
            }
        }
    }
}

static void test_large(void **state)
{
    (void)state;
    sample_stream s = {7};
    graph *g = random_graph(&s, 300, 1, 0.05, 0.2);
    for (size_t f = 0; f < FORMATS; f++) check_round_trip(g, all_formats[f]);
    scone_graph_free(g);
}

/* The graph of the golden outputs: A -> B, B - C, A -> C, and D alone. */
static graph *small_graph(bool mixed)
{
    static const char *const names[] = {"B", "A", "C c", "D"};
    graph *g;
    CHECK_OK(scone_graph_alloc(&g, 4, names));
    scone_graph_set(g, 1, 0, SCONE_MARK_FORWARD);
    scone_graph_set(g, 1, 2, SCONE_MARK_FORWARD);
    scone_graph_set(g, 0, 2, mixed ? SCONE_MARK_UNDIRECTED : SCONE_MARK_BACKWARD);
    return g;
}

static void check_written(const graph *g, scone_graph_format format, const char *expected)
{
    size_t size;
    char *bytes = written(g, format, &size);
    assert_string_equal(bytes, expected);
    CHECK(size == strlen(expected));
    mem_free(bytes);
}

static void test_golden_mixed(void **state)
{
    (void)state;
    graph *g = small_graph(true);
    check_written(g, SCONE_GRAPH_EDGES,
                  "source,target,kind\nA,B,directed\nA,C c,directed\nB,C c,undirected\nD,,\n");
    check_written(g, SCONE_GRAPH_ADJACENCY,
                  ",B,A,C c,D\nB,0,0,1,0\nA,1,0,1,0\nC c,1,0,0,0\nD,0,0,0,0\n");
    check_written(g, SCONE_GRAPH_JSON,
                  "{\n  \"format\": \"scone-graph\",\n  \"version\": 1,\n  \"nodes\": [\n"
                  "    \"B\",\n    \"A\",\n    \"C c\",\n    \"D\"\n  ],\n  \"edges\": [\n"
                  "    {\"source\": \"B\", \"target\": \"C c\", \"kind\": \"undirected\"},\n"
                  "    {\"source\": \"A\", \"target\": \"B\", \"kind\": \"directed\"},\n"
                  "    {\"source\": \"A\", \"target\": \"C c\", \"kind\": \"directed\"}\n  ]\n}\n");
    check_written(
        g, SCONE_GRAPH_DOT,
        "digraph {\n    \"B\";\n    \"A\";\n    \"C c\";\n    \"D\";\n"
        "    \"B\" -> \"C c\" [dir=none];\n    \"A\" -> \"B\";\n    \"A\" -> \"C c\";\n}\n");
    check_written(
        g, SCONE_GRAPH_GRAPHML,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
        "  <key id=\"name\" for=\"node\" attr.name=\"name\" attr.type=\"string\"/>\n"
        "  <key id=\"kind\" for=\"edge\" attr.name=\"kind\" attr.type=\"string\"/>\n"
        "  <graph edgedefault=\"directed\">\n"
        "    <node id=\"n0\"><data key=\"name\">B</data></node>\n"
        "    <node id=\"n1\"><data key=\"name\">A</data></node>\n"
        "    <node id=\"n2\"><data key=\"name\">C c</data></node>\n"
        "    <node id=\"n3\"><data key=\"name\">D</data></node>\n"
        "    <edge source=\"n0\" target=\"n2\"><data key=\"kind\">undirected</data></edge>\n"
        "    <edge source=\"n2\" target=\"n0\"><data key=\"kind\">undirected</data></edge>\n"
        "    <edge source=\"n1\" target=\"n0\"><data key=\"kind\">directed</data></edge>\n"
        "    <edge source=\"n1\" target=\"n2\"><data key=\"kind\">directed</data></edge>\n"
        "  </graph>\n</graphml>\n");
    scone_graph_free(g);
}

static void test_golden_directed(void **state)
{
    (void)state;
    graph *g = small_graph(false);
    check_written(g, SCONE_GRAPH_EDGES, "source,target\nA,B\nA,C c\nC c,B\nD,\n");
    scone_graph_free(g);
    /* Names that fit are the ids of GraphML; rows come in the order of numbers inside names. */
    CHECK_OK(scone_graph_alloc(&g, 12, NULL));
    scone_graph_set(g, 10, 2, SCONE_MARK_FORWARD);
    scone_graph_set(g, 2, 11, SCONE_MARK_FORWARD);
    check_written(g, SCONE_GRAPH_EDGES,
                  "source,target\nX2,X11\nX10,X2\nX0,\nX1,\nX3,\nX4,\nX5,\nX6,\nX7,\nX8,\nX9,\n");
    size_t size;
    char *bytes = written(g, SCONE_GRAPH_GRAPHML, &size);
    CHECK(strstr(bytes, "<edge source=\"X10\" target=\"X2\"/>") != NULL);
    mem_free(bytes);
    scone_graph_free(g);
    CHECK_OK(scone_graph_alloc(&g, 0, NULL));
    check_written(g, SCONE_GRAPH_EDGES, "source,target\n");
    check_written(g, SCONE_GRAPH_ADJACENCY, "\"\"\n");
    check_written(g, SCONE_GRAPH_JSON,
                  "{\n  \"format\": \"scone-graph\",\n  \"version\": 1,\n  \"nodes\": [],\n"
                  "  \"edges\": []\n}\n");
    check_written(g, SCONE_GRAPH_DOT, "digraph {\n}\n");
    scone_graph_free(g);
}

static void test_golden_names(void **state)
{
    (void)state;
    static const char *const names[] = {"a\"b", "c\\", "<&>\t"};
    graph *g;
    CHECK_OK(scone_graph_alloc(&g, 3, names));
    scone_graph_set(g, 0, 1, SCONE_MARK_FORWARD);
    check_written(g, SCONE_GRAPH_EDGES, "source,target\n\"a\"\"b\",c\\\n\"<&>\t\",\n");
    /* A string of DOT cannot end in a backslash, so names become labels. */
    check_written(g, SCONE_GRAPH_DOT,
                  "digraph {\n    0 [label=\"a\\\"b\"];\n    1 [label=\"c\\\\\"];\n"
                  "    2 [label=\"<&>\t\"];\n    0 -> 1;\n}\n");
    size_t size;
    char *bytes = written(g, SCONE_GRAPH_JSON, &size);
    CHECK(strstr(bytes, "\"a\\\"b\",\n    \"c\\\\\",\n    \"<&>\\u0009\"") != NULL);
    mem_free(bytes);
    bytes = written(g, SCONE_GRAPH_GRAPHML, &size);
    CHECK(strstr(bytes, "<data key=\"name\">&lt;&amp;&gt;&#9;</data>") != NULL);
    mem_free(bytes);
    scone_graph_free(g);
}

/* The name of a file picks the format, for reading and for writing. */
static void test_file_names(void **state)
{
    (void)state;
    static const struct {
        const char *ending, *start;
    } cases[] = {
        {".csv", "source,target"},  {".TSV", "source\ttarget"}, {".npy", "\x93NUMPY"},
        {".json", "{\n  \"format"}, {".dot", "digraph {"},      {".gv", "digraph {"},
        {".graphml", "<?xml"},      {".xml", "<?xml"},
    };
    static const char *const names[] = {"X0", "X1", "X2", "X3"};
    graph *g = small_graph(false), *read;
    CHECK_OK(graph_set_names(g, names));
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char *bytes;
        size_t size;
        const char *path = scratch_path(cases[k].ending);
        CHECK_OK(scone_graph_write(g, path, SCONE_GRAPH_AUTO));
        CHECK_OK(file_read_all(&bytes, &size, path, 10000));
        CHECK(size > 10 && memcmp(bytes, cases[k].start, strlen(cases[k].start)) == 0);
        mem_free(bytes);
        CHECK_OK(scone_graph_read(&read, path, SCONE_GRAPH_AUTO));
        check_same_by_name(g, read);
        scone_graph_free(read);
        (void)remove(path);
    }
    /* Compressed, under a name that says so and under one that does not. */
    static const char *const endings[] = {".csv.gz", ".txt"};
    for (size_t k = 0; k < 2; k++) {
        static const char text[] = "from,to\nX1,X0\nX1,X2\nX2,X0\nX3,\n";
        gzFile packed = gzopen(scratch_path(endings[k]), "wb");
        CHECK(packed && gzwrite(packed, text, sizeof text - 1) == sizeof text - 1);
        CHECK(gzclose(packed) == Z_OK);
        CHECK_OK(scone_graph_read(&read, scratch_path(endings[k]), SCONE_GRAPH_AUTO));
        check_same_by_name(g, read);
        scone_graph_free(read);
        (void)remove(scratch_path(endings[k]));
    }
    /* An adjacency table in a .csv is told by its header; an explicit format wins. */
    const char *path = scratch_path(".csv");
    CHECK_OK(scone_graph_write(g, path, SCONE_GRAPH_ADJACENCY));
    CHECK_OK(scone_graph_read(&read, path, SCONE_GRAPH_AUTO));
    CHECK(graph_equal_marks(g, read));
    scone_graph_free(read);
    CHECK_FAILS(scone_graph_read(&read, path, SCONE_GRAPH_EDGES), SCONE_ERR_INPUT,
                ".csv: row 1: the header of an edge list needs");
    CHECK(read == NULL);
    (void)remove(path);
    scone_graph_free(g);
}

static void test_refused_writes(void **state)
{
    (void)state;
    graph *g = small_graph(true);
    CHECK_FAILS(scone_graph_write(g, "graph.txt", SCONE_GRAPH_AUTO), SCONE_ERR_INPUT,
                "graph.txt: the name does not tell the format; end it in .csv");
    CHECK_FAILS(scone_graph_write(g, "graph.csv.gz", SCONE_GRAPH_AUTO), SCONE_ERR_INPUT,
                "graph.csv.gz: graphs are written without compression");
    CHECK_FAILS(scone_graph_write(g, "no-such-folder/graph.csv", SCONE_GRAPH_AUTO), SCONE_ERR_IO,
                "no-such-folder/graph.csv");
    CHECK_FAILS(scone_graph_write(g, "graph.csv", (scone_graph_format)9), SCONE_ERR_USAGE,
                "9 is not a graph format");
    static const struct {
        const char *names[4];
        scone_graph_format format;
        const char *message;
    } cases[] = {
        {{"A", "B", "A", "D"}, SCONE_GRAPH_EDGES, "nodes 1 and 3 are both named \"A\""},
        {{"A", "B", "A", "D"}, SCONE_GRAPH_DOT, "nodes 1 and 3 are both named \"A\""},
        {{"A", "", "C", "D"}, SCONE_GRAPH_ADJACENCY, "node 2: a node has an empty name"},
        {{"A", "B", "C", "\xFF"}, SCONE_GRAPH_JSON, "node 4: the name \"\\xFF\" is not UTF-8"},
        {{"A", "B", "C", "\xFF"}, SCONE_GRAPH_DOT, "node 4: the name \"\\xFF\" is not UTF-8"},
        {{"A", "B", "C", "\xED\xA0\x80"}, SCONE_GRAPH_GRAPHML, "is not UTF-8"},
        {{"A", "B\x01", "C", "D"},
         SCONE_GRAPH_GRAPHML,
         "node 2: the name \"B\\x01\" holds the character U+0001, which XML cannot"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *path = scratch_path(".out");
        CHECK_OK(graph_set_names(g, cases[k].names));
        CHECK_FAILS(scone_graph_write(g, path, cases[k].format), SCONE_ERR_INPUT, cases[k].message);
        CHECK(!path_exists(path)); /* nothing half-written */
    }
    scone_graph_free(g);
    CHECK_OK(scone_graph_alloc(&g, 0, NULL));
    CHECK_FAILS(scone_graph_write(g, "graph.npy", SCONE_GRAPH_AUTO), SCONE_ERR_INPUT,
                "graph.npy: a graph without nodes has no array");
    scone_graph_free(g);
    CHECK_OK(scone_graph_alloc(&g, FORMAT_NPY_NODE_LIMIT + 1, NULL));
    CHECK_FAILS(scone_graph_write(g, "graph.npy", SCONE_GRAPH_AUTO), SCONE_ERR_INPUT,
                "graph.npy: 11585 nodes are too many for an array");
    scone_graph_free(g);
}

/* A stream of a caller, as in a folder of outputs. */
static void test_streams(void **state)
{
    (void)state;
    graph *g = small_graph(false);
    output_file *stream;
    const char *path = scratch_path(".stream");
    CHECK_OK(output_open(&stream, path));
    CHECK_OK(graph_write_stream(stream, g, SCONE_GRAPH_EDGES));
    CHECK_OK(graph_write_edges(stream, g, ';'));
    CHECK_FAILS(graph_write_stream(stream, g, SCONE_GRAPH_AUTO), SCONE_ERR_USAGE,
                "0 is not a graph format");
    CHECK_OK(output_commit(&stream));
    char *bytes;
    size_t size;
    CHECK_OK(file_read_all(&bytes, &size, path, 1000));
    assert_string_equal(bytes, "source,target\nA,B\nA,C c\nC c,B\nD,\n"
                               "source;target\nA;B\nA;C c\nC c;B\nD;\n");
    mem_free(bytes);
    (void)remove(path);
    scone_graph_free(g);
}

/* Every character there is goes to UTF-8 and back; what is not UTF-8 is noticed. */
static void test_utf8(void **state)
{
    (void)state;
    for (uint32_t c = 1; c <= 0x10FFFF; c++) {
        char bytes[4];
        size_t length = text_put(bytes, c);
        const char *at = bytes;
        bool surrogate = c >= 0xD800 && c <= 0xDFFF;
        CHECK(text_next(&at, bytes + length) == (surrogate ? UINT32_MAX : c));
        CHECK(at == bytes + (surrogate ? 0 : length));
        CHECK(length == (c < 0x80 ? 1u : c < 0x800 ? 2u : c < 0x10000 ? 3u : 4u));
        CHECK(!text_is_utf8(bytes, length - 1) || length == 1);
    }
    static const char *const bad[] = {
        "\x80",     "\xC0\x80", "\xC1\xBF",  "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80",
        "\xF8\x80", "\xC3(",    "\xE2\x82(", "\xFF"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        CHECK(!text_is_utf8(bad[k], strlen(bad[k])));
    }
    assert_string_equal(SHOW("\xC3\xA9\x7F\xC2\x85\xFFz", 7), "\xC3\xA9\\x7F\\xC2\\x85\\xFFz");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips),    cmocka_unit_test(test_large),
        cmocka_unit_test(test_golden_mixed),   cmocka_unit_test(test_golden_directed),
        cmocka_unit_test(test_golden_names),   cmocka_unit_test(test_file_names),
        cmocka_unit_test(test_refused_writes), cmocka_unit_test(test_streams),
        cmocka_unit_test(test_utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
