/* test_report.c - the files of a discovery: read back, the same whatever the order of the columns,
 * safe with strange names; the layout of the drawing. */
#include "discovery.h"

#include "io/file.h"
#include "data/conditions/conditions.h"
#include "data/table.h"
#include "discover/result.h"
#include "eval/eval.h"
#include "graph/graph_cpdag.h"
#include "graph/graph_extend.h"
#include "graph/format/format.h"
#include "draw/layers.h"

#include <cJSON.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { NODES = 9 };

/* Names that each format must escape. */
static const char *const strange[NODES] = {
    "a,b", "say \"hi\"", "<script>alert(1)</script>", "R&D", "x;y", "back\\slash", "\xC3\xBC ber",
    "X10", "X9"};
static const char *const files[] = {"edges.csv", "probabilities.csv", "targets.csv", "graph.json",
                                    "graph.dot", "graph.graphml",     "run.json",    "report.html"};
enum { FILES = sizeof files / sizeof *files };

static char *read_file(const char *folder, const char *name, size_t *size)
{
    char *path, *bytes;
    CHECK_OK(path_join(&path, folder, name));
    CHECK_OK(file_read_all(&bytes, size, path, 1 << 24));
    mem_free(path);
    return bytes;
}

static void remove_folder(const char *folder)
{
    for (size_t f = 0; f < FILES; f++) {
        char path[256];
        (void)snprintf(path, sizeof path, "%s/%s", folder, files[f]);
        CHECK(unlink(path) == 0);
    }
    CHECK(rmdir(folder) == 0);
}

static scone_pair *strange_pair(const size_t *order)
{
    scone_problem *problem = draw_problem(NODES, 300, 41);
    scone_pair *pair = rearrange(scone_problem_pair(problem), order, strange);
    scone_problem_free(problem);
    return pair;
}

static scone_result *discover(const scone_pair *pair)
{
    const scone_discover_options options = {.preset = "ges", .effort = SCONE_EFFORT_FAST};
    scone_result *r;
    CHECK_OK(scone_discover(&r, pair, &options, NULL));
    CHECK(scone_result_edges(r) > 4);
    return r;
}

static const size_t itself[NODES] = {0, 1, 2, 3, 4, 5, 6, 7, 8};

/* ---- the files ---- */

static void check_graph_file(const scone_result *r, const char *path)
{
    scone_graph *g;
    scone_scores scores;
    CHECK_OK(scone_graph_read(&g, path, SCONE_GRAPH_AUTO));
    CHECK_OK(scone_eval_graphs(&scores, g, scone_result_graph(r)));
    CHECK_SAME(scores.shd, 0.0);
    CHECK_SAME(scores.predicted_edges, (double)scone_result_edges(r));
    scone_graph_free(g);
}

static void check_probabilities(const scone_result *r, const char *path)
{
    probability_matrix matrix;
    CHECK_OK(eval_probabilities_read(&matrix, path));
    CHECK(matrix.nodes == NODES);
    for (size_t i = 0; i < NODES; i++) {
        for (size_t j = 0; j < NODES; j++) {
            size_t a = SIZE_MAX, b = SIZE_MAX;
            for (size_t v = 0; v < NODES; v++) {
                if (strcmp(matrix.names[v], scone_result_name(r, i)) == 0) a = v;
                if (strcmp(matrix.names[v], scone_result_name(r, j)) == 0) b = v;
            }
            CHECK(a != SIZE_MAX && b != SIZE_MAX);
            CHECK_SAME(matrix.values[a * NODES + b], scone_result_probability(r, i, j));
        }
    }
    eval_probabilities_free(&matrix);
}

static void check_targets(const scone_result *r, const char *path)
{
    target_list list;
    CHECK_OK(eval_targets_read(&list, path));
    CHECK(list.count == NODES);
    for (size_t t = 0; t < NODES; t++) { /* the order of the file is that of the result */
        const scone_target *target = scone_result_target(r, t);
        assert_string_equal(list.names[t], scone_result_name(r, target->variable));
        CHECK(list.target[t] == target->target);
    }
    eval_targets_free(&list);
}

