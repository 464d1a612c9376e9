/* The builder of GE graphs: attributes and descriptors. */
#include "base/hash.h"
#include "base/mem.h"
#include "parse/formats/ge_state.h"

#include <stdio.h>

/* --- which attributes mean what --- */

static enum ge_known find_known(struct mi_bytes name)
{
#define ROW(attribute, meaning) {.name = (attribute), .known = (meaning)},
    static const struct {
        const char *name;
        enum ge_known known;
    } knowns[] = {MI_GE_KNOWNS(ROW)};
#undef ROW
    for (size_t i = 0; i < sizeof knowns / sizeof *knowns; i++)
        if (mi_bytes_equal(name, mi_cstr(knowns[i].name)))
            return knowns[i].known;
    return GE_PLAIN;
}

/* Searched once per name. */
static enum ge_known known_of(struct mi_ge *ge, mi_str_id name)
{
    uint32_t *slot = mi_map_at(&ge->s->known, name.v);
    if (!slot) {
        mi_batch_fail(ge->out, MI_ENOMEM, "out of memory for attributes");
        return GE_SKIP;
    }
    if (!*slot)
        *slot = (uint32_t)find_known(mi_batch_text(ge->out, name)) + 1;
    return (enum ge_known)(*slot - 1);
}

static bool is_wanted(const struct mi_ge *ge, enum ge_known known)
{
    const struct ge_frame *top = ge_top(ge);
    if (known == GE_SKIP)
        return false;
    if (top && top->of == GE_OF_DESC) {
        if (top->side == MI_GE_IN)
            return known == GE_PARENT_INDEX;
        if (top->side == MI_GE_VALUE)
            return known == GE_MERGED_OFFSET;
        return known != GE_SKIP_DESC;
    }
    if (!top && !ge->s->in_op) /* graph or model: facts */
        return known != GE_SKIP_MODEL && (!ge->s->in_graph || ge->graph.v == ge->s->first_graph);
    return true;
}

bool mi_ge_attr_begin_id(struct mi_ge *ge, mi_str_id name)
{
    struct mi_ge_state *s = ge->s;
    struct ge_frame *top = ge_top(ge);
    if (mi_batch_failed(ge->out))
        return false;
    if (top && top->of == GE_OF_ATTR) /* left open by damaged input */
        mi_ge_attr_end(ge);
    enum ge_known known = known_of(ge, name);
    if (!is_wanted(ge, known))
        return false;
    if (s->frame_count == MI_GE_MAX_NEST) {
        mi_batch_diag(ge->out, MI_LOSS, "ge.attr_deep", ge->offset, ge->line,
                      "attributes nested more than %d deep are left out", MI_GE_MAX_NEST);
        return false;
    }
    s->frames[s->frame_count++] = (struct ge_frame){
        .of = GE_OF_ATTR, .name = name, .known = (uint8_t)known, .first_item = s->stack_count};
    return true;
}

bool mi_ge_attr_begin(struct mi_ge *ge, struct mi_bytes name)
{
    struct mi_bytes kernel = MI_LIT("_kernelname");
    if (name.len > kernel.len && mi_bytes_ends(name, kernel))
        return mi_ge_attr_begin_id(ge, ge->s->kernelname);
    return mi_ge_attr_begin_id(ge, mi_batch_str(ge->out, name));
}

bool mi_ge_wants_desc_attrs(const struct mi_ge *ge, enum mi_ge_side side)
{
    return side != MI_GE_IN || ge->s->info.role == MI_GE_ROLE_OUTPUT || !ge->s->node.op.v;
}

/* --- elements --- */

static void push(struct mi_ge *ge, enum mi_attr_kind kind, struct mi_item_row row)
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
    push(ge, MI_ATTR_INT, (struct mi_item_row){.int_value = value});
}

void mi_ge_attr_float(struct mi_ge *ge, double value)
{
    push(ge, MI_ATTR_FLOAT, (struct mi_item_row){.real_value = value});
}

void mi_ge_attr_bool(struct mi_ge *ge, bool value)
{
    push(ge, MI_ATTR_BOOL, (struct mi_item_row){.int_value = value});
}

void mi_ge_attr_text_id(struct mi_ge *ge, mi_str_id text)
{
    push(ge, MI_ATTR_STRING, (struct mi_item_row){.text = text});
}

