#include "present/serve/layout_wish.h"

#include "base/json_scan.h"
#include "base/mem.h"

enum { DEFAULT_DEPTH = 2, ENOUGH_BOXES = 12, MOST_DEPTH = 10 };

static void read_wish(struct mi_json *js, struct mi_layout_wish *wish)
{
    struct mi_json_string key, word;
    unsigned flags;
    int64_t number;
    mi_json_begin_object(js);
    while (mi_json_next_key(js, &key)) {
        if (mi_bytes_equal(key.raw, MI_LIT("layer")) && mi_json_string(js, &word)) {
            wish->folding.layer = mi_site_layer(word.raw);
            wish->has_layer = true;
        } else if (mi_bytes_equal(key.raw, MI_LIT("fold")) && mi_json_string(js, &word)) {
            wish->folding.fold = mi_site_fold(word.raw);
        } else if (mi_bytes_equal(key.raw, MI_LIT("constants"))) {
            mi_json_bool(js, &wish->folding.with_constants);
        } else if (mi_bytes_equal(key.raw, MI_LIT("root")) && mi_json_i64(js, &number, &flags)) {
            wish->root = number > 0 && number < UINT32_MAX ? (uint32_t)number : 0;
        } else if (mi_bytes_equal(key.raw, MI_LIT("depth")) && mi_json_i64(js, &number, &flags)) {
            wish->depth = number > 0 && number < UINT32_MAX ? (uint32_t)number : 0;
        } else if (mi_bytes_equal(key.raw, MI_LIT("open"))) {
            wish->has_open = mi_json_skip(js, &wish->open);
        }
    }
}

bool mi_layout_wish_read(struct mi_layout_wish *wish, const struct mi_request *request,
                         struct mi_reply *reply)
{
    struct mi_json js;
    *wish =
        (struct mi_layout_wish){.folding = {.layer = MI_LAYER_FRAMEWORK}, .depth = DEFAULT_DEPTH};
    mi_json_init(&js, request->body, NULL);
    read_wish(&js, wish);
    if (mi_json_failed(&js))
        mi_reply_failure(reply, &js.error);
    return !mi_json_failed(&js);
}

static void open_listed(const struct mi_drawn *drawn, struct mi_bytes list, uint8_t *is_open)
{
    struct mi_json js;
    unsigned flags;
    int64_t item;
    mi_json_init(&js, list, NULL);
    mi_json_begin_array(&js);
    while (mi_json_next_item(&js))
        if (mi_json_i64(&js, &item, &flags) && item > 0 && item < drawn->outline.count)
            is_open[item] = 1;
}

/* Opens down to a depth; a graph that is one scope within another goes on until there is something
 * to see. Constants do not count: with and without them the same groups are open. */
static void open_by_depth(const struct mi_drawn *drawn, uint32_t depth, uint8_t *is_open)
{
    uint32_t seen = 0;
    for (; seen < ENOUGH_BOXES && depth < MOST_DEPTH; depth += seen < ENOUGH_BOXES) {
        seen = 0;
        for (uint32_t i = 1; i < drawn->outline.count; i++)
            seen += drawn->scenery.depth[i] <= depth && !drawn->scenery.is_hidden[i] &&
                    !(drawn->scenery.flags[i] & MI_BOX_CONSTANT);
    }
    for (uint32_t i = 1; i < drawn->outline.count; i++)
        is_open[i] = drawn->scenery.depth[i] < depth;
}

bool mi_layout_wish_draw(const struct mi_layout_wish *wish, const struct mi_drawn *drawn,
                         struct mi_scene *scene, struct mi_error *err)
{
    uint8_t *is_open = mi_mem_zero(drawn->outline.count, 1);
    if (!is_open)
        return mi_fail(err, MI_ENOMEM, "out of memory for a drawing");
    if (wish->has_open)
        open_listed(drawn, wish->open, is_open);
    else
        open_by_depth(drawn, wish->depth, is_open);
    bool ok = mi_scene_draw(&drawn->scenery, wish->root < drawn->outline.count ? wish->root : 0,
                            is_open, NULL, scene, err);
    mi_mem_free(is_open);
    return ok;
}
