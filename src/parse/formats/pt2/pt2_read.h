/* What the files of the PyTorch reader share. Private to pt2*.c.
 *
 * The JSON of an exported program names its members in any order, so a level is taken apart into
 * stretches of text first, and each is read when its turn comes. A text that ends too early gives a
 * last stretch that ends with it. */
#ifndef MI_PARSE_FORMATS_PT2_READ_H
#define MI_PARSE_FORMATS_PT2_READ_H

#include "base/json_scan.h"
#include "base/map.h"
#include "base/zip.h"
#include "parse/formats/shared/fw_read.h"

/* A graph that waits to be read. */
struct pt2_job {
    struct mi_bytes text;
    mi_graph_id graph;
    uint32_t depth;
};

struct pt2 {
    struct mi_fw fw;
    struct mi_bytes text;               /* the whole JSON text */
    const struct mi_zip_member *member; /* of the archive that it comes from; else NULL */
    struct mi_scratch scratch;          /* for strings with escapes */
    struct mi_map values;               /* (graph, name) -> value */
    struct pt2_job *jobs;
    uint32_t job_count, job_room;
};

/* One member of a JSON object. */
struct pt2_member {
    const char *name;
    struct mi_bytes text; /* of its value; empty if absent */
};

/* Finds the members of the object `text`; those that it does not have are left as they are. Damage
 * goes to fw.broken. */
void mi_pt2_members(struct pt2 *p, struct mi_bytes text, struct pt2_member *members, size_t count);

/* A scanner over a stretch of the text, with places of the whole. */
void mi_pt2_scan(struct pt2 *p, struct mi_bytes text, struct mi_json *js);

/* Notes why a scanner stopped; the first damage counts. */
void mi_pt2_damage(struct pt2 *p, const struct mi_json *js);

/* The string that stands in `text`, or its text if it is none; "" if empty. */
mi_str_id mi_pt2_string(struct pt2 *p, struct mi_bytes text);

/* Place of a stretch in the whole text. */
uint64_t mi_pt2_offset(const struct pt2 *p, struct mi_bytes text);

/* --- pt2_arg.c --- */

enum pt2_use { PT2_USE, PT2_DEFINE, PT2_INPUT };

/* Where the parts of an Argument go: tensors to ports, all else to an attribute called `name`. */
struct pt2_target {
    mi_graph_id graph;
    mi_node_id node;
    mi_str_id name;
    uint32_t depth;
    enum pt2_use use;
    mi_str_id first; /* name of the first tensor that was met */
};

void mi_pt2_arg(struct pt2 *p, struct mi_bytes text, struct pt2_target *target);

/* A TensorMeta into type and shape of a value. */
void mi_pt2_meta(struct pt2 *p, struct mi_bytes text, mi_value_id value);

/* --- pt2_graph.c --- */

mi_value_id mi_pt2_value(struct pt2 *p, mi_graph_id graph, mi_str_id name, enum mi_value_kind kind,
                         mi_node_id producer);
mi_graph_id mi_pt2_queue(struct pt2 *p, struct mi_bytes text, enum mi_graph_kind kind,
                         mi_node_id parent, mi_str_id role, mi_str_id name, uint32_t depth);
void mi_pt2_graph(struct pt2 *p, const struct pt2_job *job);

/* GraphSignature: which inputs are parameters, buffers or constants. */
void mi_pt2_signature(struct pt2 *p, struct mi_bytes text, mi_graph_id graph);

#endif
