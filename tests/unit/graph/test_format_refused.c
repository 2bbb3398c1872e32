/* test_format_refused.c - edge lists, adjacency tables and JSON files that are refused, each with
 * its exact message. */
#include "text/limits.h"
#include "formats.h"

#define TEXT(text_) (text_), sizeof(text_) - 1

static const refused_case refused[] = {
    {SCONE_GRAPH_EDGES, TEXT(""),
     "the file is empty; a graph needs at least a header such as \"source,target\""},
    {SCONE_GRAPH_EDGES, TEXT(" \n\n"),
     "the file is empty; a graph needs at least a header such as \"source,target\""},
    {SCONE_GRAPH_EDGES, TEXT("A,B\nC,D\n"),
     "row 1: the header of an edge list needs the columns source and target (or from and to), "
     "it has \"A\" first"},
    {SCONE_GRAPH_EDGES, TEXT("source,to\nA,B\n"),
     "row 1: the header of an edge list needs the columns source and target (or from and to), "
     "it has \"source\" first"},
    {SCONE_GRAPH_EDGES, TEXT("source,target,Source\nA,B,C\n"),
     "row 1: columns 1 and 3 are both named \"source\"; rename one"},
    {SCONE_GRAPH_EDGES, TEXT("source,target,kind,kind\nA,B,directed,directed\n"),
     "row 1: columns 3 and 4 are both named \"kind\"; rename one"},
    {SCONE_GRAPH_EDGES, TEXT("source,target\nA\n"),
     "row 2: fields: 1, columns of the header: 2; quote names that hold the delimiter"},
    {SCONE_GRAPH_EDGES, TEXT("source,target\nA,B,C\n"),
     "row 2: fields: 3, columns of the header: 2; quote names that hold the delimiter"},
    {SCONE_GRAPH_EDGES, TEXT("source,target\n,B\n"),
     "row 2, column 1: the source is empty; name a node"},
    {SCONE_GRAPH_EDGES, TEXT("source,target\nA,A\n"),
     "row 2: an edge from \"A\" to itself; a causal graph has none, remove it"},
    {SCONE_GRAPH_EDGES, TEXT("source,target,kind\nA,B,maybe\n"),
     "row 2, column 3: the kind \"maybe\" is neither \"directed\" nor \"undirected\""},
    {SCONE_GRAPH_EDGES, TEXT("source,target,kind\nA,B,\n"),
     "row 2, column 3: the kind \"\" is neither \"directed\" nor \"undirected\""},
    {SCONE_GRAPH_EDGES, TEXT("source,target,kind\nA,,directed\n"),
     "row 2: a kind but no target; name the target, or leave the kind empty to declare a node "
     "without edges"},
    {SCONE_GRAPH_EDGES, TEXT("source,target,kind\nA,B,directed\nC,D,directed\n\nB,A,directed\n"),
     "row 2 has \"A\" -> \"B\", but row 5 has \"B\" -> \"A\"; keep one of the two"},
    {SCONE_GRAPH_EDGES, TEXT("source,target,kind\nA,B,directed\nA,B,undirected\n"),
     "row 2 has \"A\" -> \"B\", but row 3 has \"A\" -- \"B\"; keep one of the two"},
    {SCONE_GRAPH_EDGES, TEXT("source,target,kind\nA,B,undirected\nB,A,directed\n"),
     "row 2 has \"A\" -- \"B\", but row 3 has \"B\" -> \"A\"; keep one of the two"},
    {SCONE_GRAPH_EDGES, TEXT("source,target\nA,\"B\nC,D\n"),
     "row 2: a quote is opened and never closed; close it or double the quotes inside names"},
    {SCONE_GRAPH_EDGES, TEXT("source,target\nA,\"B\"x\n"),
     "row 2: field 2 has text after its closing quote; write a quote inside quotes twice "
     "(\"\")"},
    {SCONE_GRAPH_EDGES, TEXT("source,target\nA,B\"x\"\n"),
     "row 2: field 2 has a quote (\") in its middle; put the whole field in quotes and write "
     "that quote twice (\"\"), or remove it"},
    {SCONE_GRAPH_EDGES, TEXT("\377\376s\000o\000"),
     "the text is encoded as UTF-16 (Excel calls it \"Unicode text\"); save it as UTF-8"},
    {SCONE_GRAPH_EDGES, TEXT("source,target\nA,B\000C\n"),
     "the text holds NUL bytes: it is a binary file or encoded as UTF-16 or UTF-32; save it as "
     "UTF-8 text"},
    {SCONE_GRAPH_EDGES,
     TEXT("source,target\nA,"
          "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
          "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
          "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
          "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\000C\n"),
     "row 2: the name \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...\" "
     "holds a NUL byte; remove it"},
    {SCONE_GRAPH_EDGES, TEXT("source,target\na\033[31m,a\033[31m\n"),
     "row 2: an edge from \"a\\x1B[31m\" to itself; a causal graph has none, remove it"},
    {SCONE_GRAPH_ADJACENCY, TEXT(""),
     "the file is empty; a graph needs at least a header such as \"source,target\""},
    {SCONE_GRAPH_ADJACENCY, TEXT(",A,B\nA,0,1\n"),
     "rows of values: 1, variables of the header: 2; an adjacency table has one row per "
     "variable"},
    {SCONE_GRAPH_ADJACENCY, TEXT(",A,B\nA,0,1\nB,0,0\nC,0,0\n"),
     "row 4: more rows than the 2 variables of the header; an adjacency table has one row per "
     "variable"},
    {SCONE_GRAPH_ADJACENCY, TEXT("A,B,C\n0,1,0\n0,0,1\n"),
     "rows of values: 2, variables of the header: 3; an adjacency table has one row per "
     "variable"},
    {SCONE_GRAPH_ADJACENCY, TEXT("A,B\n0,1\n0,0\n0,0\n"),
     "row 4: more rows than the 2 variables of the header; an adjacency table has one row per "
     "variable"},
    {SCONE_GRAPH_ADJACENCY, TEXT(",A,B\nA,0,1\nA,0,0\n"),
     "row 3: named \"A\" where the header has \"B\"; rows come in the order of the columns"},
    {SCONE_GRAPH_ADJACENCY, TEXT("x,A,B\nA,0,1\nC,0,0\n"),
     "row 3: named \"C\" where the header has \"B\"; rows come in the order of the columns"},
    {SCONE_GRAPH_ADJACENCY, TEXT(",A,A\nA,0,1\nA,0,0\n"),
     "row 1: columns 2 and 3 are both named \"A\"; names must be unique"},
    {SCONE_GRAPH_ADJACENCY, TEXT(",A,\nA,0,1\n,0,0\n"),
     "row 1, column 3: the header has no name here; name every variable"},
    {SCONE_GRAPH_ADJACENCY, TEXT(",A,B\nA,0,0.5\nB,0,0\n"),
     "row 2, column \"B\": \"0.5\" is neither 0 nor 1; an adjacency table says whether there "
     "is an edge, so choose a threshold for weights"},
    {SCONE_GRAPH_ADJACENCY, TEXT(",A,B\nA,0,NA\nB,0,0\n"),
     "row 2, column \"B\": \"NA\" is neither 0 nor 1; an adjacency table says whether there is "
     "an edge, so choose a threshold for weights"},
    {SCONE_GRAPH_ADJACENCY, TEXT(",A,B\nA,0,\nB,0,0\n"),
     "row 2, column \"B\": \"\" is neither 0 nor 1; an adjacency table says whether there is "
     "an edge, so choose a threshold for weights"},
    {SCONE_GRAPH_ADJACENCY, TEXT(",A,B\nA,0,1\nB,0,1\n"),
     "row 3, column \"B\": 1 on the diagonal, an edge from a node to itself; write 0"},
    {SCONE_GRAPH_ADJACENCY, TEXT(",A,B\nA,0,1\nB,0\n"),
     "row 3: fields: 2, expected: 3; fill in what is missing"},
    {SCONE_GRAPH_ADJACENCY, TEXT(",A,B\nA,0,1e400\nB,0,0\n"),
     "row 2, column \"B\": \"1e400\" is neither 0 nor 1; an adjacency table says whether there "
     "is an edge, so choose a threshold for weights"},
    {SCONE_GRAPH_ADJACENCY, TEXT("A,B\n"),
     "rows of values: 0, variables of the header: 2; an adjacency table has one row per "
     "variable"},
    {SCONE_GRAPH_ADJACENCY, TEXT(",A,B,C,D,E,F,G,H\nA,0\n"),
     "row 2: fields: 2, expected: 9; fill in what is missing"},
    {SCONE_GRAPH_NPY, TEXT("hello"), "not an NPY file"},
    {SCONE_GRAPH_JSON, TEXT(""),
     "line 1: not valid JSON: expected a value, but the file ends here; it may be cut off"},
    {SCONE_GRAPH_JSON, TEXT("[]"),
     "the JSON is not an object; a graph is {\"format\": \"scone-graph\", \"version\": 1, "
     "\"nodes\": [...], \"edges\": [...]}"},
    {SCONE_GRAPH_JSON, TEXT("{}"),
     "the member \"format\" is not \"scone-graph\"; this is JSON, but not a graph as scone "
     "writes it"},
    {SCONE_GRAPH_JSON, TEXT("{\"format\":\"other\"}"),
     "the member \"format\" is not \"scone-graph\"; this is JSON, but not a graph as scone "
     "writes it"},
    {SCONE_GRAPH_JSON, TEXT("{\"format\":\"scone-graph\"}"),
     "the member \"version\" is not 1, the only version this program knows; use a newer scone"},
    {SCONE_GRAPH_JSON, TEXT("{\"format\":\"scone-graph\",\"version\":2}"),
     "the member \"version\" is not 1, the only version this program knows; use a newer scone"},
    {SCONE_GRAPH_JSON, TEXT("{\"format\":\"scone-graph\",\"version\":1}"),
     "the member \"nodes\" is missing or not a list of names"},
    {SCONE_GRAPH_JSON, TEXT("{\"format\":\"scone-graph\",\"version\":1,\"nodes\":[]}"),
     "the member \"edges\" is missing or not a list"},
    {SCONE_GRAPH_JSON,
     TEXT("{\"format\":\"scone-graph\",\"version\":1,\"nodes\":[\"A\",1],\"edges\":[]}"),
     "node 2: not a name; write it as a string"},
    {SCONE_GRAPH_JSON,
     TEXT("{\"format\":\"scone-graph\",\"version\":1,\"nodes\":[\"A\",\"\"],\"edges\":[]}"),
     "node 2: a node has an empty name; give it one"},
    {SCONE_GRAPH_JSON,
     TEXT("{\"format\":\"scone-graph\",\"version\":1,\"nodes\":[\"A\",\"B\",\"A\"],\"edges\":[]"
          "}"),
     "nodes 1 and 3 are both named \"A\"; names must be unique"},
    {SCONE_GRAPH_JSON,
     TEXT("{\"format\":\"scone-graph\",\"version\":1,\"nodes\":[\"A\"],\"edges\":[3]}"),
     "edge 1: not an object with source and target"},
    {SCONE_GRAPH_JSON,
     TEXT("{\"format\":\"scone-graph\",\"version\":1,\"nodes\":[\"A\"],\"edges\":[{\"source\":"
          "\"A\"}]}"),
     "edge 1: the member \"target\" is missing or not a string"},
    {SCONE_GRAPH_JSON,
     TEXT("{\"format\":\"scone-graph\",\"version\":1,\"nodes\":[\"A\"],\"edges\":[{\"source\":"
          "\"A\",\"target\":\"B\"}]}"),
     "edge 1: the target \"B\" is not in \"nodes\"; add it there"},
    {SCONE_GRAPH_JSON,
     TEXT("{\"format\":\"scone-graph\",\"version\":1,\"nodes\":[\"A\",\"B\"],\"edges\":[{"
          "\"source\":\"A\",\"target\":\"B\",\"kind\":\"x\"}]}"),
     "edge 1: the kind is neither \"directed\" nor \"undirected\""},
    {SCONE_GRAPH_JSON,
     TEXT("{\"format\":\"scone-graph\",\"version\":1,\"nodes\":[\"A\",\"B\"],\"edges\":[{"
          "\"source\":\"A\",\"target\":\"B\",\"kind\":null}]}"),
     "edge 1: the kind is neither \"directed\" nor \"undirected\""},
    {SCONE_GRAPH_JSON,
     TEXT("{\"format\":\"scone-graph\",\"version\":1,\"nodes\":[\"A\"],\"edges\":[{\"source\":"
          "\"A\",\"target\":\"A\"}]}"),
     "edge 1: an edge from \"A\" to itself; a causal graph has none, remove it"},
    {SCONE_GRAPH_JSON,
     TEXT("{\"format\":\"scone-graph\",\"version\":1,\"nodes\":[\"A\",\"B\"],\"edges\":[{"
          "\"source\":\"A\",\"target\":\"B\"},{\"source\":\"B\",\"target\":\"A\"}]}"),
     "edge 1 has \"A\" -> \"B\", but edge 2 has \"B\" -> \"A\"; keep one of the two"},
    {SCONE_GRAPH_JSON,
     TEXT("{\"format\":\"scone-graph\",\"version\":1,\"nodes\":[\"A\"],\"edges\":[],\"nodes\":["
          "]}"),
     "the member \"nodes\" occurs twice; keep one"},
    {SCONE_GRAPH_JSON,
     TEXT("{\"format\":\"scone-graph\",\"version\":1,\"nodes\":[\"A\",\"B\"],\"edges\":[{"
          "\"source\":\"A\",\"source\":\"B\",\"target\":\"B\"}]}"),
     "edge 1: the member \"source\" occurs twice; keep one"},
    {SCONE_GRAPH_JSON, TEXT("{\"format\":\"scone-graph\",\n\"version\":01}"),
     "line 2: not valid JSON: expected \",\" or \"}\", not \"1}\""},
    {SCONE_GRAPH_JSON, TEXT("{\"a\":1,}"),
     "line 1: not valid JSON: expected a string in double quotes, not \"}\""},
    {SCONE_GRAPH_JSON, TEXT("{\"a\" 1}"), "line 1: not valid JSON: expected \":\", not \"1}\""},
    {SCONE_GRAPH_JSON, TEXT("{\"a\":\"\\u0000\"}"),
     "line 1: not valid JSON: expected text without the NUL character, not \"u0000\"}\""},
    {SCONE_GRAPH_JSON, TEXT("{\"a\":\"\\ud800x\"}"),
     "line 1: not valid JSON: expected both halves of a surrogate pair, not \"ud800x\"}\""},
    {SCONE_GRAPH_JSON, TEXT("{\"a\":\"\\udc00\"}"),
     "line 1: not valid JSON: expected both halves of a surrogate pair, not \"udc00\"}\""},
    {SCONE_GRAPH_JSON, TEXT("{\"a\":\"\\x\"}"),
     "line 1: not valid JSON: expected an escape such as \\n, not \"x\"}\""},
    {SCONE_GRAPH_JSON, TEXT("{\"a\":\"\\u12g4\"}"),
     "line 1: not valid JSON: expected four hex digits after \\u, not \"u12g4\"}\""},
    {SCONE_GRAPH_JSON, TEXT("{\"a\":\"b\nc\"}"),
     "line 1: not valid JSON: expected no control character or line break in a string, not "
     "\"\\x0Ac\"}\""},
    {SCONE_GRAPH_JSON, TEXT("{\"a\":\"\377\"}"),
     "line 1: not valid JSON: expected UTF-8 text, not \"\\xFF\"}\""},
    {SCONE_GRAPH_JSON, TEXT("{\"a\":tru}"),
     "line 1: not valid JSON: expected a value, not \"tru}\""},
    {SCONE_GRAPH_JSON, TEXT("{\"a\":1.}"),
     "line 1: not valid JSON: expected digits after the point, not \"}\""},
    {SCONE_GRAPH_JSON, TEXT("{\"a\":1e}"),
     "line 1: not valid JSON: expected the digits of an exponent, not \"}\""},
    {SCONE_GRAPH_JSON,
     TEXT("{\"a\":1111111111111111111111111111111111111111111111111111111111111111111111}"),
     "line 1: a number of more than 60 characters; shorten it"},
    {SCONE_GRAPH_JSON, TEXT("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["),
     "line 1: values nested more than 64 deep"},
    {SCONE_GRAPH_JSON, TEXT("{} x"),
     "line 1: not valid JSON: expected the end of the file, not \"x\""},
    {SCONE_GRAPH_JSON, TEXT("{\"a\":\"b"),
     "line 1: not valid JSON: expected the closing quote of a string, but the file ends here; "
     "it may be cut off"},
    {SCONE_GRAPH_JSON, TEXT("{'a':1}"),
     "line 1: not valid JSON: expected a string in double quotes, not \"'a':1}\""},
    {SCONE_GRAPH_JSON, TEXT("[1 2]"),
     "line 1: not valid JSON: expected \",\" or \"]\", not \"2]\""},
    {SCONE_GRAPH_JSON, TEXT("\n\n{\"a\":[1,2"),
     "line 3: not valid JSON: expected \",\" or \"]\", but the file ends here; it may be cut "
     "off"},
};