static void test_files_read_back(void **state)
{
    (void)state;
    static const char folder[] = "test_report_back";
    scone_pair *pair = strange_pair(itself);
    scone_result *r = discover(pair);
    CHECK_OK(scone_result_write(r, folder, false, NULL));
    static const char *const graphs[] = {"edges.csv", "graph.json", "graph.dot", "graph.graphml"};
    char path[256];
    for (size_t g = 0; g < 4; g++) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, graphs[g]);
        check_graph_file(r, path);
    }
    (void)snprintf(path, sizeof path, "%s/probabilities.csv", folder);
    check_probabilities(r, path);
    (void)snprintf(path, sizeof path, "%s/targets.csv", folder);
    check_targets(r, path);
    /* the whole folder is what `scone eval` reads */
    scone_eval *eval;
    CHECK_OK(scone_eval_run(&eval, folder, folder, NULL, NULL));
    CHECK_SAME(scone_eval_get(eval, 0)->scores.shd, 0.0);
    CHECK_SAME(scone_eval_get(eval, 0)->scores.target_f1, 1.0);
    CHECK(scone_eval_get(eval, 0)->scores.auprc > 0.5);
    scone_eval_free(eval);
    remove_folder(folder);
    scone_result_free(r);
    scone_pair_free(pair);
}

static const cJSON *member(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    if (!item) fail_msg("no member %s", name);
    return item;
}

static void test_json(void **state)
{
    (void)state;
    static const char folder[] = "test_report_json";
    const char *const inputs[] = {"test_report_input", "/dev/null"};
    const scone_run run = {.command = "scone discover 'a \"b\"'",
                           .inputs = inputs,
                           .input_count = 2,
                           .started = 1e-3,
                           .threads = 3};
    scone_pair *pair = strange_pair(itself);
    CHECK_OK(input_list_add(&pair->tables[1]->inputs, inputs[0], "some bytes", 10));
    scone_result *r = discover(pair);
    size_t size;
    CHECK_OK(scone_result_write(r, folder, false, &run)); /* the file itself is not read again */
    char *text = read_file(folder, "run.json", &size), hash[32];
    cJSON *root = cJSON_ParseWithLength(text, size);
    CHECK(root != NULL);
    assert_string_equal(member(root, "command")->valuestring, run.command);
    assert_string_equal(member(root, "version")->valuestring, scone_version());
    assert_string_equal(member(root, "preset")->valuestring, "ges");
    CHECK_SAME(member(root, "threads")->valuedouble, 3.0);
    const cJSON *first = member(root, "inputs")->child, *second = first->next;
    CHECK_SAME(member(first, "bytes")->valuedouble, 10.0);
    (void)snprintf(hash, sizeof hash, "%016llx", (unsigned long long)XXH64("some bytes", 10, 0));
    assert_string_equal(member(first, "xxh64")->valuestring, hash);
    CHECK(cJSON_IsNull(member(second, "bytes")));
    CHECK(cJSON_GetArraySize(member(root, "stages")) == 6);
    CHECK(member(root, "peak_memory_bytes")->valuedouble > 1e6);
    CHECK(member(root, "seconds")->valuedouble > 0.0);
    CHECK_SAME(member(member(root, "tables")->child, "rows")->valuedouble, 300.0);
    cJSON_Delete(root);
    mem_free(text);
    text = read_file(folder, "graph.json", &size);
    root = cJSON_ParseWithLength(text, size);
    CHECK(root != NULL);
    size_t index = 0, derived = 0;
    for (const cJSON *item = member(root, "edges")->child; item; item = item->next, index++) {
        const scone_edge *edge = scone_result_edge(r, index);
        assert_string_equal(member(item, "source")->valuestring,
                            scone_result_name(r, edge->source));
        assert_string_equal(member(item, "why")->valuestring, edge->why);
        CHECK_SAME(member(item, "p_forward")->valuedouble, edge->p_forward);
        derived += strncmp(edge->why, "Meek", 4) == 0;
    }
    CHECK(index == scone_result_edges(r));
    CHECK((size_t)cJSON_GetArraySize(member(root, "closure")) == derived);
    CHECK(cJSON_GetArraySize(member(root, "targets")) == NODES);
    cJSON_Delete(root);
    mem_free(text);
    remove_folder(folder);
    scone_result_free(r);
    scone_pair_free(pair);
}

