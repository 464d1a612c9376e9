/* The builder of GE graphs: elements of attributes, as rows and as text. */
#include "parse/formats/ge/ge_state.h"

#include <stdio.h>

/* --- words --- */

mi_str_id mi_ge_str(struct mi_ge *ge, struct mi_bytes text)
{
    uint32_t most = ge->s->options.max_string_bytes;
    if (text.len > most) {
        mi_batch_diag(ge->out, MI_NOTICE, "ge.string_cut", ge->offset, ge->line,
                      "a text of %zu bytes was cut to %u", text.len, most);
        text.len = most;
    }
    return mi_batch_str(ge->out, text);
}

mi_str_id mi_ge_word(struct mi_ge *ge, struct mi_bytes text)
{
    if (!text.len)
        return MI_NO_STR;
    struct ge_name *slot =
        &ge->s->recent[(text.len * 5 + text.at[text.len / 2] + text.at[text.len - 1]) % GE_RECENT];
    if (!slot->id.v || !mi_bytes_equal(slot->name, text)) {
        slot->id = mi_ge_str(ge, text);
        slot->name = mi_batch_text(ge->out, slot->id);
    }
    return slot->id;
}

mi_str_id mi_ge_dtype_id(struct mi_ge *ge, struct mi_bytes name)
{
    mi_str_id spelling = mi_ge_word(ge, name);
    uint32_t *slot = spelling.v ? mi_map_at(&ge->s->dtypes, spelling.v) : NULL;
    if (!slot)
        return MI_NO_STR;
    if (!*slot) {
        const char *known = mi_ge_dtype_of_name(name);
        *slot = (known ? mi_batch_cstr(ge->out, known).v : spelling.v) + 1;
    }
    return (mi_str_id){*slot - 1};
}

/* --- elements --- */

void mi_ge_push(struct mi_ge *ge, enum mi_attr_kind kind, struct mi_item_row row)
{
    struct ge_frame *top = ge_top(ge);
    if (!top || top->of == GE_OF_DESC)
        return;
    struct ge_item item = {.row = row, .kind = (uint8_t)kind};
    if (ge->s->stack_count - top->first_item < GE_MAX_ITEMS)
        GE_PUSH(ge, stack, item);
    else
        top->is_long = true;
}

void mi_ge_attr_int(struct mi_ge *ge, int64_t value)
{
    mi_ge_push(ge, MI_ATTR_INT, (struct mi_item_row){.int_value = value});
}

void mi_ge_attr_float(struct mi_ge *ge, double value)
{
    mi_ge_push(ge, MI_ATTR_FLOAT, (struct mi_item_row){.real_value = value});
}

void mi_ge_attr_bool(struct mi_ge *ge, bool value)
{
    mi_ge_push(ge, MI_ATTR_BOOL, (struct mi_item_row){.int_value = value});
}

void mi_ge_attr_text_id(struct mi_ge *ge, mi_str_id text)
{
    mi_ge_push(ge, MI_ATTR_STRING, (struct mi_item_row){.text = text});
}

void mi_ge_attr_text(struct mi_ge *ge, struct mi_bytes text)
{
    mi_ge_attr_text_id(ge, mi_ge_str(ge, text));
}

void mi_ge_attr_blob(struct mi_ge *ge, uint64_t size_bytes)
{
    mi_str_id text = mi_batch_printf(ge->out, "%llu bytes", (unsigned long long)size_bytes);
    mi_ge_push(ge, MI_ATTR_OPAQUE, (struct mi_item_row){.text = text});
}

bool mi_ge_attr_is_text(const struct mi_ge *ge)
{
    static const uint8_t texts[] = {GE_RECORDED,      GE_RECORDED_TYPES, GE_PASS,
                                    GE_PASS_UB,       GE_ORIGIN_NAME,    GE_ORIGIN_DTYPE,
                                    GE_ORIGIN_FORMAT, GE_IR_DTYPE,       GE_IR_FORMAT};
    const struct ge_frame *top = ge_top(ge);
    return top && top->of == GE_OF_ATTR && memchr(texts, top->known, sizeof texts) != NULL;
}

void mi_ge_attr_dtype(struct mi_ge *ge, int64_t ge_number)
{
    const char *name = mi_ge_dtype_of_ge(ge_number);
    mi_str_id text = name && *name ? mi_batch_cstr(ge->out, name)
                     : name        ? mi_batch_cstr(ge->out, "undefined")
                                   : mi_batch_printf(ge->out, "ge:%lld", (long long)ge_number);
    mi_ge_push(ge, MI_ATTR_TYPE, (struct mi_item_row){.text = text});
}

