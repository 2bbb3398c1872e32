/* cmd_explain.c - scone explain DIR [A [B]]: the reasons behind one edge, those of one variable or
 * all of them, in words. */
#include "commands.h"
#include "launch.h"
#include "printing.h"
#include "scone.h"
#include "session.h"

#include <string.h>

const command command_explain = {
    .name = "explain",
    .synopsis = "scone explain DIR [A [B]] [--check] [options]",
    .summary = "says why an edge is there and why it points where it does",
    .about = "DIR is a folder that scone discover wrote. All edges are explained, the strongest\n"
             "first: which tests of invariance, on which variables, with which numbers, which\n"
             "rule, what follows from it, and which edges rest on the search alone. Of one\n"
             "variable A it tells whether its mechanism changed, its causes and its effects; of\n"
             "two, in any order, their edge, or how probable one is. With several conditions it\n"
             "tells in which of them, and which tables a rule compares.\n"
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

/* ---- what is asked for ---- */

typedef enum asked_edges { ALL_EDGES, EDGES_OF_VARIABLE, ONE_EDGE } asked_edges;

typedef struct asked_for {
    asked_edges edges;
    size_t edge;                       /* ONE_EDGE; SIZE_MAX: there is none, and then */
    scone_explained_pair pair;         /* has a text */
    scone_explained_variable variable; /* EDGES_OF_VARIABLE */
} asked_for;

static scone_status find_asked(asked_for *asked, scone_explanation *x, const arguments *parsed)
{
    const char *const *names = parsed->positional + 1;
    *asked = (asked_for){.edge = SIZE_MAX};
    if (parsed->count == 1) return SCONE_OK;
    if (parsed->count == 2) {
        asked->edges = EDGES_OF_VARIABLE;
        return scone_explain_variable(&asked->variable, x, names[0]);
    }
    asked->edges = ONE_EDGE;
    scone_status status = scone_explain_find(&asked->edge, x, names[0], names[1]);
    if (status != SCONE_OK || asked->edge != SIZE_MAX) return status;
    return scone_explain_pair(&asked->pair, x, names[0], names[1]);
}

static bool is_asked(const asked_for *asked, const scone_explained *edge, size_t index)
{
    if (asked->edges == ONE_EDGE) return index == asked->edge;
    return asked->edges == ALL_EDGES || strcmp(edge->source, asked->variable.name) == 0 ||
           strcmp(edge->target, asked->variable.name) == 0;
}

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

static void print_text(const scone_explanation *x, const asked_for *asked, const explain_options *o)
{
    size_t count = 0, certified = 0;
    if (asked->variable.text) (void)fputs(asked->variable.text, stdout);
    if (asked->pair.text) (void)fputs(asked->pair.text, stdout);
    for (size_t e = 0; e < scone_explain_count(x); e++) {
        const scone_explained *edge = scone_explain_get(x, e);
        if (!is_asked(asked, edge, e)) continue;
        certified += !edge->undirected && edge->certificates > 0;
        if (count++ > 0 || asked->variable.text) (void)printf("\n");
        print_edge(edge, o->check);
    }
    if (asked->edges == ONE_EDGE) return;
    (void)printf("%s%zu %s, %zu of them with a certificate.\n",
                 count || asked->variable.text ? "\n" : "", count, plural(count, "edge", "edges"),
                 certified);
}

/* ---- JSON ---- */

static void json_variable(json *j, const scone_explained_variable *variable)
{
    cJSON *object = json_object(j, j->root, "variable");
    json_text(j, object, "name", variable->name);
    json_flag(j, object, "target", variable->target);
    json_number(j, object, "size", variable->size);
    json_number(j, object, "p_value", variable->p_value);
    json_number(j, object, "evidence", variable->evidence);
    json_text(j, object, "reason", variable->reason);
    json_text(j, object, "text", variable->text);
    if (variable->change_count == 0) return;
    cJSON *changes = json_array(j, object, "conditions");
    for (size_t k = 0; k < variable->change_count; k++) {
        const scone_explained_change *change = &variable->changes[k];
        cJSON *one = json_append_object(j, changes);
        json_text(j, one, "condition", change->condition);
        json_flag(j, one, "target", change->target);
        json_number(j, one, "size", change->size);
        json_number(j, one, "p_value", change->p_value);
        json_number(j, one, "evidence", change->evidence);
        json_text(j, one, "reason", change->reason);
    }
}

static void json_pair(json *j, const scone_explained_pair *pair)
{
    cJSON *object = json_object(j, j->root, "pair");
    json_text(j, object, "first", pair->first);
    json_text(j, object, "second", pair->second);
    json_number(j, object, "p_forward", pair->p_forward);
    json_number(j, object, "p_backward", pair->p_backward);
    json_number(j, object, "p_none", pair->p_none);
    json_number(j, object, "threshold", pair->threshold);
    json_text(j, object, "text", pair->text);
}

static int print_json(const scone_explanation *x, const asked_for *asked, const explain_options *o)
{
    json j;
    json_begin(&j);
    if (asked->variable.text) json_variable(&j, &asked->variable);
    if (asked->pair.text) json_pair(&j, &asked->pair);
    cJSON *edges = json_array(&j, j.root, "edges");
    for (size_t e = 0; e < scone_explain_count(x); e++) {
        const scone_explained *edge = scone_explain_get(x, e);
        if (!is_asked(asked, edge, e)) continue;
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
    asked_for asked;
    session_catch_signals();
    scone_status status = scone_explain_read(&x, parsed->positional[0]);
    if (status == SCONE_OK) status = find_asked(&asked, x, parsed);
    if (status == SCONE_OK && o->check) status = check(x, s, o);
    int code = SCONE_OK;
    if (status != SCONE_OK) {
        code = session_fail(s, status);
    } else {
        session_hide_bar(s);
        if (s->as_json) {
            code = print_json(x, &asked, o);
        } else {
            print_text(x, &asked, o);
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
        option_memory(&s),
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
    if (parsed.count < 1 || parsed.count > 3) {
        return usage_error(&command_explain,
                           "it takes the folder of a result, and up to two variables");
    }
    if ((o.first || o.second) && !o.check) {
        return usage_error(&command_explain, "--obs and --int go with --check");
    }
    int code = session_open(&s);
    if (code != SCONE_OK) return code;
    code = explain(&s, &parsed, &o);
    return session_close(&s, code);
}
