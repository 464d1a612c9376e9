/* summary.json: the ledger of the inputs and the reports that sum the capture up, every table and
 * fact as the pass describes it. */
#include "present/export/common.h"
#include "present/text/report_json.h"

/* Passes that say something about a capture as a whole without being asked a question. */
static const char *const passes[] = {"summary"};

static bool write_report(const struct mi_view *view, struct mi_jw *jw, const char *pass,
                         struct mi_error *err)
{
    struct mi_report report;
    mi_report_init(&report);
    bool ok = mi_session_report(view->session, pass, NULL, &report, err);
    if (ok) {
        mi_jw_key(jw, pass);
        mi_jw_begin_object(jw);
        mi_report_write_members(&report, jw);
        mi_jw_end(jw);
    }
    mi_report_fini(&report);
    return ok;
}

bool mi_export_summary_json(const struct mi_view *view, struct mi_sink *sink, struct mi_error *err)
{
    struct mi_jw jw;
    bool ok = true;
    mi_jw_init(&jw, sink, &(struct mi_jw_options){.indent = 1});
    mi_jw_begin_object(&jw);
    mi_jw_member_text(&jw, "schema", "model-inspector-summary/1");
    mi_export_start(&jw, view->model);
    mi_export_sources(&jw, view->model);
    mi_export_diagnostics(&jw, view->model);
    mi_jw_key(&jw, "reports");
    mi_jw_begin_object(&jw);
    for (size_t p = 0; ok && view->session && p < sizeof passes / sizeof *passes; p++)
        ok = write_report(view, &jw, passes[p], err);
    mi_jw_end(&jw);
    mi_jw_end(&jw);
    return ok && mi_jw_finish(&jw, err);
}
