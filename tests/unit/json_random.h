/* Random JSON documents for tests, and random damage to them. */
#ifndef MI_TESTS_JSON_RANDOM_H
#define MI_TESTS_JSON_RANDOM_H

#include <stdbool.h>
#include <string.h>

#include "rng.h"

#define JSON_RANDOM_ROOM 4096

struct json_random {
    uint64_t rng;
    size_t len;
    char text[JSON_RANDOM_ROOM];
};

static inline void json_random_put(struct json_random *doc, const char *text)
{
    size_t len = strlen(text);
    if (doc->len + len < sizeof doc->text) {
        memcpy(doc->text + doc->len, text, len + 1);
        doc->len += len;
    }
}

static inline void json_random_blank(struct json_random *doc)
{
    static const char *const blanks[] = {
        "", "", "", "", " ", "\n", "\t \r\n", "                                   "};
    json_random_put(doc, blanks[rng_below(&doc->rng, 8)]);
}

static inline void json_random_string(struct json_random *doc)
{
    static const char *const parts[] = {"a",       "name",     "kernel_time",
                                        "\\n",     "\\\"",     "\\\\",
                                        "\\u00e9", "\xc3\xa9", "\\ud83d\\ude00",
                                        "/",       "\\u0041",  "0123456789abcdef0123456789",
                                        "{",       "]",        ",",
                                        ":"};
    json_random_put(doc, "\"");
    for (size_t n = rng_below(&doc->rng, 6); n; n--)
        json_random_put(doc, parts[rng_below(&doc->rng, 16)]);
    json_random_put(doc, "\"");
}

static inline void json_random_scalar(struct json_random *doc)
{
    static const char *const values[] = {"0",     "-1",   "12345", "1736412474723783.388",
                                         "1e5",   "-0.5", "1E-3",  "true",
                                         "false", "null", "[]",    "{}"};
    if (rng_below(&doc->rng, 2))
        json_random_string(doc);
    else
        json_random_put(doc, values[rng_below(&doc->rng, 12)]);
}

/* One container with members, a few levels deep; closes all it opens as long as there is room. */
static inline void json_random_make(struct json_random *doc)
{
    char closers[8];
    size_t depth = 0;
    bool first = true;
    doc->len = 0;
    for (size_t steps = 4 + rng_below(&doc->rng, 30); steps || depth; steps -= steps > 0) {
        bool close = depth && (!steps || rng_below(&doc->rng, 5) == 0);
        json_random_blank(doc);
        if (close) {
            char closer[2] = {closers[--depth], 0};
            json_random_put(doc, closer);
            first = false;
            if (!depth)
                return;
            continue;
        }
        if (depth && !first)
            json_random_put(doc, ",");
        json_random_blank(doc);
        if (depth && closers[depth - 1] == '}') {
            json_random_string(doc);
            json_random_blank(doc);
            json_random_put(doc, ":");
            json_random_blank(doc);
        }
        if (!depth || (depth < 7 && rng_below(&doc->rng, 4) == 0)) {
            bool object = rng_below(&doc->rng, 2);
            json_random_put(doc, object ? "{" : "[");
            closers[depth++] = object ? '}' : ']';
            first = true;
        } else {
            json_random_scalar(doc);
            first = false;
        }
    }
}

/* Replaces, removes or adds a byte that matters to JSON. */
static inline void json_random_damage(struct json_random *doc)
{
    static const char bytes[] = "{}[]:,\"\\ \n\t0123456789.-+eEtrufalsn\x01\x7f/b";
    if (doc->len < 2)
        return;
    size_t at = rng_below(&doc->rng, doc->len);
    char byte = bytes[rng_below(&doc->rng, sizeof bytes - 1)];
    switch (rng_below(&doc->rng, 4)) {
    case 0:
        memmove(doc->text + at, doc->text + at + 1, doc->len - at);
        doc->len--;
        break;
    case 1:
        if (doc->len + 1 < sizeof doc->text) {
            memmove(doc->text + at + 1, doc->text + at, doc->len - at);
            doc->text[at] = byte;
            doc->len++;
        }
        break;
    case 2:
        doc->len = at ? at : 1;
        break;
    default:
        doc->text[at] = byte;
    }
}

#endif