static void test_order_of_columns(void **state)
{
    (void)state;
    static const char *const folders[] = {"test_report_a", "test_report_b"};
    static const size_t shuffled[NODES] = {4, 8, 0, 6, 2, 7, 1, 3, 5};
    for (size_t k = 0; k < 2; k++) {
        scone_pair *pair = strange_pair(k ? shuffled : itself);
        scone_result *r = discover(pair);
        CHECK_OK(scone_result_write(r, folders[k], false, NULL));
        scone_result_free(r);
        scone_pair_free(pair);
    }
    for (size_t f = 0; f < FILES; f++) {
        size_t sizes[2];
        char *a = read_file(folders[0], files[f], &sizes[0]);
        char *b = read_file(folders[1], files[f], &sizes[1]);
        if (strcmp(files[f], "run.json") != 0) {
            CHECK(sizes[0] == sizes[1] && memcmp(a, b, sizes[0]) == 0);
        }
        mem_free(a);
        mem_free(b);
    }
    remove_folder(folders[0]);
    remove_folder(folders[1]);
}

/* Every tag that opens closes. */
static void check_markup(const char *page)
{
    size_t depth = 0;
    char open[64][16];
    for (const char *at = page; (at = strchr(at, '<')) != NULL;) {
        bool closes = at[1] == '/';
        const char *name = at + 1 + closes, *end = strchr(at, '>');
        size_t length = strcspn(name, " >/\n");
        CHECK(end != NULL && length < 16);
        bool empty = end[-1] == '/' || at[1] == '!' || strncmp(name, "meta", 4) == 0;
        if (closes) {
            CHECK(depth > 0);
            depth--;
            CHECK(strlen(open[depth]) == length && memcmp(open[depth], name, length) == 0);
        } else if (!empty) {
            CHECK(depth < 64);
            memcpy(open[depth], name, length);
            open[depth++][length] = '\0';
        }
        at = end;
    }
    CHECK(depth == 0);
}

/* Tags are closed; names are text and never markup; nothing is loaded from elsewhere. */
static void test_page(void **state)
{
    (void)state;
    static const char folder[] = "test_report_page";
    scone_pair *pair = strange_pair(itself);
    scone_result *r = discover(pair);
    size_t size;
    CHECK_OK(scone_result_write(r, folder, false, NULL));
    char *page = read_file(folder, "report.html", &size);
    CHECK(!strstr(page, "<script") && !strstr(page, "://") && !strstr(page, "src="));
    CHECK(strstr(page, "&lt;script&gt;alert(1)&lt;/script&gt;") && strstr(page, "R&amp;D"));
    CHECK(strstr(page, "say &quot;hi&quot;") && strstr(page, "<svg"));
    check_markup(page);
    mem_free(page);
    remove_folder(folder);
    scone_result_free(r);
    scone_pair_free(pair);
}

static void test_existing_folder(void **state)
{
    (void)state;
    static const char folder[] = "test_report_taken";
    scone_pair *pair = strange_pair(itself);
    scone_result *r = discover(pair);
    CHECK(mkdir(folder, 0777) == 0);
    FILE *stream = fopen("test_report_taken/edges.csv", "wb");
    CHECK(stream && fputs("mine", stream) >= 0 && fclose(stream) == 0);
    CHECK_FAILS(scone_result_check_folder(folder, false), SCONE_ERR_INPUT, folder);
    CHECK_FAILS(scone_result_write(r, folder, false, NULL), SCONE_ERR_INPUT, folder);
    size_t size;
    char *text = read_file(folder, "edges.csv", &size);
    assert_string_equal(text, "mine");
    mem_free(text);
    /* The run.json of something else proves nothing. */
    stream = fopen("test_report_taken/run.json", "wb");
    CHECK(stream && fputs("{\"runs\": 3}", stream) >= 0 && fclose(stream) == 0);
    CHECK_FAILS(scone_result_check_folder(folder, false), SCONE_ERR_INPUT, "no earlier run");
    CHECK_OK(scone_result_check_folder(folder, true));
    CHECK_OK(scone_result_write(r, folder, true, NULL));
    CHECK_OK(scone_result_write(r, folder, false, NULL)); /* its own output it may replace */
    remove_folder(folder);
    CHECK_OK(scone_result_check_folder(folder, false));
    CHECK(access(folder, F_OK) != 0);
    scone_result_free(r);
    scone_pair_free(pair);
}

