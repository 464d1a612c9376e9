/* Protobuf text pull scanner: fields, nesting, skipping. Values are decoded in pb_text_value.c. */
#include "base/pb_text.h"
#include "base/pb_text_scan.h"
#include "base/translate.h"

#include <stdio.h>

enum {
    NAME = 1,     /* may stand in an identifier */
    SCALAR = 2,   /* may stand in a number or word */
    STRUCTURE = 4 /* means something while skipping */
};

#define LETTER (NAME | SCALAR)
/* clang-format off */
static const uint8_t classes[256] = {
    ['0'] = LETTER, ['1'] = LETTER, ['2'] = LETTER, ['3'] = LETTER, ['4'] = LETTER,
    ['5'] = LETTER, ['6'] = LETTER, ['7'] = LETTER, ['8'] = LETTER, ['9'] = LETTER,
    ['A'] = LETTER, ['B'] = LETTER, ['C'] = LETTER, ['D'] = LETTER, ['E'] = LETTER,
    ['F'] = LETTER, ['G'] = LETTER, ['H'] = LETTER, ['I'] = LETTER, ['J'] = LETTER,
    ['K'] = LETTER, ['L'] = LETTER, ['M'] = LETTER, ['N'] = LETTER, ['O'] = LETTER,
    ['P'] = LETTER, ['Q'] = LETTER, ['R'] = LETTER, ['S'] = LETTER, ['T'] = LETTER,
    ['U'] = LETTER, ['V'] = LETTER, ['W'] = LETTER, ['X'] = LETTER, ['Y'] = LETTER,
    ['Z'] = LETTER, ['_'] = LETTER,
    ['a'] = LETTER, ['b'] = LETTER, ['c'] = LETTER, ['d'] = LETTER, ['e'] = LETTER,
    ['f'] = LETTER, ['g'] = LETTER, ['h'] = LETTER, ['i'] = LETTER, ['j'] = LETTER,
    ['k'] = LETTER, ['l'] = LETTER, ['m'] = LETTER, ['n'] = LETTER, ['o'] = LETTER,
    ['p'] = LETTER, ['q'] = LETTER, ['r'] = LETTER, ['s'] = LETTER, ['t'] = LETTER,
    ['u'] = LETTER, ['v'] = LETTER, ['w'] = LETTER, ['x'] = LETTER, ['y'] = LETTER,
    ['z'] = LETTER,
    ['.'] = SCALAR, ['+'] = SCALAR, ['-'] = SCALAR,
    ['{'] = STRUCTURE, ['}'] = STRUCTURE, ['<'] = STRUCTURE, ['>'] = STRUCTURE,
    ['['] = STRUCTURE, [']'] = STRUCTURE, ['"'] = STRUCTURE, ['\''] = STRUCTURE,
    ['#'] = STRUCTURE,
};
/* clang-format on */

static uint32_t line_of(const struct mi_pbt *t, const uint8_t *at)
{
    uint32_t line = 1;
    for (const uint8_t *p = t->start; p < at; p++)
        line += *p == '\n';
    return line;
}

static bool fail(struct mi_pbt *t, const uint8_t *at, enum mi_code code, const char *what)
{
    t->at = t->end;
    return mi_fail_at(t->err, code, (uint64_t)(at - t->start), line_of(t, at), "protobuf text: %s",
                      what);
}

static bool truncated(struct mi_pbt *t, const char *inside)
{
    t->at = t->end;
    return mi_fail_at(t->err, MI_ETRUNCATED, (uint64_t)(t->end - t->start), line_of(t, t->end),
                      "protobuf text: input ends %s", inside);
}

static bool fail_byte(struct mi_pbt *t, const uint8_t *at, const char *wanted)
{
    char text[96];
    bool is_plain = *at > ' ' && *at < 0x7f;
    snprintf(text, sizeof text,
             is_plain ? N_("expected %s, found '%c'") : N_("expected %s, found byte %02x"), wanted,
             *at);
    return fail(t, at, MI_EFORMAT, text);
}

/* Steps over white space and comments. */
static const uint8_t *skip_blank(const uint8_t *at, const uint8_t *end)
{
    for (;;) {
        at = mi_pbt_skip_space(at, end);
        if (at == end || *at != '#')
            return at;
        at = memchr(at, '\n', (size_t)(end - at));
        if (!at)
            return end;
    }
}

static uint8_t closer_of(uint8_t opener)
{
    return opener == '{' ? '}' : opener == '<' ? '>' : ']';
}

