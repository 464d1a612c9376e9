/* Offline models of CANN (.om): the compiled graph and the planned tasks.
 *
 * A file is a header of 256 bytes and one partition table per (sub-)model, each followed by its
 * partitions. Files may hold files: sub-models of a flow model, members of a bundle. They wait in a
 * queue: no recursion, whatever the nesting.
 *
 * A model of dynamic shape has several sub-models: the first lists the main graph and all
 * sub-graphs, the others one sub-graph each, with the tasks. Such a graph is read where its tasks
 * are and left out of the first. */
#include "base/mem.h"
#include "base/translate.h"
#include "parse/formats/om/om_read.h"

#include <stdio.h>

bool mi_om_step(struct om *o, uint64_t offset)
{
    const struct mi_tables *rows = &o->out->rows;
    if (o->err->code)
        return false;
    if (mi_batch_failed(o->out))
        return mi_fail_at(o->err, o->out->error.code, offset, 0, "%s", o->out->error.text);
    if (rows->nodes.count > o->max_rows || rows->values.count > o->max_rows ||
        rows->ports.count > o->max_rows || rows->items.count > o->max_rows ||
        rows->attrs.count > o->max_rows || rows->planned.count > o->max_rows ||
        rows->binaries.count > o->max_rows)
        return mi_fail_at(o->err, MI_ELIMIT, offset, 0, "more than %u rows in one table",
                          o->max_rows);
    if (++o->steps % 4096 == 0 && o->src->progress && !o->src->progress(o->src->user, offset))
        return mi_fail_at(o->err, MI_ECANCELLED, offset, 0, "stopped");
    return true;
}

static bool step(void *user, uint64_t offset)
{
    return mi_om_step(user, offset);
}

void mi_om_queue(struct om *o, struct mi_bytes bytes, uint64_t base, struct mi_bytes label,
                 bool is_separate)
{
    if (o->file.depth + 1 >= OM_MAX_DEPTH || o->file_count >= OM_MAX_FILES) {
        mi_batch_diag(o->out, MI_LOSS, "om.too_deep", base, 0,
                      "files inside files beyond %u levels or %u files are left out", OM_MAX_DEPTH,
                      OM_MAX_FILES);
        return;
    }
    if (!mi_ge_room(&o->ge, &o->files, &o->file_room, o->file_count, sizeof *o->files))
        return;
    o->files[o->file_count++] = (struct om_file){.bytes = bytes,
                                                 .base = base,
                                                 .depth = o->file.depth + 1,
                                                 .label = mi_batch_str(o->out, label),
                                                 .is_separate = is_separate};
}

void mi_om_fact(struct om *o, const char *name, struct mi_bytes text)
{
    struct mi_bytes label = mi_batch_text(o->out, o->file.label);
    char nth[16] = "";
    if (o->nth)
        snprintf(nth, sizeof nth, "[%u]", (unsigned)o->nth);
    mi_str_id id = label.len ? mi_batch_printf(o->out, "%.*s:%s%s", GE_SHOW(label), name, nth)
                             : mi_batch_printf(o->out, "%s%s", name, nth);
    mi_str_id text_id = mi_batch_str(o->out, text);
    if (text.len)
        mi_add_fact(o->out, &(struct mi_fact_row){.name = id, .text = text_id});
}

void mi_om_fact_number(struct om *o, const char *name, uint64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    mi_om_fact(o, name, mi_cstr(text));
}

struct mi_pb mi_om_cursor(struct om *o, const struct om_part *part, struct mi_error *err)
{
    struct mi_pb pb = mi_pb_init(part->bytes, om_at(o, part->at), err);
    pb.is_open = part->is_clipped;
    if (part->is_clipped)
        mi_pb_keep_truncated(&pb, &o->cut);
    return pb;
}

/* --- what the file says about itself --- */

