/* What the files of the GE builder share. Private to ge_build*.c.
 *
 * Rows that belong to one owner must stand in one stretch of their table, but the file may mix them
 * (attributes between descriptors, tensors inside attributes). So what is open is collected on
 * stacks and flushed when it ends: elements of an attribute, dimensions and attributes of a
 * descriptor, attributes and outputs of an op. */
#ifndef MI_PARSE_FORMATS_GE_STATE_H
#define MI_PARSE_FORMATS_GE_STATE_H

#include "parse/formats/ge/ge_build.h"

#define GE_MAX_ITEMS      65536u   /* elements of one attribute that become rows */
#define GE_MAX_RANK       1024u    /* dimensions of one value that become rows */
#define GE_MAX_FACT_ITEMS 64u      /* elements of a list that become text of a fact */
#define GE_MAX_EXTRA      1024u    /* outputs of one op beyond its descriptors */
#define GE_MAX_EXTRAS     1000000u /* the same, of one graph */

/* Meanings of attributes, see MI_GE_KNOWNS. */
enum ge_known {
    GE_PLAIN,
    GE_SKIP,
    GE_SKIP_MODEL,
    GE_SKIP_DESC,
    GE_RECORDED,
    GE_RECORDED_TYPES,
    GE_PASS,
    GE_PASS_UB,
    GE_SCOPE_UB, /* the scopes in the order of enum mi_group_kind */
    GE_SCOPE_L1,
    GE_SCOPE_L2,
    GE_SCOPE_FFTS,
    GE_SCOPE_SUPER,
    GE_INNER_SUPER,
    GE_INNER_UB,
    GE_INDEX,
    GE_PARENT_INDEX,
    GE_CONST_VALUE,
    GE_MERGED_OFFSET,
    GE_ORIGIN_NAME,
    GE_ORIGIN_INDEX,
    GE_ORIGIN_DTYPE,
    GE_ORIGIN_FORMAT,
    GE_IR_DTYPE,
    GE_IR_FORMAT,
    GE_IR_SHAPE,
    GE_FORMAT_INT
};

enum ge_of { GE_OF_ATTR, GE_OF_FUNC, GE_OF_DESC };

/* An element on the stack; `kind` is the kind of a single one. */
struct ge_item {
    struct mi_item_row row;
    uint8_t kind;
};

/* What is open inside an op, graph or model. */
struct ge_frame {
    uint8_t of;
    /* attribute; of a function only `name` and `first_item` */
    mi_str_id name;
    uint8_t known, list_type;
    bool is_list, is_long;
    uint32_t first_item; /* on the stack; descriptors: of what is around */
    uint32_t inner;      /* first element of the inner list that is open */
    /* descriptor */
    enum mi_ge_side side;
    uint32_t first_attr, first_dim; /* on the stacks */
    struct mi_ge_desc desc;
    struct mi_value_row value;
    mi_str_id ir_dtype, ir_format;
    uint32_t ir_shape; /* 1 + attribute on the stack; 0 = none */
    uint32_t c0, sub;
    int64_t merged_offset; /* -1 = none */
    int64_t order;         /* _parent_node_index; -1 = none */
};

/* A node that has ended, until its graph ends. */
struct ge_node {
    uint32_t first_value, descs; /* values of its output descriptors */
    uint32_t used;               /* outputs that somebody reads, counted from output 0 */
    int64_t order;               /* index, _parent_node_index; -1 = none */
    uint8_t role;                /* enum mi_ge_role */
    bool has_control;            /* somebody waits for it */
};

/* An input string, until its graph ends. */
struct ge_use {
    mi_str_id text;
    uint32_t port; /* row; 0 = output of the graph */
};

struct ge_scope {
    uint8_t kind; /* enum mi_group_kind */
    mi_str_id key, pass;
    uint32_t node; /* row */
};

struct ge_owned {
    mi_node_id node;
    mi_str_id name; /* of the graph */
    uint32_t nth, count, unit;
};

/* A name that was looked up lately. */
struct ge_name {
    struct mi_bytes name; /* as the batch keeps it */
    mi_str_id id;
};

#define GE_RECENT 64

#define GE_VEC(type, name)                                                                         \
    type *name;                                                                                    \
    uint32_t name##_count, name##_room

struct mi_ge_state {
    struct mi_ge_options options;
    struct mi_map known;  /* string -> enum ge_known + 1 */
    struct mi_map dtypes; /* spelling -> name in the model, plus 1 */
    struct mi_map runs;   /* hash of a run of equal rows -> its first row */
    mi_str_id kernelname, control, c0, sub_format, reuse_input;

    struct ge_name recent[GE_RECENT];

    struct ge_frame frames[MI_GE_MAX_NEST];
    GE_VEC(struct ge_item, stack);     /* elements of open attributes */
    GE_VEC(struct mi_attr_row, attrs); /* of the op and of open descriptors */
    GE_VEC(struct mi_dim_row, dims);   /* of open descriptors */
    GE_VEC(uint8_t, text);             /* text that is put together */

