/* What each side has of a joint outline, and what differs in it. */
#include "base/map.h"
#include "base/mem.h"
#include "present/serve/site_diff.h"
#include "present/serve/site_parts.h"

/* --- which item of a side is which --- */

/* Outputs by tensor; inputs have a look-up in the outline. */
static bool list_outputs(const struct mi_outline *outline, struct mi_map *outputs)
{
    for (uint32_t i = 1; i < outline->count; i++) {
        uint32_t *at =
            outline->items[i].is_output ? mi_map_at(outputs, outline->items[i].value) : NULL;
        if (outline->items[i].is_output && !at)
            return false;
        if (at && !*at)
            *at = i;
    }
    return true;
}

/* The joint item of one of a side; 0: a scope, a fusion group or a part. */
static uint32_t joint_item(const struct mi_joint_making *making, unsigned side,
                           const struct mi_outline *joint, const struct mi_map *outputs,
                           uint32_t item)
{
    const struct mi_outline_item *own = &making->own[side]->outline.items[item];
    if (own->node)
        return joint->item_of_node[making->joint->node_of[side][own->node]];
    if (own->graph)
        return joint->item_of_graph[making->joint->graph_of[side][own->graph]];
    uint32_t value = own->value ? making->joint->value_of[side][own->value] : 0;
    return !value ? 0 : own->is_output ? mi_map_get(outputs, value) : joint->item_of_value[value];
}

struct sides { /* joint items by items of the sides */
    uint32_t *of[MI_CMP_SIDES];
};

static bool map_items(struct mi_joint_drawn *drawn, const struct mi_joint_making *making,
                      struct sides *sides)
{
    const struct mi_outline *joint = &drawn->drawn.outline;
    struct mi_map outputs = {0};
    bool ok = list_outputs(joint, &outputs);
    for (unsigned side = 0; ok && side < MI_CMP_SIDES; side++) {
        uint32_t count = making->own[side]->outline.count;
        sides->of[side] = mi_mem_zero(count, sizeof(uint32_t));
        ok = sides->of[side] != NULL;
        for (uint32_t i = 1; ok && i < count; i++) {
            uint32_t item = joint_item(making, side, joint, &outputs, i);
            sides->of[side][i] = item;
            if (item && !drawn->view[side].item[item])
                drawn->view[side].item[item] = i;
        }
    }
    mi_map_fini(&outputs);
    return ok;
}

/* --- edges --- */

static bool tag_edges(struct mi_joint_drawn *drawn, const struct mi_joint_making *making,
                      const struct sides *sides)
{
    struct mi_scenery *joint = &drawn->drawn.scenery;
    struct mi_map bits = {0};
    bool ok = true;
    joint->tags = mi_mem_zero((size_t)joint->edge_count + 1, 1);
    for (unsigned side = 0; ok && side < MI_CMP_SIDES; side++) {
        const struct mi_scenery *own = &making->own[side]->scenery;
        for (uint32_t e = 0; ok && e < own->edge_count; e++) {
            uint32_t from = sides->of[side][own->from[e]], to = sides->of[side][own->to[e]];
            uint32_t *at = from && to ? mi_map_at(&bits, mi_pair(from, to)) : NULL;
            ok = at || !from || !to;
            if (at)
                *at |= 1U << side;
        }
    }
    for (uint32_t e = 0; ok && joint->tags && e < joint->edge_count; e++)
        joint->tags[e] = (uint8_t)mi_map_get(&bits, mi_pair(joint->from[e], joint->to[e]));
    mi_map_fini(&bits);
    return ok && joint->tags;
}

/* --- sums --- */

static int64_t delta_of(const struct mi_joint_making *making, uint32_t node)
{
    int64_t delta_ns = 0;
    uint32_t counted = 0;
    for (unsigned side = 0; side < MI_CMP_SIDES; side++) {
        uint32_t own = making->joint->side_node[side][node];
        uint32_t op = own ? making->compare->op_of_node[side][own] : 0;
        const struct mi_cmp_op *at = &making->compare->ops[op];
        if (!op || op == counted)
            continue;
        counted = op;
        delta_ns =
            mi_ns_add(delta_ns, mi_ns_sub(at->median_ns[MI_CMP_NEW], at->median_ns[MI_CMP_BASE]));
    }
    return delta_ns;
}

