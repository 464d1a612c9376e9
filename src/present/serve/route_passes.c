/* GET passes/NAME?PARAMETER=VALUE&lang=zh: any report, its words in the language asked for.
 *
 *   {"facts": [{"name", "title", "kind", "unit", "value"}],
 *    "tables": [{"name", "title", "columns": [{"name", "title", "kind", "unit", "meaning"}],
 *                "rows": [[..], ..], "total": N}],
 *    "findings": [{"rule", "severity", "node", "task", "sentence", "cost_ns",
 *                  and where it gives advice or has several subjects "cost_share" (ppm),
 * "cost_from", "nodes", "tasks", "is_experimental", "advice"}]}
 *
 * Where the model is compared with another, "diff" is one of them.
 * Parameters are those that the command of the same name knows; "max" limits the rows of a table.
 * Words and sentences are translated, names never are. */
#include "analyse/compare/report/diff_report.h"
#include "analyse/pass.h"
#include "base/mem.h"
#include "base/param.h"
#include "present/serve/routes.h"
#include "present/serve/site.h"
#include "present/serve/site_diff.h"
#include "present/serve/words.h"
#include "present/text/i18n.h"
#include "present/text/message.h"
#include "present/text/report_text.h"

#include <string.h>

enum { MOST_ARGS = 32, MOST_IDS = 500 /* of a finding; further ones are in the table */ };

static const char *kind_name(enum mi_cell_kind kind)
{
    static const char *const names[] = {
        [MI_CELL_TEXT] = "text",  [MI_CELL_SENTENCE] = "text", [MI_CELL_WORD] = "word",
        [MI_CELL_INT] = "int",    [MI_CELL_SHARE] = "share",   [MI_CELL_REAL] = "real",
        [MI_CELL_NODE] = "node",  [MI_CELL_TASK] = "task",     [MI_CELL_BOOL] = "bool",
        [MI_CELL_DEPTH] = "depth"};
    return names[kind];
}

static void write_cell(struct mi_jw *jw, enum mi_lang lang, enum mi_cell_kind kind,
                       const struct mi_cell *cell)
{
    if (cell->is_none)
        mi_jw_null(jw);
    else if (kind == MI_CELL_TEXT)
        mi_jw_string(jw, cell->text);
    else if (kind == MI_CELL_SENTENCE)
        mi_reply_message(jw, lang, cell->text);
    else if (kind == MI_CELL_WORD)
        mi_jw_text(jw, mi_tr(lang, cell->word));
    else if (kind == MI_CELL_REAL)
        mi_jw_double(jw, cell->real);
    else if (kind == MI_CELL_BOOL)
        mi_jw_bool(jw, cell->number != 0);
    else
        mi_jw_i64(jw, cell->number);
}

static void write_head(struct mi_jw *jw, enum mi_lang lang, const char *name, const char *title,
                       enum mi_cell_kind kind, const char *unit)
{
    mi_jw_member_text(jw, "name", name);
    mi_jw_member_text(jw, "title", title ? mi_tr(lang, title) : NULL);
    mi_jw_member_text(jw, "kind", kind_name(kind));
    mi_jw_member_text(jw, "unit", unit);
}

static void write_table(struct mi_jw *jw, enum mi_lang lang, const struct mi_report_table *table,
                        uint32_t most)
{
    uint32_t rows = table->row_count < most ? table->row_count : most;
    mi_jw_begin_object(jw);
    mi_jw_member_text(jw, "name", table->name);
    mi_jw_member_text(jw, "title", mi_tr(lang, table->title));
    mi_jw_member_i64(jw, "total", table->row_count);
    mi_jw_key(jw, "columns");
    mi_jw_begin_array(jw);
    for (unsigned c = 0; c < table->column_count; c++) {
        const struct mi_report_column *column = &table->columns[c];
        mi_jw_begin_object(jw);
        write_head(jw, lang, column->name, column->title, column->kind, column->unit);
        mi_jw_member_text(jw, "meaning", column->meaning ? mi_tr(lang, column->meaning) : NULL);
        mi_jw_end(jw);
    }
    mi_jw_end(jw);
    mi_jw_key(jw, "rows");
    mi_jw_begin_array(jw);
    for (uint32_t r = 0; r < rows; r++) {
        mi_jw_begin_array(jw);
        for (unsigned c = 0; c < table->column_count; c++)
            write_cell(jw, lang, table->columns[c].kind,
                       &table->cells[(size_t)r * table->column_count + c]);
        mi_jw_end(jw);
    }
    mi_jw_end(jw);
    mi_jw_end(jw);
}

