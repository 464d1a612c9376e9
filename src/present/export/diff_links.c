#include "present/export/diff_links.h"

#include "base/json_write.h"
#include "present/export/common.h"

#include <stdio.h>

/* Nodes of the new side; of what is gone those of the base. */
static void write_subject(struct mi_jw *jw, const struct mi_compare *compare, uint32_t o)
{
    const struct mi_cmp_op *op = &compare->ops[o];
    for (int side = MI_CMP_NEW; side >= MI_CMP_BASE; side--) {
        const struct mi_model *model = mi_cmp_model(compare, (unsigned)side);
        mi_str_id name = model->all.rows.nodes.name[op->node[side]];
        if (!op->node[side] || !name.v)
            continue;
        mi_jw_string(jw, mi_model_text(model, name));
        return;
    }
}

static void write_key(struct mi_jw *jw, const struct mi_compare *compare, uint32_t task)
{
    const struct mi_tables *rows = &mi_cmp_model(compare, MI_CMP_NEW)->all.rows;
    uint32_t track = rows->tasks.track[task].v;
    char text[112];
    snprintf(text, sizeof text, "%lld/%lld/%lld/%lld", (long long)rows->tracks.device[track],
             (long long)rows->tracks.native_id[track],
             (long long)mi_some_get(rows->tasks.native_id[task]),
             (long long)rows->tasks.start_raw[task]);
    mi_jw_text(jw, text);
}

/* Tasks of the iteration that was looked at closely, by keys as exported. */
static void write_tasks(struct mi_jw *jw, const struct mi_compare *compare, uint32_t o)
{
    const struct mi_cmp_run *run = &compare->side[MI_CMP_NEW].run;
    if (!run->graph.count)
        return;
    for (uint32_t i = run->vertices.first[o]; i < run->vertices.first[o + 1]; i++)
        write_key(jw, compare, run->graph.task[run->vertices.list[i] - 1]);
}

static void write_cause(struct mi_jw *jw, const struct mi_compare *compare,
                        const struct mi_cmp_cause *cause)
{
    const uint32_t *ops = &compare->cause_ops[cause->first_op];
    mi_export_begin_record(jw);
    mi_jw_member_text(jw, "rule", cause->rule);
    mi_jw_key(jw, "subjects");
    mi_jw_begin_array(jw);
    for (uint32_t i = 0; i < cause->op_count; i++)
        write_subject(jw, compare, ops[i]);
    if (!cause->op_count)
        mi_jw_string(jw, mi_cmp_first_name(compare, cause, NULL));
    mi_jw_end(jw);
    mi_jw_key(jw, "tasks");
    mi_jw_begin_array(jw);
    for (uint32_t i = 0; i < cause->op_count; i++)
        write_tasks(jw, compare, ops[i]);
    if (cause->task)
        write_key(jw, compare, cause->task);
    mi_jw_end(jw);
    mi_jw_key(jw, "cost_us");
    mi_jw_us(jw, cause->cost_ns);
    mi_jw_end(jw);
}

bool mi_export_diff_links(const struct mi_compare *compare, int64_t least_ns, struct mi_sink *sink,
                          struct mi_error *err)
{
    struct mi_jw jw;
    mi_jw_init(&jw, sink, NULL);
    mi_jw_begin_object(&jw);
    mi_jw_member_text(&jw, "schema", "casegen-mapping/1");
    mi_jw_key(&jw, "findings");
    mi_jw_begin_array(&jw);
    for (uint32_t i = 0; i < compare->cause_count; i++)
        if (compare->causes[i].is_simulated && compare->causes[i].cost_ns >= least_ns)
            write_cause(&jw, compare, &compare->causes[i]);
    mi_jw_end(&jw);
    mi_jw_end(&jw);
    return mi_jw_finish(&jw, err);
}
