#include "present/serve/subject.h"

#include "analyse/describe.h"
#include "base/mem.h"
#include "present/export/common.h"

bool mi_subjects_init(struct mi_subjects *subjects, struct mi_site *site, struct mi_error *err)
{
    *subjects = (struct mi_subjects){.site = site};
    subjects->joint = mi_site_joint(site, err);
    subjects->compare = subjects->joint ? mi_site_compare(site, err) : NULL;
    if (!subjects->compare)
        return false;
    subjects->cause_of = mi_site_cause_of(site);
    subjects->differs = mi_site_differs(site);
    uint32_t count = subjects->compare->change_count;
    uint32_t *keys = mi_mem_zero((size_t)count + 1, sizeof *keys);
    for (uint32_t i = 0; keys && i < count; i++) {
        const struct mi_cmp_change *change = &subjects->compare->changes[i];
        unsigned side = change->node[MI_CMP_NEW] ? MI_CMP_NEW : MI_CMP_BASE;
        keys[i + 1] = subjects->joint->node_of[side][change->node[side]];
    }
    bool ok = keys && mi_csr_build(&subjects->changes_of,
                                   subjects->joint->model.all.rows.nodes.count, keys, count + 1);
    mi_mem_free(keys);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory for changes");
}

void mi_subjects_fini(struct mi_subjects *subjects)
{
    mi_csr_fini(&subjects->changes_of);
}

/* --- what it is --- */

struct mi_subject mi_subject_of_op(const struct mi_subjects *subjects, uint32_t op)
{
    const struct mi_compare *compare = subjects->compare;
    const struct mi_cmp_op *at = &compare->ops[op];
    struct mi_subject subject = {.op = op};
    for (unsigned side = 0; side < MI_CMP_SIDES && !subject.joint; side++)
        subject.joint = at->node[side] ? subjects->joint->node_of[side][at->node[side]] : 0;
    if (!op)
        return subject;
    int64_t delta_ns = mi_ns_sub(at->median_ns[MI_CMP_NEW], at->median_ns[MI_CMP_BASE]);
    subject.size_ns = delta_ns < 0 ? mi_ns_sub(0, delta_ns) : delta_ns;
    subject.cause = subjects->cause_of[op];
    if (subject.cause && compare->causes[subject.cause - 1].is_simulated)
        subject.cost_ns = compare->causes[subject.cause - 1].cost_ns;
    return subject;
}

struct mi_subject mi_subject_of_node(const struct mi_subjects *subjects, uint32_t joint)
{
    uint32_t op = 0;
    for (unsigned side = 0; side < MI_CMP_SIDES && !op; side++)
        op = subjects->compare->op_of_node[side][subjects->joint->side_node[side][joint]];
    struct mi_subject subject = mi_subject_of_op(subjects, op);
    subject.joint = joint;
    return subject;
}

/* --- writing --- */

static uint32_t node_of(const struct mi_subjects *s, const struct mi_subject *subject,
                        unsigned side)
{
    return s->joint->side_node[side][subject->joint];
}

/* Some task of what no graph knows. */
static uint32_t task_of(const struct mi_subjects *s, const struct mi_subject *subject,
                        unsigned side)
{
    const struct mi_cmp_op *op = &s->compare->ops[subject->op];
    uint32_t kernel = op->kernel[side];
    if (!subject->op && subject->cause && side == MI_CMP_NEW)
        return s->compare->causes[subject->cause - 1].task;
    if (subject->joint || !subject->op || op->kernel_capture[side])
        return 0;
    return mi_cmp_model(s->compare, side)->index.kernel_first[kernel];
}

static void write_names(struct mi_jw *jw, const struct mi_subjects *s,
                        const struct mi_subject *subject, struct mi_arena *arena)
{
    static const char *const name_keys[] = {"base_name", "name"}, *const op_keys[] = {"base_op",
                                                                                      "op"};
    if (!subject->joint) {
        struct mi_bytes name =
            subject->op
                ? mi_cmp_op_name(s->compare, subject->op, arena)
                : mi_cmp_first_name(s->compare, &s->compare->causes[subject->cause - 1], arena);
        mi_jw_member_string(jw, "name", name);
        mi_jw_member_string(jw, "op",
                            subject->op
                                ? mi_cmp_type_name(s->compare, s->compare->ops[subject->op].type)
                                : (struct mi_bytes){0});
        return;
    }
    for (unsigned side = 0; side < MI_CMP_SIDES; side++) {
        mi_node_id node = {node_of(s, subject, side)};
        if (!node.v)
            continue;
        mi_jw_member_string(jw, name_keys[side],
                            mi_describe_node(mi_cmp_model(s->compare, side), node, arena));
        mi_jw_member_string(jw, op_keys[side],
                            mi_describe_op(mi_cmp_model(s->compare, side), node, arena));
    }
}

