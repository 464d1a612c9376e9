#include "collect/ort_child.h"

#include "collect/ort_feed.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LOG_WARNING = 2, MODE_PARALLEL = 1, PARTITION_THREADS = 3, WATCH_MS = 20 };

struct child {
    const struct mi_collect *job;
    struct mi_ort_shared *shared;
    struct mi_ort ort;
    struct ort_env *env;
    struct ort_session *session;
    struct ort_run_options *run_options;
    struct mi_ort_feed feed;
    char optimised[4200], profile_prefix[4200];
    atomic_bool ended;
};

static bool must_stop(struct child *child)
{
    return atomic_load(&child->shared->stop) || mi_cancelled(child->job->cancel);
}

/* --- session --- */

static bool set_threads(struct child *child, struct ort_options *options, struct mi_error *err)
{
    struct mi_ort *ort = &child->ort;
    const struct mi_args *args = child->job->args;
    const char *partition = mi_args_text(args, "partition", NULL);
    /* Without spinning a busy machine gives the kernels their time instead of burning it. */
    return mi_ort_ok(ort, ort->SetIntraOpNumThreads(options, (int)mi_args_int(args, "threads", 1)),
                     "--threads", err) &&
           mi_ort_ok(ort,
                     ort->AddSessionConfigEntry(options, "session.intra_op.allow_spinning", "0"),
                     "settings", err) &&
           mi_ort_ok(ort,
                     ort->AddSessionConfigEntry(options, "session.inter_op.allow_spinning", "0"),
                     "settings", err) &&
           (!partition || (mi_ort_ok(ort, ort->SetSessionExecutionMode(options, MODE_PARALLEL),
                                     "--partition", err) &&
                           mi_ort_ok(ort, ort->SetInterOpNumThreads(options, PARTITION_THREADS),
                                     "--partition", err) &&
                           mi_ort_ok(ort,
                                     ort->AddSessionConfigEntry(
                                         options, "session.node_partition_config_file", partition),
                                     "--partition", err)));
}

/* `optimised`: also write the optimised model. */
static bool create_session(struct child *child, bool optimised, struct mi_error *err)
{
    struct mi_ort *ort = &child->ort;
    const struct mi_args *args = child->job->args;
    struct ort_options *options = NULL;
    const char *custom = mi_args_text(args, "custom-op-lib", NULL);
    void *custom_library = NULL;
    char here[512];
    if (custom)
        custom = mi_ort_library(custom, here, sizeof here);
    const char *level = mi_args_text(args, "level", "99");
    return mi_ort_ok(ort, ort->CreateSessionOptions(&options), "session options", err) &&
           set_threads(child, options, err) &&
           mi_ort_ok(ort,
                     ort->SetSessionGraphOptimizationLevel(options,
                                                           level[0] == '9' ? 99 : level[0] - '0'),
                     "--level", err) &&
           (!custom ||
            mi_ort_ok(ort, ort->RegisterCustomOpsLibrary(options, custom, &custom_library),
                      "--custom-op-lib", err)) &&
           (!optimised || mi_ort_ok(ort, ort->SetOptimizedModelFilePath(options, child->optimised),
                                    "optimised model", err)) &&
           mi_ort_ok(ort, ort->EnableProfiling(options, child->profile_prefix), "profiling", err) &&
           mi_ort_ok(
               ort,
               ort->CreateSession(child->env, child->job->model_path, options, &child->session),
               "the model does not load", err);
}

/* A model that loads but cannot be written (beyond 2 GB, for one) is run without its compiled
 * graph. */
static bool load(struct child *child, struct mi_error *err)
{
    struct mi_error first = MI_ERROR_INIT;
    if (!mi_ort_ok(&child->ort, child->ort.CreateEnv(LOG_WARNING, "model-inspector", &child->env),
                   "environment", err))
        return false;
    if (create_session(child, true, &first))
        return true;
    struct mi_error second = MI_ERROR_INIT;
    if (must_stop(child) || !create_session(child, false, &second)) {
        *err = first;
        return false;
    }
    child->shared->no_optimised = first;
    return true;
}

/* --- running --- */

