/* Which files were written by one profiler run on one rank: its collection.
 *
 *   PROF_000001_2025.../                    msprof
 *   host_123_2025..._ascend_pt/PROF_.../    framework profilers; the outermost folder counts
 *   any/ASCEND_PROFILER_OUTPUT/             deliverables that were copied without their folder
 *
 * Without such a folder in its path a file belongs to the folder that it lies in. Traces that are
 * not of Ascend devices are collections of their own, each file for itself. */
#include "base/mem.h"
#include "correlate/cann/cann_tables.h"

static bool is_collection(struct mi_bytes part)
{
    bool is_prof = mi_bytes_starts(part, MI_LIT("PROF_")) && part.len > 5 && part.at[5] >= '0' &&
                   part.at[5] <= '9';
    return is_prof || mi_bytes_ends(part, MI_LIT("_ascend_pt")) ||
           mi_bytes_ends(part, MI_LIT("_ascend_ms"));
}

static bool is_deliverables(struct mi_bytes part)
{
    return mi_bytes_equal(part, MI_LIT("ASCEND_PROFILER_OUTPUT")) ||
           mi_bytes_equal(part, MI_LIT("mindstudio_profiler_output"));
}

/* The path up to the outermost folder of a collection, else to the one that holds the
 * deliverables, else to the folder of the file. *is_folder: its name says what it is. */
static struct mi_bytes home_of(struct mi_bytes path, bool *is_folder)
{
    size_t from = 0, last = 0, inner = SIZE_MAX;
    *is_folder = true;
    for (size_t i = 0; i < path.len; i++) {
        if (path.at[i] != '/')
            continue;
        struct mi_bytes part = mi_bytes_sub(path, from, i - from);
        if (is_collection(part))
            return mi_bytes_sub(path, 0, i);
        if (inner == SIZE_MAX && is_deliverables(part))
            inner = from ? from - 1 : 0;
        last = i;
        from = i + 1;
    }
    *is_folder = inner != SIZE_MAX;
    return mi_bytes_sub(path, 0, *is_folder ? inner : last);
}

/* [sources.count] 1 where the reader states that the trace is of Ascend devices; NULL: no memory.
 */
static uint8_t *find_dialects(const struct mi_model *model)
{
    const struct mi_facts *facts = &model->all.rows.facts;
    uint8_t *is_cann = mi_mem_zero(model->all.rows.sources.count, 1);
    for (uint32_t f = 1; is_cann && f < facts->count; f++)
        if (mi_bytes_equal(mi_model_text(model, facts->name[f]), MI_LIT("trace_dialect")) &&
            mi_bytes_starts(mi_model_text(model, facts->text[f]), MI_LIT("cann")))
            is_cann[facts->source[f].v] = 1;
    return is_cann;
}

/* The last part of a path. */
static struct mi_bytes last_part(struct mi_bytes path)
{
    size_t from = path.len;
    while (from && path.at[from - 1] != '/')
        from--;
    return mi_bytes_sub(path, from, path.len);
}

struct mi_bytes mi_collection_name(const struct mi_model *model, uint32_t source)
{
    bool is_folder;
    struct mi_bytes path = mi_model_text(model, model->all.rows.sources.path[source]);
    struct mi_bytes home = home_of(path, &is_folder);
    return last_part(is_folder && home.len ? home : path);
}

enum file_kind { OTHER_FILE, OTHER_TRACE, CANN_FILE };

static enum file_kind kind_of(const struct mi_model *model, const uint8_t *is_cann, uint32_t source)
{
    struct mi_bytes reader = mi_model_text(model, model->all.rows.sources.reader[source]);
    if (mi_bytes_starts(reader, MI_LIT("msprof_")) || is_cann[source])
        return CANN_FILE;
    return mi_bytes_equal(reader, MI_LIT("chrome_trace")) ? OTHER_TRACE : OTHER_FILE;
}

/* A file of one process that lies in a folder with others': its ids are its own. */
static bool is_of_process(const struct mi_model *model, uint32_t source)
{
    return mi_source_is_read_by(model, source, "mi_hook");
}

struct homes {
    const struct mi_model *model;
    struct mi_strings names;
    uint8_t *is_cann;
    uint32_t *numbers; /* [sources.count] */
    bool failed;
};

/* Whether a loose folder holds the databases of several ranks: then each stands for itself. */
static bool is_crowded(const struct homes *h, uint32_t source, struct mi_bytes home)
{
    const struct mi_sources *sources = &h->model->all.rows.sources;
    int64_t own = mi_cann_rank_in_name(mi_model_text(h->model, sources->path[source]));
    for (uint32_t s = 1; own >= 0 && s < sources->count; s++) {
        struct mi_bytes path = mi_model_text(h->model, sources->path[s]);
        bool is_folder;
        int64_t rank = mi_cann_rank_in_name(path);
        if (rank >= 0 && rank != own && kind_of(h->model, h->is_cann, s) == CANN_FILE &&
            mi_bytes_equal(home_of(path, &is_folder), home) && !is_folder)
            return true;
    }
    return false;
}

static void number_sources(struct homes *h, bool with_others)
{
    const struct mi_sources *sources = &h->model->all.rows.sources;
    bool is_folder;
    for (uint32_t s = 1; s < sources->count && !h->failed; s++) {
        struct mi_bytes path = mi_model_text(h->model, sources->path[s]);
        enum file_kind kind = kind_of(h->model, h->is_cann, s);
        struct mi_bytes home = home_of(path, &is_folder);
        if (kind == OTHER_TRACE || is_of_process(h->model, s) ||
            (!is_folder && is_crowded(h, s, home)))
            home = path;
        if (kind == CANN_FILE || (with_others && kind == OTHER_TRACE))
            h->numbers[s] = mi_strings_add(&h->names, home, false, &h->failed).v + 1;
    }
    for (uint32_t s = 1; s < sources->count && with_others; s++) { /* what lies beside them */
        struct mi_bytes home = home_of(mi_model_text(h->model, sources->path[s]), &is_folder);
        uint32_t known = is_folder ? mi_strings_find(&h->names, home).v : 0;
        if (known && !h->numbers[s])
            h->numbers[s] = known + 1;
    }
}

static uint32_t *number_all(const struct mi_model *model, bool with_others)
{
    struct homes h = {.model = model,
                      .is_cann = find_dialects(model),
                      .numbers = mi_mem_zero(model->all.rows.sources.count, sizeof *h.numbers)};
    h.failed = !h.is_cann || !h.numbers || !mi_strings_init(&h.names);
    if (!h.failed) {
        number_sources(&h, with_others);
        mi_strings_fini(&h.names);
    }
    mi_mem_free(h.is_cann);
    if (h.failed) {
        mi_mem_free(h.numbers);
        return NULL;
    }
    return h.numbers;
}

uint32_t *mi_cann_collections(const struct mi_model *model)
{
    return number_all(model, false);
}

bool mi_cann_has_any(const struct mi_model *model, const uint32_t *collections)
{
    for (uint32_t s = 1; s < model->all.rows.sources.count; s++)
        if (collections[s])
            return true;
    return false;
}

bool mi_collections_apply(struct mi_model *model, struct mi_error *err)
{
    struct mi_sources *sources = &model->all.rows.sources;
    uint32_t *numbers = number_all(model, true);
    if (!numbers)
        return mi_fail(err, MI_ENOMEM, "out of memory for collections");
    memcpy(sources->collection, numbers, sources->count * sizeof *numbers);
    mi_mem_free(numbers);
    return true;
}
