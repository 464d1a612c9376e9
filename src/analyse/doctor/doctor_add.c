/* Findings of the doctor: collected while rules run, put in order and written at the end. */
#include "analyse/describe.h"
#include "analyse/doctor/doctor.h"
#include "analyse/taskgraph/choose.h"
#include "base/decimal.h"
#include "base/mem.h"

#include <stdlib.h>

enum { SHOWN = 5 }; /* subjects of one finding */

/* --- limits --- */

/* The number given with --set for "rule.name"; the last one counts. */
static bool was_set(const struct mi_args *args, const char *rule, const char *name, int64_t *value)
{
    bool found = false;
    const struct mi_arg *arg;
    for (size_t k = 0; args && (arg = mi_args_nth(args, "set", k)); k++) {
        struct mi_bytes text = mi_cstr(arg->text);
        uint64_t number;
        size_t rule_len = strlen(rule), name_len = strlen(name);
        size_t head = rule_len + name_len + 2;
        if (text.len > head && memcmp(text.at, rule, rule_len) == 0 && text.at[rule_len] == '.' &&
            memcmp(text.at + rule_len + 1, name, name_len) == 0 && text.at[head - 1] == '=' &&
            !mi_decimal_u64(mi_bytes_sub(text, head, text.len), &number) && number <= INT32_MAX) {
            *value = (int64_t)number;
            found = true;
        }
    }
    return found;
}

int64_t mi_doctor_limit(const struct mi_doctor *d, const char *name)
{
    int64_t value = 0;
    for (const struct mi_doctor_limit *limit = d->rule->limits; limit && limit->name; limit++)
        if (strcmp(limit->name, name) == 0)
            value = limit->value;
    was_set(d->args, d->rule->name, name, &value);
    return value;
}

bool mi_doctor_matters(const struct mi_doctor *d, int64_t cost_ns)
{
    return cost_ns > 0 && cost_ns >= mi_doctor_limit(d, "least-us") * 1000 &&
           cost_ns >= d->makespan_ns / 1000 * mi_doctor_limit(d, "least-permille");
}

/* --- texts --- */

struct mi_bytes mi_doctor_name(const struct mi_doctor *d, uint32_t node)
{
    return node ? mi_describe_node(d->model, (mi_node_id){node}, d->arena) : MI_LIT("?");
}

struct mi_bytes mi_doctor_number(const struct mi_doctor *d, int64_t number)
{
    return mi_arena_printf(d->arena, "%lld", (long long)number);
}

struct mi_bytes mi_doctor_span(const struct mi_doctor *d, int64_t ns)
{
    return mi_describe_span(ns, d->arena);
}

/* --- adding --- */

static void *grow(struct mi_doctor *d, void *list, uint32_t count, uint32_t *room, size_t size)
{
    if (count < *room)
        return list;
    uint32_t more = *room ? *room * 2 : 64;
    void *bigger = more > *room ? mi_mem_resize(list, more, size) : NULL;
    if (bigger)
        *room = more;
    else
        d->failed = true;
    return bigger ? bigger : list;
}

void mi_doctor_subject(struct mi_doctor *d, uint32_t node, uint32_t task, struct mi_bytes note)
{
    d->subjects = grow(d, d->subjects, d->subject_count, &d->subject_room, sizeof *d->subjects);
    if (d->failed)
        return;
    if (!task && node && mi_doctor_ran(d, node)) {
        const struct mi_doctor_run *run = &d->runs[0];
        task = run->graph.task[run->places.list[run->places.first[node]] - 1];
    }
    d->subjects[d->subject_count++] =
        (struct mi_doctor_subject){.node = {node}, .task = {task}, .note = note};
}

static int64_t subject_ns(const struct mi_doctor *d, const struct mi_doctor_subject *subject)
{
    return d->node_ns && subject->node.v ? d->node_ns[subject->node.v] : 0;
}

/* The nodes and tasks of the subjects; the one that takes longest stands for all. */
static void list_subjects(struct mi_doctor *d, struct mi_finding *finding)
{
    uint32_t count = d->subject_count - d->pending;
    mi_node_id *nodes = mi_arena_alloc(d->arena, (count + 1) * sizeof *nodes);
    mi_task_id *tasks = mi_arena_alloc(d->arena, (count + 1) * sizeof *tasks);
    const struct mi_doctor_subject *first = NULL;
    if (!nodes || !tasks) {
        d->failed = true;
        return;
    }
    for (uint32_t s = d->pending; s < d->subject_count; s++) {
        const struct mi_doctor_subject *subject = &d->subjects[s];
        if (!first || subject_ns(d, subject) > subject_ns(d, first))
            first = subject;
        if (subject->node.v)
            nodes[finding->node_count++] = subject->node;
        if (subject->task.v)
            tasks[finding->task_count++] = subject->task;
    }
    finding->nodes = nodes;
    finding->tasks = tasks;
    if (first && !finding->node.v && !finding->task.v) {
        finding->node = first->node;
        finding->task = first->task;
    }
}

