/* Complete events (X): tasks of the device and spans of the host, told apart by what an event
 * itself states. Spans that state nothing wait for the name of their process, which may come last.
 */
#include "base/mem.h"
#include "base/translate.h"
#include "model/drop.h"
#include "parse/formats/chrome/chrome.h"

static void set_record(const struct mi_chrome_event *event, int64_t *offset, uint32_t *bytes)
{
    bool fits = event->size <= UINT32_MAX;
    *offset = fits ? (int64_t)event->at : -1;
    *bytes = fits ? (uint32_t)event->size : 0;
}

/* A number that ties rows together; 4294967295 and what does not fit are none. */
static uint32_t tie(struct mi_chrome *c, const struct mi_chrome_event *event,
                    enum mi_chrome_arg arg)
{
    int64_t number;
    if (!mi_chrome_arg_whole(event, arg, &number) || number < 0)
        return MI_NO_CONNECTION;
    if (number > UINT32_MAX) {
        mi_chrome_note(c, MI_NOTICE, "trace.connection_long",
                       N_("a connection id of more than 32 bits is not used"));
        return MI_NO_CONNECTION;
    }
    return (uint32_t)number;
}

/* 4294967295 and what does not fit are none. */
static int64_t task_id(struct mi_chrome *c, const struct mi_chrome_event *event)
{
    int64_t id = mi_chrome_arg_number(event, MI_CHROME_ARG_TASK, -1);
    if (id > UINT32_MAX)
        mi_chrome_note(c, MI_NOTICE, "trace.task_long",
                       N_("a task id of more than 32 bits is not used"));
    return id;
}

/* --- times --- */

/* Mends what can be mended; false: the event is lost. */
static bool take_times(struct mi_chrome *c, const struct mi_chrome_event *event, int64_t *dur_ns)
{
    *dur_ns = event->dur_ns;
    if (!(event->flags & MI_CHROME_HAS_TS) || event->flags & MI_CHROME_BAD_TS) {
        mi_chrome_lose(c, "trace.no_time", N_("an event whose ts is missing or no number"));
        return false;
    }
    if (event->flags & MI_CHROME_ROUNDED)
        mi_chrome_note(c, MI_NOTICE, "trace.time_rounded",
                       N_("a start with parts of a nanosecond was rounded"));
    if (!(event->flags & MI_CHROME_HAS_DUR) || event->flags & MI_CHROME_BAD_DUR) {
        mi_chrome_note(c, MI_NOTICE, "trace.no_duration",
                       N_("a duration that is missing or no number was taken as 0"));
        *dur_ns = 0;
    } else if (event->flags & MI_CHROME_ENDLESS) {
        mi_chrome_note(
            c, MI_NOTICE, "trace.unfinished",
            N_("a duration beyond all time: the event was never finished and ends with the "
               "trace"));
        *dur_ns = INT64_MAX;
        c->has_endless = true;
    } else if (event->dur_ns < 0) {
        mi_chrome_note(c, MI_NOTICE, "trace.duration_negative",
                       N_("a negative duration was taken as 0"));
        *dur_ns = 0;
    }
    return true;
}

/* --- tasks --- */

static void add_task(struct mi_chrome *c, const struct mi_chrome_event *event,
                     struct mi_task_row *task)
{
    if (!take_times(c, event, &task->dur_ns))
        return;
    task->start_raw = event->ts_ns;
    set_record(event, &task->record_offset, &task->record_bytes);
    mi_add_task(c->batch, task);
    c->batch->counts.kept++;
}

static void add_cann_task(struct mi_chrome *c, const struct mi_chrome_event *event, uint32_t lane)
{
    int64_t stream = mi_chrome_arg_number(event, MI_CHROME_ARG_STREAM, c->lanes[lane].number);
    int64_t model = mi_chrome_arg_number(event, MI_CHROME_ARG_MODEL, -1);
    struct mi_task_row task = {
        .track = mi_chrome_stream_track(c, lane, stream <= UINT32_MAX ? stream : -1, -1),
        .kernel = mi_chrome_task_kernel(c, event, model),
        .native_id = task_id(c, event),
        .connection = tie(c, event, MI_CHROME_ARG_CONNECTION)};
    c->has_tasks = true;
    add_task(c, event, &task);
}

