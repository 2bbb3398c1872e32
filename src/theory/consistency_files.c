/* consistency_files.c - the folder of a consistency run: points and coverage as CSV, curves as SVG
 * (theory/consistency.h). */
#include "theory/consistency.h"

#include "io/file.h"
#include "draw/curves.h"
#include "scm/setting_names.h"
#include "text/write/delimited_write.h"

#include <string.h>

/* What every row starts with: "linear" or "sigmoid+nn_add", nodes, the size of subsets. */
static void write_run(delimited_writer *w, const scone_consistency_options *o)
{
    char names[SETTING_FAMILIES_TEXT];
    setting_families_text(names, o->families, '+');
    delimited_write_words(w, names);
    delimited_write_count(w, o->nodes);
    delimited_write_count(w, o->subset_size);
}

static scone_status write_points(output_file *stream, const scone_consistency *r)
{
    delimited_writer w = delimited_write_start(stream, ',');
    delimited_write_words(&w, "mechanisms,nodes,subset_size,rows,subsets,alpha,graphs,equal,share,"
                              "error,equal_known,equal_obs,literals,literal_right,false_changes,"
                              "missed_changes,directions,found,found_right");
    delimited_write_end(&w);
    for (size_t i = 0; i < r->point_count; i++) {
        const scone_consistency_point *p = &r->point[i];
        const uint64_t counts[] = {p->equal_known,   p->equal_obs,     p->literals,
                                   p->literal_right, p->false_changes, p->missed_changes,
                                   p->directions,    p->found,         p->found_right};
        write_run(&w, &r->options);
        delimited_write_count(&w, p->rows);
        delimited_write_count_or(&w, p->subsets, "all");
        delimited_write_number(&w, p->alpha);
        delimited_write_count(&w, p->graphs);
        delimited_write_count(&w, p->equal);
        delimited_write_decimals(&w, p->share, 4);
        delimited_write_decimals(&w, p->error, 4);
        delimited_write_counts(&w, counts, sizeof counts / sizeof *counts);
        delimited_write_end(&w);
    }
    return w.out.status;
}

static scone_status write_coverage(output_file *stream, const scone_consistency *r)
{
    delimited_writer w = delimited_write_start(stream, ',');
    delimited_write_words(&w, "mechanisms,nodes,subset_size,subsets,hits,directions,measured,error,"
                              "independent,bound,above,outside");
    delimited_write_end(&w);
    for (size_t i = 0; i < r->coverage_count; i++) {
        const scone_consistency_coverage *c = &r->coverage[i];
        write_run(&w, &r->options);
        delimited_write_count(&w, c->subsets);
        delimited_write_count(&w, c->hits);
        delimited_write_count(&w, c->directions);
        delimited_write_decimals(&w, c->measured, 5);
        delimited_write_decimals(&w, c->error, 5);
        delimited_write_decimals(&w, c->independent, 5);
        delimited_write_decimals(&w, c->bound, 5);
        delimited_write_count(&w, c->above);
        delimited_write_count(&w, c->outside);
        delimited_write_end(&w);
    }
    return w.out.status;
}

/* ---- curves ---- */

/* The points of a drawing, by panel and curve. */
enum { PANELS = 3 };
typedef struct drawn_point {
    double x, y, error;
} drawn_point;
typedef struct drawing {
    panel panels[PANELS];
    drawn_point points[PANELS][PANEL_MOST_CURVES][SCONE_CONSISTENCY_MOST_POINTS];
} drawing;

static void add_point(drawing *d, size_t place, size_t number, double x, double y, double error)
{
    size_t at = d->panels[place].curves[number].count++;
    d->points[place][number][at] = (drawn_point){x, y, error};
}

static double share(size_t part, size_t whole)
{
    return whole ? (double)part / (double)whole : 0.0;
}

static void add_points(drawing *d, const scone_consistency *r)
{
    for (size_t i = 0; i < r->point_count; i++) {
        const scone_consistency_point *p = &r->point[i];
        size_t place = p->subsets > 0;
        double x = (double)(p->subsets ? p->subsets : p->rows);
        add_point(d, place, 0, x, p->share, p->error);
        add_point(d, place, 1, x, share(place ? p->equal_known : p->equal_obs, p->graphs), 0.0);
        if (!place) add_point(d, place, 2, x, share(p->literal_right, p->literals), 0.0);
    }
    for (size_t i = 0; i < r->coverage_count; i++) {
        const scone_consistency_coverage *v = &r->coverage[i];
        if (v->hits != 1) continue;
        add_point(d, 2, 0, (double)v->subsets, v->measured, v->error);
        add_point(d, 2, 1, (double)v->subsets, v->bound, 0.0);
        add_point(d, 2, 2, (double)v->subsets, v->independent, 0.0);
    }
}

static scone_status write_curves(output_file *stream, const scone_consistency *r)
{
    static const char *const names[PANELS][PANEL_MOST_CURVES] = {
        {"graphs found = G_test, with standard error", "H_obs found",
         "tests (v, Z) answered rightly"},
        {"graphs found = G_test, with standard error", "the same with known answers"},
        {"no witness drawn: sampler", "bound of the lemma", "independent draws"}};
    static const char *const titles[PANELS] = {"Rows", "Subsets", "Coverage"};
    drawing d = {0};
    for (size_t p = 0; p < PANELS; p++) {
        panel *one = &d.panels[p];
        one->title = titles[p];
        one->axis = p == 0 ? "rows a regime" : "sampled subsets T";
        one->measured = true;
        one->high = 1.0;
        for (size_t c = 0; c < PANEL_MOST_CURVES && names[p][c]; c++) {
            const drawn_point *first = d.points[p][c];
            one->curves[one->count++] =
                (curve){names[p][c],   &first->x, &first->y,
                        &first->error, 0,         sizeof *first / sizeof first->x};
        }
    }
    add_points(&d, r);
    return curves_write(stream, d.panels, PANELS);
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

static const output_kind consistency_kind = {classify, {"mechanisms,nodes,subset_size,"}};

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
    TRY(output_folder_open(&out, folder, &consistency_kind, force, NULL));
    for (size_t f = 0; f < FILES; f++) TRY(write_file(out, result, f));
    TRY(output_folder_commit(&out));
cleanup:
    output_folder_discard(out);
    return status;
}

scone_status scone_consistency_check_folder(const char *folder, bool force)
{
    output_folder *out = NULL;
    scone_status status = output_folder_open(&out, folder, &consistency_kind, force, NULL);
    output_folder_discard(out);
    return status;
}
