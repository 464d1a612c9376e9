/* html: the one-file report, see present/offline/offline.h. Arguments: "max-size", "anonymise". */
#include "present/offline/offline.h"

#include "base/param.h"
#include "base/translate.h"
#include "present/exporter.h"

static bool write(const struct mi_view *view, struct mi_target *target, struct mi_error *err)
{
    struct mi_offline_options options = {.most_mib = mi_args_int(view->args, "max-size", 0),
                                         .is_anonymised = mi_args_flag(view->args, "anonymise")};
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
