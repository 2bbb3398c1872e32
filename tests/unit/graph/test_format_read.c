/* test_format_read.c - graphs as other programs and people write them. */
#include "formats.h"

static void test_edge_lists(void **state)
{
    (void)state;
    /* discover's edges.csv: columns found by name, others ignored */
    check_reads(SCONE_GRAPH_EDGES,
                "source,target,kind,p_forward,p_backward,p_none,why\n"
                "B,A,directed,0.9,0.06,0.04,\"rule 1, from \"\"C\"\"\"\n"
                "A,C,undirected,0.5,0.4,0.1,\n",
                "A B C: A-C B>A");
    /* bnlearn: arcs() lists an undirected arc in both directions */
    check_reads(SCONE_GRAPH_EDGES, "\"from\",\"to\"\n\"A\",\"C\"\n\"B\",\"C\"\n\"C\",\"B\"\n",
                "A B C: A>C B-C");
    /* R's write.csv and pandas add a column of row numbers */
    check_reads(SCONE_GRAPH_EDGES, "\"\",\"from\",\"to\"\n\"1\",\"A\",\"C\"\n\"2\",\"B\",\"C\"\n",
                "A B C: A>C B>C");
    check_reads(SCONE_GRAPH_EDGES, ",source,target,weight\n0,x,y,0.5\n1,z,y,-1\n",
                "x y z: x>y z>y");
    /* networkx to_pandas_edgelist, any case, semicolons, tabs, CRLF, byte order mark, no final
     * line break, blank lines */
    check_reads(SCONE_GRAPH_EDGES, "Source;Target;Kind\r\nA;B;Directed\r\n\r\nB;C;UNDIRECTED",
                "A B C: A>B B-C");
    check_reads(SCONE_GRAPH_EDGES, "\xEF\xBB\xBFtarget\tsource\nA\tB\n", "A B: B>A");
    check_reads(SCONE_GRAPH_EDGES, "FROM,TO\rA,B\rB,C\r", "A B C: A>B B>C");
    /* the same edge twice says nothing new, nor an undirected one from both sides */
    check_reads(SCONE_GRAPH_EDGES, "source,target\nA,B\nA,B\n", "A B: A>B");
    check_reads(SCONE_GRAPH_EDGES, "source,target\nA,B\nB,A\nA,B\nB,A\n", "A B: A-B");
    check_reads(SCONE_GRAPH_EDGES, "source,target,kind\nA,B,undirected\nB,A,undirected\n",
                "A B: A-B");
    /* nodes without edges; a node may be declared and used */
    check_reads(SCONE_GRAPH_EDGES, "source,target\nX10,\nX2,X1\nX1,\n", "X1 X2 X10: X2>X1");
    check_reads(SCONE_GRAPH_EDGES, "source,target,kind\nA,,\n", "A:");
    check_reads(SCONE_GRAPH_EDGES, "source,target\n", ":");
    /* spaces around names go, inside quotes they stay */
    check_reads(SCONE_GRAPH_EDGES, "source, target\n A ,\" B\"\n", " B A: A> B");
    check_reads(SCONE_GRAPH_EDGES, "source,target\n\"two\nlines\",A\nA,B\n",
                "A B two\nlines: A>B two\nlines>A");
    /* both pairs of column names: source and target win */
    check_reads(SCONE_GRAPH_EDGES, "from,to,source,target\n1,2,A,B\n", "A B: A>B");
    /* order of names: numbers as numbers, then bytes */
    check_reads(
        SCONE_GRAPH_EDGES,
        "source,target\nx2y10,\nx2y9,\nx02,\nx2,\nx10,\nx,\nw,\nx2y,\nx00000000000000000001,\n",
        "w x x00000000000000000001 x02 x2 x2y x2y9 x2y10 x10:");
}

