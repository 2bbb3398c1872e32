/* format_graphml.c - graphs as GraphML (http://graphml.graphdrawing.org/specification.html).
 *
 *     <graphml xmlns="http://graphml.graphdrawing.org/xmlns">
 *       <key id="name" for="node" attr.name="name" attr.type="string"/>
 *       <graph edgedefault="directed">
 *         <node id="A"><data key="name">A</data></node> ...
 *         <edge source="A" target="B"/> ...
 *
 * A node's name is its data for the key whose attr.name is "name", else "label", else its id.
 * Other data is ignored; hyperedges, nested graphs and a second graph are refused. Two directed
 * edges of opposite directions are an undirected edge, as in an adjacency table, and this is how
 * undirected edges are written, since common readers refuse directed="false" beside directed
 * edges. Cost: linear in the text.
 */
#include "graph/format/format_builder.h"
#include "text/text.h"
#include "text/xml.h"

#include <string.h>

typedef enum edge_default { DEFAULT_UNSET, DEFAULT_DIRECTED, DEFAULT_UNDIRECTED } edge_default;

typedef struct graphml_parser {
    xml_reader xml;
    graph_builder build;
    char *name_key, *label_key; /* identifiers of keys, NULL if there are none */
    edge_default edges;
    char **names; /* [name_capacity] of declared nodes, NULL where not declared */
    size_t name_capacity;
    char *text; /* of the data being read */
    size_t text_length, text_capacity;
} graphml_parser;

/* Skips the rest of the element whose opening tag was just read. */
static scone_status skip_element(xml_reader *x)
{
    scone_status status = SCONE_OK;
    size_t depth = x->depth;
    do {
        TRY(xml_next(x));
    } while (!(x->event == XML_CLOSE && x->depth < depth));
cleanup:
    return status;
}

static scone_status append_text(graphml_parser *p, xml_slice slice)
{
    size_t needed;
    if (!size_add(&needed, p->text_length, slice.length))
        return RAISE(SCONE_ERR_MEMORY, "out of memory");
    if (needed > p->text_capacity) {
        if (!size_multiply(&needed, needed, 2)) return RAISE(SCONE_ERR_MEMORY, "out of memory");
        char *grown = mem_resize(p->text, needed, 1);
        if (!grown) return SCONE_ERR_MEMORY;
        p->text = grown;
        p->text_capacity = needed;
    }
    if (slice.length) memcpy(p->text + p->text_length, slice.text, slice.length);
    p->text_length += slice.length;
    return SCONE_OK;
}

/* The text of the element whose opening tag was just read, into p->text. */
static scone_status read_text(graphml_parser *p)
{
    scone_status status = SCONE_OK;
    p->text_length = 0;
    for (;;) {
        TRY(xml_next(&p->xml));
        if (p->xml.event == XML_CLOSE) break;
        if (p->xml.event == XML_TEXT) {
            TRY(append_text(p, p->xml.text));
        } else {
            FAIL(SCONE_ERR_INPUT, "line %zu: an element inside the name of a node; a name is text",
                 p->xml.event_line);
        }
    }
cleanup:
    return status;
}

/* The value of an attribute the opening tag must have. */
static scone_status need_attribute(const xml_slice **value, const xml_reader *x, const char *name)
{
    *value = xml_attribute_find(x, name);
    if (*value) return SCONE_OK;
    return RAISE(SCONE_ERR_INPUT, "line %zu: <%s> has no attribute \"%s\"", x->event_line,
                 SHOW(x->name.text, x->name.length), name);
}

static scone_status read_key(graphml_parser *p)
{
    scone_status status = SCONE_OK;
    const xml_slice *id, *domain = xml_attribute_find(&p->xml, "for");
    const xml_slice *name = xml_attribute_find(&p->xml, "attr.name");
    TRY(need_attribute(&id, &p->xml, "id"));
    bool of_nodes = !domain || xml_is(*domain, "node") || xml_is(*domain, "all");
    char **key = NULL;
    if (name && of_nodes && text_is(name->text, name->length, "name")) key = &p->name_key;
    if (name && of_nodes && text_is(name->text, name->length, "label")) key = &p->label_key;
    if (key && !*key) {
        *key = arena_text(p->build.memory, id->text, id->length);
        if (!*key) return SCONE_ERR_MEMORY;
    }
    TRY(skip_element(&p->xml));
cleanup:
    return status;
}

