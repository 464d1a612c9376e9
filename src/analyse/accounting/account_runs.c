/* Runs: tasks.run numbers them where tasks repeat. What numbers its runs from 0 on its own is a
 * device of a home (account_homes.c), or a file given by itself that comes from a process of its
 * own.
 *
 * An eager run repeats nothing that could be told by ids, but its profiler marks steps: where all
 * tasks of a group are of one run and files mark stretches of time, these are the runs. A task
 * belongs to the step in which it was launched, else to the one in which it started. */
#include "analyse/accounting/account_runs.h"

#include "base/map.h"
#include "base/mem.h"

#include <stdlib.h>

enum { MOST_STEPS = 1 << 26 };

/* --- groups --- */

struct group {
    uint32_t home;     /* of its sources */
    uint32_t last_run; /* highest number in the tasks table */
    uint32_t first_step, step_count;
};

struct listing {
    struct mi_account *account;
    const struct mi_model *model;
    uint32_t *home_of;    /* [sources.count] equal for sources of one collection */
    uint32_t *group_of;   /* [tracks.count] */
    struct group *groups; /* beside those of the account */
    struct step *steps;   /* by group and start */
};

/* A stretch of time that a file marks. */
struct step {
    int64_t start_ns, end_ns;
    uint32_t window;
};

/* The group of a track, new if there is none like it. */
static bool group_track(struct listing *l, struct mi_map *places, uint32_t track)
{
    const struct mi_tracks *tracks = &l->model->all.rows.tracks;
    mi_source_id source = tracks->source[track];
    bool is_alone = source.v && !l->model->all.rows.sources.capture[source.v] &&
                    tracks->process[track] >= 0 && tracks->device[track] < 0;
    uint32_t home = is_alone ? MI_HOME_OF_FILE | source.v : l->home_of[source.v];
    uint64_t lane =
        (uint64_t)(tracks->device[track] + 1) << 20 ^ (uint64_t)(tracks->rank[track] + 1);
    uint32_t *at = mi_map_at(places, mi_pair(home, (uint32_t)lane));
    if (!at)
        return false;
    if (!*at) {
        l->groups[l->account->group_count] = (struct group){.home = home};
        l->account->groups[l->account->group_count] = (struct mi_account_group){
            .source = source, .device = tracks->device[track], .rank = tracks->rank[track]};
        *at = ++l->account->group_count;
    }
    l->group_of[track] = *at - 1;
    return true;
}

/* Only tracks that have tasks make groups: host threads do not. */
static bool find_groups(struct listing *l)
{
    const struct mi_tables *rows = &l->model->all.rows;
    const uint32_t *first = l->model->index.track_first_task;
    struct mi_map places = {0};
    l->account->group_of = l->group_of = mi_mem_zero(rows->tracks.count, sizeof *l->group_of);
    l->groups = mi_mem_zero((size_t)rows->tracks.count + 1, sizeof *l->groups);
    l->account->groups = mi_mem_zero((size_t)rows->tracks.count + 1, sizeof *l->account->groups);
    bool ok = l->group_of && l->groups && l->account->groups;
    for (uint32_t track = 0; ok && track < rows->tracks.count; track++) {
        if (first[track] == first[track + 1])
            continue;
        ok = group_track(l, &places, track);
        struct group *group = &l->groups[l->group_of[track]];
        for (uint32_t t = first[track]; ok && t < first[track + 1]; t++)
            if (rows->tasks.run[t] > group->last_run && rows->tasks.run[t] != MI_NO_RUN)
                group->last_run = rows->tasks.run[t];
    }
    mi_map_fini(&places);
    return ok;
}

/* --- marked steps --- */

static bool is_step(const struct listing *l, uint32_t window)
{
    struct mi_bytes kind = mi_model_text(l->model, l->model->all.rows.windows.kind[window]);
    return mi_bytes_equal(kind, MI_LIT("iteration")) || mi_bytes_equal(kind, MI_LIT("step"));
}

static bool is_of_group(const struct listing *l, uint32_t window, uint32_t group)
{
    const struct mi_windows *windows = &l->model->all.rows.windows;
    int64_t device = l->account->groups[group].device;
    return l->home_of[windows->source[window].v] == l->groups[group].home &&
           (windows->device[window] < 0 || device < 0 || windows->device[window] == device);
}

static int compare_steps(const void *left, const void *right)
{
    const struct step *a = left, *b = right;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    if (a->end_ns != b->end_ns)
        return a->end_ns > b->end_ns ? -1 : 1;
    return (a->window > b->window) - (a->window < b->window);
}

/* The same step told by several files stands once. */
static uint32_t drop_twins(struct step *steps, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!kept || steps[kept - 1].start_ns != steps[i].start_ns ||
            steps[kept - 1].end_ns != steps[i].end_ns)
            steps[kept++] = steps[i];
    return kept;
}