static void add_collective(struct mi_chrome *c, const struct mi_chrome_event *event, uint32_t lane)
{
    int64_t model = mi_chrome_arg_number(event, MI_CHROME_ARG_MODEL, -1);
    c->lanes[lane].is_group = true;
    struct mi_task_row task = {.track = mi_chrome_group_track(c, lane),
                               .kernel =
                                   mi_chrome_cann_kernel(c, mi_chrome_name(c, event->name),
                                                         MI_LIT("COMMUNICATION"), model, lane),
                               .native_id = -1,
                               .connection = tie(c, event, MI_CHROME_ARG_CONNECTION)};
    c->has_tasks = true;
    add_task(c, event, &task);
}

static void add_kineto_task(struct mi_chrome *c, const struct mi_chrome_event *event, uint32_t lane,
                            struct mi_bytes category)
{
    int64_t stream = mi_chrome_arg_number(event, MI_CHROME_ARG_STREAM, c->lanes[lane].number);
    int64_t device = mi_chrome_arg_number(event, MI_CHROME_ARG_DEVICE,
                                          c->processes[c->lanes[lane].process].number);
    struct mi_task_row task = {
        .track = mi_chrome_stream_track(c, lane, stream <= UINT32_MAX ? stream : -1,
                                        device <= UINT32_MAX ? device : 0),
        .kernel = mi_chrome_kineto_kernel(c, mi_chrome_name(c, event->name), category),
        .native_id = -1,
        .connection = tie(c, event, MI_CHROME_ARG_CORRELATION)};
    c->is_kineto = true;
    add_task(c, event, &task);
}