    /* the op that is open */
    struct mi_node_row node;
    struct ge_node info;
    GE_VEC(struct mi_value_row, outs);
    GE_VEC(mi_str_id, inputs);
    GE_VEC(mi_str_id, subgraphs);
    GE_VEC(struct mi_recorded_row, recorded);
    GE_VEC(int64_t, in_sizes);
    GE_VEC(int64_t, out_sizes);
    GE_VEC(int64_t, net_order); /* of NetOutput: _parent_node_index per input descriptor */
    struct {
        GE_VEC(int64_t, at);
    } lists[MI_GE_LISTS];
    mi_str_id only_type; /* the one type recorded; count in type_count */
    uint32_t type_count;
    mi_str_id pass_ub;
    uint32_t op_scopes;           /* first of `scopes` that is of this op */
    struct mi_value_row constant; /* data of its attribute `value`; graph 0 = none */

    /* the graph that is open */
    struct mi_map names; /* name -> node, 1 = the first of the graph */
    GE_VEC(struct ge_node, nodes);
    GE_VEC(struct ge_use, uses);
    GE_VEC(struct ge_scope, scopes);
    GE_VEC(int64_t, graph_order); /* net_order of the graph's NetOutput */

    /* since the last mi_ge_model_end() */
    GE_VEC(uint32_t, units); /* first graph of each further model */
    GE_VEC(struct ge_owned, owned);

    /* small ones together */
    uint32_t frame_count;
    uint32_t first_node, first_buffer, first_attr; /* rows of the graph that is open */
    uint32_t first_graph; /* row of the first since the last mi_ge_model_end() */
    mi_node_id net_output;
    bool in_op, in_graph;
};

/* Room for one more element behind `count`; `list` points to the pointer. false: the batch has
 * failed. */
bool mi_ge_room(struct mi_ge *ge, void *list, uint32_t *room, uint32_t count, size_t size);

#define GE_PUSH(ge, vec, value)                                                                    \
    (mi_ge_room((ge), &(ge)->s->vec, &(ge)->s->vec##_room, (ge)->s->vec##_count,                   \
                sizeof *(ge)->s->vec) &&                                                           \
     ((ge)->s->vec[(ge)->s->vec##_count++] = (value), true))

/* First bytes of a name for a message: arguments of "%.*s". */
#define GE_SHOW(name)                                                                              \
    (int)((name).len < 80 ? (name).len : 80), (name).len ? (const char *)(name).at : ""

/* The innermost thing that is open, or NULL: op, graph or model. */
static inline struct ge_frame *ge_top(const struct mi_ge *ge)
{
    return ge->s->frame_count ? &ge->s->frames[ge->s->frame_count - 1] : NULL;
}

/* --- ge_build_attr.c --- */

/* Ends what is open, from the inside, until `frames` frames are left. */
void mi_ge_close(struct mi_ge *ge, uint32_t frames);

/* Ends what is open inside the innermost frame of that kind. */
void mi_ge_close_to(struct mi_ge *ge, enum ge_of of);

/* --- ge_build_item.c --- */

/* A text as a string, cut to the limit. */
mi_str_id mi_ge_str(struct mi_ge *ge, struct mi_bytes text);

/* A word that comes again and again (names of attributes, types, layouts), found without hashing
 * where it came lately. */
mi_str_id mi_ge_word(struct mi_ge *ge, struct mi_bytes text);

/* An element type by its spelling (DT_FLOAT16) as the model calls it; as it stands if not known. */
mi_str_id mi_ge_dtype_id(struct mi_ge *ge, struct mi_bytes name);

/* One more element of the attribute or function that is open. */
void mi_ge_push(struct mi_ge *ge, enum mi_attr_kind kind, struct mi_item_row row);

/* Text that is put together: bytes, the elements from `first` on (at most so many), and the end. */
void mi_ge_put(struct mi_ge *ge, struct mi_bytes text);
void mi_ge_put_items(struct mi_ge *ge, uint32_t first, uint32_t most);
mi_str_id mi_ge_take_text(struct mi_ge *ge);

/* The elements of an attribute that ends, as rows. They stay on the stack. */
struct mi_attr_row mi_ge_take_items(struct mi_ge *ge, const struct ge_frame *frame);

/* An attribute of one int element, on the stack. */
void mi_ge_note(struct mi_ge *ge, mi_str_id name, int64_t value);

/* --- ge_build_share.c --- */

/* The first row of a run that says this: one that stands there already, or a new one. */
uint32_t mi_ge_share_items(struct mi_ge *ge, const struct ge_item *items, uint32_t count);
uint32_t mi_ge_share_dims(struct mi_ge *ge, const struct mi_dim_row *dims, uint32_t count);
uint32_t mi_ge_share_attrs(struct mi_ge *ge, const struct mi_attr_row *attrs, uint32_t count);

/* --- ge_build_desc.c --- */

/* The innermost frame is a descriptor: it ends. */
void mi_ge_pop_desc(struct mi_ge *ge);

/* --- ge_build_graph.c --- */

void mi_ge_resolve(struct mi_ge *ge);
void mi_ge_groups(struct mi_ge *ge);

#endif
