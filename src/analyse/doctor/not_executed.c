/* Nodes of the graph that never ran as themselves: part of another, computed while compiling, in a
 * branch that was not taken, or without need for a task. Not a fault by itself - the symptom that
 * people search longest for. */
#include "analyse/describe.h"
#include "analyse/doctor/doctor.h"

enum { KINDS = 5, MOST_SUBJECTS = 200 };

enum kind { FUSED, FOLDED, GONE, BRANCH, NO_TASK };

static bool kind_of(const struct mi_fates *fates, uint32_t f, enum kind *kind)
{
    switch ((enum mi_fate)fates->fate[f]) {
    case MI_FATE_FUSED_INTO:
        *kind = FUSED;
        return true;
    case MI_FATE_FOLDED:
        *kind = FOLDED;
        return true;
    case MI_FATE_REMOVED:
        *kind = GONE;
        return true;
    case MI_FATE_NOT_EXECUTED:
        *kind = fates->reason[f] == MI_REASON_BRANCH_NOT_TAKEN ? BRANCH : NO_TASK;
        return fates->reason[f] != MI_REASON_NOT_CAPTURED;
    case MI_FATE_UNKNOWN:
    case MI_FATE_EXECUTED:
        break;
    }
    return false;
}

static void add_branches(struct mi_doctor *d, uint32_t count)
{
    const struct mi_fates *fates = &d->rows->fates;
    uint32_t told = 0;
    for (uint32_t f = 1; f < fates->count && told < MOST_SUBJECTS; f++)
        if (fates->fate[f] == MI_FATE_NOT_EXECUTED &&
            fates->reason[f] == MI_REASON_BRANCH_NOT_TAKEN) {
            mi_doctor_subject(d, fates->node[f].v, 0,
                              mi_cstr(N_("in a branch that was not taken")));
            told++;
        }
    mi_doctor_add(d, &(struct mi_finding){
                         .severity = MI_NOTICE,
                         .sentence = N_("%1 ops stand in branches that were not taken in this run"),
                         .args = {mi_doctor_number(d, count)},
                         .cost_ns = -1});
}

static bool run(struct mi_doctor *d)
{
    static const char *const notes[] = {[FUSED] = N_("became part of another node"),
                                        [FOLDED] = N_("computed while compiling"),
                                        [GONE] = N_("removed while compiling"),
                                        [NO_TASK] = N_("needs no task")};
    const struct mi_fates *fates = &d->rows->fates;
    uint32_t counts[KINDS] = {0}, all = 0, told = 0;
    enum kind kind;
    for (uint32_t f = 1; f < fates->count; f++)
        if (kind_of(fates, f, &kind)) {
            counts[kind]++;
            all++;
        }
    if (counts[BRANCH])
        add_branches(d, counts[BRANCH]);
    if (!counts[FUSED] && !counts[FOLDED] && !counts[GONE])
        return true; /* ops that were run one by one: most of them only call others */
    for (uint32_t f = 1; f < fates->count && told < MOST_SUBJECTS; f++)
        if (kind_of(fates, f, &kind) && kind != BRANCH) {
            mi_doctor_subject(d, fates->node[f].v, 0, mi_cstr(notes[kind]));
            told++;
        }
    mi_doctor_add(
        d,
        &(struct mi_finding){
            .severity = MI_INFO,
            .sentence = N_("%1 ops have no task of their own: %2 are part of other nodes, %3 were "
                           "computed while compiling, %4 were removed or need no task"),
            .args = {mi_doctor_number(d, all - counts[BRANCH]), mi_doctor_number(d, counts[FUSED]),
                     mi_doctor_number(d, counts[FOLDED]),
                     mi_doctor_number(d, counts[GONE] + counts[NO_TASK])},
            .cost_ns = -1});
    return true;
}

const struct mi_doctor_rule mi_doctor_rule_not_executed = {
    .name = "not_executed",
    .question = N_("ops of the graph that did not run as themselves"),
    .advice =
        N_("Ask `map` for the node that an op became part of and for the reason; ops of other "
           "branches run with other inputs."),
    .needs = MI_DOCTOR_FRAMEWORK | MI_DOCTOR_COMPILED,
    .run = run,
};