static scone_status declare_node(graphml_parser *p, size_t *node)
{
    scone_status status = SCONE_OK;
    const xml_slice *id;
    TRY(need_attribute(&id, &p->xml, "id"));
    size_t line = p->xml.event_line;
    TRY(builder_node(&p->build, node, NULL, id->text, id->length, line));
    if (*node >= p->name_capacity) {
        size_t capacity = p->build.name_capacity;
        char **grown = mem_resize(p->names, capacity, sizeof *grown);
        if (!grown) return SCONE_ERR_MEMORY;
        for (size_t i = p->name_capacity; i < capacity; i++) grown[i] = NULL;
        p->names = grown;
        p->name_capacity = capacity;
    }
    if (p->names[*node]) {
        FAIL(SCONE_ERR_INPUT, "line %zu: a second node with the id \"%s\"; ids must be unique",
             line, SHOW(id->text, id->length));
    }
    p->names[*node] = p->build.names[*node];
cleanup:
    return status;
}

/* A <data> inside a node: its name, its label (if there is no name), or something to skip. */
static scone_status read_data(graphml_parser *p, size_t node, bool *named)
{
    scone_status status = SCONE_OK;
    const xml_slice *key = xml_attribute_find(&p->xml, "key");
    bool is_name = key && p->name_key && xml_is(*key, p->name_key);
    bool is_label = key && p->label_key && xml_is(*key, p->label_key) && !*named;
    if (!is_name && !is_label) return skip_element(&p->xml);
    size_t line = p->xml.event_line;
    TRY(read_text(p));
    if (p->text_length == 0) {
        FAIL(SCONE_ERR_INPUT, "line %zu: the name of a node is empty; give it one", line);
    }
    char *name = arena_text(p->build.memory, p->text, p->text_length);
    if (!name) return SCONE_ERR_MEMORY;
    p->names[node] = name;
    *named = *named || is_name;
cleanup:
    return status;
}

static scone_status read_node(graphml_parser *p)
{
    scone_status status = SCONE_OK;
    size_t node, depth = p->xml.depth;
    bool named = false;
    TRY(declare_node(p, &node));
    for (;;) {
        TRY(xml_next(&p->xml));
        if (p->xml.event == XML_CLOSE && p->xml.depth < depth) break;
        if (p->xml.event != XML_OPEN) continue;
        if (xml_is(p->xml.name, "graph")) {
            FAIL(SCONE_ERR_INPUT, "line %zu: a graph inside a node; nested graphs are not read",
                 p->xml.event_line);
        }
        if (xml_is(p->xml.name, "data")) {
            TRY(read_data(p, node, &named));
        } else {
            TRY(skip_element(&p->xml));
        }
    }
cleanup:
    return status;
}

static scone_status read_edge(graphml_parser *p)
{
    scone_status status = SCONE_OK;
    const xml_slice *source, *target, *directed = xml_attribute_find(&p->xml, "directed");
    size_t line = p->xml.event_line, from, to;
    TRY(need_attribute(&source, &p->xml, "source"));
    TRY(need_attribute(&target, &p->xml, "target"));
    bool undirected = p->edges == DEFAULT_UNDIRECTED;
    if (directed) {
        undirected = xml_is(*directed, "false") || xml_is(*directed, "0");
        if (!undirected && !xml_is(*directed, "true") && !xml_is(*directed, "1")) {
            FAIL(SCONE_ERR_INPUT, "line %zu: directed is \"%s\", neither \"true\" nor \"false\"",
                 line, SHOW(directed->text, directed->length));
        }
    } else if (p->edges == DEFAULT_UNSET) {
        FAIL(SCONE_ERR_INPUT,
             "line %zu: neither the edge says whether it is directed nor the graph "
             "(edgedefault=\"directed\")",
             line);
    }
    TRY(builder_node(&p->build, &from, NULL, source->text, source->length, line));
    TRY(builder_node(&p->build, &to, NULL, target->text, target->length, line));
    TRY(builder_edge(&p->build, from, to, undirected, line));
    TRY(skip_element(&p->xml));
cleanup:
    return status;
}

