/* fuzz_explain.c - any bytes are the graph.json of a result, or an error; what is accepted can be
 * told. The check on data is not made: it would need the tables. */
#include "scone.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[64], path[80];

static void put(const char *name, const void *bytes, size_t size)
{
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) exit(3);
}

static void clean(void)
{
    static const char *const names[] = {"graph.json", "run.json"};
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        (void)unlink(path);
    }
    (void)rmdir(folder);
}

static void begin(void)
{
    static const char run[] =
        "{\"inputs\": [{\"path\": \"a.csv\", \"xxh64\": \"28563218c36781de\"}, {\"path\": "
        "\"b.csv\", \"xxh64\": \"88fbd8dfb9deb194\"}], \"reading\": {\"form\": \"files\", \"na\": "
        "\"error\"}, \"tables\": [{\"rows\": 9, \"xxh64\": \"1e4422aae22d54c3\"}, {\"rows\": 9, "
        "\"xxh64\": \"b2ce66569bf3e853\"}]}";
    const char *shared = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    (void)snprintf(folder, sizeof folder, "%s/scone_explain_XXXXXX", shared);
    if (!mkdtemp(folder)) exit(3);
    (void)atexit(clean);
    put("run.json", run, sizeof run - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    scone_explanation *x;
    if (!folder[0]) begin();
    put("graph.json", data, size);
    if (scone_explain_read(&x, folder) != SCONE_OK) {
        if (x || !scone_error_message()[0]) abort();
        return 0;
    }
    for (size_t e = 0; e < scone_explain_count(x); e++) {
        const scone_explained *edge = scone_explain_get(x, e);
        scone_explained_variable variable;
        size_t found;
        if (!edge->text[0] || !edge->source || !edge->target) abort();
        if (scone_explain_find(&found, x, edge->source, edge->target) != SCONE_OK) abort();
        if (scone_explain_variable(&variable, x, edge->target) != SCONE_OK) abort();
        if (!variable.text[0] || (variable.change_count > 0) != (variable.changes != NULL)) abort();
    }
    scone_explain_free(x);
    return 0;
}