static bool is_device_category(struct mi_bytes category)
{
    static const char *const names[] = {"kernel", "gpu_memcpy", "gpu_memset",        "Kernel",
                                        "Memcpy", "Memset",     "privateuse1_kernel"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (mi_bytes_equal(category, mi_cstr(names[i])))
            return true;
    return false;
}

/* --- spans --- */

/* The first of a list of categories. */
static struct mi_bytes first_of(struct mi_bytes list)
{
    const uint8_t *comma = list.len ? memchr(list.at, ',', list.len) : NULL;
    return comma ? mi_bytes_sub(list, 0, (size_t)(comma - list.at)) : list;
}

static struct mi_bytes host_category(struct mi_bytes category)
{
    static const struct {
        const char *from, *to;
    } names[] = {{"cpu_op", "op"},
                 {"python_function", "python"},
                 {"enqueue", "queue"},
                 {"dequeue", "queue"},
                 {"user_annotation", "annotation"},
                 {"gpu_user_annotation", "annotation"},
                 {"cuda_runtime", "runtime"},
                 {"cuda_driver", "runtime"},
                 {"privateuse1_runtime", "runtime"},
                 {"privateuse1_driver", "runtime"},
                 {"Operator", "op"},
                 {"Runtime", "runtime"},
                 {"Trace", "session"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (mi_bytes_equal(category, mi_cstr(names[i].from)))
            return mi_cstr(names[i].to);
    return category;
}

static struct mi_json_string level_category(struct mi_json_string level)
{
    if (mi_bytes_equal(level.raw, MI_LIT("hccl")))
        level.raw = MI_LIT("communication");
    return level;
}

/* AscendCL@aclrtMemcpyAsync: the level stands in the category already. */
static struct mi_json_string call_name(struct mi_json_string name)
{
    const uint8_t *at = name.raw.len ? memchr(name.raw.at, '@', name.raw.len) : NULL;
    if (at)
        name.raw = mi_bytes_sub(name.raw, (size_t)(at - name.raw.at) + 1, name.raw.len);
    return name;
}

/* Calls about nothing in particular write "0", which is a number only where a model is meant. */
static mi_str_id item_of(struct mi_chrome *c, const struct mi_chrome_event *event)
{
    struct mi_bytes item = event->arg[MI_CHROME_ARG_ITEM].raw;
    bool is_model = mi_bytes_equal(event->arg[MI_CHROME_ARG_LEVEL].raw, MI_LIT("model"));
    if (!mi_chrome_has_arg(event, MI_CHROME_ARG_ITEM) ||
        (!is_model && mi_bytes_equal(item, MI_LIT("0"))))
        return MI_NO_STR;
    return mi_chrome_name(c, event->arg[MI_CHROME_ARG_ITEM]);
}

static void fill_call(struct mi_chrome *c, const struct mi_chrome_event *event,
                      struct mi_slice_row *span)
{
    span->name = mi_chrome_name_again(c, call_name(event->name), &c->last_call);
    span->category =
        mi_chrome_name_again(c, level_category(event->arg[MI_CHROME_ARG_LEVEL]), &c->last_level);
    span->item = item_of(c, event);
    span->connection = tie(c, event, MI_CHROME_ARG_CONNECTION);
}

static bool is_step(struct mi_bytes name)
{
    return mi_bytes_starts(name, MI_LIT("ProfilerStep#"));
}

static void fill_framework(struct mi_chrome *c, const struct mi_chrome_event *event,
                           struct mi_slice_row *span)
{
    struct mi_bytes category = host_category(first_of(event->category.raw));
    if (is_step(event->name.raw))
        category = MI_LIT("step");
    span->name = mi_chrome_name(c, event->name);
    span->category = mi_batch_str(c->batch, category);
    span->connection = tie(c, event, MI_CHROME_ARG_CORRELATION);
    span->correlation = tie(c, event,
                            mi_chrome_has_arg(event, MI_CHROME_ARG_QUEUE) ? MI_CHROME_ARG_QUEUE
                                                                          : MI_CHROME_ARG_EXTERNAL);
}

mi_slice_id mi_chrome_add_span(struct mi_chrome *c, const struct mi_chrome_event *event,
                               uint32_t lane)
{
    struct mi_slice_row span = {.track = mi_chrome_thread_track(c, lane),
                                .connection = MI_NO_CONNECTION,
                                .correlation = MI_NO_CONNECTION,
                                .start_raw = event->ts_ns};
    if (!take_times(c, event, &span.dur_ns))
        return (mi_slice_id){0};
    set_record(event, &span.record_offset, &span.record_bytes);
    if (mi_chrome_has_arg(event, MI_CHROME_ARG_LEVEL) &&
        mi_chrome_has_arg(event, MI_CHROME_ARG_CONNECTION))
        fill_call(c, event, &span);
    else
        fill_framework(c, event, &span);
    c->has_plain |= !span.category.v;
    return mi_add_slice(c->batch, &span);
}

static void add_step(struct mi_chrome *c, uint32_t slice)
{
    const struct mi_slices *slices = &c->batch->rows.slices;
    struct mi_bytes name = mi_batch_text(c->batch, slices->name[slice]);
    int64_t number;
    if (!is_step(name) || !mi_chrome_number(mi_bytes_sub(name, 13, name.len), &number))
        number = -1;
    mi_add_window(c->batch, &(struct mi_window_row){.kind = mi_batch_cstr(c->batch, "step"),
                                                    .number = number,
                                                    .model = -1,
                                                    .device = -1,
                                                    .clock = c->host_clock,
                                                    .start_raw = slices->start_raw[slice],
                                                    .dur_ns = slices->dur_ns[slice]});
}

void mi_chrome_complete(struct mi_chrome *c, const struct mi_chrome_event *event)
{
    uint32_t lane = mi_chrome_lane_of(c, event->pid, event->tid);
    if (!lane)
        return;
    enum mi_chrome_content content = c->processes[c->lanes[lane].process].content;
    struct mi_bytes category = first_of(event->category.raw);
    if (mi_chrome_has_arg(event, MI_CHROME_ARG_TASK_TYPE) &&
        mi_chrome_has_arg(event, MI_CHROME_ARG_STREAM))
        add_cann_task(c, event, lane);
    else if (mi_chrome_has_arg(event, MI_CHROME_ARG_PLANE_STREAM) &&
             mi_chrome_has_arg(event, MI_CHROME_ARG_PLANE_TASK))
        mi_chrome_plane(c, event, lane);
    else if (mi_chrome_has_arg(event, MI_CHROME_ARG_ALGORITHM))
        add_collective(c, event, lane);
    else if (category.len && is_device_category(category))
        add_kineto_task(c, event, lane, category);
    else if (content == MI_CHROME_OVERLAP)
        mi_chrome_skip(
            c, "trace.overlap",
            N_("rows of the overlap analysis are derived from the tasks and are left out"));
    else {
        mi_slice_id span = mi_chrome_add_span(c, event, lane);
        c->batch->counts.kept += span.v != 0;
        if (span.v && is_step(event->name.raw))
            add_step(c, span.v);
    }
}

/* --- what only the names of processes and lanes tell --- */

static bool is_step_trace(const struct mi_chrome *c, uint32_t lane)
{
    return mi_bytes_starts(mi_batch_text(c->batch, c->lanes[lane].name), MI_LIT("Step Trace"));
}

/* Step Trace(Model ID:7), or thread id - 70000. */
static int64_t model_of_step_trace(const struct mi_chrome *c, uint32_t lane)
{
    struct mi_bytes name = mi_batch_text(c->batch, c->lanes[lane].name);
    size_t from = name.len ? name.len - 1 : 0;
    int64_t model;
    while (from && name.at[from - 1] >= '0' && name.at[from - 1] <= '9')
        from--;
    if (name.len && mi_chrome_number(mi_bytes_sub(name, from, name.len - 1 - from), &model))
        return model;
    return c->lanes[lane].number >= 70000 ? c->lanes[lane].number - 70000 : -1;
}

/* "Iteration 3" is the run of the model; the others are parts of it. */
static void add_window(struct mi_chrome *c, uint32_t slice, uint32_t lane)
{
    struct mi_slices *slices = &c->batch->rows.slices;
    struct mi_bytes name = mi_batch_text(c->batch, slices->name[slice]), kind = name;
    int64_t number = -1;
    size_t end = name.len;
    while (end && name.at[end - 1] >= '0' && name.at[end - 1] <= '9')
        end--;
    mi_chrome_number(mi_bytes_sub(name, end, name.len), &number);
    while (end && name.at[end - 1] == ' ')
        end--;
    kind.len = end;
    if (mi_bytes_equal(kind, MI_LIT("Iteration")))
        kind = MI_LIT("iteration");
    mi_add_window(c->batch, &(struct mi_window_row){
                                .kind = mi_batch_str(c->batch, kind),
                                .number = number,
                                .model = model_of_step_trace(c, lane),
                                .device = mi_chrome_device(c, c->lanes[lane].process),
                                .clock = c->batch->rows.tracks.clock[slices->track[slice].v],
                                .start_raw = slices->start_raw[slice],
                                .dur_ns = slices->dur_ns[slice]});
}

static void turn_into_task(struct mi_chrome *c, uint32_t slice, uint32_t lane, bool is_collective)
{
    struct mi_slices *slices = &c->batch->rows.slices;
    if (is_collective)
        c->lanes[lane].is_group = true;
    struct mi_bytes type = is_collective ? MI_LIT("COMMUNICATION") : (struct mi_bytes){0};
    mi_add_task(
        c->batch,
        &(struct mi_task_row){
            .track = is_collective ? mi_chrome_group_track(c, lane)
                                   : mi_chrome_stream_track(c, lane, c->lanes[lane].number, -1),
            .kernel =
                mi_chrome_cann_kernel(c, slices->name[slice], type, -1, is_collective ? lane : 0),
            .native_id = -1,
            .connection = mi_some_u32(slices->connection[slice]),
            .start_raw = slices->start_raw[slice],
            .dur_ns = slices->dur_ns[slice],
            .record_offset = slices->record_offset[slice],
            .record_bytes = slices->record_bytes[slice]});
}

/* Ranges that the program marked itself stand in a row that is called after it. */
static void mark_annotation(struct mi_chrome *c, uint32_t slice, uint32_t lane)
{
    const struct mi_chrome_process *process = &c->processes[c->lanes[lane].process];
    if (process->is_host && process->content == MI_CHROME_ANY && c->is_cann)
        c->batch->rows.slices.category[slice] = mi_batch_cstr(c->batch, "annotation");
}

/* True: the span became something else. */
static bool move_span(struct mi_chrome *c, uint32_t slice)
{
    uint32_t lane = c->lane_of_track[c->batch->rows.slices.track[slice].v];
    switch (c->processes[c->lanes[lane].process].content) {
    case MI_CHROME_OVERLAP:
        c->batch->counts.kept--;
        mi_chrome_skip(
            c, "trace.overlap",
            N_("rows of the overlap analysis are derived from the tasks and are left out"));
        return true;
    case MI_CHROME_HARDWARE:
        if (is_step_trace(c, lane))
            add_window(c, slice, lane);
        else
            turn_into_task(c, slice, lane, false);
        return true;
    case MI_CHROME_COLLECTIVES:
        turn_into_task(c, slice, lane, true);
        return true;
    default:
        mark_annotation(c, slice, lane);
        return false;
    }
}

void mi_chrome_rows_finish(struct mi_chrome *c)
{
    struct mi_slices *slices = &c->batch->rows.slices;
    if (!c->has_plain || mi_batch_failed(c->batch))
        return;
    uint32_t count = slices->count, moved = 0, *instead = mi_mem_new(count, sizeof *instead);
    if (!instead) {
        mi_batch_fail(c->batch, MI_ENOMEM, "out of memory for spans");
        return;
    }
    for (uint32_t s = 0; s < count; s++) {
        bool moves = s && !slices->category[s].v && !mi_batch_failed(c->batch) && move_span(c, s);
        instead[s] = moves ? 0 : s;
        moved += moves;
    }
    if (moved && !mi_table_drop(&c->batch->rows, MI_T_slices, instead))
        mi_batch_fail(c->batch, MI_ENOMEM, "out of memory for spans");
    mi_mem_free(instead);
}
