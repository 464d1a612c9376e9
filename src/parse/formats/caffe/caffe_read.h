/* What the two Caffe readers share. Private to caffe*.c. */
#ifndef MI_PARSE_FORMATS_CAFFE_READ_H
#define MI_PARSE_FORMATS_CAFFE_READ_H

#include "base/map.h"
#include "parse/formats/shared/fw_read.h"
#include "parse/formats/shared/message.h"

struct caffe {
    struct mi_fw fw;
    struct mi_scratch scratch;
    mi_graph_id graph;
    struct mi_map tops;             /* name -> value that the name stands for just now */
    struct mi_map versions;         /* name -> how often it was made */
    struct mi_map used;             /* value -> 1 */
    mi_str_id *bottoms, *tops_made; /* of the layer at hand */
    uint32_t bottom_count, bottom_room, top_count, top_room;
    uint32_t first_value;
    uint32_t first_attr; /* of the layer at hand */
};

extern const struct mi_msg_schema mi_caffe_net;

/* Reads a NetParameter. `open` gives a new cursor at its start each time it is called. */
typedef struct mi_msg mi_caffe_open_fn(void *user);
void mi_caffe_read(struct caffe *c, mi_caffe_open_fn *open, void *user);
void mi_caffe_fini(struct caffe *c);

/* --- caffe_param.c: parameters of layers --- */

/* The current field of a layer as attributes: text by the names that stand there, wire by a table.
 */
void mi_caffe_param(struct caffe *c, const struct mi_msg *field, bool is_legacy);

/* The type of a layer of the old kind by its number, as it is called today; NULL if unknown. */
const char *mi_caffe_legacy_type(const struct mi_msg *field);

#endif