static void remove_named(const char *folder)
{
    char command[200];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    CHECK(system(command) == 0);
}

/* Whatever becomes of its place, a result is not lost: it is beside it or here. */
static void test_saved_elsewhere(void **state)
{
    (void)state;
    static const char parent[] = "test_report_gone";
    scone_pair *pair = strange_pair(itself);
    scone_result *r = discover(pair);
    scone_claim *claim, *second;
    size_t size;
    CHECK(mkdir(parent, 0777) == 0);
    CHECK_OK(scone_result_claim(&claim, "test_report_gone/result", false, NULL));
    CHECK_FAILS(scone_result_claim(&second, "test_report_gone/result", true, NULL), SCONE_ERR_INPUT,
                "another run");
    remove_named(parent);
    CHECK_FAILS(scone_result_write_claimed(r, &claim, NULL), SCONE_ERR_IO,
                "the result is in result.saved-1 instead");
    char *text = read_file("result.saved-1", "run.json", &size);
    mem_free(text);
    remove_named("result.saved-1");

    CHECK_OK(scone_result_claim(&claim, "test_report_late", false, NULL));
    CHECK(mkdir("test_report_late", 0777) == 0 && mkdir("test_report_late/x", 0777) == 0);
    CHECK_FAILS(scone_result_write_claimed(r, &claim, NULL), SCONE_ERR_IO,
                "the result is in test_report_late.saved-1 instead");
    text = read_file("test_report_late.saved-1", "edges.csv", &size);
    mem_free(text);
    remove_named("test_report_late.saved-1");
    remove_named("test_report_late");
    scone_result_free(r);
    scone_pair_free(pair);
}

/* ---- several conditions ---- */

enum { MANY = 14, WIDE = 230 };

/* A control and conditions over `columns` independent columns, of which condition k moves column
 * k by k standard deviations; the last condition moves nothing, and condition 2 also column 0. */
static scone_conditions *draw_conditions(size_t columns, size_t rows, const char *const *names)
{
    scone_table *tables[MANY + 1];
    const char *all[MANY + 1] = {"control"};
    char texts[MANY + 1][48];
    scone_conditions *c;
    for (size_t k = 0; k <= MANY; k++) {
        rng r = rng_stream(63, RNG_TEST, k, 0, 0);
        CHECK_OK(table_alloc(&tables[k], rows, columns, names));
        for (size_t i = 0; i < columns * rows; i++) tables[k]->values[i] = rng_normal(&r);
        for (size_t i = 0; i < rows && k > 0 && k < MANY; i++) {
            table_column(tables[k], k % columns)[i] += 2.0 * (double)k;
            if (k == 2) table_column(tables[k], 0)[i] += 9.0;
        }
        (void)snprintf(texts[k], sizeof texts[k], "<b>\"c%zu\" & 'd'</b>", k);
        if (k > 0) all[k] = texts[k];
    }
    CHECK_OK(conditions_adopt(&c, tables, all, MANY + 1));
    return c;
}

static char *write_conditions(scone_result **r, const scone_conditions *c, const char *method,
                              const char *folder)
{
    const scone_discover_options options = {.preset = method, .effort = SCONE_EFFORT_FAST};
    size_t size;
    CHECK_OK(scone_discover_conditions(r, c, &options, NULL));
    CHECK_OK(scone_result_write(*r, folder, false, NULL));
    return read_file(folder, "report.html", &size);
}

static size_t count_text(const char *text, const char *what)
{
    size_t count = 0;
    for (; (text = strstr(text, what)) != NULL; text += strlen(what)) count++;
    return count;
}