void mi_ge_attr_text(struct mi_ge *ge, struct mi_bytes text)
{
    mi_ge_attr_text_id(ge, mi_batch_str(ge->out, text));
}

void mi_ge_attr_blob(struct mi_ge *ge, uint64_t size_bytes)
{
    mi_str_id text = mi_batch_printf(ge->out, "%llu bytes", (unsigned long long)size_bytes);
    push(ge, MI_ATTR_OPAQUE, (struct mi_item_row){.text = text});
}

void mi_ge_attr_dtype(struct mi_ge *ge, int64_t ge_number)
{
    const char *name = mi_ge_dtype_of_ge(ge_number);
    mi_str_id text = name && *name ? mi_batch_cstr(ge->out, name)
                     : name        ? mi_batch_cstr(ge->out, "undefined")
                                   : mi_batch_printf(ge->out, "ge:%lld", (long long)ge_number);
    push(ge, MI_ATTR_TYPE, (struct mi_item_row){.text = text});
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
    push(ge, MI_ATTR_GRAPH, (struct mi_item_row){.graph = graph});
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

static void put(struct mi_ge *ge, struct mi_bytes text)
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
        put(ge, mi_batch_text(ge->out, item->row.text));
        return;
    }
    put(ge, mi_cstr(number));
}

static void put_items(struct mi_ge *ge, uint32_t first, uint32_t most)
{
    for (uint32_t i = first; i < ge->s->stack_count; i++) {
        if (i > first)
            put(ge, MI_LIT(","));
        if (i - first == most) {
            put(ge, MI_LIT("..."));
            return;
        }
        put_item(ge, &ge->s->stack[i]);
    }
}

/* What was put together, as a string; starts anew. */
static mi_str_id take_text(struct mi_ge *ge)
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
    put(ge, MI_LIT("["));
    put_items(ge, top->inner, UINT32_MAX);
    put(ge, MI_LIT("]"));
    ge->s->stack_count = top->inner;
    push(ge, MI_ATTR_OPAQUE, (struct mi_item_row){.text = take_text(ge)});
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
    mi_str_id text = mi_batch_str(ge->out, name);
    if (text.v)
        push(ge, MI_ATTR_OPAQUE, (struct mi_item_row){.text = text});
}

/* What the function said becomes elements of the attribute around it. */
void mi_ge_attr_func_end(struct mi_ge *ge)
{
    struct ge_frame *top = ge_top(ge);
    if (top && top->of == GE_OF_ATTR)
        mi_ge_attr_end(ge);
    top = ge_top(ge);
    if (top && top->of == GE_OF_FUNC)
        ge->s->frame_count--;
}

/* --- the end of an attribute --- */

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

/* The row of `items` for a single element: most are zeros, ones and a few words, and share one. */
static uint32_t shared_item(struct mi_ge *ge, const struct ge_item *item)
{
    const struct mi_items *rows = &ge->out->rows.items;
    const struct mi_item_row *row = &item->row;
    uint64_t key[2] = {(uint64_t)item->kind << 32 | row->text.v, (uint64_t)row->int_value};
    memcpy(&key[1], item->kind == MI_ATTR_FLOAT ? (const void *)&row->real_value : &row->int_value,
           sizeof key[1]);
    uint32_t *slot = NULL;
    if (!row->value.v && !row->graph.v)
        slot = mi_map_at(&ge->s->items,
                         mi_hash64((struct mi_bytes){(const uint8_t *)key, sizeof key}));
    if (slot && *slot && rows->int_value[*slot] == row->int_value &&
        memcmp(&rows->real_value[*slot], &row->real_value, sizeof row->real_value) == 0 &&
        rows->text[*slot].v == row->text.v && !rows->value[*slot].v && !rows->graph[*slot].v)
        return *slot;
    uint32_t at = mi_add_item(ge->out, row).v;
    if (slot && at)
        *slot = at;
    return at;
}

static struct mi_attr_row take_items(struct mi_ge *ge, const struct ge_frame *frame)
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
    attr.first_item = mi_next_row(ge->out, items);
    if (count == 1)
        attr.first_item = shared_item(ge, &items[0]);
    else
        for (uint32_t i = 0; i < count; i++)
            mi_add_item(ge->out, &items[i].row);
    return attr;
}

