#include "correlate/ge/ge_graphs.h"

unsigned mi_ge_form(const struct mi_model *model, uint32_t source)
{
    static const struct {
        const char *reader;
        unsigned form;
    } forms[] = {{"om", 9},      {"ge_proto", 8},       {"atc_json", 7},    {"air", 6},
                 {"ge_onnx", 5}, {"torchair_pbtxt", 4}, {"ge_readable", 3}, {"torchair_py", 2}};
    struct mi_bytes reader = mi_model_text(model, model->all.rows.sources.reader[source]);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (mi_bytes_equal(reader, mi_cstr(forms[i].reader)))
            return forms[i].form;
    return mi_bytes_starts(reader, MI_LIT("ge_")) || mi_bytes_starts(reader, MI_LIT("om_"));
}

enum mi_ge_op mi_ge_op_of(const struct mi_model *model, uint32_t node)
{
    static const struct {
        const char *op;
        enum mi_ge_op kind;
    } ops[] = {{"Data", MI_GE_OP_BOUNDARY},
               {"RefData", MI_GE_OP_BOUNDARY},
               {"AippData", MI_GE_OP_BOUNDARY},
               {"NetOutput", MI_GE_OP_BOUNDARY},
               {"PlaceHolder", MI_GE_OP_BOUNDARY},
               {"End", MI_GE_OP_BOUNDARY},
               {"PartitionedCall", MI_GE_OP_CALL},
               {"StatefulPartitionedCall", MI_GE_OP_CALL},
               {"Const", MI_GE_OP_CONST},
               {"Constant", MI_GE_OP_CONST},
               {"FileConstant", MI_GE_OP_CONST},
               {"ConstPlaceHolder", MI_GE_OP_CONST},
               {"Variable", MI_GE_OP_CONST},
               {"Send", MI_GE_OP_SEND},
               {"SendMem", MI_GE_OP_SEND},
               {"SendNotify", MI_GE_OP_SEND},
               {"Recv", MI_GE_OP_RECV},
               {"RecvMem", MI_GE_OP_RECV},
               {"RecvNotify", MI_GE_OP_RECV},
               {"StreamActive", MI_GE_OP_CONTROL},
               {"StreamSwitch", MI_GE_OP_CONTROL},
               {"StreamSwitchN", MI_GE_OP_CONTROL},
               {"StreamMerge", MI_GE_OP_CONTROL},
               {"LabelSet", MI_GE_OP_CONTROL},
               {"LabelGoto", MI_GE_OP_CONTROL},
               {"LabelGotoEx", MI_GE_OP_CONTROL},
               {"LabelSwitch", MI_GE_OP_CONTROL},
               {"LabelSwitchByIndex", MI_GE_OP_CONTROL},
               {"Cast", MI_GE_OP_CONVERSION},
               {"CastV2", MI_GE_OP_CONVERSION},
               {"TransData", MI_GE_OP_CONVERSION},
               {"TransDataRNN", MI_GE_OP_CONVERSION},
               {"MemcpyAsync", MI_GE_OP_CONVERSION},
               {"MemcpyAddrAsync", MI_GE_OP_CONVERSION},
               {"TensorMove", MI_GE_OP_CONVERSION},
               {"ReFormat", MI_GE_OP_CONVERSION},
               {"Reformat", MI_GE_OP_CONVERSION},
               {"ReadSelect", MI_GE_OP_CONVERSION},
               {"WriteSelect", MI_GE_OP_CONVERSION}};
    struct mi_bytes op = mi_model_text(model, model->all.rows.nodes.op[node]);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (mi_bytes_equal(op, mi_cstr(ops[i].op)))
            return ops[i].kind;
    /* What models do themselves, too: only its name tells one that GE put in. */
    bool may_be = mi_bytes_starts(op, MI_LIT("Transpose")) ||
                  mi_bytes_equal(op, MI_LIT("Reshape")) || mi_bytes_equal(op, MI_LIT("Identity"));
    struct mi_bytes name = mi_model_text(model, model->all.rows.nodes.name[node]);
    return may_be && mi_bytes_starts(name, MI_LIT("trans_")) ? MI_GE_OP_CONVERSION : MI_GE_OP_PLAIN;
}

uint32_t mi_node_attr(const struct mi_model *model, uint32_t node, mi_str_id name)
{
    const struct mi_tables *rows = &model->all.rows;
    uint32_t first = rows->nodes.first_attr[node], count = rows->nodes.attr_count[node];
    for (uint32_t i = 0; name.v && i < count; i++)
        if (rows->attrs.name[first + i].v == name.v)
            return first + i;
    return 0;
}

int64_t mi_node_int(const struct mi_model *model, uint32_t node, mi_str_id name, int64_t fallback)
{
    const struct mi_tables *rows = &model->all.rows;
    uint32_t attr = mi_node_attr(model, node, name);
    if (!attr || !rows->attrs.item_count[attr])
        return fallback;
    unsigned kind = rows->attrs.kind[attr];
    if (kind != MI_ATTR_INT && kind != MI_ATTR_INTS && kind != MI_ATTR_BOOL)
        return fallback;
    return rows->items.int_value[rows->attrs.first_item[attr]];
}