static void write_id(struct mi_jw *jw, const char *key, uint32_t id)
{
    mi_jw_key(jw, key);
    if (id)
        mi_jw_i64(jw, id);
    else
        mi_jw_null(jw);
}

static void write_message(struct mi_jw *jw, const char *key, enum mi_lang lang,
                          const char *sentence, const struct mi_finding *finding)
{
    struct mi_sink text;
    mi_sink_init_memory(&text);
    mi_text_sentence(&text, mi_tr(lang, sentence), finding->args,
                     sizeof finding->args / sizeof *finding->args);
    mi_jw_member_string(jw, key, mi_sink_bytes(&text));
    mi_sink_fini(&text);
}

static void write_ids(struct mi_jw *jw, const char *key, const uint32_t *ids, uint32_t count)
{
    mi_jw_key(jw, key);
    mi_jw_begin_array(jw);
    for (uint32_t i = 0; i < count && i < MOST_IDS; i++)
        mi_jw_i64(jw, ids[i]);
    mi_jw_end(jw);
}

static void write_more(struct mi_jw *jw, enum mi_lang lang, const struct mi_finding *finding)
{
    struct mi_cell share = mi_cell_share(finding->cost_ns, finding->whole_ns);
    mi_jw_key(jw, "cost_share");
    if (finding->cost_ns >= 0 && !share.is_none)
        mi_jw_i64(jw, share.number);
    else
        mi_jw_null(jw);
    mi_jw_member_text(jw, "cost_from", finding->cost_from ? mi_tr(lang, finding->cost_from) : NULL);
    write_ids(jw, "nodes", (const uint32_t *)finding->nodes, finding->node_count);
    write_ids(jw, "tasks", (const uint32_t *)finding->tasks, finding->task_count);
    mi_jw_member_bool(jw, "is_experimental", finding->is_experimental);
    if (finding->advice)
        write_message(jw, "advice", lang, finding->advice, finding);
}

static void write_finding(struct mi_jw *jw, enum mi_lang lang, const struct mi_finding *finding)
{
    mi_jw_begin_object(jw);
    mi_jw_member_text(jw, "rule", finding->rule);
    mi_jw_member_text(jw, "severity", mi_enum_name(MI_E_severity, finding->severity));
    write_id(jw, "node", finding->node.v);
    write_id(jw, "task", finding->task.v);
    write_message(jw, "sentence", lang, finding->sentence, finding);
    mi_jw_key(jw, "cost_ns");
    if (finding->cost_ns >= 0)
        mi_jw_i64(jw, finding->cost_ns);
    else
        mi_jw_null(jw);
    if (finding->advice || finding->node_count || finding->task_count)
        write_more(jw, lang, finding);
    mi_jw_end(jw);
}

