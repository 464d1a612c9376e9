/* Two models side by side: which node of one is which of the other, and what differs.
 *
 * Side 0 is the base, side 1 what is new. A match is a list of pairs of nodes, each with the
 * evidence it rests on; no node is in two pairs, and following the data in both graphs never leads
 * back to a pair that was passed already. A comparison adds what was measured: samples are the
 * counted runs of one device per side. Both models are frozen and outlive the comparison. */
#ifndef MI_ANALYSE_COMPARE_H
#define MI_ANALYSE_COMPARE_H

#include "analyse/taskgraph/taskgraph.h"
#include "base/param.h"
#include "base/translate.h"

enum mi_cmp_side_no { MI_CMP_BASE, MI_CMP_NEW, MI_CMP_SIDES };

/* --- which node is which --- */

/* What a pair rests on; the order is that of trying. */
enum mi_cmp_evidence {
    MI_CMP_BY_NOTHING,
    MI_CMP_BY_ORIGINS,    /* same recorded ops went into both, same type */
    MI_CMP_BY_NAME,       /* same name and type, and the neighbours do not contradict */
    MI_CMP_BY_JACCARD,    /* most of the recorded ops are the same */
    MI_CMP_BY_STRUCTURE,  /* alone on both sides with its type and surroundings */
    MI_CMP_BY_NEIGHBOURS, /* at the same port of a pair, nothing else could be meant */
    MI_CMP_BY_ORDER,      /* same type and shape in the same stretch of the graph, by order */
    MI_CMP_EVIDENCES
};

extern const char *const mi_cmp_evidence_words[]; /* message ids by evidence, then NULL */

struct mi_cmp_pair {
    uint32_t node[MI_CMP_SIDES]; /* rows of nodes */
    uint8_t evidence;            /* enum mi_cmp_evidence */
    uint8_t confidence;          /* enum mi_confidence */
};

struct mi_match {
    const struct mi_model *model[MI_CMP_SIDES];
    struct mi_cmp_pair *pairs; /* by node of the base; from 0 */
    uint32_t pair_count;
    uint32_t *other[MI_CMP_SIDES];   /* [nodes.count] its partner; 0 = none */
    uint32_t *pair_of[MI_CMP_SIDES]; /* [nodes.count] its pair + 1; 0 = none */
    uint32_t *common; /* [strings of the new side] the same text at the base, else a number of
                         its own beyond those of the base */
    uint32_t refused; /* pairs taken back because they contradicted the order of others */
};

/* Framework nodes are matched with framework nodes, compiled ones with compiled ones; dumps of
 * stages not at all. */
bool mi_match_init(struct mi_match *match, const struct mi_model *base, const struct mi_model *new,
                   struct mi_error *err);
void mi_match_fini(struct mi_match *match);

/* A number that equal texts of both sides share. */
static inline uint32_t mi_match_text(const struct mi_match *match, unsigned side, mi_str_id text)
{
    return side == MI_CMP_BASE ? text.v : match->common[text.v];
}

/* --- what was measured --- */

enum { MI_CMP_CAPTURES = 8 /* of one side */ };

/* One capture of a side. The first one stands for the side: graphs are compared by it, the others
 * add samples. */
struct mi_cmp_capture {
    const struct mi_model *model;
    struct mi_account account;
    struct mi_tg_units units;
    struct mi_match to_first; /* of the others: side 0 is the first capture of the side */
    uint32_t *op_of;          /* [tasks.count] op of a work task of the samples; 0 = none */
    uint32_t *sample_of;      /* [account.run_count] sample + 1 of a run; 0 = none */
};

/* One iteration of one capture. */
struct mi_cmp_sample {
    uint32_t capture;
    uint32_t unit; /* place in units.list of the capture */
    int64_t makespan_ns;
    int64_t work_ns;     /* sum of its work tasks */
    int64_t transfer_ns; /* of it what moves data */
};

enum { MI_CMP_PIECES = MI_TG_PIECE_LAUNCH + 1 };

/* The iteration that is looked at closely: the one of median makespan of the first capture. */
struct mi_cmp_run {
    uint32_t sample;
    struct mi_deps deps;
    struct mi_taskgraph graph;       /* count 0: there is none */
    struct mi_csr vertices;          /* op -> vertices + 1 of its tasks */
    uint32_t *lane_of_op;            /* [op_count] lane + 1 of most of its time; 0 = none */
    int64_t chain_ns[MI_CMP_PIECES]; /* what its critical chain is made of, by mi_tg_piece_kind */
    uint32_t latest;                 /* task that the host launched latest, of those on the chain */
    uint32_t *like; /* [lane_count] lane + 1 of the other side with the same work; 0 */
};

