/* PyTorch programs exported with torch.export (.pt2): a ZIP archive whose graph is JSON, in the
 * member serialized_exported_program.json (until 2.7) or models/NAME.json (archive of version 2.8
 * on), or such a JSON file by itself.
 *
 *   graph_module    graph signature
 *   graph           inputs outputs nodes tensor_values sym_int_values sym_bool_values
 *   node            target inputs outputs metadata name
 *   input           name arg kind; arg: one of as_tensor as_ints ... as_graph
 *   tensor value    dtype sizes
 *   signature       input_specs: parameter buffer tensor_constant user_input
 *
 * Source: the public export schema of PyTorch, major version 8 and those before. No real file could
 * be had: written by the specification. Left out on purpose: weights (pickles), strides, devices,
 * module call graphs, range constraints' use, names of output specs. */
#include "base/mem.h"
#include "base/translate.h"
#include "base/zip.h"
#include "parse/formats/pt2/pt2_read.h"

/* --- JSON --- */

uint64_t mi_pt2_offset(const struct pt2 *p, struct mi_bytes text)
{
    bool is_inside = text.at >= p->text.at && text.at <= p->text.at + p->text.len;
    return text.at && is_inside ? (uint64_t)(text.at - p->text.at) : MI_NO_OFFSET;
}

void mi_pt2_scan(struct pt2 *p, struct mi_bytes text, struct mi_json *js)
{
    uint64_t at = mi_pt2_offset(p, text);
    struct mi_json_options options = {.allow_control = true,
                                      .allow_non_finite = true,
                                      .first_offset = at == MI_NO_OFFSET ? 0 : at};
    mi_json_init(js, text, &options);
}

void mi_pt2_damage(struct pt2 *p, const struct mi_json *js)
{
    const struct mi_error *error = &js->error;
    if (mi_json_failed(js) && p->member)
        mi_fail_at(&p->fw.broken, error->code, p->member->header_offset, 0,
                   "byte %llu of the graph in the archive: %s", (unsigned long long)error->offset,
                   error->text);
    else if (mi_json_failed(js))
        mi_fail_at(&p->fw.broken, error->code, error->offset, 0, "%s", error->text);
}

void mi_pt2_members(struct pt2 *p, struct mi_bytes text, struct pt2_member *members, size_t count)
{
    struct mi_json js;
    struct mi_json_string key;
    mi_pt2_scan(p, text, &js);
    mi_json_begin_object(&js);
    while (mi_json_next_key(&js, &key)) {
        struct mi_bytes rest = mi_bytes_sub(text, mi_json_offset(&js), text.len), raw;
        mi_json_peek(&js);
        bool is_whole = mi_json_skip(&js, &raw);
        for (size_t i = 0; i < count; i++)
            if (mi_json_string_is(key, mi_cstr(members[i].name)))
                members[i].text = is_whole ? raw : rest;
    }
    mi_pt2_damage(p, &js);
}

mi_str_id mi_pt2_string(struct pt2 *p, struct mi_bytes text)
{
    struct mi_json js;
    struct mi_json_string string;
    struct mi_bytes word = text;
    if (text.len && text.at[0] == '"') {
        mi_pt2_scan(p, text, &js);
        if (!mi_json_string(&js, &string) || !mi_json_text(string, &p->scratch, &word))
            return MI_NO_STR;
    }
    return mi_fw_name(&p->fw, word, mi_pt2_offset(p, text));
}

/* --- the program --- */

static void read_versions(struct pt2 *p, const struct pt2_member *schema,
                          const struct pt2_member *opsets)
{
    struct pt2_member parts[] = {{.name = "major"}, {.name = "minor"}};
    struct mi_json js;
    struct mi_json_string key;
    struct mi_bytes part, word;
    if (schema->text.len && schema->text.at[0] == '{') {
        mi_pt2_members(p, schema->text, parts, 2);
        mi_str_id text = mi_batch_printf(p->fw.out, "%.*s.%.*s", MI_FW_SHOW(parts[0].text),
                                         MI_FW_SHOW(parts[1].text));
        mi_fw_fact(&p->fw, "schema_version", mi_batch_text(p->fw.out, text), 0);
    } else if (schema->text.len) {
        mi_fw_fact(&p->fw, "schema_version", schema->text, 0);
    }
    if (!opsets->text.len)
        return;
    mi_pt2_scan(p, opsets->text, &js);
    mi_json_begin_object(&js);
    while (mi_json_next_key(&js, &key) && mi_json_skip(&js, &part) &&
           mi_json_text(key, &p->scratch, &word)) {
        mi_str_id name = mi_batch_printf(p->fw.out, "opset:%.*s", MI_FW_SHOW(word));
        mi_add_fact(p->fw.out, &(struct mi_fact_row){.name = name, .text = mi_pt2_string(p, part)});
    }
    mi_pt2_damage(p, &js);
}

