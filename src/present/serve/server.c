/* The door: libmicrohttpd in front, routes behind. Everything that a stranger may send is refused
 * here, before any route sees it. */
#include "present/serve/http.h"

#include "base/gzip.h"
#include "base/hash.h"
#include "base/mem.h"
#include "present/serve/mhd.h"
#include "present/serve/serve.h"
#include "present/serve/site.h"
#include "present/serve/waiting.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

enum {
    THREADS = 4,
    TIMEOUT_S = 15,
    MOST_CONNECTIONS = 256,
    MOST_PER_CLIENT = 128, /* browsers open a handful per tab */
    TOKEN_BYTES = 16,
    MOST_PATH = 512
};

#define GZIP_FROM ((size_t)64 << 10)

struct mi_server {
    struct MHD_Daemon *daemon;
    struct mi_waiting waiting;
    struct mi_site *site; /* NULL until waiting is over, and after it if nothing came of it */
    char host[80];        /* "127.0.0.1:41234" */
    char url[160];
    char token[2 * TOKEN_BYTES + 1]; /* "" = none wanted */
    uint16_t port;
    bool is_loopback;
};

/* One request while its body comes in, and while it waits. */
struct coming {
    struct mi_held held;
    uint8_t *body;
    size_t len, room;
    bool is_too_large;
};

/* --- headers of every reply --- */

static const char *const policies[][2] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
     "connect-src 'self'; worker-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; "
     "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
};

static const char *header_of(struct MHD_Connection *connection, const char *name)
{
    return mi_mhd()->lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/* --- who asks --- */

static bool is_name_of_ours(const struct mi_server *server, const char *host)
{
    static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
    char name[96];
    if (strcmp(host, server->host) == 0)
        return true;
    for (size_t i = 0; server->is_loopback && i < sizeof names / sizeof *names; i++) {
        snprintf(name, sizeof name, "%s:%u", names[i], server->port);
        if (strcmp(host, name) == 0)
            return true;
    }
    return false;
}

/* Equal in a time that does not tell where they differ. */
static bool same_token(const char *a, const char *b)
{
    unsigned difference = strlen(a) != strlen(b);
    for (size_t i = 0; !difference && b[i]; i++)
        difference |= (unsigned char)a[i] ^ (unsigned char)b[i];
    return !difference;
}

static bool has_token(const struct mi_server *server, struct MHD_Connection *connection)
{
    const char *query =
        mi_mhd()->lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "token");
    const char *cookie = mi_mhd()->lookup_connection_value(connection, MHD_COOKIE_KIND, "mi_token");
    return !server->token[0] || (query && same_token(query, server->token)) ||
           (cookie && same_token(cookie, server->token));
}

/* Why the request is refused; NULL if it is not. */
static const char *refusal(const struct mi_server *server, struct MHD_Connection *connection,
                           unsigned *status)
{
    const char *host = header_of(connection, "Host"), *origin = header_of(connection, "Origin");
    *status = 403;
    if (!host || !is_name_of_ours(server, host)) {
        *status = 421;
        return "this server does not answer under that name";
    }
    if (origin && (strncmp(origin, "http://", 7) != 0 || !is_name_of_ours(server, origin + 7)))
        return "requests of other pages are refused";
    if (!has_token(server, connection))
        return "the address lacks its token";
    return NULL;
}

/* --- replies --- */

static bool accepts_gzip(struct MHD_Connection *connection)
{
    const char *list = header_of(connection, "Accept-Encoding");
    return list && strstr(list, "gzip");
}

/* What is built in is compressed; a client that cannot read that gets it unpacked. */
static void unpack_fixed(struct mi_reply *reply)
{
    struct mi_error err = MI_ERROR_INIT;
    if (!mi_gzip_unpack(&reply->body, reply->fixed, &err)) {
        mi_reply_failure(reply, &err);
        return;
    }
    reply->fixed = (struct mi_bytes){0};
    reply->is_gzip = false;
}

static void pack_body(struct mi_reply *reply)
{
    struct mi_sink packed;
    mi_sink_init_memory(&packed);
    if (mi_gzip_pack(&packed, mi_sink_bytes(&reply->body), MI_GZIP_FAST, NULL)) {
        struct mi_sink plain = reply->body;
        reply->body = packed;
        packed = plain;
        reply->is_gzip = true;
    }
    mi_sink_fini(&packed);
}

static void add_headers(const struct mi_server *server, struct MHD_Response *response,
                        const struct mi_reply *reply, const char *etag)
{
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++)
        mi_mhd()->add_response_header(response, policies[i][0], policies[i][1]);
    mi_mhd()->add_response_header(response, "Content-Type", reply->media);
    mi_mhd()->add_response_header(response, "ETag", etag);
    mi_mhd()->add_response_header(response, "Cache-Control",
                                  reply->is_immutable ? "max-age=31536000, immutable" : "no-cache");
    mi_mhd()->add_response_header(response, "Vary", "Accept-Encoding");
    if (reply->is_gzip)
        mi_mhd()->add_response_header(response, "Content-Encoding", "gzip");
    if (server->token[0]) {
        char cookie[sizeof server->token + 64];
        snprintf(cookie, sizeof cookie, "mi_token=%s; HttpOnly; SameSite=Strict; Path=/",
                 server->token);
        mi_mhd()->add_response_header(response, "Set-Cookie", cookie);
    }
}

