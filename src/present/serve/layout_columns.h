/* A drawing as columns of a binary reply, whoever tells what is in its boxes. The ids are those of
 * the page (web/src/graph/scene.ts); POST layout says what they hold. */
#ifndef MI_PRESENT_SERVE_LAYOUT_COLUMNS_H
#define MI_PRESENT_SERVE_LAYOUT_COLUMNS_H

#include "present/layout/box_text.h"
#include "present/layout/scene.h"
#include "present/serve/columns.h"

enum mi_layout_column {
    MI_COL_BOX_GROUP = 1,
    MI_COL_BOX_PARENT,
    MI_COL_BOX_X,
    MI_COL_BOX_Y,
    MI_COL_BOX_WIDTH,
    MI_COL_BOX_HEIGHT,
    MI_COL_BOX_FLAGS,
    MI_COL_BOX_CATEGORY,
    MI_COL_BOX_NODE,
    MI_COL_BOX_NODES,
    MI_COL_BOX_TIME, /* total of the counted tasks, ns */
    MI_COL_LABEL_END,
    MI_COL_LABEL_BYTES,
    MI_COL_EDGE_FROM,
    MI_COL_EDGE_TO,
    MI_COL_EDGE_POINT,
    MI_COL_EDGE_FLAGS,
    MI_COL_EDGE_WEIGHT,
    MI_COL_POINTS,
    MI_COL_WHOLE,
    MI_COL_BOX_CONSTANTS, /* inputs that are constant */
    MI_COL_BOX_MEMBERS,   /* framework ops of a compiled node that has several */
    MI_COL_OP_END,
    MI_COL_OP_BYTES,
    MI_COL_TYPE_END,
    MI_COL_TYPE_BYTES,
    MI_COL_CHANGE_END,
    MI_COL_CHANGE_BYTES,
    MI_COL_TOTAL_TIME,  /* of the whole layer */
    MI_COL_BOX_DIFFERS, /* of a comparison: kinds of changes in it, a bit each */
    MI_COL_BOX_CHANGED, /* boxes in it that changed */
    MI_COL_BOX_DELTA    /* what its time differs by, new - base, ns */
};

/* What is told of a box. */
struct mi_shown_box {
    struct mi_box_text text;
    uint32_t node, nodes;
    int64_t time_ns;
    uint16_t flags;
    uint8_t category;
};

/* `shown` [scene.box_count]; its texts lie in the arena of the columns, or outlive them.
 * `edge_flags` [scene.edge_count]. */
void mi_layout_columns(struct mi_columns *c, const struct mi_scene *scene,
                       const struct mi_shown_box *shown, const uint8_t *edge_flags,
                       int64_t total_ns);

/* Makes the columns the reply. */
void mi_layout_reply(struct mi_reply *reply, struct mi_columns *c, const struct mi_scene *scene);

#endif