mi_graph_id mi_ge_attr_graph(struct mi_ge *ge)
{
    struct mi_ge_state *s = ge->s;
    struct ge_frame *top = ge_top(ge);
    const struct mi_tables *rows = &ge->out->rows;
    if (!top || !s->in_op)
        return (mi_graph_id){0};
    uint32_t depth = 1;
    for (mi_graph_id g = ge->graph; g.v && rows->graphs.parent[g.v].v; depth++)
        g = rows->nodes.graph[rows->graphs.parent[g.v].v];
    if (depth > s->options.max_depth) {
        mi_batch_diag(ge->out, MI_LOSS, "ge.too_deep", ge->offset, ge->line,
                      "graphs nested more than %u deep; the inner ones are left out",
                      s->options.max_depth);
        return (mi_graph_id){0};
    }
    mi_graph_id graph =
        mi_add_graph(ge->out, &(struct mi_graph_row){.layer = (uint8_t)s->options.layer,
                                                     .kind = MI_GRAPH_SUBGRAPH,
                                                     .parent = ge->node,
                                                     .role = top->name,
                                                     .stage = s->options.stage,
                                                     .stage_index = s->options.stage_index});
    mi_ge_push(ge, MI_ATTR_GRAPH, (struct mi_item_row){.graph = graph});
    return graph;
}

void mi_ge_attr_list(struct mi_ge *ge, int64_t val_type)
{
    struct ge_frame *top = ge_top(ge);
    if (!top || top->of != GE_OF_ATTR)
        return;
    top->is_list = true;
    if (val_type > 0 && val_type < UINT8_MAX)
        top->list_type = (uint8_t)val_type;
}

int64_t mi_ge_val_type_of_name(struct mi_bytes name)
{
    static const char *const names[] = {"VT_LIST_NONE",        "VT_LIST_STRING",   "VT_LIST_INT",
                                        "VT_LIST_FLOAT",       "VT_LIST_BOOL",     "VT_LIST_BYTES",
                                        "VT_LIST_TENSOR_DESC", "VT_LIST_TENSOR",   "VT_LIST_GRAPH",
                                        "VT_LIST_NAMED_ATTRS", "VT_LIST_DATA_TYPE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (mi_bytes_equal(name, mi_cstr(names[i])))
            return (int64_t)i;
    int64_t number = 0;
    for (size_t i = 0; i < name.len && number < UINT8_MAX; i++) {
        if (name.at[i] < '0' || name.at[i] > '9')
            return 0;
        number = 10 * number + (name.at[i] - '0');
    }
    return number;
}

/* --- elements as text: inner lists, functions, facts --- */

void mi_ge_put(struct mi_ge *ge, struct mi_bytes text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!GE_PUSH(ge, text, text.at[i]))
            return;
}

static void put_item(struct mi_ge *ge, const struct ge_item *item)
{
    char number[64] = "";
    switch (item->kind) {
    case MI_ATTR_INT:
        snprintf(number, sizeof number, "%lld", (long long)item->row.int_value);
        break;
    case MI_ATTR_FLOAT:
        snprintf(number, sizeof number, "%.9g", item->row.real_value);
        break;
    case MI_ATTR_BOOL:
        snprintf(number, sizeof number, "%s", item->row.int_value ? "true" : "false");
        break;
    case MI_ATTR_TENSOR:
        snprintf(number, sizeof number, "tensor");
        break;
    case MI_ATTR_GRAPH:
        snprintf(number, sizeof number, "graph");
        break;
    default:
        mi_ge_put(ge, mi_batch_text(ge->out, item->row.text));
        return;
    }
    mi_ge_put(ge, mi_cstr(number));
}

void mi_ge_put_items(struct mi_ge *ge, uint32_t first, uint32_t most)
{
    for (uint32_t i = first; i < ge->s->stack_count; i++) {
        if (i > first)
            mi_ge_put(ge, MI_LIT(","));
        if (i - first == most) {
            mi_ge_put(ge, MI_LIT("..."));
            return;
        }
        put_item(ge, &ge->s->stack[i]);
    }
}

/* What was put together, as a string; starts anew. */
mi_str_id mi_ge_take_text(struct mi_ge *ge)
{
    mi_str_id id = mi_batch_str(ge->out, (struct mi_bytes){ge->s->text, ge->s->text_count});
    ge->s->text_count = 0;
    return id;
}

