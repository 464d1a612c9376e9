/* The arguments of one event, for whoever asks: nested ones as outer.inner; and the keys of the
 * event that are no columns. */
#include "parse/formats/chrome/chrome.h"

enum { PATH_BYTES = 256, DEEPEST = 8 };

struct walk {
    mi_metric_fn *fn;
    void *user;
    struct mi_json js;
    struct mi_scratch scratch;
    uint8_t path[PATH_BYTES];
    size_t length[DEEPEST]; /* of the path at each depth */
    bool is_list[DEEPEST];
    unsigned depth;
};

static void give(struct walk *w, struct mi_bytes name)
{
    struct mi_json_string string;
    struct mi_json_number number;
    struct mi_bytes text;
    enum mi_json_type type = mi_json_peek(&w->js);
    if (type == MI_JSON_STRING) {
        if (mi_json_string(&w->js, &string) && mi_json_text(string, &w->scratch, &text))
            w->fn(w->user, name, text, false);
    } else if (type == MI_JSON_NUMBER) {
        if (mi_json_number(&w->js, &number))
            w->fn(w->user, name, number.text, true);
    } else if (mi_json_skip(&w->js, &text) && text.len) {
        w->fn(w->user, name, text, false);
    }
}

static struct mi_bytes name_of(struct walk *w, struct mi_bytes key)
{
    size_t length = w->length[w->depth];
    size_t taken = key.len < PATH_BYTES - length ? key.len : PATH_BYTES - length;
    memcpy(w->path + length, key.at, taken);
    return (struct mi_bytes){w->path, length + taken};
}

/* Steps into an object, whose members get its name in front. */
static bool enter(struct walk *w, struct mi_bytes name)
{
    if (w->depth + 1 >= DEEPEST || name.len >= PATH_BYTES || !mi_json_begin_object(&w->js))
        return false;
    w->depth++;
    w->path[name.len] = '.';
    w->length[w->depth] = name.len + 1;
    return true;
}

static void walk_args(struct walk *w)
{
    struct mi_json_string key;
    w->depth = 0;
    w->length[0] = 0;
    if (mi_json_peek(&w->js) != MI_JSON_OBJECT || !mi_json_begin_object(&w->js))
        return;
    for (;;) {
        if (!mi_json_next_key(&w->js, &key)) {
            if (mi_json_failed(&w->js) || !w->depth)
                return;
            w->depth--;
            continue;
        }
        struct mi_bytes name = name_of(w, key.raw);
        bool nested = mi_json_peek(&w->js) == MI_JSON_OBJECT && w->depth + 1 < DEEPEST &&
                      name.len < PATH_BYTES;
        if (!nested || !enter(w, name))
            give(w, name);
    }
}

static bool is_extra(struct mi_bytes key)
{
    return mi_bytes_equal(key, MI_LIT("tts")) || mi_bytes_equal(key, MI_LIT("tdur")) ||
           mi_bytes_equal(key, MI_LIT("sf")) || mi_bytes_equal(key, MI_LIT("stack"));
}

void mi_chrome_metrics(const struct mi_record *record, mi_metric_fn *fn, void *user)
{
    struct walk w = {.fn = fn, .user = user};
    struct mi_json_options options = {.allow_trailing_comma = true,
                                      .allow_control = true,
                                      .allow_non_finite = true,
                                      .allow_escape = true};
    struct mi_json_string key;
    mi_json_init(&w.js, record->bytes, &options);
    if (mi_json_peek(&w.js) != MI_JSON_OBJECT || !mi_json_begin_object(&w.js))
        return;
    while (mi_json_next_key(&w.js, &key))
        if (mi_json_string_is(key, MI_LIT("args")))
            walk_args(&w);
        else if (is_extra(key.raw))
            give(&w, key.raw);
    mi_scratch_fini(&w.scratch);
}
