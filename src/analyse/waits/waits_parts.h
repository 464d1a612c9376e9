/* What the pass `waits` is made of: it finds waits, judges them, and measures what they cost. */
#ifndef MI_ANALYSE_WAITS_PARTS_H
#define MI_ANALYSE_WAITS_PARTS_H

#include "analyse/report.h"
#include "analyse/taskgraph/whatif.h"
#include "analyse/waits/cover.h"
#include "base/param.h"
#include "base/translate.h"

enum mi_wait_verdict {
    MI_WAIT_DATA,      /* what it waited for makes what it reads */
    MI_WAIT_EARLY,     /* the wait stands too early: only a later task needs it */
    MI_WAIT_ORDER,     /* no data flows: a control edge or the reuse of memory explains it */
    MI_WAIT_REDUNDANT, /* an earlier wait already covers what is needed */
    MI_WAIT_NEEDLESS,  /* none of these */
    MI_WAIT_QUEUE,     /* ready, but behind unrelated work; another stream was idle */
    MI_WAIT_LAUNCH,    /* the host had not launched it */
    MI_WAIT_START,     /* the model or stream had not been started; or its end was waited for */
    MI_WAIT_GAP,       /* nothing that is known held it back */
    MI_WAIT_UNKNOWN,   /* an event held it back; what it reads is not known */
    MI_WAIT_VERDICTS
};

extern const char *const mi_wait_words[MI_WAIT_VERDICTS];

struct mi_wait {
    uint8_t verdict;
    uint8_t confidence; /* of the event; MI_CERTAIN where none is involved */
    uint32_t vertex;    /* task that was held back */
    uint32_t wait;      /* the waiting task, where an event held it back; else MI_TG_NONE */
    uint32_t cause;     /* task that it waited for; MI_TG_NONE */
    uint32_t later;     /* EARLY: task that needs it */
    uint32_t lane;      /* QUEUE: where it could have run */
    int64_t wait_ns;    /* so long it was held back */
    int64_t gain_ns;    /* mean over the runs simulated; -1 not simulated */
    int64_t gain_sum_ns;
    uint32_t gain_runs;
};

struct mi_waits {
    const struct mi_taskgraph *graph;
    struct mi_wait *list;
    uint32_t count, room;
    int64_t least_wait_ns, least_gain_ns;
    int64_t budget; /* vertices that may still be simulated */
    bool is_judged; /* what events are needed for is known */
    bool failed;    /* out of memory */
};

void mi_waits_add(struct mi_waits *waits, const struct mi_wait *wait);

/* Waits for events that held a stream up. */
void mi_waits_find_events(struct mi_waits *waits, struct mi_cover *cover);

/* Idle time of streams that no event explains. */
void mi_waits_find_gaps(struct mi_waits *waits);

/* Tasks in the queue behind unrelated work while a stream of their neighbours was idle. False: out
 * of memory. */
bool mi_waits_find_queues(struct mi_waits *waits);

/* The task on its lane that took most of the time since `ready_ns`; MI_TG_NONE: none. */
uint32_t mi_waits_blocker(const struct mi_taskgraph *graph, uint32_t vertex, int64_t ready_ns);

/* What each wait costs in the run of `whatif`, added to its sum: what is gained by leaving out the
 * event, or by running the task on the other lane. `places` [waits.count] says what stands for it
 * there; MI_TG_NONE leaves it out. */
struct mi_wait_place {
    uint32_t vertex; /* the event's wait, or the task to be moved */
    uint32_t lane;
};
void mi_waits_measure(struct mi_waits *waits, struct mi_whatif *whatif,
                      const struct mi_wait_place *places);

/* --- the pass --- */

struct mi_waits_pass {
    const struct mi_model *model;
    const struct mi_args *args;
    struct mi_report *out;
    struct mi_error *err;
    struct mi_account account;
    struct mi_deps deps;
    struct mi_tg_units units;
    struct mi_taskgraph graph;
    struct mi_cover cover;
    struct mi_waits waits;
    bool is_doubtful; /* clocks do not fit: nothing is said about what streams do to each other */
    int64_t least_gain_ns;
};

/* The whole judgement of the chosen unit, whose graph and all before it in the struct are there;
 * free what it made with mi_waits_end(). */
bool mi_waits_judge(struct mi_waits_pass *p, uint32_t chosen);
void mi_waits_end(struct mi_waits_pass *p);

/* What the waits of the chosen unit cost; sorts them, the largest gain first, then the longest. */
bool mi_waits_gain(struct mi_waits_pass *p, uint32_t chosen);

/* Who needs what the needless waits cover, and what stood before those in a queue. */
void mi_waits_explain(struct mi_waits_pass *p);

void mi_waits_rows(struct mi_waits_pass *p);
void mi_waits_findings(struct mi_waits_pass *p);

#endif
