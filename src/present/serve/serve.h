/* The web page and its API over one session.
 *
 * Read-only: GET and HEAD, and POST where an input is too long for an address. Requests name ids,
 * never paths. The server keeps nothing per client, so reloads and any number of tabs work.
 *
 * Who may ask: by default only this machine, under a name of this machine (so that a foreign name
 * that was pointed at 127.0.0.1 is refused), and pages of this server (a POST with another origin
 * is refused). On other addresses a random token is wanted too. */
#ifndef MI_PRESENT_SERVE_SERVE_H
#define MI_PRESENT_SERVE_SERVE_H

#include "pipeline/session.h"

struct mi_serve_options {
    const char *address; /* numeric; NULL = 127.0.0.1 */
    uint16_t port;       /* 0 = any that is free */
    unsigned threads;    /* 0 = 4 */
    unsigned timeout_s;  /* silence on a connection; 0 = 15 */
};

/* What is shown. All of it is left alone and must stay until mi_serve_stop(). */
struct mi_serve_show {
    const struct mi_session *session;
    const struct mi_session *base; /* what the session is compared with; NULL: with nothing */
    const char *base_name;         /* what the base is called, and ... */
    const char *name;              /* ... the session, where there is a base */
};

struct mi_server;

/* Opens the door: from now on the page can be had, while its questions wait for mi_serve_show().
 * Fails with MI_EIO if the address cannot be had. Threads of its own; callable from any thread. */
struct mi_server *mi_serve_start(const struct mi_serve_options *options, struct mi_error *err);

/* How far the reading is, for those who wait; as mi_session_options.progress has it. Any thread. */
void mi_serve_reading(struct mi_server *server, const char *stage, uint64_t done_bytes,
                      uint64_t total_bytes);

/* Gives questions something to be answered from; once. */
bool mi_serve_show(struct mi_server *server, const struct mi_serve_show *show,
                   struct mi_error *err);

/* Lets requests that are being answered finish; those that wait are told that the server ends.
 * NULL is fine. */
void mi_serve_stop(struct mi_server *server);

/* "http://127.0.0.1:41234/", with the token where one is wanted. Borrowed until the stop. */
const char *mi_serve_url(const struct mi_server *server);

#endif
