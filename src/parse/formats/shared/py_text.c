/* Python-like lines: lists, names, literals. */
#include "parse/formats/shared/py_text.h"

#include "base/decimal.h"

static bool is_blank(uint8_t byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static bool is_digit(uint8_t byte)
{
    return byte >= '0' && byte <= '9';
}

/* Bytes beyond ASCII count as letters: names may be in any script. */
static bool is_letter(uint8_t byte)
{
    return (byte | 0x20) >= 'a' && ((byte | 0x20) <= 'z' || byte >= 0x80);
}

struct mi_bytes mi_py_trim(struct mi_bytes text)
{
    while (text.len && is_blank(text.at[0]))
        text = mi_bytes_sub(text, 1, text.len);
    while (text.len && is_blank(text.at[text.len - 1]))
        text.len--;
    return text;
}

bool mi_py_line(struct mi_bytes *rest, struct mi_bytes *line)
{
    if (rest->len == 0)
        return false;
    const uint8_t *end = memchr(rest->at, '\n', rest->len);
    size_t len = end ? (size_t)(end - rest->at) : rest->len;
    *line = mi_bytes_sub(*rest, 0, len);
    *rest = mi_bytes_sub(*rest, len + 1, rest->len);
    return true;
}

size_t mi_py_name(struct mi_bytes text)
{
    size_t len = 0;
    while (len < text.len &&
           (is_letter(text.at[len]) || text.at[len] == '_' || (len > 0 && is_digit(text.at[len]))))
        len++;
    return len;
}

size_t mi_py_string(struct mi_bytes text, size_t at)
{
    uint8_t quote = text.at[at++];
    while (at < text.len && text.at[at] != quote)
        at += text.at[at] == '\\' ? 2 : 1;
    return at < text.len ? at + 1 : text.len;
}

size_t mi_py_find(struct mi_bytes text, size_t from, uint8_t byte)
{
    size_t depth = 0;
    for (size_t i = from; i < text.len;) {
        uint8_t c = text.at[i];
        if (depth == 0 && (c == byte || c == ')' || c == ']' || c == '}'))
            return i;
        if (c == '"' || c == '\'') {
            i = mi_py_string(text, i);
            continue;
        }
        if (c == '(' || c == '[' || c == '{')
            depth++;
        if (c == ')' || c == ']' || c == '}')
            depth--;
        i++;
    }
    return text.len;
}

size_t mi_py_close(struct mi_bytes text, size_t open)
{
    return mi_py_find(text, open + 1, ')');
}

bool mi_py_part(struct mi_bytes *rest, struct mi_bytes *part)
{
    if (mi_py_trim(*rest).len == 0)
        return false;
    size_t len = mi_py_find(*rest, 0, ',');
    *part = mi_py_trim(mi_bytes_sub(*rest, 0, len));
    *rest = mi_bytes_sub(*rest, len + 1, rest->len);
    return true;
}

struct mi_bytes mi_py_inside(struct mi_bytes text)
{
    bool is_listed = text.len >= 2 &&
                     (text.at[0] == '[' || text.at[0] == '(' || text.at[0] == '{') &&
                     mi_py_close(text, 0) == text.len - 1;
    return is_listed ? mi_bytes_sub(text, 1, text.len - 2) : (struct mi_bytes){text.at, 0};
}

struct mi_bytes mi_py_unquoted(struct mi_bytes text)
{
    bool is_quoted = text.len >= 2 && (text.at[0] == '"' || text.at[0] == '\'') &&
                     mi_py_string(text, 0) == text.len && text.at[text.len - 1] == text.at[0];
    return is_quoted ? mi_bytes_sub(text, 1, text.len - 2) : (struct mi_bytes){text.at, 0};
}

struct mi_bytes mi_py_key(struct mi_bytes *part, uint8_t mark)
{
    size_t len = mi_py_name(*part);
    if (len == 0 || len + 1 >= part->len || part->at[len] != mark ||
        (mark == '=' && part->at[len + 1] == '='))
        return (struct mi_bytes){part->at, 0};
    struct mi_bytes key = mi_bytes_sub(*part, 0, len);
    *part = mi_py_trim(mi_bytes_sub(*part, len + 1, part->len));
    return key;
}

bool mi_py_int(struct mi_bytes text, int64_t *value)
{
    text = mi_py_trim(text);
    return text.len && mi_decimal_i64(text, value) == 0;
}

/* --- literals as attributes --- */

static mi_item_id add_text(struct mi_batch *out, struct mi_bytes text)
{
    return mi_add_item(out, &(struct mi_item_row){.text = mi_batch_str(out, text)});
}

/* "[1, 2]" or "(1, 2)" or "{1, 2}": adds the items; false and nothing added if it is no list of
 * whole numbers. */
static bool add_ints(struct mi_batch *out, struct mi_bytes literal)
{
    struct mi_bytes inner = mi_py_inside(literal), rest = inner, part;
    int64_t value;
    if (inner.at == literal.at)
        return false;
    while (mi_py_part(&rest, &part))
        if (!mi_py_int(part, &value))
            return false;
    rest = inner;
    while (mi_py_part(&rest, &part)) {
        mi_py_int(part, &value);
        mi_add_item(out, &(struct mi_item_row){.int_value = value});
    }
    return true;
}

static enum mi_attr_kind add_literal(struct mi_batch *out, struct mi_bytes literal)
{
    struct mi_item_row item = {0};
    bool is_true =
        mi_bytes_equal(literal, MI_LIT("True")) || mi_bytes_equal(literal, MI_LIT("true"));
    if (is_true || mi_bytes_equal(literal, MI_LIT("False")) ||
        mi_bytes_equal(literal, MI_LIT("false"))) {
        item.int_value = is_true;
        mi_add_item(out, &item);
        return MI_ATTR_BOOL;
    }
    if (mi_py_int(literal, &item.int_value)) {
        mi_add_item(out, &item);
        return MI_ATTR_INT;
    }
    if (literal.len && !(mi_decimal_double(literal, &item.real_value) & MI_DECIMAL_BAD)) {
        item.int_value = 0;
        mi_add_item(out, &item);
        return MI_ATTR_FLOAT;
    }
    struct mi_bytes quoted = mi_py_unquoted(literal);
    if (quoted.at != literal.at) {
        add_text(out, quoted);
        return MI_ATTR_STRING;
    }
    if (add_ints(out, literal))
        return MI_ATTR_INTS;
    add_text(out, literal);
    return MI_ATTR_OPAQUE;
}

void mi_py_attr(struct mi_batch *out, mi_str_id name, struct mi_bytes literal)
{
    uint32_t first = mi_next_row(out, items);
    enum mi_attr_kind kind = add_literal(out, mi_py_trim(literal));
    mi_add_attr(out, &(struct mi_attr_row){.name = name,
                                           .kind = (uint8_t)kind,
                                           .first_item = first,
                                           .item_count = mi_next_row(out, items) - first});
}
