/* The tasks of a captured model (ACL graph) or of a loaded one, as CANN prints them: which task of
 * which stream is what, and which events tie the streams.
 *
 *   debug_graph_{graph}_{seconds}_{pid}_{number}.json   GE, when DUMP_GE_GRAPH is set
 *   a name of the caller's                              aclmdlRIDebugJsonPrint, GraphDebugJSONPrint
 *
 * A Chrome trace, an array of events of phase X, one per line and task, stream by stream:
 *
 *   name     kernel symbol, or the type; EVENT_WAIT_{event}, NOTIFY_RECORD_{notify}, ...
 *            where the event is an address or number, decimal or hexadecimal
 *   pid tid  "{process} aclGraph", "stream{id}"
 *   ts dur   made up for drawing, no times
 *   args     Model Id, Stream Id, Task Id; newer also Task Type, Numblocks, Active Stream Id,
 *            Schem Mode, Task Ration, ExtendInfo, Kernel Args (the last when verbose)
 *
 * Ids are those of the streams that the model runs on, so profiles have them too. Task Id counts on
 * its stream, with gaps. The older form, without Task Type, was seen on a real file; the newer is
 * read by its description.
 *
 * Becomes: a graph without nodes per model ("model 1") and its planned tasks. */
#include "base/decimal.h"
#include "base/json_scan.h"
#include "base/map.h"
#include "base/scratch.h"
#include "base/translate.h"
#include "parse/formats/msprof/msprof_types.h"
#include "parse/reader.h"

struct event {
    struct mi_bytes name, type;
    int64_t model, stream, task, blocks, active;
    bool has_ids, is_task;
};

struct listing {
    struct mi_batch *out;
    struct mi_json js;
    struct mi_map graphs; /* model -> graph */
    struct mi_map counts; /* graph -> tasks so far */
    struct mi_scratch scratch;
};

/* --- one event --- */

static int64_t read_id(struct mi_json *js)
{
    int64_t id = -1;
    unsigned flags = 0;
    enum mi_json_type type = mi_json_peek(js);
    if (type != MI_JSON_NUMBER && type != MI_JSON_STRING)
        return -1;
    return mi_json_i64(js, &id, &flags) && !flags && id >= 0 && id < UINT32_MAX ? id : -1;
}

static void read_args(struct mi_json *js, struct event *event)
{
    struct mi_json_string key, text;
    if (mi_json_peek(js) != MI_JSON_OBJECT || !mi_json_begin_object(js))
        return;
    while (mi_json_next_key(js, &key)) {
        if (mi_json_string_is(key, MI_LIT("Model Id")))
            event->model = read_id(js);
        else if (mi_json_string_is(key, MI_LIT("Stream Id")))
            event->stream = read_id(js);
        else if (mi_json_string_is(key, MI_LIT("Task Id")))
            event->task = read_id(js);
        else if (mi_json_string_is(key, MI_LIT("Numblocks")))
            event->blocks = read_id(js);
        else if (mi_json_string_is(key, MI_LIT("Active Stream Id")))
            event->active = read_id(js);
        else if (mi_json_string_is(key, MI_LIT("Task Type")) &&
                 mi_json_peek(js) == MI_JSON_STRING && mi_json_string(js, &text))
            event->type = text.raw;
    }
}

static void read_event(struct mi_json *js, struct event *event, struct mi_json_string *name)
{
    struct mi_json_string key, text;
    *event = (struct event){.model = -1, .stream = -1, .task = -1, .blocks = -1, .active = -1};
    *name = (struct mi_json_string){0};
    if (mi_json_peek(js) != MI_JSON_OBJECT || !mi_json_begin_object(js))
        return;
    while (mi_json_next_key(js, &key)) {
        if (mi_json_string_is(key, MI_LIT("args")))
            read_args(js, event);
        else if (mi_json_peek(js) != MI_JSON_STRING || !mi_json_string(js, &text))
            continue;
        else if (mi_json_string_is(key, MI_LIT("name")))
            *name = text;
        else if (mi_json_string_is(key, MI_LIT("pid")))
            event->is_task = mi_bytes_ends(text.raw, MI_LIT(" aclGraph"));
    }
    event->has_ids = event->model >= 0 && event->stream >= 0;
}

