/* libmicrohttpd, loaded by whoever serves and by nobody else: with it come GnuTLS and ten libraries
 * more, which every start of the program, and every program that embeds ours, would have to wait
 * for. What it declares is known when this is built; its functions are members here. */
#ifndef MI_PRESENT_SERVE_MHD_H
#define MI_PRESENT_SERVE_MHD_H

#include "base/error.h"

#include <microhttpd.h>

#define MI_MHD_FUNCTIONS(X)                                                                        \
    X(add_response_header)                                                                         \
    X(create_response_from_buffer)                                                                 \
    X(destroy_response)                                                                            \
    X(get_connection_info)                                                                         \
    X(get_daemon_info)                                                                             \
    X(lookup_connection_value)                                                                     \
    X(queue_response)                                                                              \
    X(resume_connection)                                                                           \
    X(start_daemon)                                                                                \
    X(stop_daemon)                                                                                 \
    X(suspend_connection)

struct mi_mhd {
#define MI_MHD_MEMBER(name) __typeof__(MHD_##name) *name;
    MI_MHD_FUNCTIONS(MI_MHD_MEMBER)
#undef MI_MHD_MEMBER
};

/* Loads it if it is not loaded yet; it then stays. False with MI_ENOTFOUND and what to install. Any
 * thread. */
bool mi_mhd_load(struct mi_error *err);

/* The functions; only after mi_mhd_load() was true. */
const struct mi_mhd *mi_mhd(void);

#endif