static void read_program(struct pt2 *p)
{
    struct pt2_member top[] = {{.name = "graph_module"},
                               {.name = "schema_version"},
                               {.name = "opset_version"},
                               {.name = "torch_version"}};
    struct pt2_member module[] = {{.name = "graph"}, {.name = "signature"}};
    mi_pt2_members(p, p->text, top, 4);
    read_versions(p, &top[1], &top[2]);
    if (top[3].text.len) {
        mi_str_id version = mi_pt2_string(p, top[3].text);
        mi_fw_fact(&p->fw, "torch_version", mi_batch_text(p->fw.out, version), 0);
    }
    if (top[0].text.len)
        mi_pt2_members(p, top[0].text, module, 2);
    if (!module[0].text.len) {
        mi_fail_at(&p->fw.broken, MI_EFORMAT, 0, 0,
                   "no exported program: there is no graph_module with a graph in it");
        return;
    }
    mi_graph_id graph =
        mi_pt2_queue(p, module[0].text, MI_GRAPH_MAIN, (mi_node_id){0}, MI_NO_STR, MI_NO_STR, 0);
    for (uint32_t i = 0; i < p->job_count && !p->fw.err->code; i++) {
        const struct pt2_job job = p->jobs[i]; /* the queue may move */
        mi_pt2_graph(p, &job);
        if (i == 0 && module[1].text.len)
            mi_pt2_signature(p, module[1].text, graph);
    }
}

/* --- the archive --- */

static bool is_program(struct mi_bytes name)
{
    static const struct mi_bytes models = {(const uint8_t *)"models/", 7};
    if (mi_bytes_ends(name, MI_LIT("serialized_exported_program.json")))
        return true;
    if (!mi_bytes_ends(name, MI_LIT(".json")))
        return false;
    for (size_t at = 0; at < name.len; at++)
        if ((at == 0 || name.at[at - 1] == '/') &&
            mi_bytes_starts(mi_bytes_sub(name, at, name.len), models))
            return true;
    return false;
}

static const struct mi_zip_member *find_program(const struct mi_zip *zip)
{
    for (uint32_t i = 0; i < zip->count; i++)
        if (is_program(zip->members[i].name))
            return &zip->members[i];
    return NULL;
}

static bool looks_like_program(struct mi_bytes text)
{
    struct mi_json js;
    struct mi_json_string key;
    struct mi_json_options options = {.allow_control = true};
    unsigned known = 0;
    mi_json_init(&js, text, &options);
    if (mi_json_peek(&js) != MI_JSON_OBJECT)
        return false;
    mi_json_begin_object(&js);
    for (unsigned left = 16; left && mi_json_next_key(&js, &key); left--) {
        if (mi_json_string_is(key, MI_LIT("graph_module")))
            return true;
        known += mi_json_string_is(key, MI_LIT("opset_version")) ||
                 mi_json_string_is(key, MI_LIT("range_constraints"));
    }
    return known == 2;
}

static int sniff(const struct mi_probe *probe)
{
    struct mi_zip zip;
    struct mi_error err = MI_ERROR_INIT;
    if (!mi_zip_sniff(probe->head))
        return looks_like_program(mi_bytes_sub(probe->bytes, 0, 64u << 10)) ? 93 : 0;
    if (!mi_zip_open(&zip, probe->bytes, MI_ZIP_MAX_MEMBERS, &err))
        return 0;
    bool is_ours = find_program(&zip) != NULL;
    mi_zip_close(&zip);
    return is_ours ? 96 : 0;
}

/* Reads the JSON text that `p->text` holds; `damage` is why it may end too early. */
static void read_text(struct pt2 *p, const struct mi_error *damage)
{
    read_program(p);
    if (damage->code && p->member)
        mi_fail_at(&p->fw.broken, damage->code, p->member->header_offset, 0, "%s", damage->text);
}

static void read_archive(struct pt2 *p)
{
    struct mi_zip zip;
    struct mi_input input;
    const struct mi_source *src = p->fw.src;
    if (!mi_zip_open(&zip, src->bytes, MI_ZIP_MAX_MEMBERS, &p->fw.broken))
        return;
    const struct mi_zip_member *member = find_program(&zip);
    if (!member) {
        mi_fail_at(&p->fw.broken, MI_EFORMAT, 0, 0,
                   "an archive without serialized_exported_program.json or models/*.json");
    } else if (mi_zip_read(&zip, member, src->path, NULL, &input, &p->fw.broken)) {
        p->text = input.bytes;
        p->member = member;
        read_text(p, &input.damage);
        mi_input_close(&input);
        p->member = NULL;
    }
    mi_zip_close(&zip);
}

static bool read_all(const struct mi_source *src, struct mi_batch *out, struct mi_error *err)
{
    struct mi_error own = MI_ERROR_INIT, none = MI_ERROR_INIT;
    struct pt2 p = {.fw = mi_fw_init(src, out, &own), .text = src->bytes};
    if (mi_zip_sniff(src->bytes))
        read_archive(&p);
    else
        read_text(&p, &none);
    bool ok = mi_fw_finish(&p.fw);
    if (!ok)
        mi_fail_at(err, own.code, own.offset, own.line, "%s", own.text);
    mi_map_fini(&p.values);
    mi_scratch_fini(&p.scratch);
    mi_mem_free(p.jobs);
    return ok;
}

const struct mi_reader mi_reader_pt2 = {.name = "pt2",
                                        .title = N_("PyTorch exported program"),
                                        .yields = MI_HAS_FRAMEWORK_GRAPH,
                                        .is_untried = true,
                                        .sniff = sniff,
                                        .read = read_all};
