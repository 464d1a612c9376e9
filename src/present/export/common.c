#include "present/export/common.h"

#include "base/utf8.h"

/* --- text --- */

void mi_export_clean_text(struct mi_sink *sink, struct mi_bytes text)
{
    while (text.len) {
        /* Each byte is looked at once for UTF-8 and once for NUL, however many of them are bad. */
        struct mi_bytes valid = mi_bytes_sub(text, 0, mi_utf8_valid_len(text));
        text = mi_bytes_sub(text, valid.len, SIZE_MAX);
        const uint8_t *nul;
        while (valid.len && (nul = memchr(valid.at, 0, valid.len))) {
            size_t before = (size_t)(nul - valid.at);
            mi_sink_write(sink, mi_bytes_sub(valid, 0, before));
            mi_sink_text(sink, "\xe2\x90\x80");
            valid = mi_bytes_sub(valid, before + 1, SIZE_MAX);
        }
        mi_sink_write(sink, valid);
        if (text.len)
            mi_sink_text(sink, "\xef\xbf\xbd");
        text = mi_bytes_sub(text, 1, SIZE_MAX);
    }
}

/* --- times --- */

int64_t mi_export_add(int64_t a, int64_t b)
{
    if (b > 0 && a > INT64_MAX - b)
        return INT64_MAX;
    if (b < 0 && a < INT64_MIN - b)
        return INT64_MIN;
    return a + b;
}

int64_t mi_export_sub(int64_t a, int64_t b)
{
    if (b < 0 && a > INT64_MAX + b)
        return INT64_MAX;
    if (b > 0 && a < INT64_MIN + b)
        return INT64_MIN;
    return a - b;
}

/* --- members --- */

void mi_export_name(struct mi_jw *jw, const char *key, const struct mi_model *model, mi_str_id id)
{
    mi_jw_member_string(jw, key, mi_model_text(model, id));
}

void mi_export_text(struct mi_jw *jw, const char *key, const struct mi_model *model, mi_str_id id)
{
    mi_jw_key(jw, key);
    if (id.v)
        mi_jw_string(jw, mi_model_text(model, id));
    else
        mi_jw_null(jw);
}

void mi_export_enum(struct mi_jw *jw, const char *key, enum mi_enum_no which, unsigned value)
{
    mi_jw_member_text(jw, key, mi_enum_name(which, value));
}

void mi_export_id(struct mi_jw *jw, const char *key, uint32_t id)
{
    mi_jw_key(jw, key);
    if (id)
        mi_jw_u64(jw, id);
    else
        mi_jw_null(jw);
}

void mi_export_known(struct mi_jw *jw, const char *key, int64_t value)
{
    mi_jw_key(jw, key);
    if (value == -1)
        mi_jw_null(jw);
    else
        mi_export_exact(jw, value);
}

void mi_export_node_id(struct mi_jw *jw, const char *key, const struct mi_relate *relate,
                       mi_node_id node)
{
    mi_export_id(jw, key, relate->public_id[node.v]);
}

void mi_export_exact(struct mi_jw *jw, int64_t value)
{
    const int64_t most = INT64_C(1) << 53;
    if (value >= -most && value <= most)
        mi_jw_i64(jw, value);
    else
        mi_jw_i64_string(jw, value);
}

void mi_export_ids(struct mi_jw *jw, const char *key, struct mi_id_list list)
{
    mi_jw_key(jw, key);
    mi_jw_begin_array(jw);
    for (uint32_t i = 0; i < list.count; i++)
        mi_jw_u64(jw, list.ids[i]);
    mi_jw_end(jw);
}

void mi_export_start(struct mi_jw *jw, const struct mi_model *model)
{
    mi_jw_key(jw, "start_unix_ns");
    if (model->start_unix_ns)
        mi_jw_i64_string(jw, model->start_unix_ns);
    else
        mi_jw_null(jw);
}

void mi_export_shape(struct mi_jw *jw, const struct mi_model *model, mi_value_id value)
{
    const struct mi_values *values = &model->all.rows.values;
    const struct mi_dims *dims = &model->all.rows.dims;
    mi_jw_key(jw, "shape");
    if (!value.v || !values->has_shape[value.v]) {
        mi_jw_null(jw);
        return;
    }
    mi_jw_begin_array(jw);
    for (uint32_t i = 0; i < values->dim_count[value.v]; i++) {
        uint32_t dim = values->first_dim[value.v] + i;
        if (dims->size[dim] >= 0)
            mi_export_exact(jw, dims->size[dim]);
        else if (dims->symbol[dim].v)
            mi_jw_string(jw, mi_model_text(model, dims->symbol[dim]));
        else
            mi_jw_null(jw);
    }
    mi_jw_end(jw);
}

void mi_export_begin_record(struct mi_jw *jw)
{
    mi_sink_byte(jw->sink, '\n');
    mi_jw_begin_object(jw);
}

/* --- the ledger --- */

void mi_export_sources(struct mi_jw *jw, const struct mi_model *model)
{
    const struct mi_sources *sources = &model->all.rows.sources;
    mi_jw_key(jw, "sources");
    mi_jw_begin_array(jw);
    for (uint32_t s = 1; s < sources->count; s++) {
        mi_export_begin_record(jw);
        mi_export_id(jw, "source_id", s);
        mi_export_name(jw, "path", model, sources->path[s]);
        mi_export_text(jw, "reader", model, sources->reader[s]);
        mi_export_text(jw, "role", model, sources->role[s]);
        mi_jw_member_i64(jw, "size_bytes", sources->size_bytes[s]);
        mi_jw_member_i64(jw, "records_in", sources->records_in[s]);
        mi_jw_member_i64(jw, "records_kept", sources->records_kept[s]);
        mi_jw_member_i64(jw, "records_skipped", sources->records_skipped[s]);
        mi_jw_member_i64(jw, "records_lost", sources->records_lost[s]);
        mi_jw_end(jw);
    }
    mi_jw_end(jw);
}

void mi_export_diagnostics(struct mi_jw *jw, const struct mi_model *model)
{
    const struct mi_diags *diags = &model->all.rows.diags;
    mi_jw_key(jw, "diagnostics");
    mi_jw_begin_array(jw);
    for (uint32_t d = 1; d < diags->count; d++) {
        mi_export_begin_record(jw);
        mi_export_id(jw, "source_id", diags->source[d].v);
        mi_export_name(jw, "code", model, diags->code[d]);
        mi_export_enum(jw, "severity", MI_E_severity, diags->severity[d]);
        mi_jw_member_i64(jw, "times", diags->times[d]);
        mi_export_known(jw, "offset", diags->offset[d]);
        mi_export_id(jw, "line", diags->line[d]);
        mi_export_name(jw, "text", model, diags->text[d]);
        mi_jw_end(jw);
    }
    mi_jw_end(jw);
}
