/* Protobuf text format: a pull scanner (GE dumps, pbtxt, prototxt). Nothing is copied; tokens of
 * any length are fine.
 *
 *   struct mi_pbt t;
 *   mi_pbt_init(&t, bytes, err);
 *   while (mi_pbt_next(&t)) {
 *       if (mi_pbt_named(&t, "op") && mi_pbt_enter(&t)) {
 *           while (mi_pbt_next(&t)) { ... }         (ends behind the closing bracket)
 *       }
 *   }
 *   if (err->code) ...
 *
 * mi_pbt_next() steps to the next field of the message that is open. A message value that is not
 * entered is skipped; in skipped values only strings, comments and the nesting of brackets are
 * looked at. `name: [a, b]` arrives as one field per element, with `is_list` set, as it means the
 * same as repeating the field. Adjacent strings are one value.
 *
 * Errors are sticky through `err`: once it is set mi_pbt_next() and mi_pbt_enter() return false.
 * They carry offset and line. Input that ends inside a message, list, string or before a value is
 * MI_ETRUNCATED; what was delivered before stands.
 *
 * Accepted beyond the schema-less grammar: BOM, CRLF, `;` and `,` between fields, <> for {}, field
 * numbers and [extension.names] as names. */
#ifndef MI_BASE_PB_TEXT_H
#define MI_BASE_PB_TEXT_H

#include "base/bytes.h"
#include "base/error.h"

#define MI_PBT_MAX_DEPTH 256

enum mi_pbt_kind {
    MI_PBT_MESSAGE, /* mi_pbt_enter() */
    MI_PBT_STRING,  /* mi_pbt_text(), mi_pbt_decode() */
    MI_PBT_NUMBER,  /* raw: digits with sign, as written */
    MI_PBT_WORD     /* raw: true, DT_FLOAT, inf, -inf, nan */
};

struct mi_pbt {
    struct mi_bytes name;  /* of the current field, as written; [a.b] without its brackets */
    enum mi_pbt_kind kind; /* of its value */
    struct mi_bytes
        raw;         /* scalar as written; strings: from the first to the last quote, inclusive */
    bool is_list;    /* an element of [ ] */
    bool has_escape; /* STRING: not simply the bytes between one pair of quotes */
    uint32_t depth;  /* messages that are open; 0 at the top */

    const uint8_t *at, *end, *start;
    struct mi_error *err; /* borrowed, never NULL */
    bool has_value;       /* a message stands at `at` that was neither entered nor skipped */
    bool in_list;         /* between the elements of a list */
    uint8_t closers[MI_PBT_MAX_DEPTH];       /* '}' or '>' per open message */
    uint8_t in_lists[MI_PBT_MAX_DEPTH];      /* whether that message is a list element */
    struct mi_bytes names[MI_PBT_MAX_DEPTH]; /* field name of that message */
};

/* `bytes` and `err` must outlive the scanner. */
void mi_pbt_init(struct mi_pbt *t, struct mi_bytes bytes, struct mi_error *err);

/* Steps to the next field of the open message. False at its end (which is then closed) or after an
 * error. After the end of an entered message `name` is that message's again. */
bool mi_pbt_next(struct mi_pbt *t);

/* Opens the current field's message. A scalar is MI_EFORMAT. */
bool mi_pbt_enter(struct mi_pbt *t);

/* Skips what is left of the open message and closes it. */
bool mi_pbt_leave(struct mi_pbt *t);

static inline bool mi_pbt_named(const struct mi_pbt *t, const char *name)
{
    return t->name.len == strlen(name) && memcmp(t->name.at, name, t->name.len) == 0;
}

/* Offset of the current field's name. */
static inline uint64_t mi_pbt_offset(const struct mi_pbt *t)
{
    return (uint64_t)(t->name.at - t->start);
}

/* 1-based line of the current field, counted from the start: for error messages only. */
uint32_t mi_pbt_line(const struct mi_pbt *t);

/* STRING without escapes (`has_escape` false): its bytes, borrowed from the input. */
static inline struct mi_bytes mi_pbt_text(const struct mi_pbt *t)
{
    return (struct mi_bytes){t->raw.at + 1, t->raw.len - 2};
}

/* STRING: decodes into into[raw.len], which always suffices. A bad escape is MI_EFORMAT. */
bool mi_pbt_decode(const struct mi_pbt *t, uint8_t *into, size_t *len);

/* The current scalar as a number or boolean; false without an error if it is none or out of range.
 * Integers: decimal, octal, hexadecimal. Doubles: also integers, inf, nan, a trailing f. Booleans:
 * true, false, t, f, True, False, 1, 0. */
bool mi_pbt_i64(const struct mi_pbt *t, int64_t *value);
bool mi_pbt_u64(const struct mi_pbt *t, uint64_t *value);
bool mi_pbt_double(const struct mi_pbt *t, double *value);
bool mi_pbt_bool(const struct mi_pbt *t, bool *value);

#endif
