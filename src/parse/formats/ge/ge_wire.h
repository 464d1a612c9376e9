/* ge.proto in binary: ModelDef and GraphDef of .om and .air, handed to the builder (ge_build.h).
 *
 *   ModelDef          name=1 version=2 custom_version=3 graph=7 attr=11
 *   GraphDef          name=1 input=4 output=5 op=6 attr=11
 *   OpDef             name=1 type=2 input=5 attr=10 id=21 stream_id=22 input_i=28 output_i=29
 *                     workspace=30 workspace_bytes=31 input_desc=33 output_desc=34 subgraph_name=35
 *                     (legacy copies of edges 23 to 27 are never read: they may be stale)
 *   TensorDescriptor  dtype=2 shape=3 {dim=1} layout=4 attr=5 size=10 weight_size=11 reuse_input=12
 *                     reuse_input_index=17 data_offset=18
 *   TensorDef         desc=1 data=2
 *   map entry         key=1 value=2
 *   AttrDef           list=1 s=2 i=3 f=4 b=5 bt=7 func=10 td=11 t=12 g=13 list_list_int=14 dt=15
 *                     list_list_float=16 expression=17
 *   ListValue         s=2 i=3 f=4 b=5 bt=7 td=8 t=9 g=10 na=11 dt=12 val_type=20
 *   NamedAttrs        name=1 attr=2
 *
 * Source: the public ge_ir.proto. Data of tensors is pointed to, never touched. */
#ifndef MI_PARSE_FORMATS_GE_WIRE_H
#define MI_PARSE_FORMATS_GE_WIRE_H

#include "base/pb_wire.h"
#include "parse/formats/ge/ge_build.h"

/* The dictionaries of compressed attributes. A dictionary of a further sub-model may hold keys that
 * its first model's dictionary decodes; they are decoded when it is filled. */
struct mi_ge_dict {
    mi_str_id *names;   /* [name_count] */
    uint8_t *text_from; /* [name_count] 0: as it stands; 1: numbers mean `texts`; 2: base's */
    mi_str_id *texts;   /* [text_count] */
    uint32_t name_count, text_count;
    const struct mi_ge_dict *base; /* of the first model; NULL if this is it */
};

/* Fills a dictionary from the lists attr_name_enum, attr_value_enum and attrs_use_string_value
 * (their ListValue; empty bytes for one that is missing). `base` may be NULL. */
void mi_ge_dict_fill(struct mi_ge_dict *dict, struct mi_batch *out, const struct mi_ge_dict *base,
                     const struct mi_bytes lists[3]);
void mi_ge_dict_fini(struct mi_ge_dict *dict);

/* A compressed key: a zero byte, then digits of base 127 stored plus one, lowest first. False: it
 * is none (a plain name). */
bool mi_ge_dict_index(struct mi_bytes key, uint64_t *index);

struct mi_ge_wire {
    struct mi_ge *ge;
    const struct mi_ge_dict *dict;             /* NULL: attributes are not compressed */
    bool (*step)(void *user, uint64_t offset); /* once per op; false = stop */
    void *user;
    struct wire_graph {
        struct mi_pb pb;
        mi_graph_id graph;
    } * queue; /* graphs inside attributes; private */
    uint32_t queue_count, queue_room;
};

void mi_ge_wire_fini(struct mi_ge_wire *w);

/* Reads the GraphDef `pb` and all graphs inside its attributes. Returns its row. Damage is counted
 * (ge.*_broken); `broken` (may be NULL) gets the first that hides the rest of the graph. False from
 * `step` ends it. */
mi_graph_id mi_ge_wire_graph(struct mi_ge_wire *w, struct mi_pb pb, struct mi_error *broken);

/* Reads one map entry of attributes of the model (facts). */
void mi_ge_wire_fact(struct mi_ge_wire *w, struct mi_pb entry);

/* Key and value of a map entry; a missing value is empty. */
struct mi_ge_entry {
    struct mi_bytes key;
    struct mi_pb value;
};

struct mi_ge_entry mi_ge_wire_entry(struct mi_pb entry);

/* First bytes of a GraphDef without reading its ops: its name; empty if it has none. */
struct mi_bytes mi_ge_wire_graph_name(struct mi_pb graph);

#endif