static void keep(struct mi_doctor *d, const struct mi_finding *finding)
{
    uint32_t place = 0;
    while (place < mi_doctor_rule_count && mi_doctor_rules[place] != d->rule)
        place++;
    d->found = grow(d, d->found, d->found_count, &d->found_room, sizeof *d->found);
    if (d->failed)
        return;
    struct mi_doctor_found *found = &d->found[d->found_count];
    *found = (struct mi_doctor_found){.finding = *finding,
                                      .rule = d->rule,
                                      .rule_place = place,
                                      .first_subject = d->pending,
                                      .subject_count = d->subject_count - d->pending,
                                      .place = d->found_count};
    d->found_count++;
    found->finding.rule = d->rule->name;
    found->finding.advice = d->rule->advice;
    found->finding.is_experimental = d->rule->is_experimental;
    found->finding.whole_ns = finding->cost_ns >= 0 ? d->makespan_ns : 0;
    list_subjects(d, &found->finding);
    d->pending = d->subject_count;
}

void mi_doctor_add(struct mi_doctor *d, const struct mi_finding *finding)
{
    keep(d, finding);
}

void mi_doctor_take(struct mi_doctor *d, const struct mi_finding *finding)
{
    if (finding->node.v || finding->task.v)
        mi_doctor_subject(d, finding->node.v, finding->task.v, (struct mi_bytes){0});
    keep(d, finding);
}

/* --- writing --- */

bool mi_doctor_is_wanted(const struct mi_args *args, const char *rule)
{
    const struct mi_arg *arg = mi_args_nth(args, "rule", 0);
    bool wanted = !arg;
    for (size_t k = 0; (arg = mi_args_nth(args, "rule", k)); k++)
        wanted = wanted || strcmp(arg->text, rule) == 0;
    return wanted;
}

static const struct mi_report_column subject_columns[] = {
    {"finding", N_("finding"), MI_CELL_INT, "", N_("which of the findings, from 1")},
    {"rule", N_("rule"), MI_CELL_TEXT, "", N_("its rule")},
    {"framework_node", N_("op"), MI_CELL_NODE, "", N_("framework op that the node is of")},
    {"framework", N_("framework op"), MI_CELL_TEXT, "", N_("its name")},
    {"node", N_("node"), MI_CELL_NODE, "", N_("node that the tasks are of")},
    {"name", N_("name"), MI_CELL_TEXT, "", N_("its name; without a node that of the task")},
    {"op_type", N_("type"), MI_CELL_TEXT, "", N_("its operator type")},
    {"task", N_("task"), MI_CELL_TASK, "", N_("task of it in this run")},
    {"stream", N_("stream"), MI_CELL_TEXT, "", N_("stream of that task")},
    {"start_ns", N_("start"), MI_CELL_INT, "ns", N_("from the start of the run")},
    {"node_ns", N_("time"), MI_CELL_INT, "ns",
     N_("time of its tasks in a run, mean over the runs; without a node that of the task")},
    {"note", N_("why"), MI_CELL_SENTENCE, "", N_("what this subject has to do with it")},
};

static void fill_framework(const struct mi_doctor *d, struct mi_cell *row, uint32_t node)
{
    const struct mi_csr *of = &d->model->index.framework_of;
    if (mi_node_layer(d->model, (mi_node_id){node}) == MI_LAYER_FRAMEWORK) {
        row[2] = mi_cell_int(node);
        row[3] = mi_cell_text(mi_doctor_name(d, node));
    } else if (mi_csr_count(of, node)) {
        uint32_t op = d->rows->lowered.framework[of->list[of->first[node]]].v;
        row[2] = mi_cell_int(op);
        row[3] = mi_cell_text(mi_doctor_name(d, op));
    }
}

static void add_subject(const struct mi_doctor *d, struct mi_report_table *table, uint32_t number,
                        const struct mi_doctor_found *found,
                        const struct mi_doctor_subject *subject)
{
    const struct mi_tables *rows = d->rows;
    uint32_t node = subject->node.v, task = subject->task.v;
    struct mi_cell *row = mi_report_add_row(d->out, table);
    if (!row)
        return;
    row[0] = mi_cell_int(number);
    row[1] = mi_cell_text(mi_cstr(found->finding.rule));
    if (node) {
        fill_framework(d, row, node);
        row[4] = mi_cell_int(node);
        row[5] = mi_cell_text(mi_doctor_name(d, node));
        row[6] = mi_cell_text(mi_describe_op(d->model, subject->node, d->arena));
    }
    if (task) {
        if (!node)
            row[5] = mi_cell_text(
                mi_model_text(d->model, rows->kernels.name[rows->tasks.kernel[task].v]));
        row[7] = mi_cell_int(task);
        row[8] = mi_cell_text(mi_describe_track(d->model, rows->tasks.track[task], d->arena));
        if (d->run_count)
            row[9] = mi_cell_int(mi_ns_sub(rows->tasks.start_ns[task], d->runs[0].graph.begin_ns));
        row[10] = mi_cell_int(node && d->node_ns ? d->node_ns[node] : rows->tasks.dur_ns[task]);
    }
    if (subject->note.len)
        row[11] = mi_cell_text(subject->note);
}

