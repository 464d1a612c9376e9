#include "present/serve/routes.h"

#define MI_GET(name, path)  {MI_API_ROOT path, false, mi_route_##name},
#define MI_POST(name, path) {MI_API_ROOT path, true, mi_route_##name},

const struct mi_route mi_routes[] = {MI_ROUTES(MI_GET, MI_POST){NULL, false, NULL}};
