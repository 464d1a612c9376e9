/* JSON pull scanner: tokens, nesting, skipping. Typed values, escapes and line numbers are in
 * json_value.c.
 *
 * How it is built: small leaf functions walk over one token and return the place behind it, or NULL
 * after a failure. A failure moves `end` to the place of the failure, so that later calls see an
 * empty rest and the fast paths need no test of their own. */
#include "base/json_scan.h"
#include "base/simd.h"
#include "base/translate.h"

#include <stdio.h>

enum state {
    STATE_VALUE,  /* a value comes next */
    STATE_FIRST,  /* behind an opening bracket */
    STATE_AFTER,  /* behind a value: comma or closing bracket */
    STATE_RESUME, /* behind a seek: like AFTER or FIRST, the comma is optional */
};

/* Kept out of the fast paths. */
__attribute__((cold, noinline)) static bool fail(struct mi_json *js, const uint8_t *p,
                                                 enum mi_code code, const char *text)
{
    if (mi_json_failed(js))
        return false;
    size_t offset = (size_t)(p - js->begin);
    uint32_t line = mi_json_line(js, offset);
    js->at = js->end = p;
    return mi_fail_at(&js->error, code, js->options.first_offset + offset, line, "%s", text);
}

/* Something else stands at `p`, or the input ends there. */
__attribute__((cold, noinline)) static bool unexpected(struct mi_json *js, const uint8_t *p,
                                                       const char *wanted)
{
    char text[160];
    if (p >= js->end) {
        snprintf(text, sizeof text, N_("JSON ends where %s should follow"), wanted);
        return fail(js, p, MI_ETRUNCATED, text);
    }
    if (*p > ' ' && *p < 0x7f)
        snprintf(text, sizeof text, N_("JSON has '%c' where %s should stand"), *p, wanted);
    else
        snprintf(text, sizeof text, N_("JSON has byte 0x%02x where %s should stand"), *p, wanted);
    return fail(js, p, MI_EFORMAT, text);
}