static void fill_node(struct mi_joint_drawn *drawn, const struct mi_joint_making *making,
                      uint32_t item, uint32_t node)
{
    const uint32_t alone = ~(1U << MI_CMP_RENAMED);
    drawn->differs[item] |= (uint16_t)(making->differs[node] & alone);
    drawn->changed[item] += (making->differs[node] & alone) != 0;
    drawn->delta_ns[item] = mi_ns_add(drawn->delta_ns[item], delta_of(making, node));
    for (unsigned side = 0; side < MI_CMP_SIDES; side++) {
        uint32_t own = making->joint->side_node[side][node];
        const struct mi_node_time *times = making->own[side]->outline.times;
        struct mi_joint_view *view = &drawn->view[side];
        view->nodes[item] += own != 0;
        if (own && times)
            view->total_ns[item] = mi_ns_add(view->total_ns[item], times[own].total_ns);
    }
}

/* Children stand behind their parents in `order`, so backwards a group knows what is in it. */
static void sum_up(struct mi_joint_drawn *drawn, const struct mi_joint_making *making)
{
    const struct mi_scenery *scenery = &drawn->drawn.scenery;
    const struct mi_outline_item *items = drawn->drawn.outline.items;
    for (uint32_t k = scenery->order_count; k-- > 1;) {
        uint32_t item = scenery->order[k], above = items[item].parent;
        if (items[item].node)
            fill_node(drawn, making, item, items[item].node);
        drawn->differs[above] |= drawn->differs[item];
        drawn->changed[above] += drawn->changed[item];
        drawn->delta_ns[above] = mi_ns_add(drawn->delta_ns[above], drawn->delta_ns[item]);
        for (unsigned side = 0; side < MI_CMP_SIDES; side++) {
            struct mi_joint_view *view = &drawn->view[side];
            bool is_own = view->item[item] && !scenery->is_hidden[item];
            view->is_there[item] |= is_own;
            view->is_there[above] |= view->is_there[item];
            view->nodes[above] += view->nodes[item];
            view->total_ns[above] = mi_ns_add(view->total_ns[above], view->total_ns[item]);
        }
    }
}

/* --- the whole --- */

bool mi_joint_drawn_fill(struct mi_joint_drawn *drawn, const struct mi_joint_making *making,
                         struct mi_error *err)
{
    size_t count = drawn->drawn.outline.count;
    struct sides sides = {{NULL, NULL}};
    drawn->differs = mi_mem_zero(count, sizeof *drawn->differs);
    drawn->changed = mi_mem_zero(count, sizeof *drawn->changed);
    drawn->delta_ns = mi_mem_zero(count, sizeof *drawn->delta_ns);
    bool ok = drawn->differs && drawn->changed && drawn->delta_ns;
    for (unsigned side = 0; side < MI_CMP_SIDES; side++) {
        struct mi_joint_view *view = &drawn->view[side];
        *view = (struct mi_joint_view){.own = making->own[side],
                                       .item = mi_mem_zero(count, sizeof *view->item),
                                       .nodes = mi_mem_zero(count, sizeof *view->nodes),
                                       .total_ns = mi_mem_zero(count, sizeof *view->total_ns),
                                       .is_there = mi_mem_zero(count, 1)};
        ok = ok && view->item && view->nodes && view->total_ns && view->is_there;
    }
    ok = ok && map_items(drawn, making, &sides) && tag_edges(drawn, making, &sides);
    if (ok)
        sum_up(drawn, making);
    mi_mem_free(sides.of[0]);
    mi_mem_free(sides.of[1]);
    if (!ok)
        mi_joint_drawn_fini(drawn);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory for a joint drawing");
}

void mi_joint_drawn_fini(struct mi_joint_drawn *drawn)
{
    mi_scenery_fini(&drawn->drawn.scenery);
    mi_outline_fini(&drawn->drawn.outline);
    mi_mem_free(drawn->differs);
    mi_mem_free(drawn->changed);
    mi_mem_free(drawn->delta_ns);
    for (unsigned side = 0; side < MI_CMP_SIDES; side++) {
        mi_mem_free(drawn->view[side].item);
        mi_mem_free(drawn->view[side].nodes);
        mi_mem_free(drawn->view[side].total_ns);
        mi_mem_free(drawn->view[side].is_there);
    }
    *drawn = (struct mi_joint_drawn){0};
}