/* What is doubtful about the clocks first, then the graver, then the costlier. */
static int compare_found(const void *left, const void *right)
{
    const struct mi_doctor_found *a = left, *b = right;
    if (a->finding.severity != b->finding.severity)
        return a->finding.severity > b->finding.severity ? -1 : 1;
    if (a->rule->is_first != b->rule->is_first)
        return a->rule->is_first ? -1 : 1;
    if (a->finding.cost_ns != b->finding.cost_ns)
        return a->finding.cost_ns > b->finding.cost_ns ? -1 : 1;
    if (a->rule_place != b->rule_place)
        return a->rule_place < b->rule_place ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

static void write_subjects(struct mi_doctor *d)
{
    int64_t top = mi_args_int(d->args, "top", SHOWN);
    struct mi_report_table *table =
        mi_report_add_table(d->out, "subjects", N_("What the findings are about"), subject_columns,
                            sizeof subject_columns / sizeof *subject_columns);
    mi_report_mark_details(table, "framework_node node task start_ns");
    for (uint32_t f = 0; f < d->found_count; f++)
        for (uint32_t s = 0; s < d->found[f].subject_count && (!top || s < top) &&
                             (!top || d->found[f].finding.severity > MI_INFO);
             s++)
            add_subject(d, table, f + 1, &d->found[f], &d->subjects[d->found[f].first_subject + s]);
}

static const struct mi_report_column rule_columns[] = {
    {"rule", N_("rule"), MI_CELL_TEXT, "", N_("name of the rule")},
    {"looks_for", N_("looks for"), MI_CELL_WORD, "", N_("what it looks for")},
    {"findings", N_("findings"), MI_CELL_INT, "", N_("how many; none = not checked")},
    {"not_checked", N_("not checked"), MI_CELL_WORD, "", N_("what it needs")},
    {"limits", N_("limits"), MI_CELL_TEXT, "", N_("thresholds in force; --set changes them")},
    {"is_experimental", N_("experimental"), MI_CELL_BOOL, "",
     N_("wrong more often than a rule should be")},
};

static struct mi_bytes limits_of(const struct mi_doctor *d, const struct mi_doctor_rule *rule)
{
    struct mi_words words = {.arena = d->arena};
    for (const struct mi_doctor_limit *limit = rule->limits; limit && limit->name; limit++) {
        int64_t value = limit->value;
        was_set(d->args, rule->name, limit->name, &value);
        mi_words_printf(&words, "%s%s=%lld", words.len ? " " : "", limit->name, (long long)value);
    }
    return mi_words_get(&words);
}

static void write_rules(struct mi_doctor *d, const char *const *why)
{
    bool wants_all = mi_args_flag(d->args, "rules");
    struct mi_report_table *table =
        mi_report_add_table(d->out, "rules", wants_all ? N_("Rules") : N_("Not checked"),
                            rule_columns, sizeof rule_columns / sizeof *rule_columns);
    for (size_t r = 0; r < mi_doctor_rule_count; r++) {
        const struct mi_doctor_rule *rule = mi_doctor_rules[r];
        int64_t count = 0;
        for (uint32_t f = 0; f < d->found_count; f++)
            count += d->found[f].rule == rule;
        bool is_told = wants_all || (why[r] && mi_doctor_is_wanted(d->args, rule->name));
        struct mi_cell *row = is_told ? mi_report_add_row(d->out, table) : NULL;
        if (!row)
            continue;
        row[0] = mi_cell_text(mi_cstr(rule->name));
        row[1] = mi_cell_word(rule->question);
        if (why[r])
            row[3] = mi_cell_word(why[r]);
        else
            row[2] = mi_cell_int(count);
        if (wants_all && rule->limits)
            row[4] = mi_cell_text(limits_of(d, rule));
        if (wants_all)
            row[5] = mi_cell_int(rule->is_experimental);
    }
}

void mi_doctor_write(struct mi_doctor *d, const char *const *why)
{
    if (d->found_count)
        qsort(d->found, d->found_count, sizeof *d->found, compare_found);
    write_subjects(d);
    write_rules(d, why);
    for (uint32_t f = 0; f < d->found_count; f++)
        mi_report_add_finding(d->out, &d->found[f].finding);
}