void mi_ge_attr_inner_begin(struct mi_ge *ge)
{
    struct ge_frame *top = ge_top(ge);
    if (top && top->of == GE_OF_ATTR)
        top->inner = ge->s->stack_count;
}

void mi_ge_attr_inner_end(struct mi_ge *ge)
{
    struct ge_frame *top = ge_top(ge);
    if (!top || top->of != GE_OF_ATTR || top->inner < top->first_item)
        return;
    top->is_list = true;
    mi_ge_put(ge, MI_LIT("["));
    mi_ge_put_items(ge, top->inner, UINT32_MAX);
    mi_ge_put(ge, MI_LIT("]"));
    ge->s->stack_count = top->inner;
    mi_ge_push(ge, MI_ATTR_OPAQUE, (struct mi_item_row){.text = mi_ge_take_text(ge)});
}

bool mi_ge_attr_func_begin(struct mi_ge *ge)
{
    struct mi_ge_state *s = ge->s;
    struct ge_frame *top = ge_top(ge);
    if (!top || top->of != GE_OF_ATTR || s->frame_count == MI_GE_MAX_NEST)
        return false;
    s->frames[s->frame_count++] =
        (struct ge_frame){.of = GE_OF_FUNC, .name = top->name, .first_item = s->stack_count};
    return true;
}

void mi_ge_attr_func_name(struct mi_ge *ge, struct mi_bytes name)
{
    mi_str_id text = mi_ge_str(ge, name);
    if (text.v)
        mi_ge_push(ge, MI_ATTR_OPAQUE, (struct mi_item_row){.text = text});
}

/* --- rows --- */

static enum mi_attr_kind list_of(enum mi_attr_kind kind)
{
    switch ((int)kind) {
    case MI_ATTR_INT:
        return MI_ATTR_INTS;
    case MI_ATTR_FLOAT:
        return MI_ATTR_FLOATS;
    case MI_ATTR_STRING:
        return MI_ATTR_STRINGS;
    case MI_ATTR_BOOL:
        return MI_ATTR_BOOLS;
    case MI_ATTR_TYPE:
        return MI_ATTR_TYPES;
    case MI_ATTR_TENSOR:
        return MI_ATTR_TENSORS;
    case MI_ATTR_GRAPH:
        return MI_ATTR_GRAPHS;
    default:
        return kind;
    }
}

static enum mi_attr_kind empty_list(uint8_t val_type)
{
    static const uint8_t kinds[] = {MI_ATTR_UNDEFINED, MI_ATTR_STRINGS, MI_ATTR_INTS,
                                    MI_ATTR_FLOATS,    MI_ATTR_BOOLS,   MI_ATTR_OPAQUE,
                                    MI_ATTR_TENSORS,   MI_ATTR_TENSORS, MI_ATTR_GRAPHS,
                                    MI_ATTR_OPAQUE,    MI_ATTR_TYPES};
    return val_type < sizeof kinds ? (enum mi_attr_kind)kinds[val_type] : MI_ATTR_UNDEFINED;
}

struct mi_attr_row mi_ge_take_items(struct mi_ge *ge, const struct ge_frame *frame)
{
    struct mi_ge_state *s = ge->s;
    uint32_t count = s->stack_count - frame->first_item;
    const struct ge_item *items = s->stack + frame->first_item;
    struct mi_attr_row attr = {.name = frame->name, .item_count = count};
    if (!count)
        attr.kind = (uint8_t)(frame->is_list ? empty_list(frame->list_type) : MI_ATTR_UNDEFINED);
    else
        attr.kind = (uint8_t)(frame->is_list || count > 1 || frame->known == GE_PASS
                                  ? list_of((enum mi_attr_kind)items[0].kind)
                                  : (enum mi_attr_kind)items[0].kind);
    attr.first_item = mi_ge_share_items(ge, items, count);
    return attr;
}

void mi_ge_note(struct mi_ge *ge, mi_str_id name, int64_t value)
{
    struct ge_item item = {.row = {.int_value = value}, .kind = MI_ATTR_INT};
    struct mi_attr_row attr = {.name = name, .kind = MI_ATTR_INT, .item_count = 1};
    attr.first_item = mi_ge_share_items(ge, &item, 1);
    GE_PUSH(ge, attrs, attr);
}
