/* The stage dumps of a build as one series: which node of one stage is which node of the next, and
 * what each stage did to nodes and edges.
 *
 * A build is all dumps of one folder, one format and one graph number that tell of the same ops; of
 * several formats in a folder the one with the most dumps counts (their counters are independent).
 * Its stages stand in
 * the order of graphs.stage_index. A dump with PlaceHolder or End nodes is a part of the graph:
 * what it lacks is not gone; neighbouring parts of one stage are one stage.
 *
 * A track is one node through all stages. It goes on by name (in the graph of the same name, then
 * in any), then by the recorded names of the ops it stands for, then by type and neighbours where
 * both point to one node only. Constants go on by name alone: another name is another constant. */
#ifndef MI_ANALYSE_SERIES_H
#define MI_ANALYSE_SERIES_H

#include "model/model.h"

enum mi_change_kind {
    MI_CHANGE_INSERTED, /* new, comes from no node before */
    MI_CHANGE_FUSED,    /* new, made of several nodes */
    MI_CHANGE_SPLIT,    /* new, one of several made of one node */
    MI_CHANGE_RENAMED,
    MI_CHANGE_RETYPED,  /* another operator type */
    MI_CHANGE_ABSORBED, /* took in further ops, by its recorded names */
    MI_CHANGE_DTYPE,
    MI_CHANGE_FORMAT,
    MI_CHANGE_SHAPE,
    MI_CHANGE_FUSED_INTO, /* gone: its ops stand in another node from here on */
    MI_CHANGE_SPLIT_INTO, /* gone: several nodes share its ops from here on */
    MI_CHANGE_REMOVED,    /* gone */
    MI_CHANGE_KINDS
};

extern const char *const mi_change_names[]; /* message ids by kind, then NULL */

struct mi_stage {
    uint32_t build;      /* from 1 */
    mi_str_id name;      /* as in the name of the file */
    uint32_t number;     /* graphs.stage_index of its first dump */
    mi_source_id source; /* first dump */
    uint32_t nodes;
    uint32_t edges;
    bool is_part; /* holds a part of the graph */
    bool is_first;
    uint32_t first_graph, graph_count; /* in struct mi_series.graphs */
};

/* One thing that one stage did to one node. */
struct mi_change {
    uint32_t stage; /* index into stages */
    enum mi_change_kind kind;
    uint32_t track;
    uint32_t other;           /* track that it went into or comes from; 0 = none */
    mi_node_id before, after; /* rows of the node in the stage before and in this one */
    mi_value_id was, is;      /* DTYPE, FORMAT, SHAPE: the output before and after */
    uint32_t output;          /* its place */
};

struct mi_edge_end {
    uint32_t track;
    uint32_t port;
};

/* An edge that a stage added or took away. */
struct mi_edge_change {
    uint32_t stage;
    bool is_gone, is_control;
    struct mi_edge_end from, to;
    uint32_t by; /* gone: first node of those put onto it; 0 = none */
    mi_node_id from_node, to_node;
};

struct mi_track {
    mi_node_id first, last; /* in the stage where it appears, in the one where it was seen last */
    uint32_t born, gone;    /* stages; gone = stage_count: still there at the end */
    uint32_t into;          /* track that took it in; 0 = none */
    uint32_t build;
};

struct mi_series {
    struct mi_stage *stages;
    uint32_t stage_count, stage_room;
    uint32_t build_count;
    uint32_t *graphs; /* rows of graphs, stage after stage */
    uint32_t graph_count;
    struct mi_track *tracks; /* from 1 */
    uint32_t track_count, track_room;
    struct mi_change *changes; /* by stage */
    uint32_t change_count, change_room;
    struct mi_edge_change *edges; /* by stage */
    uint32_t edge_count, edge_room;
    uint32_t *track_of;     /* [nodes.count]; 0 = in no series */
    struct mi_csr recorded; /* node -> rows of `recorded` */
    uint32_t left_out;      /* dumps of a second format, not part of any series */
};

/* Without dumps of stages the series is empty. False: out of memory. Free in any case. */
bool mi_series_init(struct mi_series *series, const struct mi_model *model, struct mi_error *err);
void mi_series_fini(struct mi_series *series);

#endif