static void keep(struct mi_ge *ge, const struct ge_frame *frame)
{
    struct mi_attr_row attr = take_items(ge, frame);
    GE_PUSH(ge, attrs, attr);
}

void mi_ge_note(struct mi_ge *ge, mi_str_id name, int64_t value)
{
    struct ge_item item = {.row = {.int_value = value}, .kind = MI_ATTR_INT};
    struct mi_attr_row attr = {.name = name, .kind = MI_ATTR_INT, .item_count = 1};
    attr.first_item = shared_item(ge, &item);
    GE_PUSH(ge, attrs, attr);
}

uint32_t mi_ge_flush_attrs(struct mi_ge *ge, uint32_t first, uint32_t *first_row)
{
    struct mi_ge_state *s = ge->s;
    *first_row = mi_next_row(ge->out, attrs);
    for (uint32_t i = first; i < s->attrs_count; i++)
        mi_add_attr(ge->out, &s->attrs[i]);
    return s->attrs_count - first;
}

static int64_t first_int(const struct mi_ge *ge, const struct ge_frame *frame, int64_t fallback)
{
    const struct ge_item *item = ge->s->stack + frame->first_item;
    bool has = ge->s->stack_count > frame->first_item &&
               (item->kind == MI_ATTR_INT || item->kind == MI_ATTR_BOOL);
    return has ? item->row.int_value : fallback;
}

static mi_str_id first_text(const struct mi_ge *ge, const struct ge_frame *frame)
{
    return ge->s->stack_count > frame->first_item ? ge->s->stack[frame->first_item].row.text
                                                  : MI_NO_STR;
}

/* True if the attribute holds at least one name. */
static bool record(struct mi_ge *ge, const struct ge_frame *frame)
{
    bool any = false;
    for (uint32_t i = frame->first_item; i < ge->s->stack_count; i++) {
        struct mi_recorded_row row = {.name = ge->s->stack[i].row.text, .via = frame->name};
        if (row.name.v)
            any = GE_PUSH(ge, recorded, row) || any;
    }
    return any;
}

static void note_scope(struct mi_ge *ge, const struct ge_frame *frame)
{
    struct ge_scope scope = {.kind = (uint8_t)(frame->known - GE_SCOPE_UB), .node = ge->node.v};
    int64_t number = first_int(ge, frame, -1);
    scope.key =
        number >= 0 ? mi_batch_printf(ge->out, "%lld", (long long)number) : first_text(ge, frame);
    if (scope.key.v)
        GE_PUSH(ge, scopes, scope);
}

static void end_op_attr(struct mi_ge *ge, const struct ge_frame *frame)
{
    struct mi_ge_state *s = ge->s;
    switch (frame->known) {
    case GE_RECORDED:
        if (record(ge, frame))
            return;
        break;
    case GE_RECORDED_TYPES:
        s->only_type = first_text(ge, frame);
        s->type_count += s->stack_count - frame->first_item;
        break;
    case GE_PASS_UB:
        s->pass_ub = first_text(ge, frame);
        break;
    case GE_SCOPE_UB:
    case GE_SCOPE_L1:
    case GE_SCOPE_L2:
    case GE_SCOPE_FFTS:
    case GE_SCOPE_SUPER:
        note_scope(ge, frame);
        break;
    case GE_INDEX:
        if (s->info.order < 0)
            s->info.order = first_int(ge, frame, -1);
        break;
    case GE_PARENT_INDEX:
        s->info.order = first_int(ge, frame, -1);
        break;
    case GE_CONST_VALUE:
        if (s->info.role == MI_GE_ROLE_CONST)
            return;
        break;
    default:
        break;
    }
    keep(ge, frame);
}

