/* reasons_rules.c - which rules are meant (see reasons.h). */
#include "reasons/reasons.h"

#include "text/text.h"

#include <string.h>

typedef struct rule_word {
    const char *word;
    unsigned rules;
} rule_word;

/* `ssi` tries every tested witness set, which the printed one is among; `paper` keeps to the three
 * rules as printed (D23). */
static const rule_word words[] = {
    {"ssi", 1u << RULE_SSI_ANY},
    {"cvt", 1u << RULE_CVT},
    {"dpt", 1u << RULE_DPT},
    {"scr", 1u << RULE_SCR},
    {"paper", 1u << RULE_SSI | 1u << RULE_CVT | 1u << RULE_DPT},
    {"all", 1u << RULE_SSI_ANY | 1u << RULE_CVT | 1u << RULE_DPT | 1u << RULE_SCR},
    {"none", 0},
};

enum { WORDS = sizeof words / sizeof *words, SINGLE = 4 };

scone_status reasons_parse_rules(unsigned *rules, const char *text)
{
    *rules = 0;
    if (!text) text = "all";
    for (const char *at = text;;) {
        const char *end = strchr(at, ',');
        size_t length = end ? (size_t)(end - at) : strlen(at), w = 0;
        while (w < WORDS && !text_is(at, length, words[w].word)) w++;
        bool alone = at == text && !end;
        if (w == WORDS || (w >= SINGLE && !alone)) {
            return RAISE(SCONE_ERR_INPUT,
                         "there is no list of rules '%s'; use all, none, paper, or some of ssi, "
                         "cvt, dpt, scr with commas between",
                         SHOW(text, strlen(text)));
        }
        *rules |= words[w].rules;
        if (!end) return SCONE_OK;
        at = end + 1;
    }
}
