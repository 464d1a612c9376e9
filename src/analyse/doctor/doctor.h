/* What the rules of the pass `doctor` share: one run of one device and its neighbours, what nodes
 * cost there, simulated changes, and findings with their subjects.
 *
 * A rule is one file and one row in rules.def. It states what it looks for, what it needs, its
 * limits and what to try; run() adds findings. Rules run in the order of the table: what an earlier
 * one has claimed is not told again by a later one. */
#ifndef MI_ANALYSE_DOCTOR_H
#define MI_ANALYSE_DOCTOR_H

#include "analyse/report.h"
#include "analyse/taskgraph/whatif.h"
#include "base/param.h"
#include "base/translate.h"

enum { MI_DOCTOR_RUNS = 8 }; /* costs are means over at most so many */

/* What a rule needs; without it the rule is "not checked". */
enum mi_doctor_need {
    MI_DOCTOR_FRAMEWORK = 1 << 0, /* framework graph */
    MI_DOCTOR_COMPILED = 1 << 1,  /* compiled graph */
    MI_DOCTOR_TASKS = 1 << 2,     /* a run on a device */
    MI_DOCTOR_LINKS = 1 << 3,     /* tasks that are linked to nodes */
    MI_DOCTOR_RANKS = 1 << 4,     /* two ranks */
    MI_DOCTOR_BASELINE = 1 << 5   /* a second capture: never here */
};

/* A threshold, with its default; --set RULE.NAME=N changes it. */
struct mi_doctor_limit {
    const char *name; /* "least-us"; NULL ends the list */
    int64_t value;
    const char *meaning; /* message id */
};

struct mi_doctor;

struct mi_doctor_rule {
    const char *name;     /* "pseudo_dependency" */
    const char *question; /* message id: what it looks for */
    const char *advice;   /* message id: what to try; %1 .. %4 are those of the finding */
    unsigned needs;       /* enum mi_doctor_need */
    const struct mi_doctor_limit *limits;
    bool is_first;        /* puts numbers of other findings in doubt: told before them */
    bool is_experimental; /* docs/passes/doctor.md tells its figures */
    bool (*run)(struct mi_doctor *doctor); /* NULL: needs what this pass never has */
};

#define MI_RULE(name) extern const struct mi_doctor_rule mi_doctor_rule_##name;
#include "analyse/doctor/rules.def"
#undef MI_RULE

extern const struct mi_doctor_rule *const mi_doctor_rules[];
extern const size_t mi_doctor_rule_count;

/* A run of the device that is looked at, ready to be simulated. */
struct mi_doctor_run {
    struct mi_taskgraph graph;
    struct mi_whatif whatif;
    struct mi_csr places; /* node -> its work vertices + 1 */
    int64_t base_ns;      /* simulated makespan, nothing changed */
};

struct mi_doctor_subject {
    mi_node_id node;
    mi_task_id task;      /* 0: the first of the node in the run */
    struct mi_bytes note; /* sentence in English; empty */
};

struct mi_doctor_found {
    struct mi_finding finding;
    const struct mi_doctor_rule *rule;
    uint32_t rule_place, first_subject, subject_count, place;
};

struct mi_doctor {
    const struct mi_model *model;
    const struct mi_tables *rows;
    const struct mi_args *args;
    struct mi_report *out;
    struct mi_error *err;
    struct mi_arena *arena; /* of the report */

    enum mi_layer layer; /* whose nodes tasks are linked to */
    unsigned has;        /* enum mi_doctor_need */
    struct mi_account account;
    struct mi_deps deps;
    struct mi_tg_units units;
    uint32_t chosen; /* unit */
    struct mi_doctor_run runs[MI_DOCTOR_RUNS];
    uint32_t run_count;
    int64_t makespan_ns;   /* mean over the runs */
    int64_t *node_ns;      /* [nodes.count] work of a node in a run, mean; NULL without tasks */
    struct mi_csr of_type; /* operator type -> nodes of the layer that ran */
    uint8_t *claimed;      /* [nodes.count] a rule has told of it */

    const struct mi_doctor_rule *rule; /* that runs now */
    const char *not_checked;           /* set by a rule: message id, why it could not tell */
    struct mi_doctor_found *found;
    uint32_t found_count, found_room;
    struct mi_doctor_subject *subjects;
    uint32_t subject_count, subject_room, pending; /* those from `pending` on have no finding yet */
    struct mi_report waits; /* what the pass `waits` says, once a rule has asked */
    bool has_waits;
    bool failed; /* out of memory */
};

/* --- doctor_runs.c --- */

/* Fills everything that rules read. False: err says why. */
bool mi_doctor_open(struct mi_doctor *doctor);
void mi_doctor_close(struct mi_doctor *doctor);

/* How much shorter the runs would be after a change, mean; negative: longer. `change` is called
 * once per run. */
typedef void mi_doctor_change(struct mi_whatif *whatif, const struct mi_doctor_run *run,
                              const void *user);
int64_t mi_doctor_gain(struct mi_doctor *doctor, mi_doctor_change *change, const void *user);

struct mi_doctor_nodes {
    const uint32_t *list;
    uint32_t count;
};

/* Gain of leaving out all work of these nodes; the change itself. */
int64_t mi_doctor_gain_without(struct mi_doctor *doctor, struct mi_doctor_nodes nodes);
void mi_doctor_leave_out(struct mi_whatif *whatif, const struct mi_doctor_run *run, uint32_t node);