static void end_desc_attr(struct mi_ge *ge, const struct ge_frame *frame, struct ge_frame *desc)
{
    struct mi_bytes text = mi_batch_text(ge->out, first_text(ge, frame)), sub;
    switch (frame->known) {
    case GE_PARENT_INDEX:
        if (desc->side == MI_GE_OUT)
            break;
        desc->order = first_int(ge, frame, -1);
        return;
    case GE_MERGED_OFFSET:
        desc->merged_offset = first_int(ge, frame, -1);
        if (desc->side == MI_GE_VALUE)
            return;
        break;
    case GE_ORIGIN_NAME:
        desc->value.origin_name = first_text(ge, frame);
        return;
    case GE_ORIGIN_INDEX:
        desc->value.origin_index = (uint32_t)first_int(ge, frame, 0);
        return;
    case GE_ORIGIN_DTYPE:
    case GE_IR_DTYPE: {
        const char *name = mi_ge_dtype_of_name(text);
        mi_str_id id = name ? mi_batch_cstr(ge->out, name) : first_text(ge, frame);
        *(frame->known == GE_IR_DTYPE ? &desc->ir_dtype : &desc->value.origin_dtype) = id;
        return;
    }
    case GE_ORIGIN_FORMAT:
        desc->value.origin_format = mi_batch_str(ge->out, mi_ge_layout_name(text, &sub));
        return;
    case GE_IR_FORMAT:
        desc->ir_format = mi_batch_str(ge->out, mi_ge_layout_name(text, &sub));
        return;
    case GE_FORMAT_INT: {
        struct mi_ge_format format = mi_ge_format_unpack(first_int(ge, frame, 0));
        desc->c0 = format.c0;
        desc->sub = desc->sub ? desc->sub : format.sub;
        return;
    }
    case GE_IR_SHAPE:
        keep(ge, frame);
        desc->ir_shape = ge->s->attrs_count;
        return;
    default:
        break;
    }
    keep(ge, frame);
}

/* Outside ops: an attribute of the model or its first graph is a fact. */
static void add_fact(struct mi_ge *ge, mi_str_id name, const struct ge_frame *frame)
{
    put_items(ge, frame->first_item, GE_MAX_FACT_ITEMS);
    mi_str_id text = take_text(ge);
    mi_add_fact(ge->out, &(struct mi_fact_row){.name = name, .text = text});
}

/* An attribute of a function: "name=value", or a fact "options:name" outside ops. */
static void end_func_attr(struct mi_ge *ge, const struct ge_frame *frame,
                          const struct ge_frame *func)
{
    if (!ge->s->in_op) {
        put(ge, mi_batch_text(ge->out, func->name));
        put(ge, MI_LIT(":"));
        put(ge, mi_batch_text(ge->out, frame->name));
        add_fact(ge, take_text(ge), frame);
        ge->s->stack_count = frame->first_item;
        return;
    }
    put(ge, mi_batch_text(ge->out, frame->name));
    put(ge, MI_LIT("="));
    if (frame->is_list)
        put(ge, MI_LIT("["));
    put_items(ge, frame->first_item, GE_MAX_ITEMS);
    if (frame->is_list)
        put(ge, MI_LIT("]"));
    ge->s->stack_count = frame->first_item;
    push(ge, MI_ATTR_OPAQUE, (struct mi_item_row){.text = take_text(ge)});
}

/* Ends the attribute that is the innermost frame. */
static void pop_attr(struct mi_ge *ge)
{
    struct mi_ge_state *s = ge->s;
    struct ge_frame frame = s->frames[--s->frame_count];
    struct ge_frame *around = ge_top(ge);
    if (frame.is_long)
        mi_batch_diag(ge->out, MI_NOTICE, "ge.attr_long", ge->offset, ge->line,
                      "an attribute with more elements than are kept");
    if (around && around->of == GE_OF_FUNC)
        end_func_attr(ge, &frame, around);
    else if (around && around->of == GE_OF_DESC)
        end_desc_attr(ge, &frame, around);
    else if (s->in_op)
        end_op_attr(ge, &frame);
    else if (s->stack_count > frame.first_item)
        add_fact(ge, frame.name, &frame);
    if (s->stack_count > frame.first_item && !(around && around->of == GE_OF_FUNC))
        s->stack_count = frame.first_item;
}

void mi_ge_close(struct mi_ge *ge, uint32_t frames)
{
    while (ge->s->frame_count > frames) {
        switch (ge_top(ge)->of) {
        case GE_OF_ATTR:
            pop_attr(ge);
            break;
        case GE_OF_DESC:
            mi_ge_desc_pop(ge);
            break;
        default:
            ge->s->frame_count--;
        }
    }
}

void mi_ge_attr_end(struct mi_ge *ge)
{
    while (ge_top(ge) && ge_top(ge)->of != GE_OF_ATTR) /* left open by damaged input */
        mi_ge_close(ge, ge->s->frame_count - 1);
    if (ge_top(ge))
        pop_attr(ge);
}