void mi_pbt_init(struct mi_pbt *t, struct mi_bytes bytes, struct mi_error *err)
{
    static const uint8_t nothing;
    *t = (struct mi_pbt){.start = bytes.at ? bytes.at : &nothing, .err = err};
    t->at = t->start;
    t->end = t->start + (bytes.at ? bytes.len : 0);
    t->name = (struct mi_bytes){t->start, 0};
    if (mi_bytes_starts(bytes, MI_LIT("\xef\xbb\xbf")))
        t->at += 3;
}

/* Steps behind the string that opens at `at`; NULL after a failure. */
static const uint8_t *skip_string(struct mi_pbt *t, const uint8_t *at, bool *has_escape)
{
    struct mi_pbt_string_end stop = mi_pbt_string(at + 1, t->end, *at);
    if (stop.at == t->end) {
        truncated(t, "inside a string");
        return NULL;
    }
    if (*stop.at == '\n') {
        fail(t, at, MI_EFORMAT, "string is not closed on its line");
        return NULL;
    }
    *has_escape |= stop.has_escape;
    return stop.at + 1;
}

/* Skips from t->at until only `until` brackets are open; closers[0..level) are open now. */
static bool skip_to(struct mi_pbt *t, uint32_t level, uint32_t until)
{
    const uint8_t *at = t->at, *end = t->end;
    bool ignored = false;
    while (level > until) {
        while (at < end && !(classes[*at] & STRUCTURE))
            at++;
        if (at == end)
            return truncated(t, "inside a message");
        switch (*at) {
        case '"':
        case '\'':
            at = skip_string(t, at, &ignored);
            if (!at)
                return false;
            break;
        case '#':
            at = skip_blank(at, end);
            break;
        case '{':
        case '<':
        case '[':
            if (level == MI_PBT_MAX_DEPTH)
                return fail(t, at, MI_ELIMIT, "nested too deep");
            t->closers[level++] = closer_of(*at++);
            break;
        default:
            if (t->closers[--level] != *at)
                return fail_byte(t, at, "another closing bracket");
            at++;
        }
    }
    t->at = at;
    return true;
}

/* Skips the message that opens at t->at. */
static bool skip_message(struct mi_pbt *t)
{
    t->has_value = false;
    if (t->depth == MI_PBT_MAX_DEPTH)
        return fail(t, t->at, MI_ELIMIT, "nested too deep");
    t->closers[t->depth] = closer_of(*t->at++);
    return skip_to(t, t->depth + 1, t->depth);
}

/* The innermost message has ended; if it was a list element, the list goes on. */
static void close_message(struct mi_pbt *t)
{
    t->depth--;
    t->in_list = t->in_lists[t->depth];
    t->name = t->names[t->depth];
}

static bool read_string(struct mi_pbt *t, const uint8_t *at)
{
    const uint8_t *first = at, *last;
    t->has_escape = false;
    last = at = skip_string(t, at, &t->has_escape);
    if (!at)
        return false;
    at = skip_blank(at, t->end);
    while (at < t->end && (*at == '"' || *at == '\'')) {
        t->has_escape = true; /* several pieces: not the bytes between two quotes */
        last = at = skip_string(t, at, &t->has_escape);
        if (!at)
            return false;
        at = skip_blank(at, t->end);
    }
    t->at = at;
    t->kind = MI_PBT_STRING;
    t->raw = (struct mi_bytes){first, (size_t)(last - first)};
    return true;
}

/* The value at `at`: a message is left for mi_pbt_enter(). */
static bool read_value(struct mi_pbt *t, const uint8_t *at)
{
    if (at == t->end)
        return truncated(t, "before a value");
    if (*at == '"' || *at == '\'')
        return read_string(t, at);
    if (*at == '{' || *at == '<') {
        t->at = at;
        t->kind = MI_PBT_MESSAGE;
        t->raw = (struct mi_bytes){at, 0};
        t->has_value = true;
        return true;
    }
    const uint8_t *first = at;
    if (*at == '-') {
        at = skip_blank(at + 1, t->end);
        if (at == t->end)
            return truncated(t, "before a value");
    }
    if (!(classes[*at] & SCALAR) || *at == '-' || *at == '+')
        return fail_byte(t, at, "a value");
    t->kind = (classes[*at] & NAME) && (*at < '0' || *at > '9') ? MI_PBT_WORD : MI_PBT_NUMBER;
    while (at < t->end && (classes[*at] & SCALAR))
        at++;
    t->at = at;
    t->raw = (struct mi_bytes){first, (size_t)(at - first)};
    return true;
}