static int sniff(const struct mi_probe *probe)
{
    struct mi_json js;
    struct event event;
    struct mi_json_string name;
    mi_json_init(&js, probe->bytes, NULL);
    if (mi_json_peek(&js) != MI_JSON_ARRAY || !mi_json_begin_array(&js) || !mi_json_next_item(&js))
        return 0;
    read_event(&js, &event, &name);
    return event.is_task && event.has_ids ? 98 : 0; /* a Chrome trace, but a special one */
}

/* --- what it is --- */

static const char *const sync_types[] = {
    "EVENT_RECORD", "EVENT_WAIT",     "EVENT_RESET",     "NOTIFY_RECORD",  "NOTIFY_WAIT",
    "CAPTURE_WAIT", "CAPTURE_RECORD", "MEM_WRITE_VALUE", "MEM_WAIT_VALUE",
};

enum { SYNC_TYPES = sizeof sync_types / sizeof *sync_types };

static int digit_of(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "20627656278240", "0x12c2ec000d20", "12c2ec000d20"; -1 if it is none or too large. */
static int64_t event_number(struct mi_bytes text)
{
    int64_t number;
    uint64_t value = 0;
    if (mi_decimal_i64(text, &number) == 0)
        return number >= 0 ? number : -1;
    if (mi_bytes_starts(text, MI_LIT("0x")) || mi_bytes_starts(text, MI_LIT("0X")))
        text = mi_bytes_sub(text, 2, text.len);
    if (!text.len || text.len > 15)
        return -1;
    for (size_t i = 0; i < text.len; i++) {
        int digit = digit_of(text.at[i]);
        if (digit < 0)
            return -1;
        value = value << 4 | (uint64_t)digit;
    }
    return (int64_t)value;
}

/* The type that a name states, and the event behind it; empty: a kernel's name. */
static struct mi_bytes type_of_name(struct mi_bytes name, int64_t *number)
{
    for (unsigned i = 0; i < SYNC_TYPES; i++) {
        struct mi_bytes type = mi_cstr(sync_types[i]);
        if (!mi_bytes_starts(name, type) || (name.len > type.len && name.at[type.len] != '_'))
            continue;
        *number = event_number(mi_bytes_sub(name, type.len + 1, name.len));
        if (*number >= 0 || name.len == type.len)
            return type;
    }
    return mi_msprof_type_find(name)->kind != MI_TASK_OTHER ? name : (struct mi_bytes){0};
}

static uint8_t kind_of(struct mi_bytes type, struct mi_bytes name)
{
    enum mi_task_kind kind = mi_msprof_type_find(type)->kind;
    if (mi_bytes_equal(type, MI_LIT("KERNEL")))
        kind = MI_TASK_COMPUTE;
    if (kind == MI_TASK_COMPUTE && mi_msprof_is_collective(name))
        kind = MI_TASK_COMMUNICATION;
    return (uint8_t)kind;
}

/* --- rows --- */

static mi_graph_id graph_of(struct listing *l, int64_t model)
{
    uint32_t *slot = mi_map_at(&l->graphs, (uint64_t)model);
    if (!slot) {
        mi_batch_fail(l->out, MI_ENOMEM, "out of memory for models");
        return (mi_graph_id){0};
    }
    if (!*slot)
        *slot = mi_add_graph(l->out,
                             &(struct mi_graph_row){
                                 .layer = MI_LAYER_COMPILED,
                                 .kind = MI_GRAPH_MAIN,
                                 .name = mi_batch_printf(l->out, "model %lld", (long long)model)})
                    .v;
    return (mi_graph_id){*slot};
}

static uint32_t next_position(struct listing *l, mi_graph_id graph)
{
    uint32_t *slot = mi_map_at(&l->counts, graph.v);
    if (!slot) {
        mi_batch_fail(l->out, MI_ENOMEM, "out of memory for models");
        return 0;
    }
    return (*slot)++;
}

static void add_task(struct listing *l, const struct event *event, size_t offset, size_t size)
{
    int64_t number = -1;
    struct mi_bytes stated = type_of_name(event->name, &number);
    struct mi_bytes type = event->type.len ? event->type : stated.len ? stated : MI_LIT("KERNEL");
    mi_graph_id graph = graph_of(l, event->model);
    mi_add_planned(l->out, &(struct mi_planned_row){
                               .graph = graph,
                               .position = next_position(l, graph),
                               .type = mi_batch_str(l->out, type),
                               .kind = kind_of(type, event->name),
                               .stream = event->stream,
                               .event = number,
                               .label = event->active,
                               .op_index = -1,
                               .kernel = stated.len ? MI_NO_STR : mi_batch_str(l->out, event->name),
                               .block_dim = event->blocks,
                               .native_id = event->task,
                               .record_offset = (int64_t)offset,
                               .record_bytes = size <= UINT32_MAX ? (uint32_t)size : 0});
    l->out->counts.kept++;
}

/* Goes on at the next line after a broken event; false if there is none. */
static bool mend(struct listing *l)
{
    size_t next = mi_json_next_line(&l->js, (size_t)l->js.error.offset);
    l->out->counts.in++;
    l->out->counts.lost++;
    mi_batch_diag(l->out, MI_LOSS,
                  l->js.error.code == MI_ETRUNCATED ? "acl_graph.truncated"
                                                    : "acl_graph.event_broken",
                  l->js.error.offset, l->js.error.line, "%s", l->js.error.text);
    return l->js.error.code != MI_ETRUNCATED && next < (size_t)(l->js.limit - l->js.begin) &&
           mi_json_seek(&l->js, next, 1);
}

static void take_event(struct listing *l)
{
    struct event event;
    struct mi_json_string name;
    size_t offset = mi_json_offset(&l->js);
    read_event(&l->js, &event, &name);
    if (mi_json_failed(&l->js))
        return; /* mended by the caller */
    l->out->counts.in++;
    if (!event.is_task || !event.has_ids) {
        l->out->counts.skipped++;
        mi_batch_diag(l->out, MI_NOTICE, "acl_graph.no_task", offset, mi_json_line(&l->js, offset),
                      "an event that is no task of a model");
    } else if (!mi_json_text(name, &l->scratch, &event.name)) {
        mi_batch_fail(l->out, MI_ENOMEM, "out of memory");
    } else {
        add_task(l, &event, offset, mi_json_offset(&l->js) - offset);
    }
}

static bool read_list(const struct mi_source *src, struct mi_batch *out, struct mi_error *err)
{
    struct listing l = {.out = out};
    bool is_stopped = false;
    mi_json_init(&l.js, src->bytes, &(struct mi_json_options){.allow_trailing_comma = true});
    mi_json_begin_array(&l.js);
    while (!mi_batch_failed(out) && !is_stopped) {
        if (mi_json_next_item(&l.js))
            take_event(&l);
        if (mi_json_failed(&l.js)) {
            if (!mend(&l))
                break;
        } else if (mi_json_depth(&l.js) == 0) {
            break;
        }
        is_stopped = src->progress && out->counts.in % 65536 == 0 &&
                     !src->progress(src->user, mi_json_offset(&l.js));
    }
    mi_map_fini(&l.graphs);
    mi_map_fini(&l.counts);
    mi_scratch_fini(&l.scratch);
    if (is_stopped)
        return mi_fail(err, MI_ECANCELLED, "stopped");
    return !mi_batch_failed(out);
}

const struct mi_reader mi_reader_acl_graph = {
    .name = "acl_graph",
    .title = N_("tasks of a captured or loaded model (debug_graph, aclmdlRIDebugJsonPrint)"),
    .yields = MI_HAS_COMPILED_GRAPH,
    .sniff = sniff,
    .read = read_list,
};
