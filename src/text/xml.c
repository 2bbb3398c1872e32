/* xml.c - a small strict reader of XML (see xml.h; XML 1.0, fifth edition).
 * Cost: linear in the text. */
#include "text/xml.h"

#include "text/text.h"

#include <string.h>

bool xml_is_char(uint32_t c)
{
    if (c < 0x20) return c == '\t' || c == '\n' || c == '\r';
    return c <= 0x10FFFF && !(c >= 0xD800 && c <= 0xDFFF) && c != 0xFFFE && c != 0xFFFF;
}

/* Production [4a] NameChar. */
bool xml_is_name_char(uint32_t c)
{
    static const uint32_t ranges[][2] = {
        {'-', '.'},       {'0', ':'},       {'A', 'Z'},         {'_', '_'},       {'a', 'z'},
        {0xB7, 0xB7},     {0xC0, 0xD6},     {0xD8, 0xF6},       {0xF8, 0x37D},    {0x37F, 0x1FFF},
        {0x200C, 0x200D}, {0x203F, 0x2040}, {0x2070, 0x218F},   {0x2C00, 0x2FEF}, {0x3001, 0xD7FF},
        {0xF900, 0xFDCF}, {0xFDF0, 0xFFFD}, {0x10000, 0xEFFFF},
    };
    for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++) {
        if (c >= ranges[k][0] && c <= ranges[k][1]) return true;
    }
    return false;
}

static scone_status raise_xml(const xml_reader *x, const char *what)
{
    return RAISE(SCONE_ERR_INPUT, "line %zu: not the XML of a graph: %s%s", x->line, what,
                 x->at >= x->end ? "; the file ends here and may be cut off" : "");
}

/* The whole text once: UTF-8, and only characters XML allows. */
static scone_status check_characters(const char *text, size_t size)
{
    const char *end = text + size;
    for (size_t line = 1; text < end;) {
        uint32_t c = text_next(&text, end);
        if (c == UINT32_MAX) {
            return RAISE(SCONE_ERR_INPUT, "line %zu: not UTF-8 text; convert the file to UTF-8",
                         line);
        }
        if (!xml_is_char(c)) {
            return RAISE(SCONE_ERR_INPUT,
                         "line %zu: the control character U+%04X, which XML does "
                         "not allow; remove it",
                         line, (unsigned)c);
        }
        if (c == '\n') line++;
    }
    return SCONE_OK;
}

scone_status xml_open(xml_reader *x, const char *text, size_t size)
{
    scone_status status = SCONE_OK;
    *x = (xml_reader){.line = 1, .event_line = 1};
    TRY(arena_alloc(&x->memory, 0));
    TRY(check_characters(text, size));
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        text += 3;
        size -= 3;
    }
    x->at = text;
    x->end = text + size;
cleanup:
    return status;
}

void xml_close(xml_reader *x)
{
    arena_free(x->memory);
    x->memory = NULL;
}

