/* team.c - meetings of the processes of a run, and the loops they share (see team.h).
 *
 * Cost of a shared loop besides its items: one meeting of 40 bytes a process and one all-to-all
 * copy of the results, in pieces of TEAM_PIECE bytes so that memory stays bounded.
 */
#include "parallel/team.h"

#include "base/memory.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* What a process says at a meeting. */
typedef struct team_word {
    uint64_t status; /* scone_status */
    uint64_t failed; /* the item that failed, SIZE_MAX: none in particular */
    uint64_t work, first, second;
} team_word;

struct scone_team {
    team_link link;
    size_t piece;
    team_word *words;      /* [size] */
    bool ended;            /* a failure was agreed on */
    bool lost;             /* the link failed */
    bool busy;             /* an item of team_for is at work */
    status_record failure; /* once ended */
};

/* ---- opening and closing ---- */

scone_status team_alloc(scone_team **out, const team_link *link, size_t piece)
{
    scone_status status = SCONE_OK;
    scone_team *team = NULL;
    *out = NULL;
    TRY_ZERO(team, 1);
    TRY_ALLOC(team->words, (size_t)link->size);
    team->link = *link;
    team->piece = piece;
    *out = team;
    return SCONE_OK;
cleanup:
    mem_free(team);
    if (link->close) link->close(link->state, false);
    return status;
}

scone_status scone_team_open(scone_team **team)
{
    team_link link;
    *team = NULL;
    scone_status status = team_link_open(&link);
    return status == SCONE_OK ? team_alloc(team, &link, TEAM_PIECE) : status;
}

void scone_team_close(scone_team *team)
{
    if (!team) return;
    if (team->link.close) team->link.close(team->link.state, !team->lost);
    mem_free(team->words);
    mem_free(team);
}

int scone_team_rank(const scone_team *team)
{
    return team ? team->link.rank : 0;
}

int scone_team_size(const scone_team *team)
{
    return team ? team->link.size : 1;
}

int scone_team_processors(const scone_team *team)
{
    return team ? team->link.processors : 1;
}

/* ---- meetings ---- */

scone_status team_lose(scone_team *team, scone_status status)
{
    team->ended = team->lost = true;
    status_save(&team->failure, status);
    return status;
}

/* The process whose failure counts: that of the lowest item, and of the lowest rank; -1: none. */
static int first_failure(const scone_team *team)
{
    int worst = -1;
    for (int p = 0; p < team->link.size; p++) {
        if (team->words[p].status == SCONE_OK) continue;
        if (worst < 0 || team->words[p].failed < team->words[worst].failed) worst = p;
    }
    return worst;
}

/* All take over the failure of one process. */
static scone_status share_failure(scone_team *team, scone_status status, int from)
{
    status_record *record = &team->failure;
    memset(record, 0, sizeof *record);
    if (team->link.rank == from) status_save(record, status);
    scone_status sent = team->link.spread(team->link.state, record, sizeof *record, from);
    if (sent != SCONE_OK) return team_lose(team, sent);
    if (team->words[0].status == SCONE_OK) {
        /* The first process, which tells the user, knows of no trouble itself. */
        size_t used = strlen(record->message);
        (void)snprintf(record->message + used, sizeof record->message - used,
                       " (in process %d of %d)", from, team->link.size);
    }
    team->ended = true;
    return status_restore(record);
}

/* Do all do the same as process 0? */
static scone_status compare_work(scone_team *team)
{
    scone_status status = SCONE_OK;
    const team_word *one = &team->words[0];
    for (int p = 1; p < team->link.size && status == SCONE_OK; p++) {
        const team_word *other = &team->words[p];
        if (other->work == one->work && other->first == one->first && other->second == one->second)
            continue;
        status = RAISE(SCONE_ERR_INPUT,
                       "processes 0 and %d do different work (%d: %llu, %d: %llu); all need the "
                       "same data, options and version of scone, on machines of one kind",
                       p, (int)one->work, (unsigned long long)one->first, (int)other->work,
                       (unsigned long long)other->first);
    }
    if (status != SCONE_OK) {
        team->ended = true;
        status_save(&team->failure, status);
    }
    return status;
}

