#include "pipeline/session.h"

#include "base/mem.h"
#include "base/pool.h"
#include "correlate/matcher.h"
#include "pipeline/folders.h"
#include "pipeline/inputs.h"
#include "pipeline/saved.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { MAX_JOBS = 64, DEFAULT_JOBS = 8 };

struct mi_session {
    struct mi_session_options options;
    struct mi_inputs inputs;
    struct mi_model model;
    struct mi_cancel cancel;
    atomic_uint_fast64_t done_bytes; /* of finished inputs */
    uint64_t total_bytes;
    bool is_loaded;
    bool is_saved;            /* the model is a snapshot: its sources are not the inputs */
    pthread_mutex_t lock;     /* while records are looked up */
    pthread_mutex_t *looking; /* that lock, which a read-only session may take as well */
};

struct mi_session *mi_session_new(const struct mi_session_options *options, struct mi_error *err)
{
    struct mi_session *session = mi_mem_zero(1, sizeof *session);
    if (!session) {
        mi_fail(err, MI_ENOMEM, "out of memory");
        return NULL;
    }
    if (options)
        session->options = *options;
    pthread_mutex_init(&session->lock, NULL);
    session->looking = &session->lock;
    mi_inputs_init(&session->inputs);
    if (!mi_model_init(&session->model, err)) {
        mi_mem_free(session);
        return NULL;
    }
    return session;
}

void mi_session_free(struct mi_session *session)
{
    if (!session)
        return;
    mi_model_fini(&session->model); /* before the inputs, whose bytes it borrows */
    mi_inputs_fini(&session->inputs);
    pthread_mutex_destroy(&session->lock);
    mi_mem_free(session);
}

bool mi_session_add(struct mi_session *session, const char *path, struct mi_error *err)
{
    if (session->is_loaded)
        return mi_fail(err, MI_EUSAGE, "the session is loaded; inputs can no longer be added");
    return mi_inputs_add(&session->inputs, path, err);
}

/* --- reading --- */

struct reading {
    struct mi_session *session;
    const struct mi_reader *forced;
    struct mi_batch *batches;  /* [item count] */
    struct mi_error *failures; /* [item count] why a reader gave up */
};

static bool report(struct mi_session *session, const char *stage, uint64_t done_bytes)
{
    if (session->options.progress &&
        !session->options.progress(session->options.user, stage, done_bytes, session->total_bytes))
        mi_cancel_set(&session->cancel);
    return !mi_cancelled(&session->cancel);
}

static bool report_reading(void *user, uint64_t done_bytes)
{
    struct mi_session *session = user;
    return report(session, "read", atomic_load(&session->done_bytes) + done_bytes);
}

static bool report_opening(void *user)
{
    return report(user, "open", 0);
}

static bool open_item(void *context, uint32_t index, uint32_t worker, struct mi_error *err)
{
    (void)worker, (void)err;
    struct reading *reading = context;
    struct mi_session *session = reading->session;
    struct mi_item *item = &session->inputs.items[index];
    const struct mi_going going = {report_opening, session};
    const struct mi_input_options options = {.max_bytes = session->options.max_input_bytes,
                                             .no_mmap = session->options.no_mmap,
                                             .going = &going};
    mi_item_open(item, reading->forced, &options);
    /* Others may take long yet: a pipe that nobody has written to, a packed file. */
    if (item->reader)
        report_reading(session, 0);
    return true;
}

static bool read_item(void *context, uint32_t index, uint32_t worker, struct mi_error *err)
{
    (void)worker;
    struct reading *reading = context;
    struct mi_session *session = reading->session;
    struct mi_item *item = &session->inputs.items[index];
    struct mi_batch *batch = &reading->batches[index];
    if (!mi_batch_init(batch, item->input.bytes, err))
        return false;
    if (!item->reader)
        return true;
    struct mi_source source = {.path = item->path,
                               .bytes = item->input.bytes,
                               .companion = item->companion.bytes,
                               .role = item->entry ? item->entry->role : "",
                               .manifest = item->capture ? &item->capture->manifest : NULL,
                               .entry = item->entry,
                               .limits = session->options.limits,
                               .progress = report_reading,
                               .user = session};
    item->reader->read(&source, batch, &reading->failures[index]);
    if (mi_batch_failed(batch)) /* memory and limits are remembered by the batch */
        mi_fail(&reading->failures[index], batch->error.code, "%s", batch->error.text);
    atomic_fetch_add(&session->done_bytes, item->input.bytes.len);
    if (reading->failures[index].code == MI_ENOMEM)
        return mi_fail(err, MI_ENOMEM, "%s", reading->failures[index].text) ||
               mi_error_in(err, item->path);
    return true;
}