static void write_report(struct mi_jw *jw, enum mi_lang lang, const struct mi_report *report,
                         uint32_t most)
{
    mi_jw_begin_object(jw);
    mi_jw_key(jw, "facts");
    mi_jw_begin_array(jw);
    for (uint32_t f = 0; f < report->fact_count; f++) {
        const struct mi_report_fact *fact = &report->facts[f];
        mi_jw_begin_object(jw);
        write_head(jw, lang, fact->name, fact->title, fact->kind, fact->unit);
        mi_jw_key(jw, "value");
        write_cell(jw, lang, fact->kind, &fact->cell);
        mi_jw_end(jw);
    }
    mi_jw_end(jw);
    mi_jw_key(jw, "tables");
    mi_jw_begin_array(jw);
    for (uint32_t t = 0; t < report->table_count; t++)
        write_table(jw, lang, &report->tables[t], most);
    mi_jw_end(jw);
    mi_jw_key(jw, "findings");
    mi_jw_begin_array(jw);
    for (uint32_t f = 0; f < report->finding_count; f++)
        write_finding(jw, lang, &report->findings[f]);
    mi_jw_end(jw);
    mi_jw_end(jw);
}

/* What the query says for each parameter that is known. */
static bool read_args(const struct mi_param *params, const struct mi_request *request,
                      struct mi_arg list[MOST_ARGS], struct mi_args *args, struct mi_error *err)
{
    *args = (struct mi_args){.list = list};
    for (const struct mi_param *param = params; param && param->name; param++) {
        const char *text = request->query(request, param->name);
        if (!text || args->count == MOST_ARGS)
            continue;
        if (!mi_param_parse(param, param->kind == MI_PARAM_FLAG ? "" : text, &list[args->count],
                            err))
            return false;
        args->count++;
    }
    return true;
}

/* The model against the base. Of another device than what is usual it is made for this request. */
static bool run_diff(struct mi_site *site, const struct mi_args *args, struct mi_report *report,
                     struct mi_error *err)
{
    struct mi_cmp_options options = {.rank = mi_args_int(args, "rank", -1),
                                     .device = mi_args_int(args, "device", -1)};
    if (options.rank < 0 && options.device < 0) {
        const struct mi_compare *usual = mi_site_compare(site, err);
        if (!usual)
            return false;
        mi_diff_report(usual, mi_site_names(site), args, report);
    } else {
        const struct mi_model *models[MI_CMP_SIDES] = {mi_site_model(mi_site_base(site)),
                                                       mi_site_model(site)};
        const struct mi_model *const *lists[MI_CMP_SIDES] = {&models[0], &models[1]};
        struct mi_compare compare;
        if (!mi_compare_init(&compare, lists, (const uint32_t[]){1, 1}, &options, err))
            return false;
        mi_diff_report(&compare, mi_site_names(site), args, report);
        mi_compare_fini(&compare);
    }
    return !report->failed || mi_fail(err, MI_ENOMEM, "out of memory");
}

void mi_route_passes(struct mi_site *site, const struct mi_request *request, struct mi_reply *reply)
{
    const char *name = mi_http_rest(request, MI_API_ROOT "passes/");
    const struct mi_pass *pass = mi_pass_find(name);
    bool is_diff = mi_site_base(site) && strcmp(name, "diff") == 0;
    struct mi_arg list[MOST_ARGS];
    struct mi_args args;
    struct mi_report report;
    struct mi_error err = MI_ERROR_INIT;
    enum mi_lang lang = mi_request_lang(request);
    int64_t most = UINT32_MAX;
    if (!pass && !is_diff) {
        mi_reply_error(reply, 404, "not_found", "there is no analysis of that name");
        return;
    }
    if (request->query(request, "max") &&
        (!mi_http_number(request->query(request, "max"), &most) || most < 0))
        mi_fail(&err, MI_EUSAGE, "max is no number");
    mi_report_init(&report);
    if (err.code == MI_OK &&
        read_args(is_diff ? mi_params_diff : pass->params, request, list, &args, &err) &&
        (is_diff ? run_diff(site, &args, &report, &err)
                 : mi_pass_run(pass, mi_site_model(site), &args, &report, &err))) {
        struct mi_jw jw;
        mi_jw_init(&jw, &reply->body, NULL);
        write_report(&jw, lang, &report, most > UINT32_MAX ? UINT32_MAX : (uint32_t)most);
        mi_jw_finish(&jw, NULL);
    } else {
        mi_reply_failure(reply, &err);
    }
    mi_report_fini(&report);
}