scone_status team_meet(scone_team *team, scone_status status, team_work work, uint64_t first,
                       uint64_t second, size_t failed)
{
    if (team->ended) return status_restore(&team->failure);
    team_word word = {(uint64_t)status, failed, work, first, second};
    scone_status met = team->link.gather(team->link.state, team->words, &word, sizeof word);
    if (met != SCONE_OK) return team_lose(team, met);
    int worst = first_failure(team);
    return worst < 0 ? compare_work(team) : share_failure(team, status, worst);
}

scone_status scone_team_agree(scone_team *team, scone_status status, const char *message)
{
    if (status != SCONE_OK && message) (void)RAISE(status, "%s", message);
    if (!team || team->link.size == 1) return status;
    return team_meet(team, status, TEAM_AGREE, 0, 0, SIZE_MAX);
}

scone_status team_agree(const scone_context *context, scone_status status)
{
    return scone_team_agree(context ? context->team : NULL, status, NULL);
}

bool team_is_first(const scone_context *context)
{
    return scone_team_rank(context ? context->team : NULL) == 0;
}

const team_link *team_reach(const scone_context *context)
{
    scone_team *team = context ? context->team : NULL;
    return team && team->link.size > 1 && !team->busy ? &team->link : NULL;
}

/* ---- copies ---- */

/* The bytes that each process contributes to one exchange. */
static size_t piece_of(const scone_team *team)
{
    size_t piece = team->piece / (size_t)team->link.size;
    return piece > 0 ? piece : 1;
}

/* Room for one exchange of at most `bytes` from each process. */
static scone_status alloc_room(char **mine, char **all, const scone_team *team, size_t bytes)
{
    scone_status status = SCONE_OK;
    size_t piece = piece_of(team);
    if (piece > bytes) piece = bytes;
    TRY_ZERO(*mine, piece);
    TRY_ZERO(*all, piece * (size_t)team->link.size);
cleanup:
    return status;
}

/* Items of several kilobytes and more: one of each process at a time, in pieces. */
static scone_status exchange_large(scone_team *team, char *results, size_t count, size_t size,
                                   char *mine, char *all)
{
    size_t ranks = (size_t)team->link.size, own = (size_t)team->link.rank, piece = piece_of(team);
    for (size_t base = 0; base < count; base += ranks) {
        for (size_t at = 0; at < size; at += piece) {
            size_t part = size - at < piece ? size - at : piece;
            if (base + own < count) memcpy(mine, results + (base + own) * size + at, part);
            scone_status status = team->link.gather(team->link.state, all, mine, part);
            if (status != SCONE_OK) return team_lose(team, status);
            for (size_t p = 0; p < ranks && base + p < count; p++) {
                memcpy(results + (base + p) * size + at, all + p * part, part);
            }
        }
    }
    return SCONE_OK;
}

/* Rounds of several items of each process; the last may hold fewer, and is padded. */
static scone_status exchange_small(scone_team *team, char *results, size_t count, size_t size,
                                   char *mine, char *all)
{
    size_t ranks = (size_t)team->link.size, own = (size_t)team->link.rank;
    size_t most = piece_of(team) / size;
    for (size_t base = 0; base < count; base += most * ranks) {
        size_t left = (count - base + ranks - 1) / ranks, round = left < most ? left : most;
        for (size_t k = 0; k < round; k++) {
            size_t item = base + k * ranks + own;
            if (item < count) memcpy(mine + k * size, results + item * size, size);
        }
        scone_status status = team->link.gather(team->link.state, all, mine, round * size);
        if (status != SCONE_OK) return team_lose(team, status);
        for (size_t p = 0; p < ranks; p++) {
            for (size_t k = 0; k < round; k++) {
                size_t item = base + k * ranks + p;
                if (p == own || item >= count) continue;
                memcpy(results + item * size, all + (p * round + k) * size, size);
            }
        }
    }
    return SCONE_OK;
}

