/* cmd_explain.c - scone explain DIR [A B]: the reasons behind one edge or all of them, in words. */
#include "commands.h"
#include "launch.h"
#include "printing.h"
#include "scone.h"
#include "session.h"

#include <string.h>

const command command_explain = {
    .name = "explain",
    .synopsis = "scone explain DIR [A B] [--check] [options]",
    .summary = "says why an edge is there and why it points where it does",
    .about = "DIR is a folder that scone discover wrote; A and B are two variables, in any order.\n"
             "Without them all edges are explained, the strongest first: which tests of\n"
             "invariance, on which variables, with which numbers, which rule, what follows from\n"
             "it, and which edges rest on the search alone.\n"
             "\n"
             "--check reads the tables of the run again, makes the tests again and confirms that\n"
             "every rule still gives its direction and that the closure follows. If the tables\n"
             "are elsewhere now, --obs and --int say where.",
    .examples = "scone simulate custom --nodes 6 --edges 6 --samples 2000 -o demo\n"
                "scone discover demo/g0 -o result\n"
                "scone explain result\n"
                "scone explain result --check",
};

typedef struct explain_options {
    bool check;
    const char *first, *second;
} explain_options;

/* ---- text ---- */

static void print_edge(const scone_explained *edge, bool checked)
{
    (void)fputs(edge->text, stdout);
    if (!checked || edge->certificates == 0) return;
    if (edge->confirmed == edge->certificates) {
        (void)printf("  Checked: %s.\n",
                     edge->certificates == 1 ? "the certificate holds" : "all certificates hold");
    } else {
        (void)printf("  Checked: %zu of %zu %s.\n", edge->confirmed, edge->certificates,
                     plural(edge->certificates, "certificate holds", "certificates hold"));
    }
}

static void print_text(const scone_explanation *x, size_t only, const char *const *names,
                       const explain_options *o)
{
    size_t count = scone_explain_count(x), certified = 0;
    if (names[0] && only == SIZE_MAX) {
        (void)printf("There is no edge between %s and %s in this graph; probabilities.csv has how "
                     "likely one is.\n",
                     names[0], names[1]);
    }
    for (size_t e = 0; e < count; e++) {
        const scone_explained *edge = scone_explain_get(x, e);
        certified += !edge->undirected && edge->certificates > 0;
        if (names[0] && e != only) continue;
        if (!names[0] && e > 0) (void)printf("\n");
        print_edge(edge, o->check);
    }
    if (names[0]) return;
    (void)printf("%s%zu %s, %zu of them with a certificate.\n", count ? "\n" : "", count,
                 plural(count, "edge", "edges"), certified);
}

/* ---- JSON ---- */

static int print_json(const scone_explanation *x, size_t only, bool single,
                      const explain_options *o)
{
    json j;
    json_begin(&j);
    cJSON *edges = json_array(&j, j.root, "edges");
    for (size_t e = 0; e < scone_explain_count(x); e++) {
        const scone_explained *edge = scone_explain_get(x, e);
        if (single && e != only) continue;
        cJSON *object = json_append_object(&j, edges);
        json_text(&j, object, "source", edge->source);
        json_text(&j, object, "target", edge->target);
        json_text(&j, object, "kind", edge->undirected ? "undirected" : "directed");
        json_number(&j, object, "p_forward", edge->p_forward);
        json_number(&j, object, "p_backward", edge->p_backward);
        json_number(&j, object, "p_none", edge->p_none);
        json_text(&j, object, "why", edge->why);
        json_text(&j, object, "text", edge->text);
        json_number(&j, object, "certificates", (double)edge->certificates);
        if (o->check) json_number(&j, object, "confirmed", (double)edge->confirmed);
    }
    if (o->check) {
        json_number(&j, j.root, "tests", (double)scone_explain_tests(x));
        json_flag(&j, j.root, "holds", scone_explain_doubts(x) == 0);
        cJSON *doubts = json_array(&j, j.root, "doubts");
        for (size_t d = 0; d < scone_explain_doubts(x); d++) {
            const char *text = scone_explain_doubt(x, d);
            json_append_text(&j, doubts, text, strlen(text));
        }
    }
    return json_end(&j);
}

/* ---- the run ---- */

/* Everything was confirmed, or an error that says what was not. */
static int judge(session *s, const scone_explanation *x)
{
    size_t doubts = scone_explain_doubts(x);
    if (doubts == 0) {
        if (!s->as_json) {
            size_t tests = scone_explain_tests(x);
            (void)printf("%zu %s made again: %s every step of the closure holds.\n", tests,
                         plural(tests, "test", "tests"),
                         tests ? "every certificate and" : "there is no certificate to check;");
        }
        return SCONE_OK;
    }
    if (doubts > 1) {
        complain("%s; and %zu more", scone_explain_doubt(x, 0), doubts - 1);
    } else {
        complain("%s", scone_explain_doubt(x, 0));
    }
    s->failed = true;
    return SCONE_ERR_INPUT;
}

static scone_status check(scone_explanation *x, const session *s, const explain_options *o)
{
    scone_pair *pair = NULL;
    scone_status status = scone_explain_tables(&pair, x, o->first, o->second, &s->context);
    if (status == SCONE_OK) status = scone_explain_check(x, pair, &s->context);
    scone_pair_free(pair);
    return status;
}

static int explain(session *s, const arguments *parsed, const explain_options *o)
{
    scone_explanation *x = NULL;
    size_t only = SIZE_MAX;
    const char *const *names = parsed->positional + 1;
    const char *const nobody[2] = {NULL, NULL};
    bool single = parsed->count == 3;
    session_catch_signals();
    scone_status status = scone_explain_read(&x, parsed->positional[0]);
    if (status == SCONE_OK && single) status = scone_explain_find(&only, x, names[0], names[1]);
    if (status == SCONE_OK && o->check) status = check(x, s, o);
    int code = SCONE_OK;
    if (status != SCONE_OK) {
        code = session_fail(s, status);
    } else {
        session_hide_bar(s);
        if (s->as_json) {
            code = print_json(x, only, single, o);
        } else {
            print_text(x, only, single ? names : nobody, o);
        }
        if (code == SCONE_OK && o->check) code = judge(s, x);
    }
    scone_explain_free(x);
    return code;
}

int run_explain(int argc, char **argv)
{
    session s = session_start();
    explain_options o = {.check = false};
    const option table[] = {
        option_flag("check", 'c', "make the tests again and confirm every certificate", &o.check),
        option_text("obs", 0, "FILE",
                    "with --check: where the first table (or the only one,\n"
                    "or the folder) of the run is now",
                    &o.first),
        option_text("int", 0, "FILE", "with --check: where the second table is now", &o.second),
        option_threads(&s),
        option_json(&s),
        option_quiet(&s),
        {.name = NULL},
    };
    arguments parsed;
    if (!options_parse(&parsed, &command_explain, table, argc, argv)) return SCONE_ERR_USAGE;
    if (parsed.help) {
        options_help(stdout, &command_explain, table);
        return stdout_check(SCONE_OK);
    }
    if (parsed.count != 1 && parsed.count != 3) {
        return usage_error(&command_explain,
                           "it takes the folder of a result, and none or two variables");
    }
    if ((o.first || o.second) && !o.check) {
        return usage_error(&command_explain, "--obs and --int go with --check");
    }
    int code = session_open(&s);
    if (code != SCONE_OK) return code;
    code = explain(&s, &parsed, &o);
    return session_close(&s, code);
}