static bool is_space(uint8_t c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static const uint8_t *skip_long_space(const struct mi_json *js, const uint8_t *p)
{
#if MI_SIMD
    for (; !js->options.force_scalar && js->end - p >= 16; p += 16) {
        uint64_t mask = mi_v16_not_space(p);
        if (mask)
            return p + mi_mask_first(mask);
    }
#endif
    while (p < js->end && is_space(*p))
        p++;
    return p;
}

static inline const uint8_t *skip_space(const struct mi_json *js, const uint8_t *p)
{
    /* none or one blank is by far the most frequent */
    if (p<js->end && * p> ' ')
        return p;
    if (js->end - p >= 2 && *p == ' ' && p[1] > ' ')
        return p + 1;
    return skip_long_space(js, p);
}

/* First quote, backslash or control character; js->end if none. */
static inline const uint8_t *find_special(const struct mi_json *js, const uint8_t *p)
{
#if MI_SIMD
    for (; !js->options.force_scalar && js->end - p >= 16; p += 16) {
        uint64_t mask = mi_v16_json_special(p);
        if (mask)
            return p + mi_mask_first(mask);
    }
#endif
    while (p < js->end && *p != '"' && *p != '\\' && *p >= 0x20)
        p++;
    return p;
}

static inline const uint8_t *skip_digits(const struct mi_json *js, const uint8_t *p)
{
#if MI_SIMD
    for (; !js->options.force_scalar && js->end - p >= 16; p += 16) {
        uint64_t mask = mi_v16_not_digit(p);
        if (mask)
            return p + mi_mask_first(mask);
    }
#endif
    while (p < js->end && is_digit(*p))
        p++;
    return p;
}

static bool is_hex(uint8_t c)
{
    return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

/* A backslash at `backslash` that begins no escape: it may stand for itself. */
static const uint8_t *odd_escape(struct mi_json *js, const uint8_t *backslash)
{
    if (js->options.allow_escape) {
        js->odd_escapes++;
        return backslash + 1;
    }
    return NULL;
}

/* `p` at a backslash; returns the place behind the escape. */
static const uint8_t *scan_escape(struct mi_json *js, const uint8_t *p)
{
    const uint8_t *backslash = p++, *odd;
    if (p >= js->end) {
        unexpected(js, p, "the rest of an escape");
        return NULL;
    }
    if (*p != 'u') {
        if (*p && strchr("\"\\/bfnrt", *p))
            return p + 1;
        odd = odd_escape(js, backslash);
        if (!odd)
            fail(js, backslash, MI_EFORMAT, "JSON string has an unknown escape");
        return odd;
    }
    p++;
    for (int i = 0; i < 4; i++, p++)
        if (p >= js->end || !is_hex(*p)) {
            odd = p < js->end ? odd_escape(js, backslash) : NULL;
            if (!odd)
                unexpected(js, p, "a hexadecimal digit");
            return odd;
        }
    return p;
}

/* Goes on at a place that find_special() gave and that is no closing quote. */
__attribute__((noinline)) static const uint8_t *scan_special(struct mi_json *js, const uint8_t *p,
                                                             bool *has_escape)
{
    for (;; p = find_special(js, p)) {
        if (p >= js->end) {
            unexpected(js, p, "the closing quote of a string");
            return NULL;
        }
        if (*p == '"')
            return p;
        if (*p == '\\') {
            *has_escape = true;
            p = scan_escape(js, p);
            if (!p)
                return NULL;
        } else if (js->options.allow_control) {
            js->zero_bytes += !*p;
            p++;
        } else {
            fail(js, p, MI_EFORMAT, "JSON string has a bare control character");
            return NULL;
        }
    }
}

/* `p` behind the opening quote; returns the place of the closing quote. */
static inline const uint8_t *scan_string(struct mi_json *js, const uint8_t *p, bool *has_escape)
{
    *has_escape = false;
    p = find_special(js, p);
    if (p < js->end && *p == '"')
        return p;
    return scan_special(js, p, has_escape);
}

/* `p` at the first byte of `word`; returns the place behind it. */
static const uint8_t *scan_word(struct mi_json *js, const uint8_t *p, const char *word)
{
    for (; *word; word++, p++)
        if (p >= js->end || *p != (uint8_t)*word) {
            unexpected(js, p, "the rest of a literal");
            return NULL;
        }
    return p;
}

/* `p` at "N", "n", "I" or "i" where a number may stand. */
static const uint8_t *scan_non_finite(struct mi_json *js, const uint8_t *p)
{
    if (*p == 'N')
        return scan_word(js, p, "NaN");
    if (*p == 'n')
        return scan_word(js, p, "nan");
    return scan_word(js, p, *p == 'I' ? "Infinity" : "inf");
}

static bool starts_non_finite(const struct mi_json *js, const uint8_t *p)
{
    return js->options.allow_non_finite && p < js->end && *p && strchr("NnIi", *p);
}

/* `p` behind a minus or at the first byte of a number without one. */
static const uint8_t *scan_digits_and_point(struct mi_json *js, const uint8_t *p,
                                            struct mi_json_number *out)
{
    const uint8_t *whole = p;
    p = skip_digits(js, p);
    if (p == whole)
        return unexpected(js, p, "a digit"), NULL;
    if (*whole == '0')
        p = whole + 1; /* no digit may follow a leading zero; what stands there is refused later */
    out->whole_len = (size_t)(p - whole);
    if (p < js->end && *p == '.') {
        const uint8_t *fraction = p + 1;
        p = skip_digits(js, fraction);
        if (p == fraction)
            return unexpected(js, p, "a digit behind the decimal point"), NULL;
        out->fraction_len = (size_t)(p - fraction);
    }
    return p;
}

/* `p` at the letter. */
static const uint8_t *scan_exponent(struct mi_json *js, const uint8_t *p)
{
    p++;
    if (p < js->end && (*p == '+' || *p == '-'))
        p++;
    const uint8_t *digits = p;
    p = skip_digits(js, p);
    if (p == digits)
        return unexpected(js, p, "a digit of the exponent"), NULL;
    return p;
}

/* `p` at a minus or digit (or at the name of a non-finite number); returns the place behind. */
static inline const uint8_t *scan_number(struct mi_json *js, const uint8_t *p,
                                         struct mi_json_number *out)
{
    const uint8_t *start = p;
    *out = (struct mi_json_number){.is_negative = *p == '-'};
    p += out->is_negative;
    if (starts_non_finite(js, p)) {
        p = scan_non_finite(js, p);
    } else {
        p = scan_digits_and_point(js, p, out);
        out->has_exponent = p && p < js->end && (*p == 'e' || *p == 'E');
        if (out->has_exponent)
            p = scan_exponent(js, p);
        out->is_integer = !out->fraction_len && !out->has_exponent;
        out->is_finite = true;
    }
    if (p)
        out->text = (struct mi_bytes){start, (size_t)(p - start)};
    return p;
}

static bool push(struct mi_json *js, const uint8_t *p, bool is_object)
{
    if (js->depth >= js->options.depth_limit)
        return fail(js, p, MI_ELIMIT, "JSON is nested too deeply");
    uint64_t bit = UINT64_C(1) << (js->depth % 64), *word = &js->is_object[js->depth / 64];
    *word = is_object ? *word | bit : *word & ~bit;
    js->depth++;
    if (js->depth > js->deepest)
        js->deepest = js->depth;
    return true;
}

/* Whether the innermost open container is an object; depth must not be 0. */
static bool inside_object(const struct mi_json *js)
{
    return js->is_object[(js->depth - 1) / 64] >> ((js->depth - 1) % 64) & 1;
}

void mi_json_init(struct mi_json *js, struct mi_bytes input, const struct mi_json_options *options)
{
    static const uint8_t nothing[1];
    js->error = MI_ERROR_INIT;
    js->options = options ? *options : (struct mi_json_options){0};
    if (!js->options.depth_limit)
        js->options.depth_limit = MI_JSON_DEPTH_DEFAULT;
    if (js->options.depth_limit > MI_JSON_DEPTH_MOST)
        js->options.depth_limit = MI_JSON_DEPTH_MOST;
    if (!js->options.first_line)
        js->options.first_line = 1;
    js->begin = js->at = js->line_at = input.at ? input.at : nothing;
    js->end = js->limit = js->begin + (input.at ? input.len : 0);
    js->line = js->options.first_line;
    js->depth = js->deepest = js->odd_escapes = js->zero_bytes = 0;
    js->state = STATE_VALUE;
    js->is_object[0] = 0;
    if (mi_bytes_starts(input, MI_LIT("\xef\xbb\xbf")))
        js->at += 3;
}

enum mi_json_type mi_json_peek(struct mi_json *js)
{
    const uint8_t *p = skip_space(js, js->at);
    if (p >= js->end)
        return MI_JSON_NONE;
    switch (*p) {
    case '{':
        return MI_JSON_OBJECT;
    case '[':
        return MI_JSON_ARRAY;
    case '"':
        return MI_JSON_STRING;
    case 't':
    case 'f':
        return MI_JSON_BOOL;
    case 'n':
        if (js->options.allow_non_finite && js->end - p >= 2 && p[1] == 'a')
            return MI_JSON_NUMBER;
        return MI_JSON_NULL;
    default:
        if (*p == '-' || is_digit(*p) || starts_non_finite(js, p))
            return MI_JSON_NUMBER;
        return MI_JSON_NONE;
    }
}

static bool begin(struct mi_json *js, uint8_t bracket, const char *wanted)
{
    const uint8_t *p = skip_space(js, js->at);
    if (p >= js->end || *p != bracket)
        return unexpected(js, p, wanted);
    if (!push(js, p, bracket == '{'))
        return false;
    js->at = p + 1;
    js->state = STATE_FIRST;
    return true;
}

bool mi_json_begin_object(struct mi_json *js)
{
    return begin(js, '{', "'{'");
}

bool mi_json_begin_array(struct mi_json *js)
{
    return begin(js, '[', "'['");
}

/* Comma or closing bracket. Returns the place where the next member starts; NULL once the container
 * is closed and after a failure. */
static const uint8_t *next_member(struct mi_json *js, bool is_object)
{
    if (js->state == STATE_VALUE && !mi_json_skip(js, NULL))
        return NULL;
    if (mi_json_failed(js))
        return NULL;
    if (!js->depth || inside_object(js) != is_object)
        return fail(js, js->at, MI_EINTERNAL, "JSON reader lost track of nesting"), NULL;
    uint8_t closer = is_object ? '}' : ']';
    const uint8_t *p = skip_space(js, js->at);
    bool comma = p < js->end && *p == ',' && js->state != STATE_FIRST;
    if (comma)
        p = skip_space(js, p + 1);
    else if (js->state == STATE_AFTER && (p >= js->end || *p != closer))
        return unexpected(js, p, is_object ? "',' or '}'" : "',' or ']'"), NULL;
    if (p < js->end && *p == closer && (!comma || js->options.allow_trailing_comma)) {
        js->depth--;
        js->at = p + 1;
        js->state = STATE_AFTER;
        return NULL;
    }
    return p;
}

/* `p` where a key should start; returns the place behind the colon. */
static inline const uint8_t *scan_key(struct mi_json *js, const uint8_t *p,
                                      struct mi_json_string *key)
{
    if (p >= js->end || *p != '"')
        return unexpected(js, p, "a key"), NULL;
    const uint8_t *quote = scan_string(js, p + 1, &key->has_escape);
    if (!quote)
        return NULL;
    key->raw = (struct mi_bytes){p + 1, (size_t)(quote - p) - 1};
    p = skip_space(js, quote + 1);
    if (p >= js->end || *p != ':')
        return unexpected(js, p, "':'"), NULL;
    return p + 1;
}

bool mi_json_next_key(struct mi_json *js, struct mi_json_string *key)
{
    struct mi_json_string found;
    *key = (struct mi_json_string){0};
    const uint8_t *p = next_member(js, true);
    if (!p)
        return false;
    p = scan_key(js, p, &found);
    if (!p)
        return false;
    *key = found;
    js->at = p;
    js->state = STATE_VALUE;
    return true;
}

bool mi_json_next_item(struct mi_json *js)
{
    const uint8_t *p = next_member(js, false);
    if (!p)
        return false;
    if (p >= js->end)
        return unexpected(js, p, "a value or ']'");
    js->at = p;
    js->state = STATE_VALUE;
    return true;
}

static bool value_read(struct mi_json *js, const uint8_t *p)
{
    if (!p)
        return false;
    js->at = p;
    js->state = STATE_AFTER;
    return true;
}

bool mi_json_string(struct mi_json *js, struct mi_json_string *out)
{
    struct mi_json_string found;
    *out = (struct mi_json_string){0};
    const uint8_t *p = skip_space(js, js->at);
    if (p >= js->end || *p != '"')
        return unexpected(js, p, "a string");
    const uint8_t *quote = scan_string(js, p + 1, &found.has_escape);
    if (!quote)
        return false;
    found.raw = (struct mi_bytes){p + 1, (size_t)(quote - p) - 1};
    *out = found;
    return value_read(js, quote + 1);
}

bool mi_json_number(struct mi_json *js, struct mi_json_number *out)
{
    struct mi_json_number found;
    *out = (struct mi_json_number){0};
    const uint8_t *p = skip_space(js, js->at);
    if (p >= js->end || (*p != '-' && !is_digit(*p) && !starts_non_finite(js, p)))
        return unexpected(js, p, "a number");
    p = scan_number(js, p, &found);
    if (p)
        *out = found;
    return value_read(js, p);
}

bool mi_json_bool(struct mi_json *js, bool *out)
{
    *out = false;
    const uint8_t *p = skip_space(js, js->at);
    if (p >= js->end || (*p != 't' && *p != 'f'))
        return unexpected(js, p, "true or false");
    bool value = *p == 't';
    p = scan_word(js, p, value ? "true" : "false");
    *out = p && value;
    return value_read(js, p);
}

bool mi_json_null(struct mi_json *js)
{
    const uint8_t *p = skip_space(js, js->at);
    if (p >= js->end || *p != 'n')
        return unexpected(js, p, "null");
    return value_read(js, scan_word(js, p, "null"));
}

/* A value that is no container and no string, for skipping. */
static const uint8_t *skip_scalar(struct mi_json *js, const uint8_t *p)
{
    struct mi_json_number ignored;
    if (*p == '-' || is_digit(*p))
        return scan_number(js, p, &ignored);
    if (*p == 't')
        return scan_word(js, p, "true");
    if (*p == 'f')
        return scan_word(js, p, "false");
    bool is_nan = starts_non_finite(js, p) && (*p != 'n' || (js->end - p >= 2 && p[1] == 'a'));
    if (*p == 'n' && !is_nan)
        return scan_word(js, p, "null");
    if (is_nan)
        return scan_non_finite(js, p);
    return unexpected(js, p, "a value"), NULL;
}

/* `p` where a value should start inside what is being skipped. Steps over it, or into it. Returns
 * the place behind; *opened tells that a container with members was entered and `p` is at its first
 * one. */
static inline const uint8_t *skip_one(struct mi_json *js, const uint8_t *p, bool *opened)
{
    bool has_escape;
    *opened = false;
    if (p >= js->end)
        return unexpected(js, p, "a value"), NULL;
    if (*p == '"') {
        p = scan_string(js, p + 1, &has_escape);
        return p ? p + 1 : NULL;
    }
    if (*p != '{' && *p != '[')
        return skip_scalar(js, p);
    bool is_object = *p == '{';
    if (!push(js, p, is_object))
        return NULL;
    p = skip_space(js, p + 1);
    if (p < js->end && *p == (is_object ? '}' : ']')) {
        js->depth--;
        return p + 1;
    }
    *opened = true;
    return p;
}

/* `p` behind a value: closes containers down to depth `base`. Returns the place of the next member,
 * or behind the last closing bracket once the depth is `base`. */
static inline const uint8_t *skip_to_member(struct mi_json *js, const uint8_t *p, uint32_t base)
{
    while (js->depth > base) {
        bool is_object = inside_object(js);
        uint8_t closer = is_object ? '}' : ']';
        p = skip_space(js, p);
        bool comma = p < js->end && *p == ',';
        if (comma) {
            p = skip_space(js, p + 1);
            if (p >= js->end || *p != closer || !js->options.allow_trailing_comma)
                return p;
        }
        if (p >= js->end || *p != closer)
            return unexpected(js, p, is_object ? "',' or '}'" : "',' or ']'"), NULL;
        js->depth--;
        p++;
    }
    return p;
}

bool mi_json_skip(struct mi_json *js, struct mi_bytes *raw)
{
    struct mi_json_string key;
    uint32_t base = js->depth;
    const uint8_t *start = skip_space(js, js->at), *p = start;
    bool opened;
    if (raw)
        *raw = (struct mi_bytes){0};
    do {
        if (js->depth > base && inside_object(js)) {
            p = scan_key(js, p, &key);
            if (!p)
                return false;
            p = skip_space(js, p);
        }
        p = skip_one(js, p, &opened);
        if (p && !opened)
            p = skip_to_member(js, p, base);
        if (!p)
            return false;
    } while (js->depth > base);
    if (raw)
        *raw = (struct mi_bytes){start, (size_t)(p - start)};
    return value_read(js, p);
}

void mi_json_took(struct mi_json *js, const uint8_t *behind)
{
    value_read(js, behind);
}

bool mi_json_done(struct mi_json *js)
{
    if (mi_json_failed(js))
        return false;
    if (js->state == STATE_VALUE && !mi_json_skip(js, NULL))
        return false;
    if (js->depth)
        return fail(js, js->at, MI_EINTERNAL, "JSON reader stopped inside a container");
    const uint8_t *p = skip_space(js, js->at);
    if (p < js->end)
        return unexpected(js, p, "the end of the document");
    js->at = p;
    return true;
}

bool mi_json_seek(struct mi_json *js, size_t offset, uint32_t depth)
{
    size_t size = (size_t)(js->limit - js->begin);
    js->error = MI_ERROR_INIT;
    js->at = js->begin + (offset < size ? offset : size);
    js->end = js->limit;
    if (depth > js->deepest)
        return fail(js, js->at, MI_EINTERNAL, "JSON reader lost track of nesting");
    js->depth = depth;
    js->state = depth ? STATE_RESUME : STATE_VALUE;
    return true;
}

void mi_json_seek_item(struct mi_json *js, size_t offset)
{
    js->deepest = js->deepest ? js->deepest : 1;
    js->is_object[0] &= ~UINT64_C(1);
    mi_json_seek(js, offset, 1);
}