static void test_adjacency_tables(void **state)
{
    (void)state;
    /* pandas: empty corner; R's write.csv: quoted; write.table: no corner; bare */
    check_reads(SCONE_GRAPH_ADJACENCY, ",B,A\nB,0,1\nA,0,0\n", "B A: B>A");
    check_reads(SCONE_GRAPH_ADJACENCY, "\"\",\"B\",\"A\"\n\"B\",0,1\n\"A\",1,0\n", "B A: B-A");
    check_reads(SCONE_GRAPH_ADJACENCY, "\"B\";\"A\"\n\"B\";0;1\n\"A\";0;0\n", "B A: B>A");
    check_reads(SCONE_GRAPH_ADJACENCY, "B\tA\n0\t1\n0\t0\n", "B A: B>A");
    check_reads(SCONE_GRAPH_ADJACENCY, "node,B,A\r\nB,0.0,1.0\r\nA,0,0e5\r\n", "B A: B>A");
    check_reads(SCONE_GRAPH_ADJACENCY, "node,B,A\n\nB,0,1\n\nA,-0,+0\n\n", "B A: B>A");
    /* names that are numbers; a corner that is one */
    check_reads(SCONE_GRAPH_ADJACENCY, "i,0,1\n0,0,1\n1,0,0\n", "0 1: 0>1");
    check_reads(SCONE_GRAPH_ADJACENCY, "0,1\n0,1\n0,0\n", "0 1: 0>1");
    check_reads(SCONE_GRAPH_ADJACENCY, "A\n0\n", "A:");
    check_reads(SCONE_GRAPH_ADJACENCY, ",A\nA,0", "A:");
    check_reads(SCONE_GRAPH_ADJACENCY, "\"\"\n", ":");
    /* both 1 is undirected whatever comes between */
    check_reads(SCONE_GRAPH_ADJACENCY, ",A,B,C\nA,0,1,1\nB,1,0,0\nC,0,1,0\n", "A B C: A-B A>C C>B");
}

static void test_json(void **state)
{
    (void)state;
    check_reads(SCONE_GRAPH_JSON,
                "{\"edges\": [{\"kind\": \"directed\", \"why\": {\"rule\": [1, 2.5e-3, {}]}, "
                "\"target\": \"B\", \"source\": \"A\"}, {\"source\": \"B\", \"target\": \"C\", "
                "\"kind\": \"undirected\"}], \"run\": null, \"run\": [true, false], "
                "\"nodes\": [\"C\", \"B\", \"A\"], \"version\": 1.0, \"format\": \"scone-graph\"}",
                "C B A: C-B A>B");
    check_reads(SCONE_GRAPH_JSON,
                "\xEF\xBB\xBF\r\n{\"format\":\"scone-graph\",\"version\":1,\"nodes\":"
                "[\"\\u00e9\\n\\\"\\/\\ud83d\\ude00\",\"b\"],\"edges\":"
                "[{\"source\":\"b\",\"target\":\"\xC3\xA9\\u000A\\\"/\xF0\x9F\x98\x80\"}]}\n",
                "\xC3\xA9\n\"/\xF0\x9F\x98\x80 b: b>\xC3\xA9\n\"/\xF0\x9F\x98\x80");
}

static void test_dot(void **state)
{
    (void)state;
    /* networkx through pydot, Graphviz's own layout, bnlearn */
    check_reads(SCONE_GRAPH_DOT,
                "strict digraph  {\nA;\nB;\n\"C c\";\nA -> B  [key=0, weight=\"0.5\"];\n"
                "B -> \"C c\";\n}\n",
                "A B C c: A>B B>C c");
    check_reads(SCONE_GRAPH_DOT,
                "digraph G {\n\tgraph [bb=\"0,0,54,108\"];\n\tnode [label=\"\\N\"];\n"
                "\tA\t[height=0.5,\n\t\tpos=\"27,90\",\n\t\twidth=0.75];\n"
                "\tA -> B\t[pos=\"e,27,36.1 \\\n27,71.7\"];\n}\n",
                "A B: A>B");
    check_reads(SCONE_GRAPH_DOT,
                "digraph {\n  \"A\" ;\n  \"B\" ;\n\n  \"A\" -> \"B\" ;\n"
                "edge [dir=none] \"B\" -> \"C\" ;\n}\n",
                "A B C: A>B B-C");
    /* DAGitty */
    check_reads(SCONE_GRAPH_DOT,
                "dag {\nbb=\"-3.1,-2.5,2.2,1.4\"\nA [exposure,pos=\"-2.200,-1.520\"]\n"
                "D [outcome,pos=\"1.400,-1.460\"]\nU [latent]\nA -> D [pos=\"0.1,0.2\"]\n"
                "A <- U\nU -> {D E}\nD -- E\n}\n",
                "A D U E: A>D D-E U>A U>D U>E");
    check_reads(SCONE_GRAPH_DOT, "pdag { A -- B -> C <- D }", "A B C D: A-B B>C D>C");
    /* causal-learn: numbers as identifiers, names as labels, both arrows given */
    check_reads(SCONE_GRAPH_DOT,
                "digraph \"\" {\nfontsize=18;\n0 [label=X1];\n1 [label=X2];\n2 [label=\"X 3\"];\n"
                "0 -> 1  [arrowhead=normal, arrowtail=none, dir=both];\n"
                "2 -> 1  [dir=both, arrowhead=none, arrowtail=none];\n}\n",
                "X1 X2 X 3: X1>X2 X2-X 3");
    /* labels are only looked at if all identifiers are numbers and all have one */
    check_reads(SCONE_GRAPH_DOT, "digraph { a [label=One]; b [label=Two]; a -> b }", "a b: a>b");
    check_reads(SCONE_GRAPH_DOT, "digraph { 0 [label=One]; 1; 0 -> 1 }", "0 1: 0>1");
    check_reads(SCONE_GRAPH_DOT, "digraph { 0 [label=<b>]; 0 [label=\"a\\nb\\\\\"] }", "a\nb\\:");
    check_reads(SCONE_GRAPH_DOT, "digraph { 0 [label=One, label=<b>] }", "0:");
}

