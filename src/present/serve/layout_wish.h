/* What a request for a drawing asks for; POST layout says how it is written. */
#ifndef MI_PRESENT_SERVE_LAYOUT_WISH_H
#define MI_PRESENT_SERVE_LAYOUT_WISH_H

#include "present/serve/http.h"
#include "present/serve/site.h"

struct mi_layout_wish {
    bool has_layer;            /* it was named */
    struct mi_folding folding; /* of the framework graph if not */
    uint32_t root, depth;
    bool has_open;
    struct mi_bytes open; /* the list as written */
};

/* False: the reply says what is wrong with the body. */
bool mi_layout_wish_read(struct mi_layout_wish *wish, const struct mi_request *request,
                         struct mi_reply *reply);

/* Draws what is asked for; false: `err`. */
bool mi_layout_wish_draw(const struct mi_layout_wish *wish, const struct mi_drawn *drawn,
                         struct mi_scene *scene, struct mi_error *err);

#endif
