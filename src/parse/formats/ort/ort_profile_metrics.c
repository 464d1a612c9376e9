#include "parse/formats/ort/ort_profile_metrics.h"

#include "base/decimal.h"
#include "parse/formats/ort/ort_profile_event.h"

enum { MAX_LEVELS = 8, MAX_PATH_BYTES = 512 };

/* The dotted name of the current member: `ends[d]` is its length without the keys below depth d. */
struct path {
    char text[MAX_PATH_BYTES];
    size_t ends[MAX_LEVELS + 1];
    unsigned level;
};

/* Puts `key` behind the names of the enclosing objects; long names are cut. */
static struct mi_bytes name_member(struct path *path, struct mi_bytes key)
{
    size_t at = path->ends[path->level];
    if (at && at < MAX_PATH_BYTES)
        path->text[at++] = '.';
    if (key.len > MAX_PATH_BYTES - at)
        key.len = MAX_PATH_BYTES - at;
    if (key.len)
        memcpy(path->text + at, key.at, key.len);
    return (struct mi_bytes){(const uint8_t *)path->text, at + key.len};
}

static bool has_column(struct mi_bytes name)
{
    static const char *const names[] = {"op_name",          "provider",          "node_index",
                                        "input_type_shape", "output_type_shape", "parent_name"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (mi_bytes_equal(name, mi_cstr(names[i])))
            return true;
    return false;
}

/* A value that is no object. Empty texts say nothing (thread_scheduling_stats with one thread). */
static void give_value(struct mi_json *js, struct mi_bytes name, mi_metric_fn *fn, void *user)
{
    struct mi_json_string string;
    struct mi_bytes text;
    double ignored;
    bool is_string = mi_json_peek(js) == MI_JSON_STRING;
    if (is_string ? !mi_json_string(js, &string) : !mi_json_skip(js, &text))
        return;
    if (is_string)
        text = string.raw;
    if (text.len && !has_column(name))
        fn(user, name, text, mi_decimal_double(text, &ignored) == 0);
}

void mi_ort_metrics(const struct mi_record *record, mi_metric_fn *fn, void *user)
{
    struct mi_ort_scan scan;
    struct mi_json_string key;
    struct path path = {.level = 0};
    mi_ort_scan_init(&scan, record->bytes, record->bytes);
    bool in_args = mi_ort_event_enter_args(&scan);
    while (in_args) {
        if (!mi_json_next_key(&scan.js, &key)) {
            if (mi_json_failed(&scan.js) || path.level == 0)
                break;
            path.level--;
            continue;
        }
        struct mi_bytes name = name_member(&path, key.raw);
        if (mi_json_peek(&scan.js) == MI_JSON_OBJECT && path.level < MAX_LEVELS) {
            mi_json_begin_object(&scan.js);
            path.ends[++path.level] = name.len;
        } else {
            give_value(&scan.js, name, fn, user);
        }
    }
    mi_ort_scan_fini(&scan);
}