static void list_steps(struct listing *l, uint32_t g)
{
    struct group *group = &l->groups[g];
    const struct mi_windows *windows = &l->model->all.rows.windows;
    struct step *steps = &l->steps[group->first_step];
    uint32_t count = 0;
    for (uint32_t w = 1; w < windows->count; w++)
        if (is_step(l, w) && is_of_group(l, w, g))
            steps[count++] = (struct step){windows->start_ns[w],
                                           mi_ns_add(windows->start_ns[w], windows->dur_ns[w]), w};
    if (count)
        qsort(steps, count, sizeof *steps, compare_steps);
    group->step_count = drop_twins(steps, count);
}

/* So many steps on so many devices are not real, and are not looked at. */
static bool find_steps(struct listing *l)
{
    uint64_t work = (uint64_t)l->model->all.rows.windows.count * (l->account->group_count + 1);
    uint32_t used = 0;
    if (work > MOST_STEPS)
        return true;
    l->steps = mi_mem_new((size_t)work, sizeof *l->steps);
    for (uint32_t g = 0; l->steps && g < l->account->group_count; g++) {
        l->groups[g].first_step = used;
        list_steps(l, g);
        used += l->groups[g].step_count;
    }
    return l->steps != NULL;
}

/* Place of the step that holds the moment, the latest to begin; UINT32_MAX = none. */
static uint32_t step_at(const struct listing *l, const struct group *group, int64_t at_ns)
{
    const struct step *steps = l->steps ? &l->steps[group->first_step] : NULL;
    uint32_t low = 0, high = group->step_count;
    while (low < high) { /* the first that begins behind the moment */
        uint32_t middle = low + (high - low) / 2;
        if (steps[middle].start_ns <= at_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low && at_ns < steps[low - 1].end_ns ? low - 1 : UINT32_MAX;
}

static bool goes_by_steps(const struct group *group)
{
    return group->last_run == 0 && group->step_count > 0;
}

/* --- runs --- */

static uint64_t key_of(const struct listing *l, uint32_t task, uint32_t track)
{
    const struct mi_tables *rows = &l->model->all.rows;
    const struct group *group = &l->groups[l->group_of[track]];
    uint32_t run = rows->tasks.run[task];
    if (goes_by_steps(group)) {
        uint32_t launch = rows->tasks.launch[task].v;
        run =
            step_at(l, group, launch ? rows->slices.start_ns[launch] : rows->tasks.start_ns[task]);
        int64_t model = rows->kernels.model[rows->tasks.kernel[task].v];
        bool is_of_model = model >= 0 && model < UINT32_MAX; /* iterations begin on the device */
        if (run == UINT32_MAX && launch && is_of_model)
            run = step_at(l, group, rows->tasks.start_ns[task]);
    }
    return (uint64_t)l->group_of[track] << 32 | run;
}

static int compare_runs(const void *left, const void *right)
{
    const struct mi_account_run *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return (a->run > b->run) - (a->run < b->run);
}

/* The place of each distinct run, from 1, in the order in which they are met; run_of gets it. */
static bool number_runs(struct listing *l, struct mi_map *places)
{
    struct mi_account *account = l->account;
    const struct mi_tracks *tracks = &l->model->all.rows.tracks;
    const uint32_t *first = l->model->index.track_first_task;
    for (uint32_t track = 0; track < tracks->count; track++) {
        uint64_t last_key = 0;
        uint32_t last = 0; /* neighbours mostly are of one run */
        for (uint32_t t = first[track]; t < first[track + 1]; t++) {
            uint64_t key = key_of(l, t, track);
            if (!last || key != last_key) {
                uint32_t *at = mi_map_at(places, key);
                if (!at)
                    return false;
                if (!*at)
                    *at = ++account->run_count;
                last = *at;
                last_key = key;
            }
            account->run_of[t] = last;
        }
    }
    return true;
}

static void describe_run(const struct listing *l, struct mi_account_run *run, uint64_t key)
{
    const struct group *group = &l->groups[key >> 32];
    bool is_outside = (uint32_t)key == MI_NO_RUN;
    *run = (struct mi_account_run){
        .group = (uint32_t)(key >> 32), .run = (uint32_t)key, .is_outside = is_outside};
    if (goes_by_steps(group) && !is_outside)
        run->window.v = l->steps[group->first_step + run->run].window;
}

static bool list_runs(struct listing *l)
{
    struct mi_account *account = l->account;
    const struct mi_tasks *tasks = &l->model->all.rows.tasks;
    struct mi_map places = {0};
    account->run_of = mi_mem_zero(tasks->count, sizeof *account->run_of);
    bool ok = account->run_of && number_runs(l, &places);
    uint32_t *rank = ok ? mi_mem_zero((size_t)account->run_count + 1, sizeof *rank) : NULL;
    account->runs = mi_mem_zero((size_t)account->run_count + 1, sizeof *account->runs);
    ok = ok && account->runs && rank;
    for (uint32_t track = 0; ok && track < l->model->all.rows.tracks.count; track++)
        for (uint32_t t = l->model->index.track_first_task[track];
             t < l->model->index.track_first_task[track + 1]; t++)
            if (!rank[account->run_of[t]]) {
                rank[account->run_of[t]] = 1;
                describe_run(l, &account->runs[account->run_of[t] - 1], key_of(l, t, track));
            }
    if (ok)
        qsort(account->runs, account->run_count, sizeof *account->runs, compare_runs);
    for (uint32_t r = 0; ok && r < account->run_count; r++) {
        uint64_t key = (uint64_t)account->runs[r].group << 32 | account->runs[r].run;
        rank[mi_map_get(&places, key)] = r;
    }
    for (uint32_t t = 1; ok && t < tasks->count; t++)
        account->run_of[t] = rank[account->run_of[t]];
    mi_mem_free(rank);
    mi_map_fini(&places);
    return ok;
}

/* --- which are counted --- */

/* A number that the collector of a run states about its capture; `otherwise` if it does not. */
static uint32_t stated(const struct mi_model *model, mi_source_id source, const char *setting,
                       uint32_t otherwise)
{
    const struct mi_tables *rows = &model->all.rows;
    for (uint32_t f = 1; f < rows->facts.count; f++) {
        struct mi_bytes text = mi_model_text(model, rows->facts.text[f]);
        uint32_t number = 0, capture = rows->sources.capture[rows->facts.source[f].v];
        if (capture != rows->sources.capture[source.v] ||
            !mi_bytes_equal(mi_model_text(model, rows->facts.name[f]), mi_cstr(setting)))
            continue;
        for (size_t i = 0; i < text.len && number < 1000000; i++) {
            if (text.at[i] < '0' || text.at[i] > '9')
                return otherwise;
            number = number * 10 + (uint32_t)(text.at[i] - '0');
        }
        return number;
    }
    return otherwise;
}

/* Of the runs [count] of one group: from three on the first ones are warm-up, as many as the
 * collector says, at least one; what lies behind the last run that it saw the end of was cut short,
 * and what lies outside of the marked steps counts where all of them do. At least one counts. */
static void choose_counted(struct mi_account *account, const struct mi_account_group *group)
{
    struct mi_account_run *runs = &account->runs[group->first_run];
    uint32_t count = group->run_count, counted = 0;
    uint32_t warmup = stated(account->model, group->source, "setting:warmup", 0);
    uint32_t done = stated(account->model, group->source, "setting:runs-done", UINT32_MAX);
    uint32_t real = count - (count > 1 && runs[count - 1].is_outside);
    warmup = real < 3 ? 0 : warmup ? warmup : 1;
    if (warmup >= real)
        warmup = real - 1;
    for (uint32_t r = 0; r < real; r++) {
        runs[r].is_counted =
            r >= warmup && (runs[r].run < done || r == warmup || runs[r].is_outside);
        counted += runs[r].is_counted;
    }
    if (real < count)
        runs[real].is_counted = counted == real;
    for (uint32_t r = 0; r < count; r++)
        runs[r].counted_beside = counted;
}

static void choose_runs(struct mi_account *account)
{
    for (uint32_t r = 0; r < account->run_count; r++) {
        struct mi_account_group *group = &account->groups[account->runs[r].group];
        group->first_run = group->run_count++ ? group->first_run : r;
    }
    for (uint32_t g = 0; g < account->group_count; g++) {
        choose_counted(account, &account->groups[g]);
        account->counted_runs += account->runs[account->groups[g].first_run].counted_beside;
    }
}

/* --- what they add up to --- */

static void sum_runs(struct mi_account *account)
{
    const struct mi_tasks *tasks = &account->model->all.rows.tasks;
    for (uint32_t t = 1; t < tasks->count; t++) {
        struct mi_account_run *run = &account->runs[account->run_of[t]];
        int64_t start_ns = tasks->start_ns[t], end_ns = mi_ns_add(start_ns, tasks->dur_ns[t]);
        if (mi_account_part(account, t) != MI_PART_WORK)
            continue;
        run->first_ns = run->tasks && run->first_ns < start_ns ? run->first_ns : start_ns;
        run->end_ns = run->tasks && run->end_ns > end_ns ? run->end_ns : end_ns;
        run->total_ns = mi_ns_add(run->total_ns, account->own_ns[t]);
        run->tasks++;
    }
}

/* What a file marks as a run that was told by its tasks: the step in which its middle lies. */
static void mark_runs(const struct listing *l)
{
    for (uint32_t r = 0; r < l->account->run_count; r++) {
        struct mi_account_run *run = &l->account->runs[r];
        const struct group *group = &l->groups[run->group];
        if (!run->tasks || run->is_outside || goes_by_steps(group))
            continue;
        uint32_t step =
            step_at(l, group, run->first_ns + mi_ns_sub(run->end_ns, run->first_ns) / 2);
        if (step != UINT32_MAX)
            run->window.v = l->steps[group->first_step + step].window;
    }
}

bool mi_account_find_runs(struct mi_account *account)
{
    struct listing l = {.account = account, .model = account->model};
    l.home_of = mi_account_homes(account->model);
    bool ok = l.home_of && find_groups(&l) && find_steps(&l) && list_runs(&l);
    if (ok) {
        choose_runs(account);
        sum_runs(account);
        mark_runs(&l);
    }
    mi_mem_free(l.home_of);
    mi_mem_free(l.groups);
    mi_mem_free(l.steps);
    return ok;
}