static bool looking_at(const xml_reader *x, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(x->end - x->at) >= length && memcmp(x->at, word, length) == 0;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void advance_to(xml_reader *x, const char *to)
{
    for (; x->at < to; x->at++) x->line += *x->at == '\n';
}

static void skip_space(xml_reader *x)
{
    const char *to = x->at;
    while (to < x->end && is_space(*to)) to++;
    advance_to(x, to);
}

/* The content up to `close`, moving past it. */
static scone_status take_until(xml_reader *x, xml_slice *content, const char *close,
                               const char *what)
{
    const char *found = memmem(x->at, (size_t)(x->end - x->at), close, strlen(close));
    if (!found) return raise_xml(x, what);
    *content = (xml_slice){x->at, (size_t)(found - x->at)};
    advance_to(x, found + strlen(close));
    return SCONE_OK;
}

static scone_status take_name(xml_reader *x, xml_slice *whole, xml_slice *local)
{
    const char *from = x->at, *at = from;
    while (at < x->end) {
        const char *next = at;
        uint32_t c = text_next(&next, x->end);
        if (!xml_is_name_char(c)) break;
        at = next;
    }
    *whole = (xml_slice){from, (size_t)(at - from)};
    bool bad_start = at > from && (strchr("-.:", *from) || (*from >= '0' && *from <= '9'));
    if (at == from || bad_start || at[-1] == ':') return raise_xml(x, "a name is expected");
    x->at = at;
    const char *colon = memrchr(from, ':', whole->length);
    *local = colon ? (xml_slice){colon + 1, (size_t)(at - colon - 1)} : *whole;
    return SCONE_OK;
}

/* The character a reference such as "#38" or "amp" stands for, or UINT32_MAX. */
static uint32_t reference_value(const char *text, size_t length)
{
    static const struct {
        const char *name;
        char value;
    } known[] = {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        if (xml_is((xml_slice){text, length}, known[k].name)) return (uint32_t)known[k].value;
    }
    bool hex = length > 2 && text[0] == '#' && text[1] == 'x';
    size_t from = hex ? 2 : 1;
    if (length <= from || text[0] != '#' || length > 12) return UINT32_MAX;
    uint64_t value = 0;
    for (size_t k = from; k < length; k++) {
        char c = text[k];
        uint64_t digit = c >= '0' && c <= '9'          ? (uint64_t)(c - '0')
                         : hex && c >= 'a' && c <= 'f' ? (uint64_t)(c - 'a' + 10)
                         : hex && c >= 'A' && c <= 'F' ? (uint64_t)(c - 'A' + 10)
                                                       : 99;
        if (digit == 99) return UINT32_MAX;
        value = value * (hex ? 16 : 10) + digit;
    }
    return value <= 0x10FFFF && xml_is_char((uint32_t)value) ? (uint32_t)value : UINT32_MAX;
}

/* Undoes references and line ends (2.11); in attributes white space becomes a space (3.3.3). */
static scone_status decode(xml_reader *x, xml_slice *out, xml_slice raw, bool attribute)
{
    *out = raw;
    const char *special = attribute ? "&\r\n\t" : "&\r";
    size_t k = 0;
    while (k < raw.length && !strchr(special, raw.text[k])) k++;
    if (k == raw.length) return SCONE_OK;
    char *text = arena_get(x->memory, raw.length, 1);
    if (!text) return SCONE_ERR_MEMORY;
    size_t used = 0;
    for (k = 0; k < raw.length; k++) {
        char c = raw.text[k];
        if (c == '&') {
            const char *semicolon = memchr(raw.text + k, ';', raw.length - k);
            size_t length = semicolon ? (size_t)(semicolon - raw.text) - k - 1 : 0;
            uint32_t value = reference_value(raw.text + k + 1, length);
            if (value == UINT32_MAX) {
                return raise_xml(x, "\"&\" starts none of &amp; &lt; &gt; &quot; &apos; &#NUMBER;; "
                                    "write it as &amp;");
            }
            used += text_put(text + used, value); /* never longer than the reference */
            k += length + 1;
            continue;
        }
        if (c == '\r') {
            if (k + 1 < raw.length && raw.text[k + 1] == '\n') k++;
            c = '\n';
        }
        text[used++] = attribute && (c == '\n' || c == '\t') ? ' ' : c;
    }
    *out = (xml_slice){text, used};
    return SCONE_OK;
}

static scone_status take_attribute(xml_reader *x)
{
    scone_status status = SCONE_OK;
    if (x->attribute_count == XML_ATTRIBUTE_LIMIT) {
        return raise_xml(x, "more than 32 attributes in one tag");
    }
    xml_attribute *attribute = &x->attributes[x->attribute_count];
    xml_slice local;
    TRY(take_name(x, &attribute->name, &local));
    for (size_t k = 0; k < x->attribute_count; k++) {
        xml_slice other = x->attributes[k].name;
        if (other.length == attribute->name.length &&
            memcmp(other.text, attribute->name.text, other.length) == 0) {
            return raise_xml(x, "an attribute is given twice");
        }
    }
    skip_space(x);
    if (!looking_at(x, "=")) return raise_xml(x, "\"=\" is expected after an attribute's name");
    x->at++;
    skip_space(x);
    if (!looking_at(x, "\"") && !looking_at(x, "'")) {
        return raise_xml(x, "an attribute's value must be in quotes");
    }
    char close[2] = {*x->at++, '\0'};
    xml_slice raw;
    TRY(take_until(x, &raw, close, "an attribute's quote is never closed"));
    if (memchr(raw.text, '<', raw.length)) return raise_xml(x, "\"<\" in an attribute; write &lt;");
    TRY(decode(x, &attribute->value, raw, true));
    x->attribute_count++;
cleanup:
    return status;
}

/* After "<": an opening tag. */
static scone_status take_opening(xml_reader *x)
{
    scone_status status = SCONE_OK;
    xml_slice whole;
    if (x->depth == TEXT_NESTING_LIMIT) return raise_xml(x, "elements nested too deeply");
    if (x->depth == 0 && x->seen_root) return raise_xml(x, "a second element after the first");
    TRY(take_name(x, &whole, &x->name));
    for (;;) {
        bool spaced = x->at < x->end && is_space(*x->at);
        skip_space(x);
        if (looking_at(x, ">") || looking_at(x, "/>")) break;
        if (!spaced) return raise_xml(x, "a tag is not closed with \">\"");
        TRY(take_attribute(x));
    }
    x->close_pending = *x->at == '/';
    x->at += x->close_pending ? 2 : 1;
    x->stack[x->depth++] = whole;
    x->seen_root = true;
    x->event = XML_OPEN;
cleanup:
    return status;
}

/* After "</". */
static scone_status take_closing(xml_reader *x)
{
    scone_status status = SCONE_OK;
    xml_slice whole;
    TRY(take_name(x, &whole, &x->name));
    skip_space(x);
    if (!looking_at(x, ">")) return raise_xml(x, "a closing tag does not end with \">\"");
    x->at++;
    if (x->depth == 0 || whole.length != x->stack[x->depth - 1].length ||
        memcmp(whole.text, x->stack[x->depth - 1].text, whole.length) != 0) {
        FAIL(SCONE_ERR_INPUT, "line %zu: not the XML of a graph: </%s> closes no open element",
             x->line, SHOW(whole.text, whole.length));
    }
    x->depth--;
    x->event = XML_CLOSE;
cleanup:
    return status;
}

/* <?xml ...?> and other instructions; an encoding other than UTF-8 is refused. */
static scone_status skip_instruction(xml_reader *x)
{
    scone_status status = SCONE_OK;
    xml_slice content = {0};
    bool declaration = looking_at(x, "<?xml") && x->end - x->at > 5 && is_space(x->at[5]);
    TRY(take_until(x, &content, "?>", "an instruction <? is never closed"));
    const char *encoding = declaration ? memmem(content.text, content.length, "encoding", 8) : NULL;
    if (!encoding) goto cleanup;
    const char *end = content.text + content.length, *from = encoding + 8;
    while (from < end && (is_space(*from) || *from == '=')) from++;
    size_t length = 0;
    while (from + 1 + length < end && from[1 + length] != '"' && from[1 + length] != '\'') length++;
    if (from >= end ||
        (!text_is(from + 1, length, "utf-8") && !text_is(from + 1, length, "utf8") &&
         !text_is(from + 1, length, "us-ascii") && !text_is(from + 1, length, "ascii"))) {
        return raise_xml(x, "its encoding is not UTF-8; convert the file");
    }
cleanup:
    return status;
}

static scone_status take_text(xml_reader *x)
{
    const char *open = memchr(x->at, '<', (size_t)(x->end - x->at));
    xml_slice raw = {x->at, (size_t)((open ? open : x->end) - x->at)};
    for (size_t k = 0; x->depth == 0 && k < raw.length; k++) {
        if (!is_space(raw.text[k])) return raise_xml(x, "text outside the elements");
    }
    scone_status status = decode(x, &x->text, raw, false);
    advance_to(x, raw.text + raw.length);
    x->event = XML_TEXT;
    return status;
}

scone_status xml_next(xml_reader *x)
{
    scone_status status = SCONE_OK;
    xml_slice skipped;
    x->attribute_count = 0;
    arena_clear(x->memory);
    if (x->close_pending) {
        x->close_pending = false;
        x->depth--;
        x->event = XML_CLOSE;
        return SCONE_OK;
    }
    while (x->at < x->end) {
        x->event_line = x->line;
        if (looking_at(x, "<!--")) {
            x->at += 4;
            TRY(take_until(x, &skipped, "-->", "a comment is never closed"));
        } else if (looking_at(x, "<![CDATA[")) {
            if (x->depth == 0) return raise_xml(x, "text outside the elements");
            x->at += 9;
            TRY(take_until(x, &x->text, "]]>", "a CDATA section is never closed"));
            x->event = XML_TEXT;
            return SCONE_OK;
        } else if (looking_at(x, "<!")) {
            return raise_xml(x, "document type declarations are not read; delete <!DOCTYPE ...>");
        } else if (looking_at(x, "<?")) {
            TRY(skip_instruction(x));
        } else if (looking_at(x, "</")) {
            x->at += 2;
            return take_closing(x);
        } else if (*x->at == '<') {
            x->at++;
            return take_opening(x);
        } else {
            return take_text(x);
        }
    }
    if (x->depth > 0) {
        FAIL(SCONE_ERR_INPUT,
             "line %zu: not the XML of a graph: <%s> is never closed; the file may "
             "be cut off",
             x->line, SHOW(x->stack[x->depth - 1].text, x->stack[x->depth - 1].length));
    }
    x->event = XML_END_OF_FILE;
cleanup:
    return status;
}

const xml_slice *xml_attribute_find(const xml_reader *x, const char *name)
{
    for (size_t k = 0; k < x->attribute_count; k++) {
        if (xml_is(x->attributes[k].name, name)) return &x->attributes[k].value;
    }
    return NULL;
}