struct mi_cmp_side {
    struct mi_cmp_capture captures[MI_CMP_CAPTURES];
    uint32_t capture_count;
    int64_t rank, device; /* the device that was looked at; -1 = none */
    struct mi_cmp_sample *samples;
    uint32_t sample_count; /* 0: no tasks */
    int64_t makespan_ns;   /* medians of the samples */
    int64_t work_ns, transfer_ns;
    uint32_t layer;      /* enum mi_layer of the graph that is compared; NONE: no common one */
    uint32_t node_count; /* nodes of that layer */
    struct mi_cmp_run run;
};

/* What both sides call the same work: the tasks of a pair of nodes, of a node without a partner, or
 * - where no graph tells more - of kernels of one name and operator type. */
struct mi_cmp_op {
    uint32_t node[MI_CMP_SIDES];   /* of the first captures; 0 = none */
    uint32_t kernel[MI_CMP_SIDES]; /* a kernel that ran it there, with its capture; 0 = none */
    uint32_t kernel_capture[MI_CMP_SIDES];
    uint32_t type;                   /* place in types */
    uint32_t tasks[MI_CMP_SIDES];    /* in all samples; 0: not run on that side */
    int64_t median_ns[MI_CMP_SIDES]; /* per sample; one in which it did not run counts as 0 */
    uint32_t first_time[MI_CMP_SIDES], time_count[MI_CMP_SIDES]; /* in mi_compare.times */
    bool is_transfer;
    bool is_collective; /* its time is that of waiting for other ranks, too */
};

struct mi_cmp_time {
    uint32_t sample;
    int64_t ns; /* > 0, or a task of no length */
};

/* All work of one operator type, nodes of the compared layer that run nothing included. */
struct mi_cmp_type {
    const struct mi_model *model; /* that has the name */
    mi_str_id name;
    uint32_t nodes[MI_CMP_SIDES];
    uint32_t tasks[MI_CMP_SIDES];    /* in all samples */
    int64_t total_ns[MI_CMP_SIDES];  /* over all samples */
    int64_t median_ns[MI_CMP_SIDES]; /* per sample, as of ops */
    bool is_collective;              /* as of ops */
};

/* --- what differs --- */

enum mi_cmp_change_kind {
    MI_CMP_REFUSED, /* its ops are shared out among other nodes than before */
    MI_CMP_RETYPED,
    MI_CMP_DTYPE, /* of an output, as are the next two */
    MI_CMP_SHAPE,
    MI_CMP_FORMAT,
    MI_CMP_KERNEL, /* another kernel function, or another engine */
    MI_CMP_STREAM,
    MI_CMP_APPEARED,
    MI_CMP_VANISHED,
    MI_CMP_RENAMED,
    MI_CMP_CHANGES
};

extern const char *const mi_cmp_change_words[]; /* message ids by kind, then NULL */

struct mi_cmp_change {
    uint8_t kind;                /* enum mi_cmp_change_kind */
    uint8_t layer;               /* enum mi_layer */
    uint32_t node[MI_CMP_SIDES]; /* 0 = none on that side */
    uint32_t op;                 /* 0: of the layer that is not compared by time */
    uint32_t region;             /* REFUSED: changes of one number belong together, from 1 */
    struct mi_bytes was, is;
};

/* How two ops that ran at once came to run one after the other. */
enum mi_cmp_order {
    MI_CMP_ONE_STREAM, /* both are on one stream now */
    MI_CMP_EVENT,      /* one waits for the other by an event */
    MI_CMP_DATA,       /* one reads what the other leads to */
    MI_CMP_QUEUE,      /* one queues behind what waits for the other */
    MI_CMP_TIMING,     /* nothing keeps them apart, they just did not meet */
    MI_CMP_ORDERS
};

extern const char *const mi_cmp_order_words[]; /* message ids, then NULL */

