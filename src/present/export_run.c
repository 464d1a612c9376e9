#include "present/export_run.h"

#include "base/files.h"
#include "base/map.h"
#include "base/mem.h"

#include <stdio.h>
#include <sys/stat.h>

enum { MAX_PATH_BYTES = 4096, MAX_FILES = MI_TABLE_COUNT + 8 };

/* --- what must not be overwritten --- */

struct file_key {
    dev_t device;
    ino_t inode;
};

struct inputs {
    struct file_key *list;
    size_t count, room;
    bool failed;
};

static void add_input(struct inputs *inputs, const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return;
    if (inputs->count == inputs->room) {
        size_t room = inputs->room ? inputs->room * 2 : 16;
        struct file_key *list = mi_mem_resize(inputs->list, room, sizeof *list);
        inputs->failed |= !list;
        if (!list)
            return;
        inputs->list = list;
        inputs->room = room;
    }
    inputs->list[inputs->count++] = (struct file_key){info.st_dev, info.st_ino};
}

/* "outer.zip!inner.csv" is part of outer.zip; a "!" may also stand in a plain name. */
static void add_source(struct inputs *inputs, struct mi_bytes path)
{
    char name[MAX_PATH_BYTES];
    if (path.len >= sizeof name)
        return;
    for (size_t i = 0; i < path.len; i++) {
        name[i] = (char)path.at[i];
        if (name[i] == '!') {
            name[i] = '\0';
            add_input(inputs, name);
            name[i] = '!';
        }
    }
    name[path.len] = '\0';
    add_input(inputs, name);
}

/* External data lies relative to the folder of the model that refers to it. */
static void add_external_data(struct inputs *inputs, const struct mi_model *model)
{
    const struct mi_tables *rows = &model->all.rows;
    struct mi_map seen = {0};
    for (uint32_t v = 1; v < rows->values.count; v++) {
        if (!rows->values.data_path[v].v || !rows->values.graph[v].v)
            continue;
        mi_source_id source = rows->graphs.source[rows->values.graph[v].v];
        uint64_t key = mi_pair(source.v, rows->values.data_path[v].v);
        if (!source.v || mi_map_get(&seen, key))
            continue;
        inputs->failed |= !mi_map_set(&seen, key, 1);
        struct mi_bytes model_path = mi_model_text(model, rows->sources.path[source.v]);
        struct mi_bytes data_path = mi_model_text(model, rows->values.data_path[v]);
        size_t dir_len = model_path.len;
        while (dir_len && model_path.at[dir_len - 1] != '/')
            dir_len--;
        char path[MAX_PATH_BYTES];
        if (dir_len + data_path.len >= sizeof path || memchr(data_path.at, 0, data_path.len))
            continue;
        memcpy(path, model_path.at, dir_len);
        memcpy(path + dir_len, data_path.at, data_path.len);
        path[dir_len + data_path.len] = '\0';
        add_input(inputs, path);
    }
    mi_map_fini(&seen);
}

static bool find_inputs(struct inputs *inputs, const struct mi_model *model, struct mi_error *err)
{
    const struct mi_sources *sources = &model->all.rows.sources;
    for (uint32_t s = 1; s < sources->count; s++)
        if (sources->reader[s].v || !sources->capture[s]) /* a capture may hold dumps of ours */
            add_source(inputs, mi_model_text(model, sources->path[s]));
    add_external_data(inputs, model);
    return !inputs->failed || mi_fail(err, MI_ENOMEM, "out of memory");
}

static bool is_input(const struct inputs *inputs, const char *path)
{
    struct stat info;
    const char *slash = strrchr(path, '/');
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return false;
    if (strcmp(slash ? slash + 1 : path, MI_CAPTURE_FILE) == 0)
        return true;
    for (size_t i = 0; i < inputs->count; i++)
        if (inputs->list[i].device == info.st_dev && inputs->list[i].inode == info.st_ino)
            return true;
    return false;
}

/* --- targets --- */

struct target {
    struct mi_target base; /* first: exporters hand it back */
    const struct mi_export_options *options;
    const char *dir;  /* folder, or NULL */
    const char *path; /* the one file, or NULL */
    struct inputs inputs;
    struct mi_sink own;    /* of the file that is open */
    struct mi_sink *sink;  /* the open one: `own`, or the caller's; NULL = none */
    struct mi_sink *given; /* the caller's when neither dir nor path is set */
    uint64_t written_bytes;
    struct mi_writer writers[MAX_FILES];
    int writer_count; /* begun */
};

static bool report_progress(struct target *target, size_t more, struct mi_error *err)
{
    const struct mi_export_options *options = target->options;
    target->written_bytes += more;
    if (!options || !options->progress || options->progress(options->user, target->written_bytes))
        return true;
    return mi_fail(err, MI_ECANCELLED, "stopped");
}