static void test_dot_language(void **state)
{
    (void)state;
    check_reads(SCONE_GRAPH_DOT, "graph{a--b}", "a b: a-b");
    check_reads(SCONE_GRAPH_DOT, "GRAPH { a -- b -- c [dir=forward] }", "a b c: a>b b>c");
    check_reads(SCONE_GRAPH_DOT, "digraph { a -> b [dir=back] c -> d [arrowhead=none] }",
                "a b c d: b>a c-d");
    check_reads(SCONE_GRAPH_DOT, "digraph { a -> b; b -> a }", "a b: a-b");
    check_reads(SCONE_GRAPH_DOT, "digraph { a -> b; a -> b }", "a b: a>b");
    check_reads(SCONE_GRAPH_DOT, "digraph { a <- b [dir=back] }", "a b: a>b");
    /* attributes belong to the edges of their own statement */
    check_reads(SCONE_GRAPH_DOT, "digraph { {a -> b [dir=back]} -> c [dir=back] }",
                "a b c: b>a c>a c>b");
    check_reads(SCONE_GRAPH_DOT, "digraph { e -> {a -> b} -> f }", "e a b f: e>a e>b a>b a>f b>f");
    /* defaults end with their subgraph and do not reach back */
    check_reads(SCONE_GRAPH_DOT, "digraph { a->b { edge [dir=none] b->c } c->d }",
                "a b c d: a>b b-c c>d");
    check_reads(SCONE_GRAPH_DOT,
                "digraph { subgraph cluster_0 { label=\"x\"; a; b } -> subgraph { c d; c } "
                "{rank=same; a; c;} }",
                "a b c d: a>c a>d b>c b>d");
    check_reads(SCONE_GRAPH_DOT, "digraph { {} -> a -> {b {c {d}}} }", "a b c d: a>b a>c a>d");
    check_reads(SCONE_GRAPH_DOT, "digraph { a:p:nw -> b:q }", "a b: a>b");
    check_reads(SCONE_GRAPH_DOT,
                "# first line\ndigraph/**/\"n\"{// c -> d\n/* e\n-> f */ a->b;\n# \"}\n}\n# end",
                "a b: a>b");
    check_reads(SCONE_GRAPH_DOT,
                "digraph { \"a\" + \"\\\"b\" -> \"c\\\nd\"; \"\" + \"e\"; -1.5 -> .5 -> 2. ; "
                "\"node\" -> \"\\n\" }",
                "a\"b cd e -1.5 .5 2. node \\n: a\"b>cd -1.5>.5 .5>2. node>\\n");
    check_reads(SCONE_GRAPH_DOT,
                "\xEF\xBB\xBF"
                "digraph { \xC3\xA9t\xC3\xA9 -> _1 }",
                "\xC3\xA9t\xC3\xA9 _1: \xC3\xA9t\xC3\xA9>_1");
    check_reads(SCONE_GRAPH_DOT, "digraph {\r\n \"a\\\r\nb\" -> \"c\\d\\\\\"\r\n}\r\n",
                "ab c\\d\\\\: ab>c\\d\\\\");
    check_reads(SCONE_GRAPH_DOT, "digraph { a [x=1;y=2,z] [w=\"\"]; label=<a <b> c>; \"k\"=v }",
                "a:");
}

