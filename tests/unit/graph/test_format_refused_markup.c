/* test_format_refused_markup.c - DOT and GraphML files that are refused, each with its exact
 * message. */
#include "formats.h"

#define TEXT(text_) (text_), sizeof(text_) - 1

static const refused_case refused[] = {
    {SCONE_GRAPH_DOT, TEXT(""),
     "line 1: expected digraph or graph (DAGitty: dag or pdag), not the end of the file"},
    {SCONE_GRAPH_DOT, TEXT("hello"),
     "line 1: expected digraph or graph (DAGitty: dag or pdag), not \"hello\""},
    {SCONE_GRAPH_DOT, TEXT("digraph"),
     "line 1: expected the \"{\" of the graph, not the end of the file"},
    {SCONE_GRAPH_DOT, TEXT("digraph g h {}"), "line 1: expected the \"{\" of the graph, not \"h\""},
    {SCONE_GRAPH_DOT, TEXT("digraph {"),
     "line 1: expected a statement or \"}\", not the end of the file"},
    {SCONE_GRAPH_DOT, TEXT("digraph { a -> }"), "line 1: expected a node, not \"}\""},
    {SCONE_GRAPH_DOT, TEXT("digraph { a -> b"),
     "line 1: expected a statement or \"}\", not the end of the file"},
    {SCONE_GRAPH_DOT, TEXT("digraph { a [x= }"),
     "line 1: expected the value of an attribute, not \"}\""},
    {SCONE_GRAPH_DOT, TEXT("digraph { a [x=1 }"),
     "line 1: expected the name of an attribute or \"]\", not \"}\""},
    {SCONE_GRAPH_DOT, TEXT("digraph { a [=1] }"),
     "line 1: expected the name of an attribute or \"]\", not \"=\""},
    {SCONE_GRAPH_DOT, TEXT("digraph { a -> a }"),
     "line 1: an edge from \"a\" to itself; a causal graph has none, remove it"},
    {SCONE_GRAPH_DOT, TEXT("graph { a -> b }"),
     "line 1: an arrow in an undirected graph; start the file with digraph instead of graph"},
    {SCONE_GRAPH_DOT, TEXT("digraph { a -> b [dir=both] }"),
     "line 1: an edge with arrows at both ends stands for a hidden common cause, which these "
     "graphs do not have; remove it, or use dir=none for an undirected edge"},
    {SCONE_GRAPH_DOT, TEXT("dag { a <-> b }"),
     "line 1: an edge with arrows at both ends stands for a hidden common cause, which these "
     "graphs do not have; remove it, or use dir=none for an undirected edge"},
    {SCONE_GRAPH_DOT, TEXT("digraph {\n a -> b [arrowhead=odot] }"),
     "line 2: an edge that ends in a circle (odot), as in a PAG; only directed and undirected "
     "edges are read"},
    {SCONE_GRAPH_DOT, TEXT("digraph { a -> b [dir=sideways] }"),
     "line 1: expected dir to be forward, back, both or none, not \"sideways\""},
    {SCONE_GRAPH_DOT, TEXT("digraph { a -> b;\n a -> b [dir=none] }"),
     "line 1 has \"a\" -> \"b\", but line 2 has \"a\" -- \"b\"; keep one of the two"},
    {SCONE_GRAPH_DOT, TEXT("digraph { node -> b }"),
     "line 1: \"node\" is a word of the language; put it in double quotes to use it as a name"},
    {SCONE_GRAPH_DOT, TEXT("digraph { \"a }"), "line 1: a quote is opened and never closed"},
    {SCONE_GRAPH_DOT, TEXT("digraph { a /* b }"),
     "line 1: a comment is opened and never closed; add */"},
    {SCONE_GRAPH_DOT, TEXT("digraph { <b> }"), "line 1: expected a node, not an HTML string"},
    {SCONE_GRAPH_DOT, TEXT("digraph { a [label=<b] }"),
     "line 1: an HTML string is opened and never closed; add >"},
    {SCONE_GRAPH_DOT, TEXT("digraph { \"\" }"), "line 1: a node has an empty name; give it one"},
    {SCONE_GRAPH_DOT, TEXT("digraph { 2nd -> a }"),
     "line 1: \"2nd\" is neither a name nor a number; put names that start with a digit, a "
     "minus or a point in double quotes"},
    {SCONE_GRAPH_DOT, TEXT("digraph { 1.2.3 }"),
     "line 1: \"1.2.3\" is neither a name nor a number; put names that start with a digit, a "
     "minus or a point in double quotes"},
    {SCONE_GRAPH_DOT, TEXT("digraph { a @ b }"),
     "line 1: \"@\" has no meaning in DOT here; put names in double quotes"},
    {SCONE_GRAPH_DOT, TEXT("digraph { a } digraph { b }"),
     "line 1: expected the end of the file after the graph, not \"digraph\""},
    {SCONE_GRAPH_DOT, TEXT("digraph { a } x"),
     "line 1: expected the end of the file after the graph, not \"x\""},
    {SCONE_GRAPH_DOT, TEXT("digraph { subgraph s -> a }"),
     "line 1: expected the \"{\" of a subgraph, not \"->\""},
    {SCONE_GRAPH_DOT, TEXT("digraph { \"a\" + b }"),
     "line 1: expected a quoted string after \"+\", not \"b\""},
    {SCONE_GRAPH_DOT, TEXT("digraph { a: -> b }"),
     "line 1: expected the name of a port, not \"->\""},
    {SCONE_GRAPH_DOT, TEXT("digraph { x = ; }"),
     "line 1: expected the value of an attribute, not \";\""},
    {SCONE_GRAPH_DOT,
     TEXT("digraph { {{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{}"),
     "line 1: subgraphs nested more than 64 deep"},
    {SCONE_GRAPH_DOT, TEXT("digraph { 0 [label=A]; 1 [label=A] }"),
     "a second node, \"1\", has the name or label \"A\"; names must be unique"},
    {SCONE_GRAPH_DOT, TEXT("digraph { 0 [label=\"\"] }"),
     "the node with the identifier \"0\" has an empty name; give it one"},
    {SCONE_GRAPH_DOT, TEXT("digraph { edge; }"),
     "line 1: \"edge\" is a word of the language; put it in double quotes to use it as a name"},
    {SCONE_GRAPH_DOT, TEXT("digraph { a -- b; b -> a }"),
     "line 1 has \"a\" -- \"b\", but line 1 has \"b\" -> \"a\"; keep one of the two"},
    {SCONE_GRAPH_GRAPHML, TEXT(""),
     "line 1: the first element is not <graphml>; this is not GraphML"},
    {SCONE_GRAPH_GRAPHML, TEXT("hello"),
     "line 1: not the XML of a graph: text outside the elements"},
    {SCONE_GRAPH_GRAPHML, TEXT("<html></html>"),
     "line 1: the first element is not <graphml>; this is not GraphML"},
    {SCONE_GRAPH_GRAPHML, TEXT("<graphml></graphml>"), "there is no <graph> in this GraphML"},
    {SCONE_GRAPH_GRAPHML, TEXT("<graphml><graph/><graph/></graphml>"),
     "line 1: a second graph; put each into a file of its own"},
    {SCONE_GRAPH_GRAPHML, TEXT("<!DOCTYPE graphml [<!ENTITY a 'b'>]><graphml/>"),
     "line 1: not the XML of a graph: document type declarations are not read; delete "
     "<!DOCTYPE ...>"},
    {SCONE_GRAPH_GRAPHML, TEXT("<?xml version='1.0' encoding='ISO-8859-1'?><graphml/>"),
     "line 1: not the XML of a graph: its encoding is not UTF-8; convert the file"},
    {SCONE_GRAPH_GRAPHML, TEXT("<graphml><graph>"),
     "line 1: not the XML of a graph: <graph> is never closed; the file may be cut off"},
    {SCONE_GRAPH_GRAPHML, TEXT("<graphml></graph>"),
     "line 1: not the XML of a graph: </graph> closes no open element"},
    {SCONE_GRAPH_GRAPHML, TEXT("<graphml/><graphml/>"),
     "line 1: not the XML of a graph: a second element after the first"},
    {SCONE_GRAPH_GRAPHML, TEXT("<graphml/>text"),
     "line 1: not the XML of a graph: text outside the elements"},
    {SCONE_GRAPH_GRAPHML, TEXT("<graphml a=1/>"),
     "line 1: not the XML of a graph: an attribute's value must be in quotes"},
    {SCONE_GRAPH_GRAPHML, TEXT("<graphml a='1' a='2'/>"),
     "line 1: not the XML of a graph: an attribute is given twice"},
    {SCONE_GRAPH_GRAPHML, TEXT("<graphml a='1'b='2'/>"),
     "line 1: not the XML of a graph: a tag is not closed with \">\""},
    {SCONE_GRAPH_GRAPHML, TEXT("<graphml a='<'/>"),
     "line 1: not the XML of a graph: \"<\" in an attribute; write &lt;"},
    {SCONE_GRAPH_GRAPHML, TEXT("<graphml a='&b;'/>"),
     "line 1: not the XML of a graph: \"&\" starts none of &amp; &lt; &gt; &quot; &apos; "
     "&#NUMBER;; write it as &amp;"},
    {SCONE_GRAPH_GRAPHML, TEXT("<graphml a='&#0;'/>"),
     "line 1: not the XML of a graph: \"&\" starts none of &amp; &lt; &gt; &quot; &apos; "
     "&#NUMBER;; write it as &amp;"},
    {SCONE_GRAPH_GRAPHML, TEXT("<graphml a='&#x110000;'/>"),
     "line 1: not the XML of a graph: \"&\" starts none of &amp; &lt; &gt; &quot; &apos; "
     "&#NUMBER;; write it as &amp;"},
    {SCONE_GRAPH_GRAPHML, TEXT("<graphml a/>"),
     "line 1: not the XML of a graph: \"=\" is expected after an attribute's name"},
    {SCONE_GRAPH_GRAPHML, TEXT("<graphml a='b/>"),
     "line 1: not the XML of a graph: an attribute's quote is never closed"},
    {SCONE_GRAPH_GRAPHML, TEXT("<graphml><!-- </graphml>"),
     "line 1: not the XML of a graph: a comment is never closed"},
    {SCONE_GRAPH_GRAPHML, TEXT("<graphml><![CDATA[ </graphml>"),
     "line 1: not the XML of a graph: a CDATA section is never closed"},
    {SCONE_GRAPH_GRAPHML, TEXT("<1/>"), "line 1: not the XML of a graph: a name is expected"},
    {SCONE_GRAPH_GRAPHML, TEXT("<graphml></graphml x>"),
     "line 1: not the XML of a graph: a closing tag does not end with \">\""},
    {SCONE_GRAPH_GRAPHML, TEXT("<?xml <graphml/>"),
     "line 1: not the XML of a graph: an instruction <? is never closed"},
    {SCONE_GRAPH_GRAPHML, TEXT("<graphml>\377</graphml>"),
     "line 1: not UTF-8 text; convert the file to UTF-8"},
    {SCONE_GRAPH_GRAPHML, TEXT("<graphml>\n\001</graphml>"),
     "line 2: the control character U+0001, which XML does not allow; remove it"},
    {SCONE_GRAPH_GRAPHML, TEXT("<![CDATA[x]]>"),
     "line 1: not the XML of a graph: text outside the elements"},
    {SCONE_GRAPH_GRAPHML,
     TEXT("<graphml><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a>"
          "<a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a>"
          "<a><a><a><a><a><a><a><a><a><a><a>"),
     "line 1: not the XML of a graph: elements nested too deeply"},
    {SCONE_GRAPH_GRAPHML,
     TEXT("<graphml a0='1' a1='1' a2='1' a3='1' a4='1' a5='1' a6='1' a7='1' a8='1' a9='1' "
          "a10='1' a11='1' a12='1' a13='1' a14='1' a15='1' a16='1' a17='1' a18='1' a19='1' "
          "a20='1' a21='1' a22='1' a23='1' a24='1' a25='1' a26='1' a27='1' a28='1' a29='1' "
          "a30='1' a31='1' a32='1'/>"),
     "line 1: not the XML of a graph: more than 32 attributes in one tag"},
    {SCONE_GRAPH_GRAPHML,
     TEXT("<graphml>\n<graph edgedefault='directed'><node/></graph></graphml>"),
     "line 2: <node> has no attribute \"id\""},
    {SCONE_GRAPH_GRAPHML,
     TEXT("<graphml>\n<graph edgedefault='directed'><node id=''/></graph></graphml>"),
     "line 2: a node has an empty name; give it one"},
    {SCONE_GRAPH_GRAPHML,
     TEXT("<graphml>\n<graph edgedefault='directed'><node id='a'/>\n<node "
          "id='a'/></graph></graphml>"),
     "line 3: a second node with the id \"a\"; ids must be unique"},
    {SCONE_GRAPH_GRAPHML,
     TEXT("<graphml>\n<graph edgedefault='directed'><edge source='a'/></graph></graphml>"),
     "line 2: <edge> has no attribute \"target\""},
    {SCONE_GRAPH_GRAPHML,
     TEXT("<graphml>\n<graph edgedefault='directed'><node id='a'/>\n<edge source='a' "
          "target='b'/></graph></graphml>"),
     "line 3: there is no node with the id \"b\""},
    {SCONE_GRAPH_GRAPHML,
     TEXT("<graphml>\n<graph edgedefault='directed'><node id='a'/><edge source='a' "
          "target='a'/></graph></graphml>"),
     "line 2: an edge from \"a\" to itself; a causal graph has none, remove it"},
    {SCONE_GRAPH_GRAPHML,
     TEXT("<graphml>\n<graph edgedefault='directed'><node id='a'/><node id='b'/><edge "
          "source='a' target='b' directed='yes'/></graph></graphml>"),
     "line 2: directed is \"yes\", neither \"true\" nor \"false\""},
    {SCONE_GRAPH_GRAPHML,
     TEXT("<graphml><graph><node id='a'/><node id='b'/><edge source='a' "
          "target='b'/></graph></graphml>"),
     "line 1: neither the edge says whether it is directed nor the graph "
     "(edgedefault=\"directed\")"},
    {SCONE_GRAPH_GRAPHML, TEXT("<graphml><graph edgedefault='maybe'/></graphml>"),
     "line 1: edgedefault is \"maybe\", neither \"directed\" nor \"undirected\""},
    {SCONE_GRAPH_GRAPHML,
     TEXT("<graphml>\n<graph edgedefault='directed'><hyperedge/></graph></graphml>"),
     "line 2: a hyperedge; an edge joins two nodes"},
    {SCONE_GRAPH_GRAPHML,
     TEXT("<graphml>\n<graph edgedefault='directed'><node "
          "id='a'><graph/></node></graph></graphml>"),
     "line 2: a graph inside a node; nested graphs are not read"},
    {SCONE_GRAPH_GRAPHML,
     TEXT("<graphml>\n<graph edgedefault='directed'><node id='a'/><node id='b'/><edge "
          "source='a' target='b'/>\n<edge source='b' target='a' "
          "directed='false'/></graph></graphml>"),
     "line 2 has \"a\" -> \"b\", but line 3 has \"b\" -- \"a\"; keep one of the two"},
    {SCONE_GRAPH_GRAPHML, TEXT("<graphml><key/></graphml>"),
     "line 1: <key> has no attribute \"id\""},
    {SCONE_GRAPH_GRAPHML,
     TEXT("<graphml><key id='k' for='node' attr.name='name'/><graph><node id='a'><data "
          "key='k'/></node></graph></graphml>"),
     "line 1: the name of a node is empty; give it one"},
    {SCONE_GRAPH_GRAPHML,
     TEXT("<graphml><key id='k' for='node' attr.name='name'/><graph><node id='a'><data "
          "key='k'>x<b/></data></node></graph></graphml>"),
     "line 1: an element inside the name of a node; a name is text"},
    {SCONE_GRAPH_GRAPHML,
     TEXT("<graphml><key id='k' for='node' attr.name='label'/><graph><node id='a'><data "
          "key='k'>x</data></node><node id='b'><data key='k'>x</data></node></graph></graphml>"),
     "a second node, \"b\", has the name or label \"x\"; names must be unique"},
};