static scone_status read_graph(graphml_parser *p)
{
    scone_status status = SCONE_OK;
    size_t depth = p->xml.depth;
    const xml_slice *value = xml_attribute_find(&p->xml, "edgedefault");
    if (value && xml_is(*value, "directed")) {
        p->edges = DEFAULT_DIRECTED;
    } else if (value && xml_is(*value, "undirected")) {
        p->edges = DEFAULT_UNDIRECTED;
    } else if (value) {
        FAIL(SCONE_ERR_INPUT,
             "line %zu: edgedefault is \"%s\", neither \"directed\" nor \"undirected\"",
             p->xml.event_line, SHOW(value->text, value->length));
    }
    for (;;) {
        TRY(xml_next(&p->xml));
        if (p->xml.event == XML_CLOSE && p->xml.depth < depth) break;
        if (p->xml.event != XML_OPEN) continue;
        if (xml_is(p->xml.name, "hyperedge")) {
            FAIL(SCONE_ERR_INPUT, "line %zu: a hyperedge; an edge joins two nodes",
                 p->xml.event_line);
        } else if (xml_is(p->xml.name, "node")) {
            TRY(read_node(p));
        } else if (xml_is(p->xml.name, "edge")) {
            TRY(read_edge(p));
        } else {
            TRY(skip_element(&p->xml));
        }
    }
cleanup:
    return status;
}

static scone_status read_document(graphml_parser *p)
{
    scone_status status = SCONE_OK;
    bool seen_graph = false;
    do {
        TRY(xml_next(&p->xml));
    } while (p->xml.event == XML_TEXT);
    if (p->xml.event != XML_OPEN || !xml_is(p->xml.name, "graphml")) {
        FAIL(SCONE_ERR_INPUT, "line %zu: the first element is not <graphml>; this is not GraphML",
             p->xml.event_line);
    }
    for (;;) {
        TRY(xml_next(&p->xml));
        if (p->xml.event == XML_END_OF_FILE) break;
        if (p->xml.event != XML_OPEN) continue;
        if (xml_is(p->xml.name, "graph")) {
            if (seen_graph) {
                FAIL(SCONE_ERR_INPUT, "line %zu: a second graph; put each into a file of its own",
                     p->xml.event_line);
            }
            seen_graph = true;
            TRY(read_graph(p));
        } else if (xml_is(p->xml.name, "key")) {
            TRY(read_key(p));
        } else {
            TRY(skip_element(&p->xml));
        }
    }
    if (!seen_graph) FAIL(SCONE_ERR_INPUT, "there is no <graph> in this GraphML");
cleanup:
    return status;
}

/* Every node that an edge mentions must have been declared. */
static scone_status check_declared(const graphml_parser *p)
{
    for (size_t k = 0; k < p->build.edge_count; k++) {
        listed_edge edge = p->build.edges[k];
        for (int end = 0; end < 2; end++) {
            size_t node = end ? edge.target : edge.source;
            if (node < p->name_capacity && p->names[node]) continue;
            return RAISE(SCONE_ERR_INPUT, "line %u: there is no node with the id \"%s\"",
                         (unsigned)edge.place,
                         SHOW(p->build.names[node], strlen(p->build.names[node])));
        }
    }
    return SCONE_OK;
}

scone_status graph_parse_graphml(graph **out, const char *text, size_t size)
{
    scone_status status = SCONE_OK;
    graphml_parser *p = NULL;
    *out = NULL;
    TRY_ZERO(p, 1);
    TRY(xml_open(&p->xml, text, size));
    TRY(builder_open(&p->build, "line"));
    TRY(read_document(p));
    TRY(check_declared(p));
    TRY(builder_rename(&p->build, (const char *const *)p->names));
    TRY(builder_finish(&p->build, out, true));
cleanup:
    if (p) {
        xml_close(&p->xml);
        builder_close(&p->build);
        mem_free(p->names);
        mem_free(p->text);
        mem_free(p);
    }
    return status;
}