static const char *type_name(const struct om_header *header)
{
    static const char *const new_names[] = {"IR model",   "standard model", "tiny model",
                                            "flow model", "lite model",     "bundle"};
    static const char *const old_names[] = {"IR model", "standard model", "tiny model",
                                            "IR model (HiAI)", "HCS model (HiAI)"};
    if (header->is_old)
        return header->model_type < 5 ? old_names[header->model_type] : "unknown";
    return header->model_type < 6 ? new_names[header->model_type] : "unknown";
}

static void header_facts(struct om *o)
{
    const struct om_header *h = &o->header;
    char text[64];
    snprintf(text, sizeof text, "0x%08x", (unsigned)h->version);
    mi_om_fact(o, "om_version", mi_cstr(text));
    mi_om_fact(o, "om_type", mi_cstr(type_name(h)));
    mi_om_fact(o, "model_name", h->name);
    mi_om_fact(o, "platform_version", h->platform);
    mi_om_fact_number(o, "om_ir_version", h->ir_version);
    if (h->is_dynamic)
        mi_om_fact(o, "dynamic_shape", MI_LIT("yes"));
}

static void table_fact(struct om *o, const struct om_table *table)
{
    char text[1024];
    size_t at = 0;
    for (uint32_t i = 0; i < table->count && at + 64 < sizeof text; i++) {
        const struct om_part *part = &table->parts[i];
        const char *type = mi_om_partition_name(part->type);
        char unknown[16];
        snprintf(unknown, sizeof unknown, "TYPE_%u", (unsigned)part->type);
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s %zu bytes", i ? ", " : "",
                               type ? type : unknown, part->bytes.len);
    }
    mi_om_fact(o, "partitions", (struct mi_bytes){(const uint8_t *)text, at});
}

/* --- sub-models --- */

struct models {
    struct om_model *list;
    uint32_t count;
};

static void models_fini(struct models *models)
{
    for (uint32_t i = 0; i < models->count; i++) {
        mi_mem_free(models->list[i].table.parts);
        mi_ge_dict_fini(&models->list[i].dict);
    }
    mi_mem_free(models->list);
}

/* The tables of all sub-models, back to back. */
static bool find_models(struct om *o, struct models *models)
{
    uint32_t wanted = o->header.model_num, room = 0;
    uint64_t at = o->header.head_bytes;
    if (!o->header.is_old && o->header.model_type >= OM_TYPE_FLOW)
        wanted = 1;
    while (models->count < wanted && models->count < OM_MAX_MODELS) {
        struct om_model model = {.has_dict = false};
        if (!mi_om_table(o, at, models->count == 0, &model.table))
            break;
        at = model.table.end;
        if (!mi_ge_room(&o->ge, &models->list, &room, models->count, sizeof model)) {
            mi_mem_free(model.table.parts);
            return false;
        }
        o->nth = models->count;
        table_fact(o, &model.table);
        o->nth = 0;
        models->list[models->count++] = model;
    }
    if (wanted > 1)
        mi_om_fact_number(o, "sub_models", models->count);
    if (models->count && models->count < wanted)
        mi_batch_diag(o->out, MI_LOSS, "om.model_missing", om_at(o, at), 0,
                      "the header speaks of %u sub-models, but only %u can be found", wanted,
                      models->count);
    return models->count > 0;
}

static void find_copies(struct om *o, const struct models *models, struct mi_map *copies)
{
    for (uint32_t i = 1; i < models->count; i++) {
        struct mi_error err = MI_ERROR_INIT;
        struct mi_pb pb = models->list[i].def.pb;
        pb.err = &err;
        while (pb.at && !models->list[i].def.is_broken && mi_pb_next(&pb)) {
            if (pb.key != MI_PB_KEY(7, MI_PB_LEN))
                continue;
            mi_str_id name = mi_batch_str(o->out, mi_ge_wire_graph_name(mi_pb_sub(&pb)));
            if (name.v && !mi_map_set(copies, name.v, 1))
                mi_batch_fail(o->out, MI_ENOMEM, "out of memory for sub-models");
        }
    }
}