scone_status team_for(size_t count, const scone_context *context, const char *stage,
                      parallel_body body, void *argument, void *results, size_t result_size)
{
    if (!team_reach(context) || count == 0) {
        return parallel_for(count, context, stage, body, argument);
    }
    scone_team *team = context->team;
    char *mine = NULL, *all = NULL;
    size_t failed = SIZE_MAX, ranks = (size_t)team->link.size, bytes;
    if (!size_multiply(&bytes, (count - 1) / ranks + 1, result_size)) bytes = SIZE_MAX;
    scone_status status = alloc_room(&mine, &all, team, bytes);
    if (status == SCONE_OK) {
        team->busy = true;
        status = parallel_share(&failed, (size_t)team->link.rank, ranks, count, context, stage,
                                body, argument);
        team->busy = false;
    }
    status = team_meet(team, status, TEAM_FOR, count, result_size, failed);
    if (status == SCONE_OK && result_size > 0) {
        status = (result_size > piece_of(team) ? exchange_large : exchange_small)(
            team, results, count, result_size, mine, all);
    }
    mem_free(mine);
    mem_free(all);
    return status;
}

scone_status team_sum(const scone_context *context, uint32_t *counts, size_t count)
{
    if (!team_reach(context) || count == 0) return SCONE_OK;
    scone_status status = SCONE_OK;
    scone_team *team = context->team;
    size_t piece = piece_of(team) / sizeof *counts, ranks = (size_t)team->link.size;
    uint32_t *all = NULL;
    if (piece == 0) piece = 1;
    if (piece > count) piece = count;
    all = mem_alloc(ranks * piece, sizeof *all);
    if (!all) status = SCONE_ERR_MEMORY;
    TRY(team_meet(team, status, TEAM_SUM, count, 0, SIZE_MAX));
    for (size_t at = 0; at < count; at += piece) {
        size_t part = count - at < piece ? count - at : piece;
        status = team->link.gather(team->link.state, all, counts + at, part * sizeof *counts);
        if (status != SCONE_OK) TRY(team_lose(team, status));
        for (size_t i = 0; i < part; i++) {
            uint32_t sum = 0;
            for (size_t p = 0; p < ranks; p++) sum += all[p * part + i];
            counts[at + i] = sum;
        }
    }
cleanup:
    mem_free(all);
    return status;
}

scone_status team_spread(const scone_context *context, void *bytes, size_t size)
{
    if (!team_reach(context)) return SCONE_OK;
    scone_team *team = context->team;
    scone_status status = team_meet(team, SCONE_OK, TEAM_SPREAD, size, 0, SIZE_MAX);
    if (status != SCONE_OK) return status;
    status = team->link.spread(team->link.state, bytes, size, 0);
    return status == SCONE_OK ? SCONE_OK : team_lose(team, status);
}

scone_status team_same(const scone_context *context, const void *bytes, size_t size,
                       const char *what)
{
    if (!team_reach(context)) return SCONE_OK;
    scone_status status = SCONE_OK;
    scone_team *team = context->team;
    uint64_t *hashes = mem_alloc((size_t)team->link.size, sizeof *hashes);
    if (!hashes) status = SCONE_ERR_MEMORY;
    TRY(team_meet(team, status, TEAM_SAME, 0, 0, SIZE_MAX));
    uint64_t own = XXH3_64bits(bytes, size);
    status = team->link.gather(team->link.state, hashes, &own, sizeof own);
    if (status != SCONE_OK) TRY(team_lose(team, status));
    for (int p = 1; p < team->link.size && status == SCONE_OK; p++) {
        if (hashes[p] == hashes[0]) continue;
        status = RAISE(SCONE_ERR_INPUT,
                       "%s of processes 0 and %d differ; give all processes the same files and "
                       "options",
                       what, p);
    }
    /* All come to the same result without another meeting. */
    if (status != SCONE_OK) {
        team->ended = true;
        status_save(&team->failure, status);
    }
cleanup:
    mem_free(hashes);
    return status;
}