/* --- merging --- */

static void add_diag(struct mi_batch *all, mi_source_id source, enum mi_severity severity,
                     const char *code, const struct mi_error *error)
{
    mi_add_diag(all, &(struct mi_diag_row){
                         .source = source,
                         .code = mi_batch_cstr(all, code),
                         .severity = (uint8_t)severity,
                         .times = 1,
                         .offset = error->offset == MI_NO_OFFSET ? -1 : (int64_t)error->offset,
                         .line = error->line,
                         .text = mi_batch_cstr(all, error->text)});
}

/* The number of the item's capture folder, from 1; 0 if it was given by itself. */
static uint32_t capture_number(const struct mi_inputs *inputs, const struct mi_item *item)
{
    for (uint32_t i = 0; item->capture && i < inputs->capture_count; i++)
        if (inputs->captures[i] == item->capture)
            return i + 1;
    return 0;
}

/* Whoever looks at the inputs is told which formats were never seen in the wild. */
static void add_untried(struct mi_batch *all, mi_source_id source)
{
    struct mi_error note = MI_ERROR_INIT;
    mi_fail(&note, MI_EUNSUPPORTED,
            "this format is read by its description alone: no real file of it was at hand");
    add_diag(all, source, MI_INFO, "input.untried", &note);
}

/* What the place of a file says about it. */
static void add_place(struct mi_batch *all, mi_source_id source, const struct mi_item *item)
{
    struct mi_error note = MI_ERROR_INIT;
    if (item->newer) {
        const char *slash = strrchr(item->newer, '/');
        mi_fail(&note, MI_EUNSUPPORTED, "left out: %.150s is a newer export of the same",
                slash ? slash + 1 : item->newer);
        add_diag(all, source, MI_NOTICE, "input.older_export", &note);
    } else if (item->word) {
        mi_fail(&note, MI_EUNSUPPORTED, "%s", item->word);
        add_diag(all, source, MI_INFO, "input.raw_profile", &note);
    }
}

static bool merge_item(struct reading *reading, uint32_t index, struct mi_error *err)
{
    struct mi_session *session = reading->session;
    struct mi_item *item = &session->inputs.items[index];
    struct mi_batch *all = &session->model.all;
    struct mi_source_row row = {.path = mi_batch_cstr(all, item->path),
                                .reader =
                                    mi_batch_cstr(all, item->reader ? item->reader->name : ""),
                                .role = mi_batch_cstr(all, item->entry ? item->entry->role : ""),
                                .capture = capture_number(&session->inputs, item),
                                .size_bytes = (int64_t)item->input.disk_bytes};
    mi_source_id source = mi_model_add_source(&session->model, &row, item->input.bytes, err);
    if (!source.v || !mi_model_merge(&session->model, source, &reading->batches[index], err))
        return false;
    add_place(all, source, item);
    if (item->reader && item->reader->is_untried)
        add_untried(all, source);
    if (item->error.code == MI_EUNSUPPORTED && !item->is_named && !item->entry)
        add_diag(all, source, MI_INFO, "input.not_recognised", &item->error);
    else if (item->error.code != MI_OK)
        add_diag(all, source, MI_ERROR, "input.unreadable", &item->error);
    if (item->input.damage.code != MI_OK)
        add_diag(all, source, MI_LOSS, "input.damaged", &item->input.damage);
    if (reading->failures[index].code != MI_OK)
        add_diag(all, source, MI_ERROR, "input.stopped", &reading->failures[index]);
    return true;
}

/* Nothing to show: the first thing that went wrong says why. */
static bool fail_empty(const struct reading *reading, struct mi_error *err)
{
    const struct mi_inputs *inputs = &reading->session->inputs;
    size_t at = 0;
    if (mi_folders_not_exported(inputs, &at, err))
        return false;
    for (size_t i = 0; i < inputs->count; i++) {
        const struct mi_error *why = &inputs->items[i].error;
        if (why->code == MI_OK)
            why = &reading->failures[i];
        if (why->code != MI_OK && err->code == MI_OK) {
            *err = *why;
            return mi_error_in(err, inputs->items[i].path);
        }
    }
    return mi_fail(err, MI_ENOTFOUND, "the inputs hold no graph and no tasks");
}

