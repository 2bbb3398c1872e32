/* format_json.c - graphs as JSON.
 *
 *     {"format": "scone-graph", "version": 1,
 *      "nodes": ["A", "B"],
 *      "edges": [{"source": "A", "target": "B", "kind": "directed"}]}
 *
 * Members this reader does not know are ignored, at every level. `kind` may be left out and is
 * then "directed". Cost: linear in the text.
 */
#include "text/json_check.h"
#include "text/write/json_write.h"

#include "graph/format/format_builder.h"
#include "text/text.h"

#include <cJSON.h>
#include <string.h>

/* The member of this name, NULL if there is none; two are refused, since programs differ in which
 * one they take. */
static scone_status find_member(const cJSON **member, const cJSON *object, const char *name)
{
    *member = NULL;
    for (const cJSON *item = object->child; item; item = item->next) {
        if (strcmp(item->string, name) != 0) continue;
        if (*member) {
            return RAISE(SCONE_ERR_INPUT, "the member \"%s\" occurs twice; keep one", name);
        }
        *member = item;
    }
    return SCONE_OK;
}

static scone_status check_format(const cJSON *root)
{
    scone_status status = SCONE_OK;
    const cJSON *format, *version;
    if (!cJSON_IsObject(root)) {
        FAIL(SCONE_ERR_INPUT, "the JSON is not an object; a graph is {\"format\": \"scone-graph\", "
                              "\"version\": 1, \"nodes\": [...], \"edges\": [...]}");
    }
    TRY(find_member(&format, root, "format"));
    if (!cJSON_IsString(format) || strcmp(format->valuestring, "scone-graph") != 0) {
        FAIL(SCONE_ERR_INPUT, "the member \"format\" is not \"scone-graph\"; this is JSON, but not "
                              "a graph as scone writes it");
    }
    TRY(find_member(&version, root, "version"));
    if (!cJSON_IsNumber(version) || version->valuedouble != 1.0) {
        FAIL(SCONE_ERR_INPUT, "the member \"version\" is not 1, the only version this program "
                              "knows; use a newer scone");
    }
cleanup:
    return status;
}

static scone_status read_nodes(graph_builder *b, const cJSON *root)
{
    scone_status status = SCONE_OK;
    const cJSON *nodes;
    TRY(find_member(&nodes, root, "nodes"));
    if (!cJSON_IsArray(nodes)) {
        FAIL(SCONE_ERR_INPUT, "the member \"nodes\" is missing or not a list of names");
    }
    size_t place = 0;
    for (const cJSON *item = nodes->child; item; item = item->next) {
        place++;
        if (!cJSON_IsString(item)) {
            FAIL(SCONE_ERR_INPUT, "node %zu: not a name; write it as a string", place);
        }
        size_t node, length = strlen(item->valuestring);
        bool known;
        TRY(builder_node(b, &node, &known, item->valuestring, length, place));
        if (known) {
            FAIL(SCONE_ERR_INPUT, "nodes %zu and %zu are both named \"%s\"; names must be unique",
                 node + 1, place, SHOW(item->valuestring, length));
        }
    }
cleanup:
    return status;
}

static scone_status read_endpoint(size_t *node, const graph_builder *b, const cJSON *edge,
                                  const char *name)
{
    scone_status status = SCONE_OK;
    const cJSON *item;
    TRY(find_member(&item, edge, name));
    if (!cJSON_IsString(item)) {
        FAIL(SCONE_ERR_INPUT, "the member \"%s\" is missing or not a string", name);
    }
    size_t length = strlen(item->valuestring);
    *node = builder_find(b, item->valuestring, length);
    if (*node == SIZE_MAX) {
        FAIL(SCONE_ERR_INPUT, "the %s \"%s\" is not in \"nodes\"; add it there", name,
             SHOW(item->valuestring, length));
    }
cleanup:
    return status;
}

static scone_status read_edge(graph_builder *b, const cJSON *edge, size_t place)
{
    scone_status status = SCONE_OK;
    const cJSON *kind;
    size_t source, target;
    if (!cJSON_IsObject(edge)) FAIL(SCONE_ERR_INPUT, "not an object with source and target");
    TRY(read_endpoint(&source, b, edge, "source"));
    TRY(read_endpoint(&target, b, edge, "target"));
    TRY(find_member(&kind, edge, "kind"));
    bool undirected = cJSON_IsString(kind) && strcmp(kind->valuestring, "undirected") == 0;
    bool directed = !kind || (cJSON_IsString(kind) && strcmp(kind->valuestring, "directed") == 0);
    if (!directed && !undirected) {
        FAIL(SCONE_ERR_INPUT, "the kind is neither \"directed\" nor \"undirected\"");
    }
cleanup:
    if (status != SCONE_OK) {
        status_prefix("edge %zu", place);
        return status;
    }
    return builder_edge(b, source, target, undirected, place);
}

scone_status graph_parse_json(graph **out, const char *text, size_t size)
{
    scone_status status = SCONE_OK;
    cJSON *root = NULL;
    graph_builder b = {0};
    *out = NULL;
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        text += 3;
        size -= 3;
    }
    TRY(json_check(text, size));
    root = cJSON_ParseWithLength(text, size);
    if (!root) FAIL(SCONE_ERR_MEMORY, "out of memory for %zu bytes of JSON", size);
    TRY(builder_open(&b, "node"));
    TRY(check_format(root));
    TRY(read_nodes(&b, root));
    const cJSON *edges;
    TRY(find_member(&edges, root, "edges"));
    if (!cJSON_IsArray(edges)) {
        FAIL(SCONE_ERR_INPUT, "the member \"edges\" is missing or not a list");
    }
    b.place_word = "edge";
    size_t place = 0;
    for (const cJSON *item = edges->child; item; item = item->next) {
        TRY(read_edge(&b, item, ++place));
    }
    TRY(builder_finish(&b, out, false));
cleanup:
    cJSON_Delete(root);
    builder_close(&b);
    return status;
}

scone_status graph_write_json(output_file *stream, const graph *g)
{
    scone_status status = builder_check_names(g, true);
    if (status != SCONE_OK) return status;
    json_writer j = json_write_start(stream);
    json_write_string(&j, "format", "scone-graph");
    json_write_count(&j, "version", 1);
    json_write_lines(&j, "nodes");
    for (size_t i = 0; i < g->nodes; i++) json_write_string(&j, NULL, scone_graph_name(g, i));
    json_write_close(&j);
    json_write_lines(&j, "edges");
    for (edge_cursor e = {0}; graph_next_edge(g, &e);) {
        json_write_object(&j, NULL);
        json_write_string(&j, "source", scone_graph_name(g, e.source));
        json_write_string(&j, "target", scone_graph_name(g, e.target));
        json_write_string(&j, "kind", e.undirected ? "undirected" : "directed");
        json_write_close(&j);
    }
    json_write_close(&j);
    return json_write_end(&j);
}