/* All work of a node takes `part` of `whole` of its time. */
void mi_doctor_scale(struct mi_whatif *whatif, const struct mi_doctor_run *run, uint32_t node,
                     int64_t part, int64_t whole);

/* --- doctor_like.c: nodes that ran --- */

static inline bool mi_doctor_ran(const struct mi_doctor *doctor, uint32_t node)
{
    return doctor->run_count && mi_csr_count(&doctor->runs[0].places, node) > 0;
}

static inline bool mi_doctor_is_inserted(const struct mi_doctor *doctor, uint32_t node)
{
    uint32_t birth = doctor->model->index.birth_of[node];
    return birth && doctor->rows->births.origin[birth] == MI_ORIGIN_INSERTED;
}

/* Runs on an AI CPU, as far as its tasks say. */
bool mi_doctor_is_on_cpu(const struct mi_doctor *doctor, uint32_t node);

/* Equal type, and tensors of equal types and sizes at all ends. */
bool mi_doctor_is_like(const struct mi_doctor *doctor, uint32_t a, uint32_t b);

/* Median time of nodes of this type, on the device's cores and claimed by nobody; those that are
 * like `but` where there are any. `but` is left out. -1: there are none. */
int64_t mi_doctor_usual_ns(const struct mi_doctor *doctor, mi_str_id op, uint32_t but);

/* The one value that a node reads as data; 0: none, or several. Its first output; 0: none. */
uint32_t mi_doctor_input(const struct mi_tables *rows, uint32_t node);
uint32_t mi_doctor_output(const struct mi_tables *rows, uint32_t node);

/* An attribute that says how a node is run or where it comes from, not what it computes. */
bool mi_doctor_is_about_compiling(struct mi_bytes name);

/* Bytes of an element; 0: not known, or not whole bytes. */
int64_t mi_doctor_width(const struct mi_doctor *doctor, mi_str_id dtype);

/* Equal element type and sizes, both known. */
bool mi_doctor_same_tensor(const struct mi_tables *rows, uint32_t a, uint32_t b);

/* --- doctor_shapes.c: nodes that are alike but for the sizes of their tensors --- */

/* An axis that is no whole number of the blocks that the hardware works on. */
struct mi_doctor_uneven {
    int64_t size, block; /* elements; 0: all axes are even */
};
struct mi_doctor_uneven mi_doctor_find_uneven(const struct mi_doctor *doctor, uint32_t node);

/* Equal type, attributes, number of ops, element types, ranks and layouts, and every tensor a
 * quarter to four times as large. *times: how many times the work of `b` that of `a` is. False also
 * where sizes are not known. */
bool mi_doctor_is_comparable(const struct mi_doctor *doctor, uint32_t a, uint32_t b, double *times);

/* --- doctor_trips.c: conversions whose end is like their beginning --- */

enum mi_doctor_trip {
    MI_DOCTOR_LAYOUT, /* only the layout goes there and back */
    MI_DOCTOR_COPY    /* copies, or changes of the element type, are among them */
};

/* Tells of all round trips of inserted nodes of this kind in one finding. False: out of memory. */
bool mi_doctor_find_trips(struct mi_doctor *doctor, enum mi_doctor_trip kind, const char *sentence);

/* Moves or converts one tensor, and the compiler put it there. */
bool mi_doctor_converts(const struct mi_doctor *doctor, uint32_t node);

/* --- over_fusion.c --- */

/* The ops of a node, one by one, each as long as nodes that are made of one such op alone; *sum_ns
 * -1: there are none of one of them. False: out of memory. */
bool mi_doctor_apart(const struct mi_doctor *doctor, uint32_t node, int64_t *sum_ns);

/* --- doctor_waits.c --- */

/* Takes over the findings of that name from the pass `waits`, which runs once for all rules. */
bool mi_doctor_take_waits(struct mi_doctor *doctor, const char *rule);

/* --- doctor_add.c --- */

/* The threshold of the rule that runs. */
int64_t mi_doctor_limit(const struct mi_doctor *doctor, const char *name);

/* At least `least-us` and `least-permille` of the run. */
bool mi_doctor_matters(const struct mi_doctor *doctor, int64_t cost_ns);

#define MI_DOCTOR_LIMITS(us, permille)                                                             \
    {"least-us", us, N_("a finding costs so many microseconds ...")},                              \
    {                                                                                              \
        "least-permille", permille, N_("... and so many thousandths of the run")                   \
    }

/* A subject of the finding that is added next. */
void mi_doctor_subject(struct mi_doctor *doctor, uint32_t node, uint32_t task,
                       struct mi_bytes note);

/* Adds a finding with the subjects collected; rule, advice and whole are filled in. Without a cost
 * or with nodes and tasks of its own these stay. */
void mi_doctor_add(struct mi_doctor *doctor, const struct mi_finding *finding);

/* Takes over a finding of another pass, whose texts belong to the report's arena. */
void mi_doctor_take(struct mi_doctor *doctor, const struct mi_finding *finding);

struct mi_bytes mi_doctor_name(const struct mi_doctor *doctor, uint32_t node);
struct mi_bytes mi_doctor_number(const struct mi_doctor *doctor, int64_t number);
struct mi_bytes mi_doctor_span(const struct mi_doctor *doctor, int64_t ns);

/* --rule names it, or nothing. */
bool mi_doctor_is_wanted(const struct mi_args *args, const char *rule);

/* Findings, subjects and rules into the report. `why` [rule_count] says what each rule lacked, NULL
 * = it ran. */
void mi_doctor_write(struct mi_doctor *doctor, const char *const *why);

#endif