static void read_tasks(struct om *o, const struct om_model *model, mi_graph_id graph)
{
    const struct om_part *part = mi_om_find(&model->table, OM_TASK_INFO);
    struct mi_pb pb = model->def.tasks;
    if (part && part->bytes.len)
        pb = mi_om_cursor(o, part, NULL);
    if (!pb.at || pb.at == pb.end)
        return;
    if (mi_om_is_tasks(pb))
        mi_om_tasks(o, pb, graph, model->def.task_names);
    else
        mi_batch_diag(o->out, MI_NOTICE, "om.tasks_foreign", mi_pb_offset(&pb), 0,
                      "%s; only the graph is shown",
                      o->header.is_old ? "the tasks are in a form of HiAI that is not known here"
                                       : "the partition TASK_INFO holds no task list");
}

static mi_graph_id read_model(struct om *o, struct models *models, uint32_t i,
                              const struct mi_map *copies)
{
    struct om_model *model = &models->list[i];
    struct om_model *first = &models->list[0];
    bool has_own = model->def.lists[0].len != 0;
    if (has_own)
        mi_ge_dict_fill(&model->dict, o->out, i ? &first->dict : NULL, model->def.lists);
    model->has_dict = has_own;
    o->wire.dict = has_own ? &model->dict : first->has_dict ? &first->dict : NULL;
    const struct mi_map none = {0};
    mi_graph_id graph = {0};
    if (model->def.pb.start)
        graph = mi_om_def_read(o, model, i ? &none : copies, i == 0);
    if (!o->err->code)
        read_tasks(o, model, graph);
    return graph;
}

static void read_models(struct om *o, struct models *models)
{
    struct mi_map copies = {0};
    for (uint32_t i = 0; i < models->count; i++) {
        const struct om_part *part = mi_om_find(&models->list[i].table, OM_MODEL_DEF);
        if (part)
            mi_om_def_scan(o, part, &models->list[i].def);
        else
            mi_batch_diag(o->out, MI_NOTICE, "om.model_def_missing", MI_NO_OFFSET, 0,
                          "a (sub-)model without the partition MODEL_DEF has no graph");
    }
    find_copies(o, models, &copies);
    for (uint32_t i = 0; i < models->count && !o->err->code && !mi_batch_failed(o->out); i++) {
        mi_graph_id graph = read_model(o, models, i, &copies);
        o->nth = i;
        mi_om_stores(o, &models->list[i].table, graph);
        o->nth = 0;
    }
    mi_map_fini(&copies);
}

/* --- files inside the file --- */

/* SubmodelDef: model_name=1 model_type=2 om_data=3 graph=4 */
static void read_submodel(struct om *o, const struct om_part *part)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_pb pb = mi_om_cursor(o, part, &err), graph = pb, data = pb;
    struct mi_bytes name = {NULL, 0}, type = {NULL, 0};
    bool has_graph = false, has_data = false;
    while (mi_pb_next(&pb)) {
        if (pb.key == MI_PB_KEY(1, MI_PB_LEN)) {
            name = pb.bytes;
        } else if (pb.key == MI_PB_KEY(2, MI_PB_LEN)) {
            type = pb.bytes;
        } else if (pb.key == MI_PB_KEY(3, MI_PB_LEN) && pb.bytes.len) {
            data = pb;
            has_data = true;
        } else if (pb.key == MI_PB_KEY(4, MI_PB_LEN)) {
            graph = mi_pb_sub(&pb);
            has_graph = true;
        }
    }
    mi_str_id fact = mi_batch_printf(o->out, "sub_model:%.*s", GE_SHOW(name));
    mi_str_id text = mi_batch_str(o->out, type);
    mi_add_fact(o->out, &(struct mi_fact_row){.name = fact, .text = text});
    if (has_data && mi_bytes_starts(data.bytes, MI_LIT("IMOD")))
        mi_om_queue(o, data.bytes, mi_pb_payload_offset(&data), name, false);
    else if (has_graph)
        mi_ge_wire_graph(&o->wire, graph, NULL);
    if (err.code)
        mi_batch_diag(o->out, MI_LOSS, "om.submodel_broken", err.offset, 0,
                      "a sub-model of a flow model can be read in part only: %s", err.text);
}

