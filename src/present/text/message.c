#include "present/text/message.h"

#include "base/utf8.h"

enum {
    MAX_PIECES = 9,
    LEAST_LITERAL = 4 /* bytes of its own that a format needs to be recognised by */
};

/* One conversion of a format: "%s" -> 's', "%.60s" -> 's', "%%" -> '%'. Returns the byte behind it.
 */
static const char *conversion(const char *at, char *kind, unsigned *position)
{
    const char *first = ++at;
    unsigned number = 0;
    while (*at >= '0' && *at <= '9' && number < 100)
        number = number * 10 + (unsigned)(*at++ - '0');
    *position = 0;
    if (*at == '$') {
        *position = number;
        at++;
    } else {
        at = first;
    }
    at += strspn(at, "-+ #0123456789.*hljzt");
    *kind = *at;
    return *at ? at + 1 : at;
}

static size_t count_digits(struct mi_bytes text, size_t from)
{
    size_t at = from;
    if (at < text.len && text.at[at] == '-')
        at++;
    size_t digits = at;
    while (at < text.len && ((text.at[at] >= '0' && text.at[at] <= '9') ||
                             (text.at[at] >= 'a' && text.at[at] <= 'f')))
        at++;
    return at > digits ? at - from : 0;
}

/* True if `text` can have been made from `format`; the pieces are what its conversions gave. Like
 * matching a file name: behind a %s that may still grow, a mismatch goes back to it. A format that
 * ends in a blank goes on with a constant that the catalogue does not see; `rest` is that. */
static bool matches(const char *format, struct mi_bytes text, struct mi_bytes pieces[MAX_PIECES],
                    struct mi_bytes *rest, size_t *literal)
{
    size_t format_len = strlen(format);
    bool is_open = format_len && format[format_len - 1] == ' ';
    const char *retry_format = NULL;
    size_t at = 0, retry_at = 0, count = 0, retry_count = 0, retry_literal = 0;
    *literal = 0;
    for (;;) {
        char kind = 0;
        unsigned position;
        const char *next = *format == '%' ? conversion(format, &kind, &position) : format + 1;
        bool fits = false;
        if (kind == 's' && count < MAX_PIECES) {
            retry_format = next;
            retry_at = at;
            retry_count = count;
            retry_literal = *literal;
            pieces[count++] = mi_bytes_sub(text, at, 0);
            format = next;
            continue;
        }
        if (!*format) {
            *rest = mi_bytes_sub(text, at, text.len);
            if (at == text.len || is_open)
                return true;
        } else if (kind && kind != '%' && count < MAX_PIECES) {
            size_t len = kind == 'c' ? at < text.len : count_digits(text, at);
            fits = len > 0;
            pieces[count++] = mi_bytes_sub(text, at, len);
            at += len;
        } else if (at < text.len && text.at[at] == (uint8_t)*format) {
            fits = true;
            (*literal)++;
            at++;
        }
        if (fits) {
            format = next;
            continue;
        }
        if (!retry_format || retry_at + pieces[retry_count].len >= text.len)
            return false;
        pieces[retry_count].len++;
        at = retry_at + pieces[retry_count].len;
        count = retry_count + 1;
        *literal = retry_literal;
        format = retry_format;
    }
}

/* A piece that is itself a message of several words ("a digit of the exponent") is translated too.
 */
static void put_piece(struct mi_sink *sink, enum mi_lang lang, struct mi_bytes piece)
{
    char text[128];
    if (piece.len < sizeof text && piece.len && memchr(piece.at, ' ', piece.len)) {
        memcpy(text, piece.at, piece.len);
        text[piece.len] = 0;
        const char *translated = mi_tr(lang, text);
        if (translated != text) {
            mi_sink_text(sink, translated);
            return;
        }
    }
    mi_utf8_show(sink, piece, 0);
}

static void put_format(struct mi_sink *sink, enum mi_lang lang, const char *format,
                       const struct mi_bytes pieces[MAX_PIECES])
{
    unsigned next_piece = 0;
    while (*format) {
        char kind = 0;
        unsigned position = 0;
        if (*format != '%') {
            mi_sink_byte(sink, (uint8_t)*format++);
            continue;
        }
        format = conversion(format, &kind, &position);
        unsigned which = position ? position - 1 : next_piece++;
        if (kind == '%')
            mi_sink_byte(sink, '%');
        else if (which < MAX_PIECES)
            put_piece(sink, lang, pieces[which]);
    }
}

void mi_text_message(struct mi_sink *sink, enum mi_lang lang, struct mi_bytes message)
{
    struct mi_bytes pieces[MAX_PIECES] = {{0}}, best_pieces[MAX_PIECES] = {{0}};
    struct mi_bytes rest = {0}, best_rest = {0};
    const char *msgid, *text, *best = NULL;
    size_t best_literal = LEAST_LITERAL - 1;
    for (uint32_t i = 0; mi_tr_entry(lang, i, &msgid, &text); i++) {
        size_t literal = 0;
        if (*msgid && *text && matches(msgid, message, pieces, &rest, &literal) &&
            literal > best_literal) {
            best = text;
            best_literal = literal;
            best_rest = rest;
            memcpy(best_pieces, pieces, sizeof pieces);
        }
    }
    if (best) {
        put_format(sink, lang, best, best_pieces);
        mi_utf8_show(sink, best_rest, 0);
    } else {
        mi_utf8_show(sink, message, 0);
    }
}

/* A sentence of ours with one number in place of "%llu". */
static void put_place(struct mi_sink *sink, const char *format, uint64_t number)
{
    const char *at = strchr(format, '%');
    if (!at)
        return;
    mi_sink_write(sink, (struct mi_bytes){(const uint8_t *)format, (size_t)(at - format)});
    mi_sink_u64(sink, number);
    mi_sink_text(sink, at + 2);
}

void mi_text_error(struct mi_sink *sink, enum mi_lang lang, const struct mi_error *err)
{
    if (err->input[0]) {
        mi_utf8_show(sink, mi_cstr(err->input), 0);
        if (err->line)
            put_place(sink, mi_tr(lang, N_(", line %1")), err->line);
        if (err->offset != MI_NO_OFFSET)
            put_place(sink, mi_tr(lang, N_(", byte %1")), err->offset);
        mi_sink_text(sink, ": ");
    }
    mi_text_message(sink, lang, mi_cstr(err->text));
}
