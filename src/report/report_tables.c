/* report_tables.c - edges.csv, probabilities.csv and targets.csv (docs/manual/discover.md). */
#include "report/report.h"

#include "text/text.h"

scone_status report_edges(output_file *stream, const scone_result *r)
{
    scone_status status = SCONE_OK;
    TRY(output_print(stream, "source,target,kind,p_forward,p_backward,p_none,why\n"));
    for (size_t e = 0; e < r->decoded.count; e++) {
        const scone_edge *edge = &r->edges[e];
        const double shares[3] = {edge->p_forward, edge->p_backward, edge->p_none};
        TRY(text_write_field(stream, report_name(r, edge->source), ','));
        TRY(output_print(stream, ","));
        TRY(text_write_field(stream, report_name(r, edge->target), ','));
        TRY(output_print(stream, ",%s,", edge->undirected ? "undirected" : "directed"));
        for (size_t s = 0; s < 3; s++) {
            TRY(number_print(stream, shares[s]));
            TRY(output_print(stream, ","));
        }
        TRY(text_write_field(stream, edge->why, ','));
        TRY(output_print(stream, "\n"));
    }
cleanup:
    return status;
}

scone_status report_probabilities(output_file *stream, const scone_result *r)
{
    scone_status status = SCONE_OK;
    TRY(output_print(stream, "variable"));
    for (size_t j = 0; j < r->count; j++) {
        TRY(output_print(stream, ","));
        TRY(text_write_field(stream, r->names[j], ','));
    }
    TRY(output_print(stream, "\n"));
    for (size_t i = 0; i < r->count; i++) {
        TRY(text_write_field(stream, r->names[i], ','));
        for (size_t j = 0; j < r->count; j++) {
            TRY(output_print(stream, ","));
            TRY(number_print(stream, r->probabilities[i * r->count + j]));
        }
        TRY(output_print(stream, "\n"));
    }
cleanup:
    return status;
}

scone_status report_targets(output_file *stream, const scone_result *r)
{
    scone_status status = SCONE_OK;
    TRY(output_print(stream, "variable,score,p_value,target\n"));
    for (size_t t = 0; t < r->count; t++) {
        const scone_target *target = &r->targets[t];
        TRY(text_write_field(stream, report_name(r, target->variable), ','));
        TRY(output_print(stream, ","));
        TRY(number_print(stream, target->score));
        TRY(output_print(stream, ","));
        TRY(number_print(stream, target->p_value));
        TRY(output_print(stream, ",%d\n", target->target ? 1 : 0));
    }
cleanup:
    return status;
}