static void test_refused(void **state)
{
    (void)state;
    check_refused(refused, sizeof refused / sizeof *refused);
}

/* Subgraphs can mean far more edges than bytes; the number of edges has a limit. The full number
 * takes a quarter of a gigabyte, so it waits for the long tests. */
static void test_product_of_subgraphs(void **state)
{
    (void)state;
    const int side = getenv("SCONE_SOAK") ? 5800 : 300;
    char *text = malloc((size_t)side * 16 + 32000), *at = text;
    at += sprintf(at, "digraph { {");
    for (int i = 0; i < side; i++) at += sprintf(at, " a%d", i);
    at += sprintf(at, " } -> {");
    for (int i = 0; i < side; i++) at += sprintf(at, " b%d", i);
    at += sprintf(at, " } }");
    graph *g;
    scone_status status = graph_parse_dot(&g, text, (size_t)(at - text));
    if (side == 300) {
        CHECK_OK(status);
        CHECK(scone_graph_nodes(g) == 600 && scone_graph_edges(g) == 90000);
    } else {
        CHECK_FAILS(status, SCONE_ERR_INPUT, "line 1: more than 33554432 edges");
    }
    scone_graph_free(g);
    /* The same node many times is one node, not thirty-six million edges. */
    at = text;
    at += sprintf(at, "digraph { {");
    for (int half = 0; half < 2; half++) {
        for (int i = 0; i < 6000; i++) at += sprintf(at, " %c", half ? 'b' : 'a');
        at += sprintf(at, half ? " } }" : " } -> {");
    }
    check_reads_bytes(SCONE_GRAPH_DOT, text, (size_t)(at - text), "a b: a>b");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_product_of_subgraphs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