static void test_graphml(void **state)
{
    (void)state;
    /* networkx */
    check_reads(
        SCONE_GRAPH_GRAPHML,
        "<?xml version='1.0' encoding='utf-8'?>\n"
        "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" "
        "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
        "xsi:schemaLocation=\"http://graphml.graphdrawing.org/xmlns "
        "http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd\">\n"
        "  <key id=\"d0\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\" />\n"
        "  <graph edgedefault=\"directed\">\n    <node id=\"A\" />\n    <node id=\"B b\" />\n"
        "    <edge source=\"A\" target=\"B b\">\n      <data key=\"d0\">0.5</data>\n"
        "    </edge>\n  </graph>\n</graphml>",
        "A B b: A>B b");
    /* igraph: names are data */
    check_reads(
        SCONE_GRAPH_GRAPHML,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- Created by igraph -->\n<graphml>"
        "<key id=\"v_name\" for=\"node\" attr.name=\"name\" attr.type=\"string\"/>"
        "<graph id=\"G\" edgedefault=\"directed\">"
        "<node id=\"n0\"><data key=\"v_name\">sm&#111;ke</data></node>"
        "<node id=\"n1\"><data key=\"v_name\"><![CDATA[<x>]]> &amp;<!-- c --> y</data></node>"
        "<edge source=\"n1\" target=\"n0\"></edge></graph></graphml>",
        "smoke <x> & y: <x> & y>smoke");
    /* name before label before id; a prefix; edges before nodes; ports, desc and data ignored */
    check_reads(SCONE_GRAPH_GRAPHML,
                "<g:graphml><g:desc>d</g:desc><g:key id='k' for='all' attr.name='Label'/>"
                "<g:key id='j' attr.name='name'/><g:key id='i' for='edge' attr.name='name'/>"
                "<g:graph edgedefault='undirected'><g:edge source='b' target='a' directed='true'/>"
                "<g:edge source='b' target='c'/><g:node id='a'><g:data key='j'>A</g:data>"
                "<g:data key='k'>x</g:data></g:node><g:node id='b'><g:port name='p'/>"
                "<g:data key='k'>B</g:data></g:node><g:node id='c'/><g:data key='k'>no</g:data>"
                "</g:graph></g:graphml>",
                "B A c: B>A B-c");
    check_reads(SCONE_GRAPH_GRAPHML,
                "<graphml><graph><node id='&lt;&#x41;\n&apos;'/><node id='b'/>"
                "<edge source='b' target='&lt;A &apos;' directed='0'/></graph></graphml>",
                "<A ' b: <A '-b");
    check_reads(SCONE_GRAPH_GRAPHML,
                "<graphml><graph edgedefault='directed'><node id='a'/><node id='b'/>"
                "<edge source='a' target='b'/><edge source='b' target='a'/></graph></graphml>",
                "a b: a-b");
    /* a byte order mark, CRLF, references of every length */
    check_reads(SCONE_GRAPH_GRAPHML,
                "\xEF\xBB\xBF<?xml version=\"1.0\"?>\r\n<graphml>\r\n<key id='k' attr.name='name'/>"
                "<graph>\r\n<node id='1\r\n2'><data key='k'>a\r\nb\rc</data></node>"
                "<node id='&#9;&#233;&#x20AC;&#x1f600;&#x1F600;'/></graph></graphml>",
                "a\nb\nc \t\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xF0\x9F\x98\x80:");
    check_reads(SCONE_GRAPH_GRAPHML, "<graphml><graph/></graphml>", ":");
}

/* An array of numpy, format 1.0, C order, little-endian. */
static size_t make_npy(char *out, const char *type, const char *shape, const void *values,
                       size_t bytes)
{
    char header[118];
    int length = snprintf(header, sizeof header,
                          "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", type, shape);
    memset(header + length, ' ', sizeof header - (size_t)length);
    header[117] = '\n';
    memcpy(out, "\x93NUMPY\x01\x00\x76\x00", 10);
    memcpy(out + 10, header, sizeof header);
    memcpy(out + 128, values, bytes);
    return 128 + bytes;
}

