/* POST diff/outline?side=base: the tree that the joint drawing of a comparison folds by, as a
 * binary frame.
 *
 *   body   {"layer": .., "fold": ..}
 *
 * The item above each item, its first child and next sibling, and the item of each node of the
 * side; columns as of POST outline. */
#include "present/serve/layout_wish.h"
#include "present/serve/outline_columns.h"
#include "present/serve/routes.h"
#include "present/serve/site_diff.h"

void mi_route_joint_outline(struct mi_site *site, const struct mi_request *request,
                            struct mi_reply *reply)
{
    struct mi_layout_wish wish;
    struct mi_error err = MI_ERROR_INIT;
    struct mi_columns c;
    if (!mi_layout_wish_read(&wish, request, reply))
        return;
    const struct mi_joint_drawn *joint = mi_site_joint_drawn(site, wish.layer, wish.fold, &err);
    if (!joint) {
        mi_reply_failure(reply, &err);
        return;
    }
    mi_columns_init(&c);
    const uint32_t *node_of = mi_site_joint(site, &err)->node_of[mi_site_side(site)];
    mi_outline_add_shape(&c, &joint->drawn, node_of, mi_site_model(site)->all.rows.nodes.count);
    mi_outline_reply(reply, &c, joint->drawn.outline.count);
    mi_columns_fini(&c);
}