/* sizes.csv has what the result has; the page marks every target once in the table. */
static void test_conditions(void **state)
{
    (void)state;
    static const char folder[] = "test_report_many";
    scone_conditions *c = draw_conditions(NODES, 120, strange);
    scone_result *r;
    size_t size, targets = 0, named = 0;
    char *page = write_conditions(&r, c, "ges", folder), *read;
    CHECK(scone_result_conditions(r) == MANY);
    for (size_t k = 0; k < MANY; k++) {
        size_t own = 0;
        for (size_t t = 0; t < NODES; t++) {
            const scone_target *target = scone_result_condition_target(r, k, t);
            own += target->target;
            if (t > 0) CHECK(scone_result_condition_target(r, k, t - 1)->size >= target->size);
        }
        targets += own;
        named += own > 0;
    }
    CHECK(targets >= MANY && named >= MANY - 1);
    check_markup(page);
    CHECK(count_text(page, "&#9679;</td>") == targets);
    CHECK(!strstr(page, "<b>") && strstr(page, "&lt;b&gt;&quot;c3&quot; &amp; 'd'&lt;/b&gt;"));
    CHECK(!strstr(page, "<script") && !strstr(page, "://") && !strstr(page, "src="));
    CHECK(count_text(page, "class=\"v tall\"") == named); /* more than twelve stand upright */
    CHECK(named == MANY || strstr(page, "conditions in which something changed"));
    char *sizes = read_file(folder, "sizes.csv", &size);
    CHECK(count_text(sizes, "\n") == NODES + 1 && count_text(sizes, "\"\"c") == MANY);
    const char *line = strchr(sizes, '\n') + 1; /* variables by name, "<script>..." the first */
    for (size_t v = 0; v < NODES; v++, line = strchr(line, '\n') + 1) {
        const char *at = strchr(line, '\n');
        for (size_t k = MANY; k-- > 0; at--) { /* from the end of the line */
            const scone_target *target = NULL;
            while (at[-1] != ',') at--;
            for (size_t t = 0; t < NODES; t++) {
                const scone_target *any = scone_result_condition_target(r, k, t);
                if (r->map.variables[any->variable] == v) target = any;
            }
            CHECK(target != NULL);
            CHECK_NEAR(strtod(at, &read), target->size, 1e-3 * target->size);
        }
    }
    mem_free(sizes);
    mem_free(page);
    remove_named(folder);
    scone_result_free(r);
    scone_conditions_free(c);
}

/* Of very many variables those that changed are in the table, whatever the others moved. */
static void test_wide_table(void **state)
{
    (void)state;
    static const char folder[] = "test_report_wide";
    scone_conditions *c = draw_conditions(WIDE, 40, NULL);
    scone_result *r;
    char *page = write_conditions(&r, c, "empty", folder);
    size_t targets = 0;
    for (size_t k = 0; k < MANY; k++) {
        for (size_t t = 0; t < WIDE; t++) {
            targets += scone_result_condition_target(r, k, t)->target;
        }
    }
    CHECK(targets >= MANY);
    CHECK(count_text(page, "<tr><th>X") == 200 && count_text(page, "&#9679;</td>") == targets);
    CHECK(strstr(page, "The table has 200 of 230 variables"));
    mem_free(page);
    remove_named(folder);
    scone_result_free(r);
    scone_conditions_free(c);
}

/* ---- the layout ---- */

/* Edges lead down one layer at a time, every node with an edge has one cell, and no two cells of a
 * layer come nearer than they may. */