static bool is_cached(struct MHD_Connection *connection, const char *etag)
{
    const char *known = header_of(connection, "If-None-Match");
    return known && strstr(known, etag);
}

static enum MHD_Result send_reply(const struct mi_server *server, struct MHD_Connection *connection,
                                  struct mi_reply *reply)
{
    char own_etag[MI_HASH64_HEX + 2];
    const union MHD_ConnectionInfo *peer =
        mi_mhd()->get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    if (mi_sink_failed(&reply->body))
        mi_reply_error(reply, 500, "no_memory", "out of memory");
    if (reply->is_gzip && !accepts_gzip(connection))
        unpack_fixed(reply);
    struct mi_bytes bytes = reply->fixed.len ? reply->fixed : mi_sink_bytes(&reply->body);
    const char *etag = reply->etag;
    if (!etag) {
        char hex[MI_HASH64_HEX];
        mi_hash64_hex(mi_hash64(bytes), hex);
        snprintf(own_etag, sizeof own_etag, "\"%s\"", hex);
        etag = own_etag;
    }
    bool is_same = reply->status == 200 && is_cached(connection, etag);
    if (!is_same && !server->is_loopback && peer && !reply->fixed.len && bytes.len > GZIP_FROM &&
        accepts_gzip(connection)) {
        pack_body(reply);
        bytes = mi_sink_bytes(&reply->body);
    }
    struct MHD_Response *response = mi_mhd()->create_response_from_buffer(
        is_same ? 0 : bytes.len, is_same ? NULL : (void *)(uintptr_t)bytes.at,
        MHD_RESPMEM_MUST_COPY);
    if (!response)
        return MHD_NO;
    add_headers(server, response, reply, etag);
    enum MHD_Result result =
        mi_mhd()->queue_response(connection, is_same ? 304 : reply->status, response);
    mi_mhd()->destroy_response(response);
    return result;
}

/* --- requests --- */

static const char *query_of(const struct mi_request *request, const char *name)
{
    return mi_mhd()->lookup_connection_value(request->transport, MHD_GET_ARGUMENT_KIND, name);
}

/* --- the library's side --- */

static void take_body(struct coming *coming, const char *data, size_t size)
{
    if (coming->is_too_large || coming->len + size > MI_HTTP_MOST_BODY) {
        coming->is_too_large = true;
        return;
    }
    if (coming->len + size > coming->room) {
        size_t room = coming->room ? coming->room * 2 : 4096;
        while (room < coming->len + size)
            room *= 2;
        uint8_t *bigger = mi_mem_resize(coming->body, room, 1);
        if (!bigger) {
            coming->is_too_large = true;
            return;
        }
        coming->body = bigger;
        coming->room = room;
    }
    memcpy(coming->body + coming->len, data, size);
    coming->len += size;
}

static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *data,
                                  size_t *data_size, void **state)
{
    struct mi_server *server = context;
    struct coming *coming = *state;
    (void)version;
    if (!coming) { /* the head is there, the body is not */
        *state = mi_mem_zero(1, sizeof *coming);
        return *state ? MHD_YES : MHD_NO;
    }
    if (*data_size) {
        take_body(coming, data, *data_size);
        *data_size = 0;
        return MHD_YES;
    }
    unsigned status;
    const char *why = refusal(server, connection, &status);
    bool is_question = !why && !coming->is_too_large && mi_is_question(url);
    if (is_question && mi_waiting_hold(&server->waiting, connection, &coming->held))
        return MHD_YES;
    struct mi_reply reply = {.status = 200, .media = "application/json"};
    struct mi_request request = {.is_post = strcmp(method, "POST") == 0,
                                 .path = url,
                                 .body = {coming->body, coming->len},
                                 .query = query_of,
                                 .transport = connection};
    mi_sink_init_memory(&reply.body);
    if (why)
        mi_reply_error(&reply, status, "refused", why);
    else if (coming->is_too_large)
        mi_reply_error(&reply, 413, "limit", "the request is too large");
    else if (strlen(url) > MOST_PATH)
        mi_reply_error(&reply, 414, "limit", "the address is too long");
    else if (strcmp(url, MI_READING_PATH) == 0 && !request.is_post)
        mi_waiting_reply(&server->waiting, &reply);
    else if (is_question && !server->site)
        mi_reply_error(&reply, 503, "cancelled", "the server ends");
    else
        mi_answer(server->site, &request, method, &reply);
    enum MHD_Result result = send_reply(server, connection, &reply);
    mi_sink_fini(&reply.body);
    return result;
}