/* Asks a run that is under way to stop; ONNX Runtime looks at the flag between kernels. */
static void *watch(void *context)
{
    struct child *child = context;
    const struct timespec pause = {.tv_nsec = WATCH_MS * 1000000L};
    while (!atomic_load(&child->ended)) {
        if (must_stop(child)) {
            struct ort_status *status = child->ort.RunOptionsSetTerminate(child->run_options);
            if (status)
                child->ort.ReleaseStatus(status);
            break;
        }
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static bool run_once(struct child *child, struct ort_value **outs, struct mi_error *err)
{
    struct mi_ort *ort = &child->ort;
    struct mi_ort_feed *feed = &child->feed;
    memset(outs, 0, feed->out_count * sizeof *outs);
    bool ok =
        mi_ort_ok(ort,
                  ort->Run(child->session, child->run_options, (const char *const *)feed->in_names,
                           (const struct ort_value *const *)feed->ins, feed->in_count,
                           (const char *const *)feed->out_names, feed->out_count, outs),
                  "the run failed", err);
    for (size_t i = 0; i < feed->out_count; i++)
        if (outs[i])
            ort->ReleaseValue(outs[i]);
    return ok;
}

static bool run_all(struct child *child, struct mi_error *err)
{
    struct mi_ort *ort = &child->ort;
    const struct mi_args *args = child->job->args;
    int64_t total = mi_args_int(args, "warmup", 1) + mi_args_int(args, "runs", 3);
    static struct ort_value *outs[4096]; /* as many as mi_ort_feed_build() admits */
    if (!mi_ort_ok(ort, ort->CreateRunOptions(&child->run_options), "run options", err))
        return false;
    pthread_t watcher;
    bool is_watched = pthread_create(&watcher, NULL, watch, child) == 0;
    bool ok = true;
    for (int64_t run = 0; ok && run < total && !must_stop(child); run++) {
        ok = run_once(child, outs, err);
        if (ok)
            atomic_fetch_add(&child->shared->runs_done, 1);
    }
    atomic_store(&child->ended, true);
    if (is_watched)
        pthread_join(watcher, NULL);
    if (must_stop(child)) {
        atomic_store(&child->shared->was_stopped, true);
        *err = MI_ERROR_INIT; /* the run ended because it was told to */
        return true;
    }
    return ok;
}

/* The profile is written only now; a session that is merely dropped leaves an empty file. */
static bool close_session(struct child *child, struct mi_error *err)
{
    struct mi_ort *ort = &child->ort;
    struct ort_allocator *allocator = NULL;
    char *profile = NULL;
    bool ok = mi_ort_ok(ort, ort->GetAllocatorWithDefaultOptions(&allocator), "allocator", err) &&
              mi_ort_ok(ort, ort->SessionEndProfiling(child->session, allocator, &profile),
                        "end of profiling", err);
    if (profile)
        snprintf(child->shared->profile, sizeof child->shared->profile, "%s", profile);
    mi_ort_feed_fini(&child->feed, ort);
    ort->ReleaseSession(child->session);
    return ok;
}

static bool work(struct child *child, struct mi_error *err)
{
    struct mi_ort_shared *shared = child->shared;
    struct mi_ort *ort = &child->ort;
    const struct mi_args *args = child->job->args;
    if (!mi_ort_find(ort, mi_args_text(args, "ort-lib", NULL), shared->library,
                     sizeof shared->library, err))
        return false;
    snprintf(shared->version, sizeof shared->version, "%s", ort->version);
    atomic_store(&shared->stage, MI_ORT_STAGE_LOAD);
    if (!load(child, err) ||
        !mi_ort_ok(ort,
                   ort->SessionGetProfilingStartTimeNs(child->session, &shared->profile_start_ns),
                   "start of the profile", err))
        return false;
    atomic_store(&shared->stage, MI_ORT_STAGE_RUN);
    bool ran = mi_ort_feed_build(&child->feed, ort, child->session, args, err);
    snprintf(shared->shapes, sizeof shared->shapes, "%s", child->feed.shapes);
    ran = ran && run_all(child, err);
    atomic_store(&shared->stage, MI_ORT_STAGE_CLOSE);
    return close_session(child, err) && ran;
}

void mi_ort_child(const struct mi_collect *job, struct mi_ort_shared *shared)
{
    static struct child child; /* one per process, and too large for the stack */
    child.job = job;
    child.shared = shared;
    snprintf(child.optimised, sizeof child.optimised, "%s/" MI_ORT_OPTIMISED, job->dir);
    snprintf(child.profile_prefix, sizeof child.profile_prefix, "%s/" MI_ORT_PROFILE_PREFIX,
             job->dir);
    struct mi_error err = MI_ERROR_INIT;
    work(&child, &err);
    shared->error = err;
    atomic_store(&shared->has_ended, true);
}