static bool open_all(struct reading *reading, unsigned jobs, struct mi_error *err)
{
    struct mi_session *session = reading->session;
    return mi_pool_run(jobs, (uint32_t)session->inputs.count, open_item, reading, &session->cancel,
                       err);
}

static bool read_all(struct reading *reading, unsigned jobs, struct mi_error *err)
{
    struct mi_session *session = reading->session;
    uint32_t count = (uint32_t)session->inputs.count;
    for (uint32_t i = 0; i < count; i++)
        session->total_bytes += session->inputs.items[i].input.bytes.len;
    return mi_pool_run(jobs, count, read_item, reading, &session->cancel, err);
}

/* The first source of a capture, which stands for the whole; none if it gave no file. */
static mi_source_id source_of_capture(const struct mi_model *model, size_t capture)
{
    const struct mi_sources *sources = &model->all.rows.sources;
    for (uint32_t s = 1; s < sources->count; s++)
        if (sources->capture[s] == capture + 1)
            return (mi_source_id){s};
    return (mi_source_id){0};
}

static void add_fact(struct mi_batch *all, mi_source_id source, const char *kind,
                     const struct mi_manifest_pair *pair)
{
    mi_add_fact(all, &(struct mi_fact_row){.source = source,
                                           .name = mi_batch_printf(all, "%s:%s", kind, pair->name),
                                           .text = mi_batch_cstr(all, pair->text)});
}

/* What a manifest states becomes facts and diagnostics like what the files state. */
static void add_manifest(struct mi_session *session, size_t capture)
{
    const struct mi_manifest *manifest = &session->inputs.captures[capture]->manifest;
    struct mi_batch *all = &session->model.all;
    mi_source_id source = source_of_capture(&session->model, capture);
    struct mi_error note = MI_ERROR_INIT;
    if (!source.v)
        return;
    for (size_t i = 0; i < manifest->setting_count; i++)
        add_fact(all, source, "setting", &manifest->settings[i]);
    for (size_t i = 0; i < manifest->version_count; i++)
        add_fact(all, source, "version", &manifest->versions[i]);
    if (!manifest->complete) {
        mi_fail(&note, MI_ECANCELLED, "the collection was cut short");
        add_diag(all, source, MI_LOSS, "capture.incomplete", &note);
    }
    for (size_t i = 0; i < manifest->note_count; i++) {
        note = MI_ERROR_INIT;
        mi_fail(&note, MI_EIO, "%s", manifest->notes[i]);
        add_diag(all, source, MI_NOTICE, "capture.note", &note);
    }
}

/* Collections that nobody has exported: their first source says so. */
static void add_not_exported(struct mi_session *session)
{
    struct mi_error note = MI_ERROR_INIT;
    const struct mi_item *item;
    for (size_t at = 0; (item = mi_folders_not_exported(&session->inputs, &at, &note));
         note = MI_ERROR_INIT)
        add_diag(&session->model.all, (mi_source_id){(uint32_t)(item - session->inputs.items) + 1},
                 MI_WARNING, "input.not_exported", &note);
}

/* Sums, settings, values over time are worth showing where there is neither graph nor task; not
 * where they surround a collection that was never exported. */
static bool has_other_records(const struct mi_session *session)
{
    const struct mi_sources *sources = &session->model.all.rows.sources;
    struct mi_error ignored = MI_ERROR_INIT;
    size_t at = 0;
    bool has_records = false;
    for (uint32_t s = 1; s < sources->count; s++)
        has_records = has_records || sources->records_kept[s] > 0;
    return has_records && !mi_folders_not_exported(&session->inputs, &at, &ignored);
}

static bool list_values(void *session, mi_source_id source, int64_t offset, uint32_t size_bytes,
                        mi_value_fn *fn, void *user)
{
    return mi_session_metrics(session, source, offset, size_bytes, fn, user);
}

static bool build_model(struct reading *reading, struct mi_error *err)
{
    struct mi_session *session = reading->session;
    struct mi_model *model = &session->model;
    model->list_values = list_values;
    model->values_of = session;
    for (size_t i = 0; i < session->inputs.capture_count && !model->start_unix_ns; i++)
        model->start_unix_ns = session->inputs.captures[i]->manifest.start_unix_ns;
    for (uint32_t i = 0; i < session->inputs.count; i++)
        if (!merge_item(reading, i, err))
            return false;
    for (size_t i = 0; i < session->inputs.capture_count; i++)
        add_manifest(session, i);
    add_not_exported(session);
    if (!(mi_model_has(model) & ~(unsigned)MI_HAS_LINKS) && !has_other_records(session))
        return fail_empty(reading, err);
    if (session->options.progress &&
        !session->options.progress(session->options.user, "correlate", 0, 0))
        return mi_fail(err, MI_ECANCELLED, "stopped");
    return mi_model_index_graphs(model, err) && mi_correlate(model, err) &&
           mi_model_freeze(model, err);
}

