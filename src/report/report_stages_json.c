/* report_stages_json.c - the member `stages` of graph.json: the three aggregates of the presets of
 * the paper (reasons/stages.h; docs/reference/result-files.md has the format, explain_stages.c
 * reads it).
 */
#include "report/report.h"

static void write_link(json_writer *j, const scone_result *r, size_t i, const char *mark, size_t k)
{
    json_write_array(j, NULL);
    json_write_string(j, NULL, report_node(r, i));
    json_write_string(j, NULL, mark);
    json_write_string(j, NULL, report_node(r, k));
}

/* By the two ends of an edge, the one that comes first by name first. */
static void write_links(json_writer *j, const scone_result *r, const graph *g)
{
    json_write_array(j, "edges");
    for (size_t a = 0; a < g->nodes; a++) {
        for (size_t b = a + 1; b < g->nodes; b++) {
            if (!graph_adjacent(g, a, b)) continue;
            bool back = graph_directed(g, b, a), open = graph_undirected(g, a, b);
            write_link(j, r, back ? b : a, open ? "-" : "->", back ? a : b);
            json_write_close(j);
        }
    }
    json_write_close(j);
}

static void write_stage(json_writer *j, const scone_result *r, size_t index)
{
    const stage_result *s = &r->stages.list[index];
    size_t undirected = graph_count_undirected(s->graph);
    json_write_object(j, stages_name(index));
    json_write_count(j, "directed", scone_graph_edges(s->graph) - undirected);
    json_write_count(j, "undirected", undirected);
    if (index > 0) json_write_count(j, "skipped", s->skipped);
    write_links(j, r, s->graph);
    if (index > 0) {
        json_write_array(j, "added");
        for (size_t e = 0; e < s->added_count; e++) {
            const stage_edge *edge = &s->added[e];
            write_link(j, r, edge->from, "->", edge->to);
            json_write_string(j, NULL, stages_source(edge->source));
            json_write_close(j);
        }
        json_write_close(j);
    }
    json_write_close(j);
}

void report_stages(json_writer *j, const scone_result *r)
{
    if (r->stages.count == 0) return;
    json_write_object(j, "stages");
    for (size_t s = 0; s < r->stages.count; s++) write_stage(j, r, s);
    json_write_close(j);
}
