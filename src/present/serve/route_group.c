/* GET group?layer=L&fold=F&item=ITEM (&constants=1): what is in a group of the outline, by operator
 * type. With value=ID in place of the item: the box of a graph's input, or of a constant.
 *
 *   {"item", "label", "kind": "graph" | "scope" | "fusion" | "part" | "input" | "output" | "node" |
 *    "constant", "nodes", "tasks", "total_ns", "value_type",
 *    of a constant "data_bytes" (-1 = not known) and "readers", how many nodes read it,
 *    "types": [{"op", "category", "nodes", "tasks", "total_ns"}]}
 *
 * Types by time, then by how many nodes there are, then by name; at most MOST_TYPES, the others
 * are summed in "other_types". Constants count like in the outline. */
#include "analyse/describe.h"
#include "base/map.h"
#include "base/mem.h"
#include "present/export/common.h"
#include "present/serve/routes.h"
#include "present/serve/site.h"

#include <stdlib.h>

enum { MOST_TYPES = 200 };

struct type_sum {
    mi_str_id op;
    uint8_t category;
    int64_t nodes, tasks, total_ns;
};

struct sums {
    const struct mi_drawn *drawn;
    struct mi_map at; /* operator type -> place in list + 1 */
    struct type_sum *list;
    uint32_t count, room;
};

static bool add_node(struct sums *s, uint32_t node)
{
    const struct mi_nodes *nodes = &s->drawn->outline.model->all.rows.nodes;
    uint32_t *at = mi_map_at(&s->at, nodes->op[node].v);
    if (!at)
        return false;
    if (!*at) {
        if (s->count == s->room) {
            uint32_t room = s->room ? 2 * s->room : 64;
            struct type_sum *list = mi_mem_resize(s->list, room, sizeof *list);
            if (!list) {
                *at = 1; /* the map must not hold an empty value; the reply fails anyway */
                return false;
            }
            s->list = list;
            s->room = room;
        }
        s->list[s->count] =
            (struct type_sum){.op = nodes->op[node], .category = nodes->category[node]};
        *at = ++s->count;
    }
    struct type_sum *sum = &s->list[*at - 1];
    sum->nodes++;
    if (s->drawn->outline.times) {
        sum->tasks += s->drawn->outline.times[node].tasks;
        sum->total_ns = mi_ns_add(sum->total_ns, s->drawn->outline.times[node].total_ns);
    }
    return true;
}

/* All nodes below the item, down and up again without a stack. */
static bool add_below(struct sums *s, uint32_t item)
{
    const struct mi_outline_item *items = s->drawn->outline.items;
    uint32_t at = items[item].first;
    while (at) {
        if (items[at].node && !add_node(s, items[at].node))
            return false;
        if (items[at].first) {
            at = items[at].first;
            continue;
        }
        while (at != item && !items[at].next)
            at = items[at].parent;
        at = at == item ? 0 : items[at].next;
    }
    return true;
}

static int compare_sums(const void *a, const void *b)
{
    const struct type_sum *x = a, *y = b;
    if (x->total_ns != y->total_ns)
        return x->total_ns > y->total_ns ? -1 : 1;
    if (x->nodes != y->nodes)
        return x->nodes > y->nodes ? -1 : 1;
    return x->op.v < y->op.v ? -1 : x->op.v > y->op.v;
}

static void write_types(struct mi_jw *jw, const struct sums *s)
{
    const struct mi_model *model = s->drawn->outline.model;
    mi_jw_key(jw, "types");
    mi_jw_begin_array(jw);
    for (uint32_t i = 0; i < s->count && i < MOST_TYPES; i++) {
        mi_jw_begin_object(jw);
        mi_export_name(jw, "op", model, s->list[i].op);
        mi_export_enum(jw, "category", MI_E_category, s->list[i].category);
        mi_jw_member_i64(jw, "nodes", s->list[i].nodes);
        mi_jw_member_i64(jw, "tasks", s->list[i].tasks);
        mi_jw_member_i64(jw, "total_ns", s->list[i].total_ns);
        mi_jw_end(jw);
    }
    mi_jw_end(jw);
    mi_jw_member_i64(jw, "other_types", s->count > MOST_TYPES ? s->count - MOST_TYPES : 0);
}

