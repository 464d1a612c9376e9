/* ONNX Runtime stream partition: the file of session.node_partition_config_file.
 *
 *   {"type": "DeviceBasedPartitioner",
 *    "devices": ["0", "0"],                        one entry per stream
 *    "streams": [["nodeA", "nodeB"], ["nodeC"]]}   names of nodes of the optimised model
 *
 * The keys come in any order (ORT itself writes them sorted). ORT obeys the file if it exists and
 * writes its own choice there if it does not. Bodies of control-flow nodes are not listed: they run
 * where their node runs. A record is one node name. */
#include "base/json_scan.h"
#include "base/translate.h"
#include "parse/reader.h"

enum { SNIFF_BYTES = 1 << 20, MAX_STREAMS = 1 << 20, PROGRESS_RECORDS = 1 << 16 };

static int sniff(const struct mi_probe *probe)
{
    struct mi_json js;
    struct mi_json_string key, text;
    bool has_type = false, has_devices = false, has_streams = false;
    mi_json_init(&js, mi_bytes_sub(probe->bytes, 0, SNIFF_BYTES), NULL);
    if (mi_json_peek(&js) != MI_JSON_OBJECT)
        return 0;
    mi_json_begin_object(&js);
    for (int i = 0; i < 3 && mi_json_next_key(&js, &key); i++) {
        if (mi_json_string_is(key, MI_LIT("type"))) {
            has_type = mi_json_string(&js, &text) &&
                       mi_json_string_is(text, MI_LIT("DeviceBasedPartitioner"));
        } else if (mi_json_string_is(key, MI_LIT("devices"))) {
            has_devices = mi_json_skip(&js, NULL);
        } else if (mi_json_string_is(key, MI_LIT("streams"))) {
            has_streams = mi_json_peek(&js) == MI_JSON_ARRAY;
            mi_json_skip(&js, NULL);
        } else {
            return 0;
        }
    }
    if (has_type)
        return 95;
    return has_devices && has_streams ? 90 : 0;
}

struct partition {
    struct mi_json js;
    struct mi_scratch scratch;
    struct mi_batch *batch;
    const struct mi_source *src;
    int64_t stream_count, device_count; /* -1 = not stated */
    bool is_stopped;
};

static void note(struct partition *p, enum mi_severity severity, const char *code, const char *text)
{
    size_t at = mi_json_offset(&p->js);
    mi_batch_diag(p->batch, severity, code, at, mi_json_line(&p->js, at), "%s", text);
}

static void read_node(struct partition *p)
{
    struct mi_json_string string;
    struct mi_bytes name;
    p->batch->counts.in++;
    if (mi_json_peek(&p->js) != MI_JSON_STRING) {
        p->batch->counts.lost++;
        if (mi_json_skip(&p->js, NULL))
            note(p, MI_LOSS, "partition.not_a_name", "a stream lists something that is no name");
        return;
    }
    if (!mi_json_string(&p->js, &string) || !mi_json_text(string, &p->scratch, &name)) {
        p->batch->counts.lost++;
        return;
    }
    mi_add_placement(p->batch, &(struct mi_placement_row){.node_name = mi_batch_str(p->batch, name),
                                                          .stream = p->stream_count});
    p->batch->counts.kept++;
    if (p->batch->counts.in % PROGRESS_RECORDS == 0 && p->src->progress)
        p->is_stopped = !p->src->progress(p->src->user, mi_json_offset(&p->js));
}

static void read_streams(struct partition *p)
{
    p->stream_count = 0;
    mi_json_begin_array(&p->js);
    while (!p->is_stopped && mi_json_next_item(&p->js)) {
        if (mi_json_peek(&p->js) != MI_JSON_ARRAY) {
            if (mi_json_skip(&p->js, NULL))
                note(p, MI_LOSS, "partition.not_a_list", "a stream is no list of names");
        } else {
            mi_json_begin_array(&p->js);
            while (!p->is_stopped && !mi_batch_failed(p->batch) && mi_json_next_item(&p->js))
                read_node(p);
        }
        if (++p->stream_count >= MAX_STREAMS) {
            mi_batch_fail(p->batch, MI_ELIMIT, "the partition has more than %d streams",
                          MAX_STREAMS);
            return;
        }
    }
}

static void count_devices(struct partition *p)
{
    p->device_count = 0;
    mi_json_begin_array(&p->js);
    while (mi_json_next_item(&p->js))
        p->device_count += mi_json_skip(&p->js, NULL);
}

static void read_member(struct partition *p, struct mi_json_string key)
{
    struct mi_json_string text;
    if (mi_json_string_is(key, MI_LIT("streams"))) {
        read_streams(p);
    } else if (mi_json_string_is(key, MI_LIT("devices"))) {
        count_devices(p);
    } else if (mi_json_string_is(key, MI_LIT("type"))) {
        if (!mi_json_string(&p->js, &text))
            return;
        if (!mi_json_string_is(text, MI_LIT("DeviceBasedPartitioner")))
            note(p, MI_NOTICE, "partition.type", "a type of partition that is not known");
    }
}

static bool read_partition(const struct mi_source *src, struct mi_batch *out, struct mi_error *err)
{
    struct partition p = {.batch = out, .src = src, .stream_count = -1, .device_count = -1};
    struct mi_json_string key;
    mi_json_init(&p.js, src->bytes, &(struct mi_json_options){.allow_trailing_comma = true});
    mi_json_begin_object(&p.js);
    while (!p.is_stopped && !mi_batch_failed(out) && mi_json_next_key(&p.js, &key))
        read_member(&p, key);
    if (p.is_stopped)
        mi_fail(err, MI_ECANCELLED, "stopped");
    else if (!mi_batch_failed(out) && !mi_json_done(&p.js))
        mi_fail_at(err, p.js.error.code, p.js.error.offset, p.js.error.line, "%s", p.js.error.text);
    else if (p.stream_count < 0)
        mi_fail_at(err, MI_EFORMAT, 0, 1, "the partition has no list of streams");
    else if (p.device_count >= 0 && p.device_count != p.stream_count)
        note(&p, MI_NOTICE, "partition.devices", "there are not as many devices as streams");
    mi_scratch_fini(&p.scratch);
    return !p.is_stopped && !mi_json_failed(&p.js) && p.stream_count >= 0 && !mi_batch_failed(out);
}

const struct mi_reader mi_reader_ort_partition = {
    .name = "ort_partition",
    .title = N_("ONNX Runtime stream partition"),
    .yields = 0,
    .sniff = sniff,
    .read = read_partition,
};