static void check_layout(const layout *l, const graph *g, const double *widths, double gap)
{
    size_t nodes = 0, cells = 0;
    for (size_t v = 0; v < g->nodes; v++) {
        size_t found = 0;
        bool edges = !bits_empty(graph_parents(g, v), g->words) ||
                     !bits_empty(graph_children(g, v), g->words) ||
                     !bits_empty(graph_siblings(g, v), g->words);
        for (size_t c = 0; c < l->cell_count; c++) found += l->cells[c].node == v;
        CHECK(found == edges);
        nodes += edges;
    }
    for (size_t c = 0; c < l->cell_count; c++) {
        const layout_cell *a = &l->cells[c];
        cells += a->node != SIZE_MAX;
        if (a->node != SIZE_MAX) CHECK_SAME(a->width, widths[a->node]);
        CHECK(a->layer < l->layer_count);
        CHECK(a->x >= 0.5 * a->width - 1e-6 && a->x <= l->width - 0.5 * a->width + 1e-6);
        for (size_t d = 0; d < l->cell_count; d++) {
            const layout_cell *b = &l->cells[d];
            if (c == d || a->layer != b->layer) continue;
            CHECK(a->place != b->place);
            CHECK((a->place < b->place) == (a->x < b->x));
            CHECK(fabs(a->x - b->x) >= 0.5 * (a->width + b->width) + gap - 1e-6);
        }
    }
    CHECK(cells == nodes && l->edge_count == scone_graph_edges(g));
    for (size_t e = 0; e < l->edge_count; e++) {
        const layout_edge *edge = &l->edges[e];
        const size_t *way = l->ways + edge->first;
        CHECK(graph_directed(g, edge->from, edge->to) ||
              (edge->undirected && graph_undirected(g, edge->from, edge->to)));
        CHECK(l->cells[way[0]].node == edge->from);
        CHECK(l->cells[way[edge->count - 1]].node == edge->to);
        for (size_t i = 1; i < edge->count; i++) {
            CHECK(l->cells[way[i]].layer == l->cells[way[i - 1]].layer + 1);
            if (i + 1 < edge->count) CHECK(l->cells[way[i]].node == SIZE_MAX);
        }
    }
}

static void test_layout(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 200; round++) {
        rng r = rng_stream(6, RNG_TEST, round, 0, 0);
        size_t nodes = 1 + rng_below(&r, 25), order[25];
        double widths[25], density = rng_uniform(&r);
        graph *dag, *g;
        graph_work *work;
        layout l;
        CHECK_OK(graph_alloc(&dag, nodes));
        CHECK_OK(graph_alloc(&g, nodes));
        CHECK_OK(graph_work_alloc(&work, nodes));
        rng_permutation(&r, order, nodes);
        for (size_t i = 0; i < nodes; i++) {
            widths[i] = rng_range(&r, 20, 200);
            for (size_t j = i + 1; j < nodes; j++) {
                if (rng_uniform(&r) < density * 0.4) graph_direct(dag, order[i], order[j]);
            }
        }
        if (round % 2) {
            CHECK(graph_cpdag(g, dag, work));
        } else {
            graph_assign(g, dag);
        }
        CHECK_OK(layers_graph(&l, g, widths, 10.0));
        CHECK(!l.too_large);
        check_layout(&l, g, widths, 10.0);
        layers_clear(&l);
        graph_work_free(work);
        scone_graph_free(g);
        scone_graph_free(dag);
    }
}

/* In a tree nothing need cross, and a parent of one child stands above it. */
static void test_layout_of_chain(void **state)
{
    (void)state;
    graph *g;
    layout l;
    const double widths[4] = {40, 80, 40, 40};
    CHECK_OK(graph_alloc(&g, 4));
    graph_direct(g, 2, 0);
    graph_direct(g, 0, 1);
    CHECK_OK(layers_graph(&l, g, widths, 10.0));
    CHECK(l.layer_count == 3 && l.cell_count == 3);
    for (size_t c = 0; c < 3; c++) CHECK_NEAR(l.cells[c].x, 40.0, 1e-6);
    CHECK_NEAR(l.width, 80.0, 1e-6);
    layers_clear(&l);
    scone_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_read_back),  cmocka_unit_test(test_json),
        cmocka_unit_test(test_order_of_columns), cmocka_unit_test(test_page),
        cmocka_unit_test(test_existing_folder),  cmocka_unit_test(test_saved_elsewhere),
        cmocka_unit_test(test_conditions),       cmocka_unit_test(test_wide_table),
        cmocka_unit_test(test_layout),           cmocka_unit_test(test_layout_of_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
