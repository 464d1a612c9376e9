/* The builder of GE graphs: attributes and descriptors. */
#include "base/mem.h"
#include "parse/formats/ge/ge_state.h"

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

/* Notes that GE leaves to itself; on nodes they are kept. */
static bool is_private(const struct mi_ge *ge, mi_str_id name)
{
    return mi_bytes_starts(mi_batch_text(ge->out, name), MI_LIT("_"));
}

static bool is_wanted(const struct mi_ge *ge, enum ge_known known, mi_str_id name)
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
        return ge->s->in_graph ? ge->graph.v == ge->s->first_graph && !is_private(ge, name)
                               : known != GE_SKIP_MODEL;
    return true;
}

/* --- the end of an attribute --- */

static void keep(struct mi_ge *ge, const struct ge_frame *frame)
{
    struct mi_attr_row attr = mi_ge_take_items(ge, frame);
    GE_PUSH(ge, attrs, attr);
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
        desc->value.origin_dtype = mi_ge_dtype_id(ge, text);
        return;
    case GE_IR_DTYPE:
        desc->ir_dtype = mi_ge_dtype_id(ge, text);
        return;
    case GE_ORIGIN_FORMAT:
        desc->value.origin_format = mi_ge_word(ge, mi_ge_layout_name(text, &sub));
        return;
    case GE_IR_FORMAT:
        desc->ir_format = mi_ge_word(ge, mi_ge_layout_name(text, &sub));
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
    mi_ge_put_items(ge, frame->first_item, GE_MAX_FACT_ITEMS);
    mi_str_id text = mi_ge_take_text(ge);
    if (ge->fact_prefix.v) {
        mi_ge_put(ge, mi_batch_text(ge->out, ge->fact_prefix));
        mi_ge_put(ge, MI_LIT(":"));
        mi_ge_put(ge, mi_batch_text(ge->out, name));
        name = mi_ge_take_text(ge);
    }
    if (text.v)
        mi_add_fact(ge->out, &(struct mi_fact_row){.name = name, .text = text});
}

/* An attribute of a function: "name=value", or a fact "options:name" outside ops. */
static void end_func_attr(struct mi_ge *ge, const struct ge_frame *frame,
                          const struct ge_frame *func)
{
    if (!ge->s->in_op) {
        mi_ge_put(ge, mi_batch_text(ge->out, func->name));
        mi_ge_put(ge, MI_LIT(":"));
        mi_ge_put(ge, mi_batch_text(ge->out, frame->name));
        add_fact(ge, mi_ge_take_text(ge), frame);
        ge->s->stack_count = frame->first_item;
        return;
    }
    mi_ge_put(ge, mi_batch_text(ge->out, frame->name));
    mi_ge_put(ge, MI_LIT("="));
    if (frame->is_list)
        mi_ge_put(ge, MI_LIT("["));
    mi_ge_put_items(ge, frame->first_item, GE_MAX_ITEMS);
    if (frame->is_list)
        mi_ge_put(ge, MI_LIT("]"));
    ge->s->stack_count = frame->first_item;
    mi_ge_push(ge, MI_ATTR_OPAQUE, (struct mi_item_row){.text = mi_ge_take_text(ge)});
}

/* The innermost frame is an attribute: it ends. */
static void pop_attr(struct mi_ge *ge)
{
    struct mi_ge_state *s = ge->s;
    struct ge_frame frame = s->frames[--s->frame_count];
    struct ge_frame *around = ge_top(ge);
    if (mi_batch_failed(ge->out))
        return;
    if (frame.is_long)
        mi_batch_diag(ge->out, MI_NOTICE, "ge.attr_long", ge->offset, ge->line,
                      "an attribute with more elements than are kept");
    if (around && around->of == GE_OF_FUNC) {
        end_func_attr(ge, &frame, around);
        return;
    }
    if (around && around->of == GE_OF_DESC)
        end_desc_attr(ge, &frame, around);
    else if (s->in_op)
        end_op_attr(ge, &frame);
    else if (s->stack_count > frame.first_item)
        add_fact(ge, frame.name, &frame);
    if (s->stack_count > frame.first_item)
        s->stack_count = frame.first_item;
}

void mi_ge_close(struct mi_ge *ge, uint32_t frames)
{
    while (ge->s->frame_count > frames) {
        uint8_t of = ge->s->frames[ge->s->frame_count - 1].of;
        if (of == GE_OF_ATTR)
            pop_attr(ge);
        else if (of == GE_OF_DESC)
            mi_ge_pop_desc(ge);
        else
            ge->s->frame_count--;
    }
}

void mi_ge_close_to(struct mi_ge *ge, enum ge_of of)
{
    uint32_t at = ge->s->frame_count;
    while (at > 0 && ge->s->frames[at - 1].of != of)
        at--;
    if (at)
        mi_ge_close(ge, at);
}

void mi_ge_attr_end(struct mi_ge *ge)
{
    mi_ge_close_to(ge, GE_OF_ATTR);
    struct ge_frame *top = ge_top(ge);
    if (top && top->of == GE_OF_ATTR)
        mi_ge_close(ge, ge->s->frame_count - 1);
}

bool mi_ge_attr_begin_id(struct mi_ge *ge, mi_str_id name)
{
    struct mi_ge_state *s = ge->s;
    struct ge_frame *top = ge_top(ge);
    if (mi_batch_failed(ge->out))
        return false;
    if (top && top->of == GE_OF_ATTR) /* left open by damaged input */
        mi_ge_close(ge, s->frame_count - 1);
    enum ge_known known = known_of(ge, name);
    if (!is_wanted(ge, known, name))
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
    return mi_ge_attr_begin_id(ge, mi_ge_word(ge, name));
}

bool mi_ge_wants_desc_attrs(const struct mi_ge *ge, enum mi_ge_side side)
{
    return side != MI_GE_IN || ge->s->info.role == MI_GE_ROLE_OUTPUT || !ge->s->node.op.v;
}

void mi_ge_attr_func_end(struct mi_ge *ge)
{
    mi_ge_close_to(ge, GE_OF_FUNC);
    struct ge_frame *top = ge_top(ge);
    if (top && top->of == GE_OF_FUNC)
        ge->s->frame_count--;
}
