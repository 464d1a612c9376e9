/* html: the one-file report, see present/offline/offline.h. Arguments: "max-size", "anonymise",
 * "key". */
#include "present/offline/offline.h"

#include "base/input.h"
#include "base/param.h"
#include "base/translate.h"
#include "present/exporter.h"

enum { LEAST_KEY = 16, MOST_KEY = 1 << 20 }; /* bytes: less can be tried, more is no key */

static bool read_key(const char *path, struct mi_hash_key *key, struct mi_error *err)
{
    struct mi_input_options options = {.max_bytes = MOST_KEY, .no_mmap = true, .keep_packed = true};
    struct mi_input input;
    if (!mi_input_open(&input, path, &options, err))
        return false;
    bool ok = input.bytes.len >= LEAST_KEY ||
              mi_fail(err, MI_EUSAGE, "a key of %zu bytes can be guessed: %d are wanted at least",
                      input.bytes.len, LEAST_KEY);
    if (ok)
        *key = mi_hash_key_from(input.bytes);
    mi_input_close(&input);
    return ok;
}

static bool write(const struct mi_view *view, struct mi_target *target, struct mi_error *err)
{
    struct mi_offline_options options = {.most_mib = mi_args_int(view->args, "max-size", 0),
                                         .is_anonymised = mi_args_flag(view->args, "anonymise")};
    const char *path = mi_args_text(view->args, "key", NULL);
    struct mi_hash_key key;
    if (path && !read_key(path, &key, err))
        return false;
    options.key = path ? &key : NULL;
    options.base = view->base ? mi_session_model(view->base) : NULL;
    options.base_name = view->base_name;
    options.name = view->name;
    struct mi_offline *report = mi_offline_new(view->model, &options, err);
    struct mi_sink *sink = report ? target->open(target, "export.html", err) : NULL;
    bool ok = sink && mi_offline_write(report, sink, err) && target->close(target, err);
    mi_offline_free(report);
    return ok;
}

const struct mi_exporter mi_exporter_html = {
    .name = "html",
    .title = N_("one page with everything in it, for a browser without a network"),
    .suffix = ".html",
    .media_type = "text/html; charset=utf-8",
    .write = write,
};
