/* Requests and replies as the routes see them, whoever carries them: the server (server.c) or the
 * page of a one-file report (present/offline/core.c). */
#ifndef MI_PRESENT_SERVE_HTTP_H
#define MI_PRESENT_SERVE_HTTP_H

#include "base/json_write.h"
#include "base/sink.h"

struct mi_site;

enum { MI_HTTP_MOST_BODY = 1 << 20 };

struct mi_request {
    bool is_post;
    const char *path;     /* decoded, "/api/v1/..." */
    struct mi_bytes body; /* of a POST */
    /* The value of a query parameter; NULL if it is not given. */
    const char *(*query)(const struct mi_request *request, const char *name);
    void *transport; /* for `query` */
};

struct mi_reply {
    unsigned status;       /* 200 unless a route sets another */
    const char *media;     /* "application/json" unless ... */
    struct mi_sink body;   /* in memory */
    struct mi_bytes fixed; /* instead of the body: bytes that outlive the server */
    bool is_gzip;          /* `fixed` is compressed */
    bool is_immutable;     /* its name changes with its content */
    const char *etag;      /* of `fixed`; others get one from their content */
};

/* Ends the reply with an error: {"error":{"code":..., "text":...}}. */
void mi_reply_error(struct mi_reply *reply, unsigned status, const char *code, const char *text);

/* The same from an error of the program: what was asked for wrongly, or not found. */
void mi_reply_failure(struct mi_reply *reply, const struct mi_error *err);

typedef void mi_route_fn(struct mi_site *site, const struct mi_request *request,
                         struct mi_reply *reply);

struct mi_route {
    const char *path; /* "/api/v1/passes/": with a slash at its end, everything below it */
    bool is_post;
    mi_route_fn *answer;
};

extern const struct mi_route mi_routes[]; /* ends with a NULL path */

/* Whether a route has the address, which then cannot be answered without a site. */
bool mi_is_question(const char *path);

/* Fills the reply, whose body is an empty sink in memory: by the route or the file of the page that
 * has the address, else with an error. `method` is that of HTTP. `site` may be NULL unless the
 * request is a question. */
void mi_answer(struct mi_site *site, const struct mi_request *request, const char *method,
               struct mi_reply *reply);

/* A number in a query or a path: digits only. False if it is not given or not one. */
bool mi_http_number(const char *text, int64_t *number);

/* What stands in the path behind the route's own; "" if nothing. */
const char *mi_http_rest(const struct mi_request *request, const char *route_path);

#endif
