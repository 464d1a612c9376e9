/* Something that a comparison tells apart: partners, a node of one side alone, a kernel where there
 * is no graph, or a cause without ops. */
#ifndef MI_PRESENT_SERVE_SUBJECT_H
#define MI_PRESENT_SERVE_SUBJECT_H

#include "base/json_write.h"
#include "present/serve/site_diff.h"
#include "present/text/i18n.h"

struct mi_subject {
    uint32_t joint;  /* node of the joint model; 0 = none */
    uint32_t op;     /* of the comparison; 0 = none */
    uint32_t cause;  /* cause + 1; 0 = none */
    int64_t cost_ns; /* of the cause, for sorting */
    int64_t size_ns; /* what its time differs by, without sign */
};

/* All that a request needs to tell about subjects. */
struct mi_subjects {
    struct mi_site *site;
    const struct mi_compare *compare;
    const struct mi_joint *joint;
    const uint32_t *cause_of;
    const uint16_t *differs;
    struct mi_csr changes_of; /* joint node -> changes + 1 */
};

bool mi_subjects_init(struct mi_subjects *subjects, struct mi_site *site, struct mi_error *err);
void mi_subjects_fini(struct mi_subjects *subjects);

/* Of a joint node, or of an op. */
struct mi_subject mi_subject_of_node(const struct mi_subjects *subjects, uint32_t joint);
struct mi_subject mi_subject_of_op(const struct mi_subjects *subjects, uint32_t op);

/* Its members, into an open object:
 *   "base", "new": node or null, "base_task", "new_task": of what has no node, one task or null,
 *   "layer", "name", "base_name": where it differs, "op", "base_op",
 *   "changes": [{"kind", "was", "is"}], "cause": rule or null, "what", "cost_ns" of the cause,
 *   "base_ns", "new_ns": medians of its times, null where it does not run,
 *   "evidence", "confidence": of the pair */
void mi_subject_write(struct mi_jw *jw, const struct mi_subjects *subjects,
                      const struct mi_subject *subject, enum mi_lang lang);

#endif
