/* Which field a member of a ge.proto message in JSON is. */
#include "parse/formats/atc/atc_json.h"

#define IN(in)     (1u << (in))
#define VALUES     (IN(ATC_VALUE) | IN(ATC_LIST))
#define DESCS      (IN(ATC_DESC) | IN(ATC_TENSOR_DESC))
#define GRAPHS     (IN(ATC_GRAPH) | IN(ATC_INNER_GRAPH))
#define WITH_ATTRS (IN(ATC_MODEL) | GRAPHS | IN(ATC_OP) | DESCS | IN(ATC_FUNC))

static const struct {
    const char *name;
    uint32_t in; /* bits */
    enum atc_field field;
} fields[] = {
    {"attr", WITH_ATTRS, ATC_F_ATTR},
    {"key", IN(ATC_ENTRY), ATC_F_KEY},
    {"value", IN(ATC_ENTRY), ATC_F_VALUE},
    {"s", VALUES, ATC_F_S},
    {"i", VALUES, ATC_F_I},
    {"f", VALUES, ATC_F_F},
    {"b", VALUES, ATC_F_B},
    {"list", IN(ATC_VALUE), ATC_F_LIST},
    {"val_type", IN(ATC_LIST), ATC_F_VAL_TYPE},
    {"dim", IN(ATC_SHAPE), ATC_F_DIM},
    {"input", IN(ATC_OP), ATC_F_INPUT},
    {"name", IN(ATC_OP) | IN(ATC_FUNC), ATC_F_IGNORED}, /* see look_at_name() */
    {"type", IN(ATC_OP), ATC_F_IGNORED},
    {"id", IN(ATC_OP), ATC_F_ID},
    {"stream_id", IN(ATC_OP), ATC_F_STREAM},
    {"input_i", IN(ATC_OP), ATC_F_INPUT_I},
    {"output_i", IN(ATC_OP), ATC_F_OUTPUT_I},
    {"workspace", IN(ATC_OP), ATC_F_WORKSPACE},
    {"workspace_bytes", IN(ATC_OP), ATC_F_WORKSPACE_BYTES},
    {"input_desc", IN(ATC_OP), ATC_F_INPUT_DESC},
    {"output_desc", IN(ATC_OP), ATC_F_OUTPUT_DESC},
    {"subgraph_name", IN(ATC_OP), ATC_F_SUBGRAPH},
    {"dtype", DESCS, ATC_F_DTYPE},
    {"shape", DESCS, ATC_F_SHAPE},
    {"layout", DESCS, ATC_F_LAYOUT},
    {"size", DESCS, ATC_F_SIZE},
    {"weight_size", DESCS, ATC_F_WEIGHT_SIZE},
    {"data_offset", DESCS, ATC_F_DATA_OFFSET},
    {"dt", VALUES, ATC_F_DT},
    {"bt", VALUES, ATC_F_BT},
    {"td", VALUES, ATC_F_TD},
    {"t", VALUES, ATC_F_T},
    {"g", VALUES, ATC_F_G},
    {"func", IN(ATC_VALUE), ATC_F_FUNC},
    {"na", IN(ATC_LIST), ATC_F_FUNC},
    {"list_list_int", IN(ATC_VALUE), ATC_F_LISTS},
    {"list_list_float", IN(ATC_VALUE), ATC_F_LISTS},
    {"list_list_i", IN(ATC_LISTS), ATC_F_INNER},
    {"list_list_f", IN(ATC_LISTS), ATC_F_INNER},
    {"list_i", IN(ATC_INNER), ATC_F_I},
    {"list_f", IN(ATC_INNER), ATC_F_F},
    {"expression", IN(ATC_VALUE), ATC_F_BT},
    {"desc", IN(ATC_TENSOR), ATC_F_DESC},
    {"data", IN(ATC_TENSOR), ATC_F_DATA},
    {"name", IN(ATC_MODEL), ATC_F_MODEL_NAME},
    {"version", IN(ATC_MODEL), ATC_F_VERSION},
    {"custom_version", IN(ATC_MODEL), ATC_F_PLATFORM},
    {"graph", IN(ATC_MODEL), ATC_F_GRAPH},
    {"model", IN(ATC_MODEL), ATC_F_MODEL},
    {"format", IN(ATC_MODEL), ATC_F_IGNORED},
    {"format_version", IN(ATC_MODEL), ATC_F_IGNORED},
    {"name", GRAPHS, ATC_F_NAME},
    {"op", GRAPHS, ATC_F_OP},
    {"output", GRAPHS, ATC_F_OUTPUT},
    {"input", GRAPHS, ATC_F_IGNORED},
    {"type", IN(ATC_TYPED), ATC_F_TYPE},
    {"value", IN(ATC_TYPED), ATC_F_VALUE},
    {"attr_groups", WITH_ATTRS, ATC_F_IGNORED},
    {"src_name", IN(ATC_OP), ATC_F_IGNORED},
    {"src_index", IN(ATC_OP), ATC_F_IGNORED},
    {"dst_name", IN(ATC_OP), ATC_F_IGNORED},
    {"dst_index", IN(ATC_OP), ATC_F_IGNORED},
    {"input_name", IN(ATC_OP), ATC_F_IGNORED},
    {"is_input_const", IN(ATC_OP), ATC_F_IGNORED},
    {"has_out_attr", IN(ATC_OP) | DESCS, ATC_F_IGNORED},
    {"name", DESCS, ATC_F_IGNORED},
    {"device_type", DESCS, ATC_F_IGNORED},
    {"real_dim_cnt", DESCS, ATC_F_IGNORED},
    {"reuse_input", DESCS, ATC_F_IGNORED},
    {"reuse_input_index", DESCS, ATC_F_IGNORED},
    {"input_tensor", DESCS, ATC_F_IGNORED},
    {"output_tensor", DESCS, ATC_F_IGNORED},
    {"cmps_size", DESCS, ATC_F_IGNORED},
    {"cmps_tab", DESCS, ATC_F_IGNORED},
    {"cmps_tab_offset", DESCS, ATC_F_IGNORED},
};

enum atc_field mi_atc_field(enum atc_in in, struct mi_json_string key)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if ((fields[i].in & IN(in)) && mi_json_string_is(key, mi_cstr(fields[i].name)))
            return fields[i].field;
    return ATC_F_NONE;
}
