/* Caffe networks in binary form (.caffemodel): a NetParameter with its weights, which are not read:
 * a blob is a place and a size.
 *
 *   NetParameter    name=1 layers=2 input=3 input_dim=4 input_shape=8 layer=100
 *   LayerParameter  name=1 type=2 bottom=3 top=4 blobs=7 ..._param=100 and more
 *   V1LayerParameter bottom=2 top=3 name=4 type=5 blobs=6 ..._param=8 and more
 *   BlobProto       num=1 channels=2 height=3 width=4 data=5 shape=7 {dim=1} double_data=8
 *
 * Source: the public caffe.proto. */
#include "base/translate.h"
#include "parse/formats/caffe/caffe_read.h"

struct opening {
    struct mi_pb pb;
    struct mi_error *err;
};

static struct mi_msg open_wire(void *user)
{
    struct opening *opening = user;
    return mi_msg_wire(mi_fw_apart(opening->pb, opening->err), &mi_caffe_net);
}

/* A layer: a name that is a word, a type, and nothing of another wire type among its first fields.
 */
static bool is_layer(struct mi_pb pb, bool is_legacy)
{
    bool has_name = false, has_type = false;
    uint32_t name = is_legacy ? 4 : 1;
    while (mi_pb_next(&pb)) {
        uint32_t field = mi_pb_field(&pb);
        if (is_legacy && field == 5) {
            if (mi_pb_type(&pb) != MI_PB_VARINT || pb.value > 200)
                return false;
            has_type = true;
        } else if (field >= 1 && field <= 4 && mi_pb_type(&pb) != MI_PB_LEN) {
            return false;
        } else if (!is_legacy && field == 2) {
            if (!mi_fw_is_word(pb.bytes))
                return false;
            has_type = true;
        }
        has_name = has_name || (field == name && pb.bytes.len > 0);
    }
    return has_name && has_type;
}

static int sniff(const struct mi_probe *probe)
{
    struct mi_error err = MI_ERROR_INIT, cut = MI_ERROR_INIT;
    struct mi_pb pb = mi_pb_init(probe->bytes, 0, &err);
    mi_pb_keep_truncated(&pb, &cut);
    for (unsigned left = 256; left && mi_pb_next(&pb); left--) {
        uint32_t field = mi_pb_field(&pb);
        bool is_number = field == 4 || field == 5 || field == 7;
        if (field == 100 || field == 2)
            return mi_pb_type(&pb) == MI_PB_LEN && is_layer(mi_pb_sub(&pb), field == 2) ? 87 : 0;
        if (!field || field > 8 || mi_pb_type(&pb) != (is_number ? MI_PB_VARINT : MI_PB_LEN))
            return 0;
        if (field == 1 && !pb.bytes.len)
            return 0;
    }
    return 0;
}

static bool read_all(const struct mi_source *src, struct mi_batch *out, struct mi_error *err)
{
    struct mi_error own = MI_ERROR_INIT, damage = MI_ERROR_INIT;
    struct caffe c = {.fw = mi_fw_init(src, out, &own)};
    struct opening opening = {mi_pb_init(src->bytes, 0, &damage), &damage};
    mi_pb_keep_truncated(&opening.pb, &c.fw.cut);
    mi_caffe_read(&c, open_wire, &opening);
    if (damage.code)
        mi_fail_at(&c.fw.broken, damage.code, damage.offset, 0, "%s", damage.text);
    bool ok = mi_fw_finish(&c.fw);
    if (!ok)
        mi_fail_at(err, own.code, own.offset, own.line, "%s", own.text);
    mi_caffe_fini(&c);
    return ok;
}

const struct mi_reader mi_reader_caffe_model = {.name = "caffe_model",
                                                .title = N_("Caffe network with weights"),
                                                .yields = MI_HAS_FRAMEWORK_GRAPH,
                                                .is_untried = true,
                                                .sniff = sniff,
                                                .read = read_all};