static const char *kind_of(const struct mi_outline *outline, uint32_t at)
{
    const struct mi_outline_item *item = &outline->items[at];
    return item->node                            ? "node"
           : mi_outline_is_constant(outline, at) ? "constant"
           : item->value                         ? (item->is_output ? "output" : "input")
           : item->graph                         ? "graph"
           : item->group                         ? "fusion"
           : item->part                          ? "part"
                                                 : "scope";
}

/* Readers within bodies count, too. */
static void write_constant(struct mi_jw *jw, const struct mi_model *model, uint32_t value)
{
    const struct mi_csr *consumers = &model->index.consumers;
    int64_t readers = 0;
    for (uint32_t v = 1; v < model->all.rows.values.count; v++)
        if (mi_value_origin(model, (mi_value_id){v}).v == value)
            readers += mi_csr_count(consumers, v);
    mi_jw_member_i64(jw, "data_bytes", model->all.rows.values.data_bytes[value]);
    mi_jw_member_i64(jw, "readers", readers);
}

static void write_group(struct mi_jw *jw, const struct sums *s, uint32_t item)
{
    const struct mi_outline *outline = &s->drawn->outline;
    const struct mi_outline_item *at = &outline->items[item];
    struct mi_arena arena;
    mi_arena_init(&arena);
    mi_jw_begin_object(jw);
    mi_jw_member_i64(jw, "item", item);
    mi_jw_member_string(jw, "label", at->label);
    mi_jw_member_text(jw, "kind", kind_of(outline, item));
    mi_jw_member_i64(jw, "nodes", at->nodes);
    mi_jw_member_i64(jw, "tasks", at->tasks);
    mi_jw_member_i64(jw, "total_ns", at->total_ns);
    mi_jw_member_string(jw, "value_type",
                        at->value
                            ? mi_describe_type(outline->model, (mi_value_id){at->value}, &arena)
                            : (struct mi_bytes){0});
    if (at->value && mi_outline_is_constant(outline, item))
        write_constant(jw, outline->model, at->value);
    write_types(jw, s);
    mi_jw_end(jw);
    mi_arena_fini(&arena);
}

/* 0 = none. */
static uint32_t item_asked_for(const struct mi_outline *outline, const struct mi_request *request)
{
    int64_t item = 0, value = 0;
    mi_http_number(request->query(request, "item"), &item);
    mi_http_number(request->query(request, "value"), &value);
    if (value > 0 && value < outline->model->all.rows.values.count && outline->item_of_value)
        item = outline->item_of_value[value];
    return item > 0 && item < outline->count ? (uint32_t)item : 0;
}

void mi_route_group(struct mi_site *site, const struct mi_request *request, struct mi_reply *reply)
{
    const char *layer = request->query(request, "layer"), *fold = request->query(request, "fold");
    struct mi_folding folding = {.layer = mi_site_layer(mi_cstr(layer ? layer : "")),
                                 .fold = mi_site_fold(mi_cstr(fold ? fold : "")),
                                 .with_constants = request->query(request, "constants")};
    struct mi_error err = MI_ERROR_INIT;
    struct sums s = {.drawn = mi_site_drawn(site, folding, &err)};
    if (!s.drawn) {
        mi_reply_failure(reply, &err);
        return;
    }
    uint32_t item = item_asked_for(&s.drawn->outline, request);
    if (!item) {
        mi_reply_error(reply, 404, "not_found", "there is no such group");
        return;
    }
    if (add_below(&s, item)) {
        struct mi_jw jw;
        if (s.count)
            qsort(s.list, s.count, sizeof *s.list, compare_sums);
        mi_jw_init(&jw, &reply->body, NULL);
        write_group(&jw, &s, item);
        mi_jw_finish(&jw, NULL);
    } else {
        mi_reply_error(reply, 500, "no_memory", "out of memory for a group");
    }
    mi_map_fini(&s.at);
    mi_mem_free(s.list);
}
