#include "base/json_write.h"
#include "base/decimal.h"
#include "base/simd.h"
#include "base/utf8.h"

#include <math.h>

static void fail(struct mi_jw *jw, const char *text)
{
    mi_sink_fail(jw->sink, MI_EINTERNAL, text);
}

static bool is_plain(uint8_t c)
{
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

static bool is_html(uint8_t c)
{
    return c == '<' || c == '>' || c == '&';
}

/* Length of a front part that can be copied as it stands; 0 only if the first byte cannot. */
static size_t plain_len(struct mi_bytes text, bool html_safe)
{
    size_t len = 0;
    if (html_safe && text.len > 64)
        text.len = 64; /* the second look below must not run over the whole text again and again */
#if MI_SIMD
    for (; text.len - len >= 16; len += 16) {
        uint64_t mask = mi_v16_json_unsafe(text.at + len);
        if (mask) {
            len += mi_mask_first(mask);
            break;
        }
    }
#endif
    while (len < text.len && is_plain(text.at[len]))
        len++;
    if (html_safe)
        for (size_t i = 0; i < len; i++)
            if (is_html(text.at[i]))
                return i;
    return len;
}

static void put_unit(struct mi_sink *sink, uint32_t unit)
{
    static const char hex[] = "0123456789abcdef";
    uint8_t text[6] = {'\\',
                       'u',
                       (uint8_t)hex[unit >> 12 & 15],
                       (uint8_t)hex[unit >> 8 & 15],
                       (uint8_t)hex[unit >> 4 & 15],
                       (uint8_t)hex[unit & 15]};
    mi_sink_write(sink, (struct mi_bytes){text, sizeof text});
}

static void put_escape(struct mi_sink *sink, uint32_t code)
{
    static const char letters[] = "\"\"\\\\\bb\ff\nn\rr\tt"; /* byte, letter */
    for (size_t i = 0; i < sizeof letters - 1; i += 2)
        if (code == (uint8_t)letters[i]) {
            mi_sink_byte(sink, '\\');
            mi_sink_byte(sink, (uint8_t)letters[i + 1]);
            return;
        }
    if (code >= 0x10000) {
        put_unit(sink, 0xd800 + ((code - 0x10000) >> 10));
        code = 0xdc00 + ((code - 0x10000) & 0x3ff);
    }
    put_unit(sink, code);
}

static bool needs_escape(uint32_t code, bool html_safe)
{
    if (code < 0x80)
        return !is_plain((uint8_t)code) || (html_safe && is_html((uint8_t)code));
    return code < 0xa0 || (html_safe && mi_utf8_is_hostile(code));
}

uint64_t mi_json_escape(struct mi_sink *sink, struct mi_bytes text, bool html_safe)
{
    uint64_t invalid_bytes = 0;
    while (text.len) {
        size_t take = plain_len(text, html_safe);
        mi_sink_write(sink, mi_bytes_sub(text, 0, take));
        text = mi_bytes_sub(text, take, text.len);
        if (take)
            continue;
        uint32_t code;
        unsigned size = mi_utf8_decode(text.at, text.len, &code);
        if (!size) {
            mi_sink_text(sink, "\xef\xbf\xbd");
            invalid_bytes++;
            size = 1;
        } else if (needs_escape(code, html_safe)) {
            put_escape(sink, code);
        } else {
            mi_sink_write(sink, mi_bytes_sub(text, 0, size));
        }
        text = mi_bytes_sub(text, size, text.len);
    }
    return invalid_bytes;
}

void mi_jw_init(struct mi_jw *jw, struct mi_sink *sink, const struct mi_jw_options *options)
{
    *jw = (struct mi_jw){.sink = sink};
    if (options)
        jw->options = *options;
}

static uint64_t top_bit(const struct mi_jw *jw)
{
    return UINT64_C(1) << (jw->depth - 1);
}

static void new_line(struct mi_jw *jw)
{
    if (!jw->options.indent)
        return;
    mi_sink_byte(jw->sink, '\n');
    mi_sink_repeat(jw->sink, ' ', (size_t)jw->options.indent * jw->depth);
}

/* Comma and indentation in front of a member. */
static void next_member(struct mi_jw *jw)
{
    if (jw->is_filled & top_bit(jw))
        mi_sink_byte(jw->sink, ',');
    jw->is_filled |= top_bit(jw);
    new_line(jw);
}

/* Whatever has to stand in front of a value; false if no value may stand here. */
static bool before_value(struct mi_jw *jw)
{
    if (mi_sink_failed(jw->sink))
        return false;
    if (jw->after_key) {
        jw->after_key = false;
        return true;
    }
    if (!jw->depth) {
        if (jw->has_value)
            fail(jw, "JSON writer was given two documents");
        jw->has_value = true;
    } else if (jw->is_object & top_bit(jw)) {
        fail(jw, "JSON writer was given a value without a key");
    } else {
        next_member(jw);
    }
    return !mi_sink_failed(jw->sink);
}

static void begin(struct mi_jw *jw, bool is_object)
{
    if (!before_value(jw))
        return;
    if (jw->depth == MI_JW_DEPTH_MOST) {
        fail(jw, "JSON writer nests too deeply");
        return;
    }
    jw->depth++;
    jw->is_filled &= ~top_bit(jw);
    if (is_object)
        jw->is_object |= top_bit(jw);
    else
        jw->is_object &= ~top_bit(jw);
    mi_sink_byte(jw->sink, is_object ? '{' : '[');
}

void mi_jw_begin_object(struct mi_jw *jw)
{
    begin(jw, true);
}

void mi_jw_begin_array(struct mi_jw *jw)
{
    begin(jw, false);
}

void mi_jw_end(struct mi_jw *jw)
{
    if (mi_sink_failed(jw->sink))
        return;
    if (!jw->depth || jw->after_key) {
        fail(jw, "JSON writer was told to close what is not open");
        return;
    }
    bool is_object = jw->is_object & top_bit(jw), is_filled = jw->is_filled & top_bit(jw);
    jw->depth--;
    if (is_filled)
        new_line(jw);
    mi_sink_byte(jw->sink, is_object ? '}' : ']');
}

static void put_string(struct mi_jw *jw, struct mi_bytes text)
{
    mi_sink_byte(jw->sink, '"');
    jw->invalid_bytes += mi_json_escape(jw->sink, text, jw->options.html_safe);
    mi_sink_byte(jw->sink, '"');
}

void mi_jw_key_bytes(struct mi_jw *jw, struct mi_bytes key)
{
    if (mi_sink_failed(jw->sink))
        return;
    if (!jw->depth || jw->after_key || !(jw->is_object & top_bit(jw))) {
        fail(jw, "JSON writer was given a key outside an object");
        return;
    }
    next_member(jw);
    put_string(jw, key);
    mi_sink_text(jw->sink, jw->options.indent ? ": " : ":");
    jw->after_key = true;
}

void mi_jw_key(struct mi_jw *jw, const char *key)
{
    mi_jw_key_bytes(jw, mi_cstr(key));
}

void mi_jw_string(struct mi_jw *jw, struct mi_bytes text)
{
    if (before_value(jw))
        put_string(jw, text);
}

void mi_jw_text(struct mi_jw *jw, const char *text)
{
    if (text)
        mi_jw_string(jw, mi_cstr(text));
    else
        mi_jw_null(jw);
}

void mi_jw_raw(struct mi_jw *jw, struct mi_bytes json)
{
    if (before_value(jw))
        mi_sink_write(jw->sink, json);
}

void mi_jw_i64(struct mi_jw *jw, int64_t value)
{
    if (before_value(jw))
        mi_sink_i64(jw->sink, value);
}

void mi_jw_u64(struct mi_jw *jw, uint64_t value)
{
    if (before_value(jw))
        mi_sink_u64(jw->sink, value);
}

void mi_jw_i64_string(struct mi_jw *jw, int64_t value)
{
    char text[MI_DECIMAL_ROOM];
    size_t len = mi_decimal_format_i64(value, text);
    mi_jw_string(jw, (struct mi_bytes){(const uint8_t *)text, len});
}

void mi_jw_us(struct mi_jw *jw, int64_t ns)
{
    char text[MI_DECIMAL_ROOM];
    size_t len = mi_decimal_format_us(ns, text);
    mi_jw_raw(jw, (struct mi_bytes){(const uint8_t *)text, len});
}

void mi_jw_double(struct mi_jw *jw, double value)
{
    char text[MI_DECIMAL_ROOM];
    if (!isfinite(value)) {
        mi_jw_null(jw);
        return;
    }
    size_t len = mi_decimal_format_double(value, text);
    mi_jw_raw(jw, (struct mi_bytes){(const uint8_t *)text, len});
}

void mi_jw_bool(struct mi_jw *jw, bool value)
{
    mi_jw_raw(jw, value ? MI_LIT("true") : MI_LIT("false"));
}

void mi_jw_null(struct mi_jw *jw)
{
    mi_jw_raw(jw, MI_LIT("null"));
}

void mi_jw_member_string(struct mi_jw *jw, const char *key, struct mi_bytes text)
{
    mi_jw_key(jw, key);
    mi_jw_string(jw, text);
}

void mi_jw_member_text(struct mi_jw *jw, const char *key, const char *text)
{
    mi_jw_key(jw, key);
    mi_jw_text(jw, text);
}

void mi_jw_member_i64(struct mi_jw *jw, const char *key, int64_t value)
{
    mi_jw_key(jw, key);
    mi_jw_i64(jw, value);
}

void mi_jw_member_bool(struct mi_jw *jw, const char *key, bool value)
{
    mi_jw_key(jw, key);
    mi_jw_bool(jw, value);
}

void mi_jw_hex_note(struct mi_jw *jw, const char *key, struct mi_bytes text)
{
    static const char hex[] = "0123456789abcdef";
    if (mi_utf8_valid(text))
        return;
    mi_jw_key(jw, key);
    if (!before_value(jw))
        return;
    mi_sink_byte(jw->sink, '"');
    for (size_t i = 0; i < text.len; i++) {
        mi_sink_byte(jw->sink, (uint8_t)hex[text.at[i] >> 4]);
        mi_sink_byte(jw->sink, (uint8_t)hex[text.at[i] & 15]);
    }
    mi_sink_byte(jw->sink, '"');
}

bool mi_jw_finish(struct mi_jw *jw, struct mi_error *err)
{
    if (jw->depth || jw->after_key || !jw->has_value)
        fail(jw, "JSON writer was stopped inside a document");
    mi_sink_byte(jw->sink, '\n');
    return mi_sink_flush(jw->sink, err);
}
