/* consistency_files.c - the folder of a consistency run: points and coverage as CSV, curves as SVG
 * (theory/consistency.h). */
#include "theory/consistency.h"

#include "io/file.h"
#include "draw/curves.h"
#include "report/report.h"

#include <string.h>

/* "linear", "sigmoid+nn_add": what every row starts with, and nodes and the size of subsets */
static scone_status write_run(output_file *stream, const scone_consistency_options *o)
{
    static const struct {
        unsigned bit;
        const char *name;
    } families[] = {{SCONE_LINEAR, "linear"},
                    {SCONE_POLYNOMIAL, "polynomial"},
                    {SCONE_SIGMOID, "sigmoid"},
                    {SCONE_NN, "nn"},
                    {SCONE_NN_ADD, "nn_add"}};
    scone_status status = SCONE_OK;
    const char *between = "";
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        if (!(o->families & families[f].bit)) continue;
        TRY(output_print(stream, "%s%s", between, families[f].name));
        between = "+";
    }
    TRY(output_print(stream, ",%zu,%zu,", o->nodes, o->subset_size));
cleanup:
    return status;
}

static scone_status write_point(output_file *stream, const scone_consistency_point *p)
{
    scone_status status = SCONE_OK;
    TRY(output_print(stream, "%zu,", p->rows));
    if (p->subsets) {
        TRY(output_print(stream, "%zu,", p->subsets));
    } else {
        TRY(output_print(stream, "all,"));
    }
    TRY(number_print(stream, p->alpha));
    TRY(output_print(stream, ",%zu,%zu,", p->graphs, p->equal));
    TRY(number_print_decimals(stream, p->share, 4));
    TRY(output_print(stream, ","));
    TRY(number_print_decimals(stream, p->error, 4));
    TRY(output_print(stream, ",%zu,%zu,%zu,%zu,%zu,%zu,%zu,%zu,%zu\n", p->equal_known, p->equal_obs,
                     p->literals, p->literal_right, p->false_changes, p->missed_changes,
                     p->directions, p->found, p->found_right));
cleanup:
    return status;
}

static scone_status write_points(output_file *stream, const scone_consistency *r)
{
    scone_status status = SCONE_OK;
    TRY(output_print(stream, "mechanisms,nodes,subset_size,rows,subsets,alpha,graphs,equal,share,"
                             "error,equal_known,equal_obs,literals,literal_right,false_changes,"
                             "missed_changes,directions,found,found_right\n"));
    for (size_t i = 0; i < r->point_count; i++) {
        TRY(write_run(stream, &r->options));
        TRY(write_point(stream, &r->point[i]));
    }
cleanup:
    return status;
}

static scone_status write_coverage(output_file *stream, const scone_consistency *r)
{
    scone_status status = SCONE_OK;
    TRY(output_print(stream, "mechanisms,nodes,subset_size,subsets,hits,directions,measured,error,"
                             "independent,bound,above,outside\n"));
    for (size_t i = 0; i < r->coverage_count; i++) {
        const scone_consistency_coverage *c = &r->coverage[i];
        const double values[] = {c->measured, c->error, c->independent, c->bound};
        TRY(write_run(stream, &r->options));
        TRY(output_print(stream, "%zu,%zu,%zu", c->subsets, c->hits, c->directions));
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            TRY(output_print(stream, ","));
            TRY(number_print_decimals(stream, values[v], 5));
        }
        TRY(output_print(stream, ",%zu,%zu\n", c->above, c->outside));
    }
cleanup:
    return status;
}

/* ---- curves ---- */

static void add_to_curve(curve *c, double x, double y, double error)
{
    c->x[c->count] = x;
    c->y[c->count] = y;
    c->error[c->count++] = error;
}

static double share(size_t part, size_t whole)
{
    return whole ? (double)part / (double)whole : 0.0;
}

static scone_status write_curves(output_file *stream, const scone_consistency *r)
{
    panel panels[] = {
        {.title = "Rows", .axis = "rows a regime", .count = 3},
        {.title = "Subsets", .axis = "sampled subsets T", .count = 2},
        {.title = "Coverage", .axis = "sampled subsets T", .count = 3},
    };
    panels[0].curves[0].name = "graphs found = G_test, with standard error";
    panels[0].curves[1].name = "H_obs found";
    panels[0].curves[2].name = "tests (v, Z) answered rightly";
    panels[1].curves[0].name = "graphs found = G_test, with standard error";
    panels[1].curves[1].name = "the same with known answers";
    panels[2].curves[0].name = "no witness drawn: sampler";
    panels[2].curves[1].name = "bound of the lemma";
    panels[2].curves[2].name = "independent draws";
    for (size_t i = 0; i < r->point_count; i++) {
        const scone_consistency_point *p = &r->point[i];
        curve *c = panels[p->subsets > 0].curves;
        double x = (double)(p->subsets ? p->subsets : p->rows);
        add_to_curve(&c[0], x, p->share, p->error);
        add_to_curve(&c[1], x, share(p->subsets ? p->equal_known : p->equal_obs, p->graphs), 0.0);
        if (!p->subsets) add_to_curve(&c[2], x, share(p->literal_right, p->literals), 0.0);
    }
    for (size_t i = 0; i < r->coverage_count; i++) {
        const scone_consistency_coverage *v = &r->coverage[i];
        curve *c = panels[2].curves;
        if (v->hits != 1) continue;
        add_to_curve(&c[0], (double)v->subsets, v->measured, v->error);
        add_to_curve(&c[1], (double)v->subsets, v->bound, 0.0);
        add_to_curve(&c[2], (double)v->subsets, v->independent, 0.0);
    }
    return curves_write(stream, panels, sizeof panels / sizeof *panels);
}

/* ---- the folder ---- */

static const struct {
    const char *name;
    scone_status (*write)(output_file *stream, const scone_consistency *r);
} files[] = {
    {"consistency.csv", write_points},
    {"coverage.csv", write_coverage},
    {"consistency.svg", write_curves},
};

enum { FILES = sizeof files / sizeof *files };

static output_entry classify(const char *entry)
{
    if (strcmp(entry, files[0].name) == 0) return OUTPUT_MARKER;
    for (size_t f = 1; f < FILES; f++) {
        if (strcmp(entry, files[f].name) == 0) return OUTPUT_OURS;
    }
    return OUTPUT_FOREIGN;
}

static scone_status write_file(output_folder *folder, const scone_consistency *r, size_t f)
{
    scone_status status = SCONE_OK;
    output_file *stream = NULL;
    char *path = NULL;
    TRY(output_folder_path(&path, folder, files[f].name));
    TRY(output_open(&stream, path));
    TRY(files[f].write(stream, r));
    TRY(output_commit(&stream));
cleanup:
    output_discard(stream);
    mem_free(path);
    return status;
}

scone_status scone_consistency_write(const scone_consistency *result, const char *folder,
                                     bool force)
{
    scone_status status = SCONE_OK;
    output_folder *out = NULL;
    TRY(output_folder_open(&out, folder, classify, force));
    for (size_t f = 0; f < FILES; f++) TRY(write_file(out, result, f));
    TRY(output_folder_commit(&out));
cleanup:
    output_folder_discard(out);
    return status;
}

scone_status scone_consistency_check_folder(const char *folder, bool force)
{
    output_folder *out = NULL;
    scone_status status = output_folder_open(&out, folder, classify, force);
    output_folder_discard(out);
    return status;
}