static void test_refused(void **state)
{
    (void)state;
    check_refused(refused, sizeof refused / sizeof *refused);
}

/* More nodes than the limit, in a file small enough that memory for them would be a lie. */
static void test_limits(void **state)
{
    (void)state;
    enum { NODES = FORMAT_NODE_LIMIT + 1 };
    char *text = malloc((size_t)NODES * 12 + 32), *at = text;
    graph *g;
    at += sprintf(at, "source,target\n");
    for (int i = 0; i < NODES; i++) at += sprintf(at, "n%d,\n", i);
    CHECK_FAILS(graph_parse_edges(&g, text, (size_t)(at - text)), SCONE_ERR_INPUT,
                "row 65538: more than 65536 nodes; use a smaller graph");
    at = text;
    for (int i = 0; i < NODES; i++) at += sprintf(at, ",n%d", i);
    CHECK_FAILS(graph_parse_adjacency(&g, text, (size_t)(at - text)), SCONE_ERR_INPUT,
                "row 1: more than 65536 nodes");
    /* A header of many names without the rows: refused before the matrices are allocated. */
    at = text;
    for (int i = 0; i < 60000; i++) at += sprintf(at, ",n%d", i);
    CHECK_FAILS(graph_parse_adjacency(&g, text, (size_t)(at - text)), SCONE_ERR_INPUT,
                "rows of values: 0, variables of the header: 60000;");
    CHECK(g == NULL);
    free(text);
    /* JSON of many small values, each of which would take far more memory than text. */
    size_t size = 2 * (size_t)TEXT_JSON_VALUE_LIMIT + 1;
    text = malloc(size);
    text[0] = '[';
    for (size_t i = 1; i < size; i++) text[i] = i % 2 ? '0' : ',';
    CHECK_FAILS(graph_parse_json(&g, text, size), SCONE_ERR_INPUT,
                "line 1: more than 16777216 values");
    free(text);
    CHECK_FAILS(graph_parse(&g, "", 0, (scone_graph_format)7), SCONE_ERR_USAGE,
                "7 is not a graph format");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
