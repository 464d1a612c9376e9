/* What answers in the page of a one-file report: the same routes over a snapshot, compiled to
 * WebAssembly. Not part of the program; cmake/MiWasm.cmake builds it.
 *
 * The page asks for room with mi_core_room(), writes into it, and calls
 *
 *   mi_core_open(bytes, length)              a snapshot, once; 0, or the status of a failure
 *   mi_core_compare(bytes, length, names)   another snapshot, the base, after that; `names` of the
 * base and of the first, each ending with NUL; as above mi_core_ask(text, length, body_length)   a
 * request: "GET path?query" or "POST path", NUL, then the body; the status of the reply, as of HTTP
 *
 * and reads the reply (after a failed opening: what failed) between mi_core_reply() and that +
 * mi_core_reply_length(). Room that was asked for belongs to the page until it is given back; that
 * of snapshots and their names never is. */
#include "base/mem.h"
#include "model/snapshot.h"
#include "present/serve/http.h"
#include "present/serve/site.h"

#include <string.h>

#ifdef __wasm__
#define EXPORT(name) __attribute__((export_name(#name))) name
#else /* its test */
#define EXPORT(name) name
#endif

uint8_t *EXPORT(mi_core_room)(size_t bytes);
void EXPORT(mi_core_give_back)(uint8_t *room);
unsigned EXPORT(mi_core_open)(const uint8_t *bytes, size_t len);
unsigned EXPORT(mi_core_compare)(const uint8_t *bytes, size_t len, const char *names);
unsigned EXPORT(mi_core_ask)(char *text, size_t len, size_t body_len);
const uint8_t *EXPORT(mi_core_reply)(void);
size_t EXPORT(mi_core_reply_length)(void);

enum { MOST_QUERY = 16 };

/* One module, one page, one model, and another to compare it with. */
static struct mi_model model, base;
static struct mi_bytes side_names[2];
static struct mi_site *site;
static struct mi_reply reply = {.body = {.error = {.offset = MI_NO_OFFSET}, .fd = -1}};

/* The page itself is not inside. */
const struct mi_asset mi_assets[] = {{NULL, NULL, NULL, NULL, NULL, false}};

uint8_t *mi_core_room(size_t bytes)
{
    return mi_mem_new(bytes, 1);
}

void mi_core_give_back(uint8_t *room)
{
    mi_mem_free(room);
}

const uint8_t *mi_core_reply(void)
{
    return mi_sink_bytes(&reply.body).at;
}

size_t mi_core_reply_length(void)
{
    return mi_sink_bytes(&reply.body).len;
}

unsigned mi_core_open(const uint8_t *bytes, size_t len)
{
    struct mi_error err = MI_ERROR_INIT;
    if (mi_model_init(&model, &err) &&
        mi_snapshot_read(&model, (struct mi_bytes){bytes, len}, &err))
        site = mi_site_new(&model, &err);
    if (site)
        return 0;
    mi_model_fini(&model);
    mi_reply_failure(&reply, &err);
    return reply.status;
}

unsigned mi_core_compare(const uint8_t *bytes, size_t len, const char *names)
{
    struct mi_error err = MI_ERROR_INIT;
    side_names[0] = mi_cstr(names);
    side_names[1] = mi_cstr(names + side_names[0].len + 1);
    if (mi_model_init(&base, &err) &&
        mi_snapshot_read(&base, (struct mi_bytes){bytes, len}, &err) &&
        mi_site_set_base(site, &base, side_names, &err))
        return 0;
    mi_model_fini(&base);
    mi_reply_failure(&reply, &err);
    return reply.status;
}

/* --- queries: "name=value&name=value", %xx and + in them --- */

struct query {
    const char *name, *value;
};

static unsigned hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? (unsigned)(c - '0')
           : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
           : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                  : 16;
}

/* In place. */
static void decode(char *text)
{
    char *to = text;
    for (const char *at = text; *at; at++) {
        unsigned high = *at == '%' ? hex_digit(at[1]) : 16;
        unsigned low = high < 16 ? hex_digit(at[2]) : 16;
        if (low < 16) {
            *to++ = (char)(high << 4 | low);
            at += 2;
        } else {
            *to++ = *at == '+' ? ' ' : *at;
        }
    }
    *to = '\0';
}

/* Cuts the text apart; `list` ends with a NULL name. */
static void parse_query(char *text, struct query list[MOST_QUERY + 1])
{
    unsigned count = 0;
    while (text && *text && count < MOST_QUERY) {
        char *end = strchr(text, '&'), *next = end ? end + 1 : NULL;
        if (end)
            *end = '\0';
        char *equals = strchr(text, '=');
        if (equals)
            *equals = '\0';
        list[count] = (struct query){text, equals ? equals + 1 : text + strlen(text)};
        decode(text);
        if (equals)
            decode(equals + 1);
        count++;
        text = next;
    }
    list[count] = (struct query){NULL, NULL};
}

static const char *query_of(const struct mi_request *request, const char *name)
{
    for (const struct query *query = request->transport; query->name; query++)
        if (strcmp(query->name, name) == 0)
            return query->value;
    return NULL;
}

/* --- requests --- */

unsigned mi_core_ask(char *text, size_t len, size_t body_len)
{
    struct query queries[MOST_QUERY + 1];
    struct mi_request request = {.query = query_of, .transport = queries};
    char *path = memchr(text, ' ', len);
    mi_sink_clear(&reply.body);
    reply = (struct mi_reply){.status = 200, .media = "application/json", .body = reply.body};
    if (!site || !path || text[len]) {
        mi_reply_error(&reply, 400, "usage", "this is no request");
        return reply.status;
    }
    *path++ = '\0';
    char *query = strchr(path, '?');
    if (query)
        *query++ = '\0';
    parse_query(query, queries);
    request.is_post = strcmp(text, "POST") == 0;
    request.path = path;
    request.body = (struct mi_bytes){(const uint8_t *)text + len + 1, body_len};
    if (body_len > MI_HTTP_MOST_BODY)
        mi_reply_error(&reply, 413, "limit", "the request is too large");
    else
        mi_answer(site, &request, text, &reply);
    if (mi_sink_failed(&reply.body)) {
        mi_sink_fini(&reply.body);
        mi_sink_init_memory(&reply.body);
        mi_reply_error(&reply, 500, "no_memory", "out of memory");
    }
    return reply.status;
}