/* Reads a field name; leaves t->at behind it. */
static bool read_name(struct mi_pbt *t, const uint8_t *at)
{
    const uint8_t *first = at;
    if (*at == '[') {
        const uint8_t *close = memchr(at, ']', (size_t)(t->end - at));
        if (!close)
            return truncated(t, "inside an extension name");
        for (at++; at < close; at++)
            if (!(classes[*at] & SCALAR) && *at != '/' && *at != '%' && !mi_pbt_is_space(*at))
                return fail_byte(t, at, "an extension name");
        t->name = (struct mi_bytes){first + 1, (size_t)(close - first - 1)};
        t->at = close + 1;
        return true;
    }
    while (at < t->end && (classes[*at] & NAME))
        at++;
    if (at == first)
        return fail_byte(t, at, "a field name");
    t->name = (struct mi_bytes){first, (size_t)(at - first)};
    t->at = at;
    return true;
}

enum step { STEP_FIELD, STEP_END, STEP_AGAIN };

/* One field with its first value; STEP_AGAIN for an empty list. */
static enum step read_field(struct mi_pbt *t)
{
    const uint8_t *at = skip_blank(t->at, t->end);
    while (at < t->end && (*at == ';' || *at == ','))
        at = skip_blank(at + 1, t->end);
    t->at = at;
    if (at == t->end) {
        if (t->depth > 0)
            truncated(t, "inside a message");
        return STEP_END;
    }
    if (*at == '}' || *at == '>') {
        if (t->depth == 0 || t->closers[t->depth - 1] != *at) {
            fail_byte(t, at, t->depth ? "another closing bracket" : "a field");
        } else {
            t->at = at + 1;
            close_message(t);
        }
        return STEP_END;
    }
    if (!read_name(t, at))
        return STEP_END;
    at = t->at;
    if (at < t->end && *at != ':')
        at = skip_blank(at, t->end);
    bool has_colon = at < t->end && *at == ':';
    if (has_colon)
        at = skip_blank(at + 1, t->end);
    t->is_list = at < t->end && *at == '[';
    if (t->is_list) {
        at = skip_blank(at + 1, t->end);
        if (at < t->end && *at == ']') {
            t->at = at + 1;
            return STEP_AGAIN;
        }
        t->in_list = true;
    }
    if (!has_colon && at < t->end && *at != '{' && *at != '<') {
        fail_byte(t, at, "':' or a message");
        return STEP_END;
    }
    return read_value(t, at) ? STEP_FIELD : STEP_END;
}

/* Between the elements of a list: the next element, or STEP_AGAIN behind its end. */
static enum step read_element(struct mi_pbt *t)
{
    const uint8_t *at = skip_blank(t->at, t->end);
    if (at == t->end) {
        truncated(t, "inside a list");
        return STEP_END;
    }
    if (*at == ']') {
        t->at = at + 1;
        t->in_list = false;
        return STEP_AGAIN;
    }
    if (*at != ',') {
        fail_byte(t, at, "',' or ']'");
        return STEP_END;
    }
    t->is_list = true;
    return read_value(t, skip_blank(at + 1, t->end)) ? STEP_FIELD : STEP_END;
}

bool mi_pbt_next(struct mi_pbt *t)
{
    if (t->err->code != MI_OK || (t->has_value && !skip_message(t)))
        return false;
    for (;;) {
        enum step step = t->in_list ? read_element(t) : read_field(t);
        if (step != STEP_AGAIN)
            return step == STEP_FIELD;
    }
}

bool mi_pbt_enter(struct mi_pbt *t)
{
    if (t->err->code != MI_OK)
        return false;
    if (!t->has_value)
        return fail(t, t->name.at, MI_EFORMAT, "expected a message, found a scalar");
    if (t->depth == MI_PBT_MAX_DEPTH)
        return fail(t, t->at, MI_ELIMIT, "nested too deep");
    t->closers[t->depth] = closer_of(*t->at++);
    t->in_lists[t->depth] = t->in_list;
    t->names[t->depth] = t->name;
    t->depth++;
    t->in_list = false;
    t->has_value = false;
    return true;
}

bool mi_pbt_leave(struct mi_pbt *t)
{
    if (t->err->code != MI_OK)
        return false;
    t->has_value = false;
    if (t->depth == 0) {
        t->at = t->end;
        t->in_list = false;
        return true;
    }
    uint32_t level = t->depth;
    if (t->in_list) {
        if (level == MI_PBT_MAX_DEPTH)
            return fail(t, t->at, MI_ELIMIT, "nested too deep");
        t->closers[level++] = ']';
    }
    if (!skip_to(t, level, t->depth - 1))
        return false;
    close_message(t);
    return true;
}

uint32_t mi_pbt_line(const struct mi_pbt *t)
{
    return line_of(t, t->name.at);
}