static void write_changes(struct mi_jw *jw, const struct mi_subjects *s,
                          const struct mi_subject *subject)
{
    const struct mi_csr *list = &s->changes_of;
    uint32_t joint = subject->joint;
    mi_jw_key(jw, "changes");
    mi_jw_begin_array(jw);
    for (uint32_t i = list->first[joint]; joint && i < list->first[joint + 1]; i++) {
        const struct mi_cmp_change *change = &s->compare->changes[list->list[i] - 1];
        mi_jw_begin_object(jw);
        mi_jw_member_text(jw, "kind", mi_differs_names[change->kind]);
        mi_jw_member_string(jw, "was", change->was);
        mi_jw_member_string(jw, "is", change->is);
        mi_jw_end(jw);
    }
    for (unsigned kind = MI_CMP_CHANGES; joint && kind < MI_DIFFERS_KINDS; kind++)
        if (s->differs[joint] & 1U << kind) {
            mi_jw_begin_object(jw);
            mi_jw_member_text(jw, "kind", mi_differs_names[kind]);
            mi_jw_end(jw);
        }
    mi_jw_end(jw);
}

static void write_known(struct mi_jw *jw, const char *key, bool is_known, int64_t number)
{
    mi_jw_key(jw, key);
    if (is_known)
        mi_jw_i64(jw, number);
    else
        mi_jw_null(jw);
}

static void write_cost(struct mi_jw *jw, const struct mi_subjects *s,
                       const struct mi_subject *subject)
{
    const struct mi_cmp_op *op = &s->compare->ops[subject->op];
    const struct mi_cmp_cause *cause =
        subject->cause ? &s->compare->causes[subject->cause - 1] : NULL;
    mi_jw_key(jw, "cause");
    if (cause)
        mi_jw_text(jw, cause->rule);
    else
        mi_jw_null(jw);
    if (cause)
        mi_jw_member_string(jw, "what", cause->what);
    write_known(jw, "cost_ns", cause && cause->is_simulated, cause ? cause->cost_ns : 0);
    write_known(jw, "base_ns", subject->op && op->tasks[MI_CMP_BASE], op->median_ns[MI_CMP_BASE]);
    write_known(jw, "new_ns", subject->op && op->tasks[MI_CMP_NEW], op->median_ns[MI_CMP_NEW]);
}

static void write_pair(struct mi_jw *jw, const struct mi_subjects *s,
                       const struct mi_subject *subject, enum mi_lang lang)
{
    const struct mi_match *match = &s->compare->match;
    uint32_t node = node_of(s, subject, MI_CMP_NEW);
    uint32_t pair = node ? match->pair_of[MI_CMP_NEW][node] : 0;
    if (!pair)
        return;
    mi_jw_member_text(jw, "evidence",
                      mi_tr(lang, mi_cmp_evidence_words[match->pairs[pair - 1].evidence]));
    mi_export_enum(jw, "confidence", MI_E_confidence, match->pairs[pair - 1].confidence);
}

void mi_subject_write(struct mi_jw *jw, const struct mi_subjects *s,
                      const struct mi_subject *subject, enum mi_lang lang)
{
    struct mi_arena arena;
    mi_arena_init(&arena);
    mi_export_id(jw, "base", node_of(s, subject, MI_CMP_BASE));
    mi_export_id(jw, "new", node_of(s, subject, MI_CMP_NEW));
    mi_export_id(jw, "base_task", task_of(s, subject, MI_CMP_BASE));
    mi_export_id(jw, "new_task", task_of(s, subject, MI_CMP_NEW));
    mi_export_enum(jw, "layer", MI_E_layer,
                   subject->joint
                       ? (unsigned)mi_node_layer(&s->joint->model, (mi_node_id){subject->joint})
                       : MI_LAYER_NONE);
    write_names(jw, s, subject, &arena);
    write_changes(jw, s, subject);
    write_cost(jw, s, subject);
    write_pair(jw, s, subject, lang);
    mi_arena_fini(&arena);
}