static void test_npy(void **state)
{
    (void)state;
    char file[512];
    double dag[9] = {0, 1, 0, 0, 0, 0, 1, 1, 0};
    size_t size = make_npy(file, "<f8", "3, 3", dag, sizeof dag);
    check_reads_bytes(SCONE_GRAPH_NPY, file, size, "X0 X1 X2: X0>X1 X2>X0 X2>X1");
    check_reads_bytes(SCONE_GRAPH_AUTO, file, size, "X0 X1 X2: X0>X1 X2>X0 X2>X1");
    size = make_npy(file, "|b1", "2, 2", "\0\1\1\0", 4);
    check_reads_bytes(SCONE_GRAPH_NPY, file, size, "X0 X1: X0-X1");
    double weights[4] = {0, 0.25, 0, 0}, loop[4] = {0, 0, 0, 1};
    graph *g;
    size = make_npy(file, "<f8", "2, 2", weights, sizeof weights);
    CHECK_FAILS(graph_parse_npy(&g, file, size), SCONE_ERR_INPUT,
                "[0][1] is 0.25, neither 0 nor 1; an adjacency matrix says whether");
    weights[1] = NAN;
    size = make_npy(file, "<f8", "2, 2", weights, sizeof weights);
    CHECK_FAILS(graph_parse_npy(&g, file, size), SCONE_ERR_INPUT, "[0][1] is nan, neither");
    size = make_npy(file, "<f8", "2, 2", loop, sizeof loop);
    CHECK_FAILS(graph_parse_npy(&g, file, size), SCONE_ERR_INPUT,
                "[1][1] is 1, an edge from a node to itself");
    size = make_npy(file, "<f8", "1, 4", loop, sizeof loop);
    CHECK_FAILS(graph_parse_npy(&g, file, size), SCONE_ERR_INPUT,
                "an array of 1 x 4; an adjacency");
    size = make_npy(file, "<f8", "1000000, 1000000", loop, sizeof loop);
    CHECK_FAILS(graph_parse_npy(&g, file, size), SCONE_ERR_INPUT, "");
    CHECK(g == NULL);
}

static void test_detection(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        scone_graph_format format;
    } cases[] = {
        {"source,target\nA,B\n", SCONE_GRAPH_EDGES},
        {"\xEF\xBB\xBF"
         "From;To\nA;B\n",
         SCONE_GRAPH_EDGES},
        {"weight,target,source\n1,A,B\n", SCONE_GRAPH_EDGES},
        {",source,target\n0,A,B\n", SCONE_GRAPH_EDGES},
        {",source,target\nsource,0,1\ntarget,0,0\n", SCONE_GRAPH_ADJACENCY},
        {"source,target\ntarget,x\n", SCONE_GRAPH_EDGES},
        {",A,B\nA,0,1\nB,0,0\n", SCONE_GRAPH_ADJACENCY},
        {"graph,B\n0,1\n0,0\n", SCONE_GRAPH_ADJACENCY},
        {" \n{\"format\": 1}", SCONE_GRAPH_JSON},
        {"<graphml/>", SCONE_GRAPH_GRAPHML},
        {"digraph{}", SCONE_GRAPH_DOT},
        {"strict graph{}", SCONE_GRAPH_DOT},
        {"dag { A -> B }", SCONE_GRAPH_DOT},
        {"// hello\ndigraph{}", SCONE_GRAPH_DOT},
        {"/* hello */digraph{}", SCONE_GRAPH_DOT},
        {"# hello\ndigraph{}", SCONE_GRAPH_DOT},
        {"", SCONE_GRAPH_AUTO},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        scone_graph_format found = graph_format_of_content(cases[k].text, strlen(cases[k].text));
        if (found != cases[k].format) fail_msg("'%s': format %d", cases[k].text, (int)found);
    }
    CHECK(graph_format_of_name("a.CSV.gz") == SCONE_GRAPH_EDGES);
    CHECK(graph_format_of_name("a.b/c.GraphML") == SCONE_GRAPH_GRAPHML);
    CHECK(graph_format_of_name(".csv") == SCONE_GRAPH_AUTO);
    CHECK(graph_format_of_name("dot") == SCONE_GRAPH_AUTO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edge_lists),   cmocka_unit_test(test_adjacency_tables),
        cmocka_unit_test(test_json),         cmocka_unit_test(test_dot),
        cmocka_unit_test(test_dot_language), cmocka_unit_test(test_graphml),
        cmocka_unit_test(test_npy),          cmocka_unit_test(test_detection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
