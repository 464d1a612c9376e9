/* Requests for an outline, and it as columns of a binary reply; POST outline says what they hold.
 */
#ifndef MI_PRESENT_SERVE_OUTLINE_COLUMNS_H
#define MI_PRESENT_SERVE_OUTLINE_COLUMNS_H

#include "present/serve/layout_columns.h"
#include "present/serve/site.h"

enum mi_outline_column {
    MI_COL_ITEM_ABOVE = 1,
    MI_COL_ITEM_FIRST,
    MI_COL_ITEM_NEXT,
    MI_COL_ITEM_OF_NODE,
    MI_COL_ITEM_LABEL_END,
    MI_COL_ITEM_LABEL_BYTES,
    MI_COL_ITEM_OP_END,
    MI_COL_ITEM_OP_BYTES,
    MI_COL_ITEM_NODE,
    MI_COL_ITEM_NODES,
    MI_COL_ITEM_TIME,
    MI_COL_ITEM_FLAGS,
    MI_COL_ITEM_CATEGORY
};

enum { MI_MOST_ITEMS = 4096 /* of one request */ };

struct mi_outline_wish {
    struct mi_folding folding;
    bool has_items;
    uint32_t items[MI_MOST_ITEMS], count; /* as asked for: they need not exist */
};

/* False: the reply says what is wrong with the body. */
bool mi_outline_wish_read(struct mi_outline_wish *wish, const struct mi_request *request,
                          struct mi_reply *reply);

/* `node_of` [nodes]: the node of the outline's model by what a reader calls it; NULL: the same. */
void mi_outline_add_shape(struct mi_columns *c, const struct mi_drawn *drawn,
                          const uint32_t *node_of, uint32_t nodes);

/* What is to be said about items; `shown` [count]. */
void mi_outline_add_items(struct mi_columns *c, const struct mi_shown_box *shown, uint32_t count);

/* Makes the columns the reply. */
void mi_outline_reply(struct mi_reply *reply, struct mi_columns *c, uint32_t rows);

#endif