struct mi_cmp_serial {
    uint32_t op[MI_CMP_SIDES]; /* two ops: the one that runs first now, the other */
    uint32_t samples;          /* of the base in which they overlapped, at least half of all */
    int64_t overlap_ns;        /* mean over these */
    uint8_t order;             /* enum mi_cmp_order */
    uint32_t mover;            /* 0, or the op that changed its stream */
    uint32_t wait; /* EVENT: the task that waits, in the first capture of the new side */
};

/* One reason why the new side is slower or faster, with the ops that it touches. */
struct mi_cmp_cause {
    const char *rule;            /* "fusion_changed"; of what doctor reports the same name */
    struct mi_bytes what;        /* operator types or streams, for people */
    uint32_t first_op, op_count; /* in cause_ops; the costliest first */
    int64_t time_ns;             /* what the medians of its ops differ by, new - base */
    int64_t cost_ns;             /* what the makespan differs by, re-simulated */
    bool is_simulated;           /* false: cost_ns is not known */
    uint32_t wait;               /* task of the first capture of the new side; 0 = none */
    uint32_t task;               /* of a cause without ops: what began late, likewise; 0 = none */
};

struct mi_compare {
    struct mi_arena arena;
    struct mi_match match; /* first capture of the base, first capture of the new side */
    struct mi_cmp_side side[MI_CMP_SIDES];
    struct mi_cmp_op *ops; /* from 1, in the order of nodes of the base, then of the new side */
    uint32_t op_count;
    struct mi_cmp_time *times[MI_CMP_SIDES]; /* by op, in the order of samples */
    struct mi_cmp_type *types;               /* from 1 */
    uint32_t type_count;
    uint32_t *op_of_node[MI_CMP_SIDES]; /* [nodes.count of the first capture] */

    struct mi_cmp_change *changes; /* by layer, kind and node */
    uint32_t change_count;
    struct mi_cmp_serial *serials; /* most overlap first */
    uint32_t serial_count;
    struct mi_cmp_cause *causes; /* by cost */
    uint32_t cause_count;
    uint32_t *cause_ops;
    uint32_t *region_of_op; /* [op_count] stretch that was fused otherwise, from 1; 0 = none */
};

/* Parameters of what compares, from which the options below come. */
#define MI_CMP_PARAMS                                                                              \
    {.name = "device",                                                                             \
     .kind = MI_PARAM_INT,                                                                         \
     .metavar = "N",                                                                               \
     .min = 0,                                                                                     \
     .max = INT64_MAX,                                                                             \
     .help = N_("The device to look at (default: the one with the longest runs).")},               \
    {                                                                                              \
        .name = "rank", .kind = MI_PARAM_INT, .metavar = "N", .min = 0, .max = INT64_MAX,          \
        .help = N_("The rank to look at (default: the one with the longest runs).")                \
    }

struct mi_cmp_options {
    int64_t rank,
        device; /* -1: of the base the one with the longest runs, of the new side its like */
};

/* Models [counts[side]] of each side, at most MI_CMP_CAPTURES. MI_ENOTFOUND: tasks are there, but
 * none of that rank and device. */
bool mi_compare_init(struct mi_compare *compare, const struct mi_model *const *models[],
                     const uint32_t counts[], const struct mi_cmp_options *options,
                     struct mi_error *err);
void mi_compare_fini(struct mi_compare *compare);

/* The time of an op in each sample: fills list [sample_count] of the side. */
void mi_cmp_op_samples(const struct mi_compare *compare, unsigned side, uint32_t op, int64_t *list);

/* Middle of a list, which gets sorted; of an even number the lower middle. 0 for none. */
int64_t mi_cmp_median(int64_t *list, uint32_t count);

static inline const struct mi_model *mi_cmp_model(const struct mi_compare *compare, unsigned side)
{
    return compare->match.model[side];
}

/* Name of an op for people, from the new side if it is there; of an operator type. */
struct mi_bytes mi_cmp_op_name(const struct mi_compare *compare, uint32_t op,
                               struct mi_arena *arena);
struct mi_bytes mi_cmp_type_name(const struct mi_compare *compare, uint32_t type);

/* The op of a cause whose time differs most, or the name of its task. */
struct mi_bytes mi_cmp_first_name(const struct mi_compare *compare,
                                  const struct mi_cmp_cause *cause, struct mi_arena *arena);

/* Whether an op moves or converts data and computes nothing. */
bool mi_cmp_is_conversion(const struct mi_compare *compare, uint32_t op);

#endif