static void find_files(struct om *o, const struct om_table *table)
{
    unsigned members = 0;
    for (uint32_t i = 0; i < table->count && !mi_batch_failed(o->out); i++) {
        const struct om_part *part = &table->parts[i];
        char label[32];
        if (part->type == OM_FLOW_SUBMODEL)
            read_submodel(o, part);
        if (part->type != OM_BUNDLE_MODEL)
            continue;
        snprintf(label, sizeof label, "model[%u]", members++);
        mi_om_queue(o, part->bytes, om_at(o, part->at), mi_cstr(label), true);
    }
}

static void read_file(struct om *o)
{
    struct models models = {.list = NULL};
    if (o->file.is_separate)
        mi_ge_model_end(&o->ge);
    else
        mi_ge_unit(&o->ge);
    o->ge.fact_prefix = o->file.label;
    if (!mi_om_header(o, &o->header))
        return;
    header_facts(o);
    if (o->header.is_encrypted) {
        mi_fail_at(
            &o->broken, MI_EUNSUPPORTED, om_at(o, 80), 0,
            "the model \"%.*s\" (%s, platform %.*s) is encrypted: nothing but its header can "
            "be read; build it without encryption to look into it",
            GE_SHOW(o->header.name), type_name(&o->header), GE_SHOW(o->header.platform));
        return;
    }
    if (find_models(o, &models)) {
        if (o->header.is_old || o->header.model_type != OM_TYPE_BUNDLE)
            read_models(o, &models);
        if (!o->header.is_old)
            find_files(o, &models.list[0].table);
    }
    models_fini(&models);
}

/* --- the reader --- */

/* Failures of our own come first, then damage, then a missing end. */
static bool finish(struct om *o)
{
    if (mi_batch_failed(o->out))
        mi_fail(o->err, o->out->error.code, "%s", o->out->error.text);
    if (o->broken.code)
        mi_fail_at(o->err, o->broken.code, o->broken.offset, 0, "%s", o->broken.text);
    if (o->cut.code)
        mi_fail_at(o->err, o->cut.code, o->cut.offset, 0, "the file ends too early (%s)",
                   o->cut.text);
    return o->err->code == MI_OK;
}

static bool read_om(const struct mi_source *src, struct mi_batch *out, struct mi_error *err)
{
    struct mi_error own = MI_ERROR_INIT;
    struct mi_ge_options options = {.layer = MI_LAYER_COMPILED,
                                    .max_depth = src->limits.max_depth,
                                    .max_string_bytes = src->limits.max_string_bytes};
    struct om o = {.src = src,
                   .out = out,
                   .err = &own,
                   .broken = MI_ERROR_INIT,
                   .cut = MI_ERROR_INIT,
                   .max_rows = src->limits.max_rows ? src->limits.max_rows : UINT32_MAX - 1,
                   .file = {.bytes = src->bytes}};
    o.wire = (struct mi_ge_wire){.ge = &o.ge, .step = step, .user = &o};
    if (mi_ge_init(&o.ge, out, &options)) {
        read_file(&o);
        for (uint32_t i = 0; i < o.file_count && !own.code; i++) {
            o.file = o.files[i];
            read_file(&o);
        }
        mi_ge_model_end(&o.ge);
    }
    mi_ge_wire_fini(&o.wire);
    mi_ge_fini(&o.ge);
    mi_mem_free(o.files);
    finish(&o);
    if (own.code)
        mi_fail_at(err, own.code, own.offset, own.line, "%s", own.text);
    return own.code == MI_OK;
}

static int sniff(const struct mi_probe *probe)
{
    return mi_bytes_starts(probe->head, MI_LIT("IMOD")) ? 100 : 0;
}

const struct mi_reader mi_reader_om = {.name = "om",
                                       .title = N_("CANN offline model"),
                                       .yields = MI_HAS_COMPILED_GRAPH,
                                       .sniff = sniff,
                                       .read = read_om,
                                       .metrics = mi_om_record};