bool mi_session_load(struct mi_session *session, struct mi_error *err)
{
    struct reading reading = {.session = session};
    unsigned jobs = session->options.jobs;
    if (jobs == 0)
        jobs = mi_pool_cpus() < DEFAULT_JOBS ? mi_pool_cpus() : DEFAULT_JOBS;
    if (session->is_loaded)
        return mi_fail(err, MI_EUSAGE, "the session is loaded already");
    if (session->options.input_format) {
        reading.forced = mi_reader_find(session->options.input_format);
        if (!reading.forced)
            return mi_fail(err, MI_EUSAGE, "--input-format: there is no format \"%.60s\"",
                           session->options.input_format);
    }
    size_t count = session->inputs.count;
    if (count == 0)
        return mi_fail(err, MI_ENOTFOUND, "the inputs hold no files");
    if (!mi_inputs_complete(&session->inputs))
        return mi_fail(err, MI_ENOMEM, "out of memory");
    reading.batches = mi_mem_zero(count, sizeof *reading.batches);
    reading.failures = mi_mem_zero(count, sizeof *reading.failures);
    bool ok = reading.batches && reading.failures;
    if (!ok)
        mi_fail(err, MI_ENOMEM, "out of memory");
    for (size_t i = 0; ok && i < count; i++)
        reading.failures[i] = MI_ERROR_INIT;
    session->is_loaded = true;
    jobs = jobs < MAX_JOBS ? jobs : MAX_JOBS;
    ok = ok && open_all(&reading, jobs, err);
    const struct mi_item *saved = ok && !reading.forced ? mi_saved_find(&session->inputs) : NULL;
    session->is_saved = saved != NULL;
    if (saved)
        ok = mi_saved_load(&session->inputs, saved, &session->model, err);
    else
        ok = ok && read_all(&reading, jobs, err) && build_model(&reading, err);
    for (size_t i = 0; reading.batches && i < count; i++)
        mi_batch_fini(&reading.batches[i]);
    mi_mem_free(reading.batches);
    mi_mem_free(reading.failures);
    return ok;
}

/* --- answers --- */

const struct mi_model *mi_session_model(const struct mi_session *session)
{
    return &session->model;
}

const struct mi_manifest *mi_session_manifest(const struct mi_session *session)
{
    return session->inputs.capture_count ? &session->inputs.captures[0]->manifest : NULL;
}

const char *mi_session_capture_dir(const struct mi_session *session)
{
    return session->inputs.capture_count ? session->inputs.captures[0]->dir : NULL;
}

const struct mi_reader *mi_session_reader(const struct mi_session *session, mi_source_id source)
{
    /* Items are merged in order, so source i + 1 is item i. */
    return !session->is_saved && source.v >= 1 && source.v <= session->inputs.count
               ? session->inputs.items[source.v - 1].reader
               : NULL;
}

bool mi_session_metrics(const struct mi_session *session, mi_source_id source, int64_t offset,
                        uint32_t size_bytes, mi_metric_fn *fn, void *user)
{
    const struct mi_reader *reader = mi_session_reader(session, source);
    if (!reader || !reader->metrics || offset < 0)
        return false;
    struct mi_item *item = &session->inputs.items[source.v - 1];
    struct mi_record record = {.file = session->model.files[source.v],
                               .companion = item->companion.bytes,
                               .bytes =
                                   mi_model_record(&session->model, source, offset, size_bytes),
                               .key = offset};
    if (!fn)
        return true;
    if (!reader->open_records) {
        reader->metrics(&record, fn, user);
        return true;
    }
    pthread_mutex_lock(session->looking);
    if (!item->records)
        item->records = reader->open_records(record.file, record.companion);
    record.opened = item->records;
    if (item->records)
        reader->metrics(&record, fn, user);
    pthread_mutex_unlock(session->looking);
    return true;
}

bool mi_session_report(const struct mi_session *session, const char *name,
                       const struct mi_args *args, struct mi_report *out, struct mi_error *err)
{
    const struct mi_pass *pass = mi_pass_find(name);
    if (!pass)
        return mi_fail(err, MI_ENOTFOUND, "there is no analysis \"%.60s\"", name);
    return mi_pass_run(pass, &session->model, args, out, err);
}