static void on_end(void *context, struct MHD_Connection *connection, void **state,
                   enum MHD_RequestTerminationCode code)
{
    struct coming *coming = *state;
    (void)context, (void)connection, (void)code;
    if (coming)
        mi_mem_free(coming->body);
    mi_mem_free(coming);
    *state = NULL;
}

/* --- start and stop --- */

static bool parse_address(const char *text, uint16_t port, struct sockaddr_storage *address,
                          bool *is_loopback, bool *is_v6)
{
    struct sockaddr_in *v4 = (struct sockaddr_in *)address;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)address;
    memset(address, 0, sizeof *address);
    *is_v6 = false;
    if (inet_pton(AF_INET, text, &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons(port);
        *is_loopback = ntohl(v4->sin_addr.s_addr) >> 24 == 127;
        return true;
    }
    memset(address, 0, sizeof *address);
    if (inet_pton(AF_INET6, text, &v6->sin6_addr) != 1)
        return false;
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(port);
    *is_loopback = IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
    return *is_v6 = true;
}

static bool make_token(char *token)
{
    uint8_t bytes[TOKEN_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return false;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

static bool listen_at(struct mi_server *server, const struct mi_serve_options *options,
                      struct mi_error *err)
{
    const char *text = options->address ? options->address : "127.0.0.1";
    struct sockaddr_storage address;
    bool is_v6;
    if (!mi_mhd_load(err))
        return false;
    if (!parse_address(text, options->port, &address, &server->is_loopback, &is_v6))
        return mi_fail(err, MI_EUSAGE, "\"%.60s\" is no numeric address", text);
    if (!server->is_loopback && !make_token(server->token))
        return mi_fail(err, MI_EIO, "no random numbers for a token");
    server->daemon = mi_mhd()->start_daemon(
        MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD | MHD_ALLOW_SUSPEND_RESUME |
            (is_v6 ? MHD_USE_IPv6 : 0),
        options->port, NULL, NULL, on_request, server, MHD_OPTION_SOCK_ADDR,
        (struct sockaddr *)&address, MHD_OPTION_THREAD_POOL_SIZE,
        options->threads ? options->threads : THREADS, MHD_OPTION_CONNECTION_LIMIT,
        MOST_CONNECTIONS, MHD_OPTION_PER_IP_CONNECTION_LIMIT, MOST_PER_CLIENT,
        MHD_OPTION_CONNECTION_TIMEOUT, options->timeout_s ? options->timeout_s : TIMEOUT_S,
        MHD_OPTION_NOTIFY_COMPLETED, on_end, NULL, MHD_OPTION_END);
    if (!server->daemon)
        return mi_fail(err, MI_EIO, "cannot listen at %.60s, port %u", text, options->port);
    const union MHD_DaemonInfo *info =
        mi_mhd()->get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT);
    server->port = info ? info->port : options->port;
    snprintf(server->host, sizeof server->host, is_v6 ? "[%.60s]:%u" : "%.60s:%u", text,
             server->port);
    snprintf(server->url, sizeof server->url, "http://%s/%s%s", server->host,
             server->token[0] ? "?token=" : "", server->token);
    return true;
}

struct mi_server *mi_serve_start(const struct mi_serve_options *options, struct mi_error *err)
{
    struct mi_server *server = mi_mem_zero(1, sizeof *server);
    if (!server) {
        mi_fail(err, MI_ENOMEM, "out of memory");
        return NULL;
    }
    mi_waiting_init(&server->waiting);
    if (!listen_at(server, options, err)) {
        mi_serve_stop(server);
        return NULL;
    }
    return server;
}

void mi_serve_reading(struct mi_server *server, const char *stage, uint64_t done_bytes,
                      uint64_t total_bytes)
{
    mi_waiting_tell(&server->waiting, stage, done_bytes, total_bytes);
}

/* The page draws the graph first; meanwhile its next question can be prepared. */
static void make_timeline(struct mi_site *site)
{
    static const struct mi_time_filter everything;
    struct mi_error ignored = MI_ERROR_INIT; /* whoever asks is told */
    const struct mi_lod *lod = mi_site_lod(site, &everything, &ignored);
    if (lod)
        mi_site_lod_done(site, lod);
}

bool mi_serve_show(struct mi_server *server, const struct mi_serve_show *show, struct mi_error *err)
{
    const struct mi_bytes names[] = {mi_cstr(show->base_name), mi_cstr(show->name)};
    struct mi_site *site = mi_site_new(mi_session_model(show->session), err);
    if (!site ||
        (show->base && !mi_site_set_base(site, mi_session_model(show->base), names, err))) {
        mi_site_free(site);
        return false;
    }
    server->site = site;
    mi_waiting_end(&server->waiting);
    make_timeline(site);
    return true;
}

void mi_serve_stop(struct mi_server *server)
{
    if (!server)
        return;
    mi_waiting_end(&server->waiting);
    if (server->daemon)
        mi_mhd()->stop_daemon(server->daemon);
    mi_waiting_fini(&server->waiting);
    mi_site_free(server->site);
    mi_mem_free(server);
}

const char *mi_serve_url(const struct mi_server *server)
{
    return server->url;
}
