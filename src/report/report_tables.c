/* report_tables.c - edges.csv, probabilities.csv, targets.csv (docs/reference/result-files.md). */
#include "report/report.h"

#include "text/write/delimited_write.h"

/* Significant digits of what people read; graph.json and probabilities.csv have all of them. */
enum { DIGITS = 4 };

scone_status report_edges(output_file *stream, const scone_result *r)
{
    delimited_writer w = delimited_write_start(stream, ',');
    delimited_write_words(&w, "source,target,kind,p_forward,p_backward,p_none,why");
    delimited_write_end(&w);
    for (size_t e = 0; e < r->decoded.count; e++) {
        const scone_edge *edge = &r->edges[e];
        delimited_write_text(&w, report_name(r, edge->source));
        delimited_write_text(&w, report_name(r, edge->target));
        delimited_write_words(&w, edge->undirected ? "undirected" : "directed");
        delimited_write_rounded(&w, edge->p_forward, DIGITS);
        delimited_write_rounded(&w, edge->p_backward, DIGITS);
        delimited_write_rounded(&w, edge->p_none, DIGITS);
        delimited_write_text(&w, edge->why);
        delimited_write_end(&w);
    }
    return w.out.status;
}

scone_status report_probabilities(output_file *stream, const scone_result *r)
{
    delimited_writer w = delimited_write_start(stream, ',');
    delimited_write_words(&w, "variable");
    for (size_t j = 0; j < r->map.count; j++) delimited_write_text(&w, r->map.names[j]);
    delimited_write_end(&w);
    for (size_t i = 0; i < r->map.count; i++) {
        const double *row = r->probabilities + i * r->map.count;
        delimited_write_text(&w, r->map.names[i]);
        for (size_t j = 0; j < r->map.count; j++) delimited_write_number(&w, row[j]);
        delimited_write_end(&w);
    }
    return w.out.status;
}

static void write_target(delimited_writer *w, const scone_result *r, const char *condition,
                         const scone_target *target)
{
    delimited_write_text(w, condition);
    delimited_write_text(w, report_name(r, target->variable));
    delimited_write_count(w, target->target);
    delimited_write_rounded(w, target->size, DIGITS);
    delimited_write_rounded(w, target->p_value, DIGITS);
    delimited_write_rounded(w, target->evidence, DIGITS);
    delimited_write_text(w, target->reason);
    delimited_write_end(w);
}

scone_status report_targets(output_file *stream, const scone_result *r)
{
    size_t count = r->map.count;
    delimited_writer w = delimited_write_start(stream, ',');
    delimited_write_words(&w, "condition,variable,target,size,p_value,evidence,reason");
    delimited_write_end(&w);
    for (size_t k = 0; k < r->conditions; k++) {
        for (size_t t = 0; t < count; t++) {
            write_target(&w, r, r->condition_names[k], scone_result_condition_target(r, k, t));
        }
    }
    for (size_t t = 0; r->conditions == 0 && t < count; t++) {
        write_target(&w, r, scone_result_changed_name(r), &r->targets[t]);
    }
    return w.out.status;
}