static bool send_to_writer(void *context, struct mi_bytes bytes, struct mi_error *err)
{
    struct target *target = context;
    struct mi_writer *writer = &target->writers[target->writer_count - 1];
    if (!mi_writer_put(writer, bytes)) {
        *err = writer->error;
        return false;
    }
    return report_progress(target, bytes.len, err);
}

static struct mi_sink *open_file(struct mi_target *base, const char *name, struct mi_error *err)
{
    struct target *target = (struct target *)(void *)base;
    char path[MAX_PATH_BYTES];
    int len = target->dir ? snprintf(path, sizeof path, "%s/%s", target->dir, name)
                          : snprintf(path, sizeof path, "%s", target->path);
    if (len < 0 || (size_t)len >= sizeof path || target->writer_count == MAX_FILES) {
        mi_fail(err, MI_EUSAGE, "the path of an output file is too long");
        return NULL;
    }
    if (is_input(&target->inputs, path)) {
        mi_fail(err, MI_EUSAGE, "this is an input and is not overwritten; choose another place");
        mi_error_in(err, path);
        return NULL;
    }
    if (!mi_writer_open(&target->writers[target->writer_count], path, err)) {
        mi_error_in(err, path);
        return NULL;
    }
    target->writer_count++;
    mi_sink_init_callback(&target->own, send_to_writer, target);
    target->sink = &target->own;
    return target->sink;
}

static struct mi_sink *open_given(struct mi_target *base, const char *name, struct mi_error *err)
{
    struct target *target = (struct target *)(void *)base;
    (void)name;
    (void)err;
    target->sink = target->given;
    return target->sink;
}

static bool close_sink(struct mi_target *base, struct mi_error *err)
{
    struct target *target = (struct target *)(void *)base;
    bool ok = mi_sink_flush(target->sink, err);
    if (target->sink == &target->own)
        mi_sink_fini(&target->own);
    target->sink = NULL;
    if (!ok && target->writer_count)
        mi_error_in(err, target->writers[target->writer_count - 1].path);
    return ok;
}

/* All files or none, as far as the file system lets us: every file is complete on disk before the
 * first one takes its name. */
static bool commit(struct target *target, bool ok, struct mi_error *err)
{
    if (target->sink) { /* the exporter gave up on this one */
        if (mi_sink_failed(target->sink))
            mi_fail(err, target->sink->error.code, "%s", target->sink->error.text);
        if (target->sink == &target->own)
            mi_sink_fini(&target->own);
    }
    for (int i = 0; i < target->writer_count; i++) {
        struct mi_writer *writer = &target->writers[i];
        ok = ok && mi_writer_commit(writer, err);
        mi_writer_abort(writer);
    }
    return ok;
}

static bool run(struct target *target, const struct mi_view *view,
                const struct mi_exporter *exporter, struct mi_error *err)
{
    target->base.open = target->given ? open_given : open_file;
    target->base.close = close_sink;
    bool ok = find_inputs(&target->inputs, view->model, err) &&
              (!view->base || find_inputs(&target->inputs, mi_session_model(view->base), err)) &&
              exporter->write(view, &target->base, err);
    ok = commit(target, ok, err);
    mi_mem_free(target->inputs.list);
    return ok;
}

/* --- entries --- */

bool mi_export_dir(const struct mi_view *view, const struct mi_exporter *exporter, const char *dir,
                   const struct mi_export_options *options, struct mi_error *err)
{
    struct target target = {.options = options, .dir = dir};
    return mi_make_dirs(dir, err) && run(&target, view, exporter, err);
}

bool mi_export_file(const struct mi_view *view, const struct mi_exporter *exporter,
                    const char *path, const struct mi_export_options *options, struct mi_error *err)
{
    struct target target = {.options = options, .path = path};
    return run(&target, view, exporter, err);
}

bool mi_export_sink(const struct mi_view *view, const struct mi_exporter *exporter,
                    struct mi_sink *sink, const struct mi_export_options *options,
                    struct mi_error *err)
{
    struct target target = {.options = options, .given = sink};
    return run(&target, view, exporter, err);
}

bool mi_export_file_name(const struct mi_exporter *exporter, size_t k, char name[64])
{
    if (exporter->suffix) {
        snprintf(name, 64, "export%s", exporter->suffix);
        return k == 0;
    }
    if (!exporter->files && k < MI_TABLE_COUNT) {
        snprintf(name, 64, "%s.csv", mi_table_infos[k].name);
        return true;
    }
    for (size_t i = 0; exporter->files && exporter->files[i]; i++)
        if (i == k) {
            snprintf(name, 64, "%s", exporter->files[i]);
            return true;
        }
    return false;
}
