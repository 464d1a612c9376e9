/* The routes, one function each; what they read and answer stands at each. Where a comparison is
 * served, `side=base` in the address of any request asks the base instead of the new side; ids are
 * those of the side. */
#ifndef MI_PRESENT_SERVE_ROUTES_H
#define MI_PRESENT_SERVE_ROUTES_H

#include "present/serve/http.h"

#define MI_API_ROOT "/api/v1/"

/* Everything else: each row is answered by mi_route_<name>. */
#define MI_ROUTES(GET, POST)                                                                       \
    GET(capture, "capture")                                                                        \
    GET(changes, "diff/changes")                                                                   \
    GET(partner, "diff/partner")                                                                   \
    GET(group, "group")                                                                            \
    GET(links, "links")                                                                            \
    GET(passes, "passes/")                                                                         \
    GET(search, "search")                                                                          \
    POST(outline, "outline")                                                                       \
    POST(busy, "busy")                                                                             \
    POST(counters, "counters")                                                                     \
    POST(flows, "flows")                                                                           \
    POST(joint_layout, "diff/layout")                                                              \
    POST(joint_outline, "diff/outline")                                                            \
    POST(layout, "layout")                                                                         \
    POST(overview, "overview")                                                                     \
    POST(places, "places")                                                                         \
    POST(slices, "slices")

#define MI_ROUTE(name, path) mi_route_fn mi_route_##name;
MI_ROUTES(MI_ROUTE, MI_ROUTE)
#undef MI_ROUTE

#endif
