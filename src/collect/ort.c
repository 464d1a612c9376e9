/* Collector `ort`: runs an ONNX model with ONNX Runtime on the CPU.
 *
 * The capture folder receives a copy of the model (below 256 MiB; a larger one is referred to), the
 * optimised model and the profile of the same session, the partition if one was asked for, and what
 * ONNX Runtime said on standard error. capture.json is written before the model is loaded and again
 * at the end, so the folder is readable at any moment. */
#include "base/files.h"
#include "base/hash.h"
#include "base/input.h"
#include "base/translate.h"
#include "collect/ort_api.h"
#include "collect/ort_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define COPY_LIMIT_BYTES ((int64_t)256 << 20)
enum { POLL_MS = 10, GRACE_MS = 20000 };

static const char *const levels[] = {"0", "1", "2", "99", NULL};

const struct mi_param mi_collector_params_ort[] = {
    {.name = "runs",
     .kind = MI_PARAM_INT,
     .metavar = "N",
     .default_text = "3",
     .min = 1,
     .max = 1000000,
     .help = N_("how often to run the model after the warm-up")},
    {.name = "warmup",
     .kind = MI_PARAM_INT,
     .metavar = "N",
     .default_text = "1",
     .min = 0,
     .max = 1000000,
     .help = N_("runs before those that count; they are in the capture too")},
    {.name = "threads",
     .kind = MI_PARAM_INT,
     .metavar = "N",
     .default_text = "1",
     .min = 1,
     .max = 1024,
     .help = N_("threads that share the work of one kernel")},
    {.name = "level",
     .kind = MI_PARAM_CHOICE,
     .metavar = "0|1|2|99",
     .default_text = "99",
     .choices = levels,
     .help = N_("graph optimisation: none, basic, extended, all")},
    {.name = "partition",
     .kind = MI_PARAM_TEXT,
     .metavar = "FILE",
     .help =
         N_("logical streams: run in parallel as this partition file says; ONNX Runtime writes its "
            "default there if the file does not exist")},
    {.name = "custom-op-lib",
     .kind = MI_PARAM_TEXT,
     .metavar = "PATH",
     .help = N_("library with custom operators")},
    {.name = "shape",
     .kind = MI_PARAM_TEXT,
     .metavar = "NAME=1x3x224x224",
     .repeats = true,
     .help = N_("shape of one input whose dimensions the model leaves open")},
    {.name = "fill",
     .kind = MI_PARAM_TEXT,
     .metavar = "NAME=NUMBER",
     .repeats = true,
     .help = N_("one value for all elements of an input, instead of random ones")},
    {.name = "seed",
     .kind = MI_PARAM_INT,
     .metavar = "N",
     .default_text = "1",
     .min = 0,
     .max = INT64_C(1) << 60,
     .help = N_("start of the random values that are fed")},
    {.name = "ort-lib",
     .kind = MI_PARAM_TEXT,
     .metavar = "PATH",
     .help =
         N_("library of ONNX Runtime 1.12 or later (default: MI_ORT_LIB, deps/ort, the system)")},
    MI_PARAM_END};

static bool available(const struct mi_args *args, struct mi_error *why)
{
    struct mi_ort ort;
    char used[512];
    return mi_ort_find(&ort, mi_args_text(args, "ort-lib", NULL), used, sizeof used, why);
}

/* --- manifest --- */

static bool in_dir(const struct mi_collect *job, const char *name, char *path, size_t size)
{
    return (size_t)snprintf(path, size, "%s/%s", job->dir, name) < size;
}

/* Adds DIR/name if it is there; its size and hash are taken now. */
static void add_file(struct mi_collect *job, const char *name, const char *role, const char *reader,
                     int64_t clock_unix_ns)
{
    char path[4200], hash[8 + MI_HASH128_HEX] = "";
    struct stat info;
    if (name[0] == '/')
        snprintf(path, sizeof path, "%s", name);
    else if (!in_dir(job, name, path, sizeof path))
        return;
    if (stat(path, &info) != 0)
        return;
    struct mi_hash128 sum;
    uint64_t size_bytes = 0;
    if (mi_hash_file(path, NULL, NULL, NULL, &sum, &size_bytes, NULL)) {
        memcpy(hash, "xxh3:", 6);
        mi_hash128_hex(sum, hash + 5);
    }
    mi_manifest_add_file(&job->manifest,
                         &(struct mi_manifest_file){.path = name,
                                                    .role = role,
                                                    .reader = reader,
                                                    .hash = hash,
                                                    .size_bytes = info.st_size,
                                                    .clock_unix_ns = clock_unix_ns});
}

static bool copy_file(const char *from, const char *to, struct mi_error *err)
{
    struct mi_input input;
    if (!mi_input_open(&input, from, &(struct mi_input_options){.keep_packed = true}, err))
        return false;
    bool ok = mi_file_write(to, input.bytes, err);
    mi_input_close(&input);
    return ok;
}

static void add_source(struct mi_collect *job)
{
    char path[4200], absolute[4096];
    struct stat info;
    struct mi_error err = MI_ERROR_INIT;
    if (stat(job->model_path, &info) != 0)
        return;
    if (info.st_size <= COPY_LIMIT_BYTES && in_dir(job, MI_ORT_SOURCE, path, sizeof path) &&
        copy_file(job->model_path, path, &err))
        add_file(job, MI_ORT_SOURCE, MI_ROLE_SOURCE_MODEL, "onnx", 0);
    else if (realpath(job->model_path, absolute))
        add_file(job, absolute, MI_ROLE_SOURCE_MODEL, "onnx", 0);
}

static void add_settings(struct mi_collect *job)
{
    struct mi_manifest *manifest = &job->manifest;
    struct utsname host;
    mi_manifest_add_setting(manifest, "model", job->model_path);
    for (const struct mi_param *param = mi_collector_params_ort; param->name; param++) {
        const struct mi_arg *arg;
        if (!mi_args_find(job->args, param->name) && param->default_text)
            mi_manifest_add_setting(manifest, param->name, param->default_text);
        for (size_t k = 0; (arg = mi_args_nth(job->args, param->name, k)); k++)
            mi_manifest_add_setting(manifest, param->name, arg->text);
    }
    mi_manifest_add_version(manifest, "model-inspector", job->program);
    if (uname(&host) == 0) {
        mi_manifest_add_version(manifest, "system", host.sysname);
        mi_manifest_add_version(manifest, "kernel", host.release);
        mi_manifest_add_version(manifest, "machine", host.machine);
    }
}

static void add_note(struct mi_collect *job, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add_note(struct mi_collect *job, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    mi_manifest_add_note(&job->manifest, text);
}

/* --- the child --- */

static void redirect_output(const struct mi_collect *job)
{
    char path[4200];
    if (!in_dir(job, MI_ORT_LOG, path, sizeof path))
        return;
    int log = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (log < 0)
        return;
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    close(log);
}

static void tell_progress(const struct mi_collect *job, struct mi_ort_shared *shared)
{
    int64_t total = mi_args_int(job->args, "warmup", 1) + mi_args_int(job->args, "runs", 3);
    if (!job->progress)
        return;
    if (atomic_load(&shared->stage) < MI_ORT_STAGE_RUN)
        job->progress(job->user, "load", 0, 0);
    else
        job->progress(job->user, "run", atomic_load(&shared->runs_done), (uint64_t)total);
}

/* Waits for the child; when told to stop, gives it some time to write the profile. */
static int wait_for(const struct mi_collect *job, pid_t pid, struct mi_ort_shared *shared)
{
    const struct timespec pause = {.tv_nsec = POLL_MS * 1000000L};
    int status = 0;
    for (int left_ms = GRACE_MS; waitpid(pid, &status, WNOHANG) == 0; nanosleep(&pause, NULL)) {
        tell_progress(job, shared);
        if (!mi_cancelled(job->cancel))
            continue;
        atomic_store(&shared->stop, true);
        left_ms -= POLL_MS;
        if (left_ms == 0)
            kill(pid, SIGKILL);
    }
    return status;
}

static bool run_child(const struct mi_collect *job, struct mi_ort_shared *shared, int *status,
                      struct mi_error *err)
{
    fflush(NULL); /* or the child would print buffered text a second time */
    pid_t parent = getpid(), pid = fork();
    if (pid < 0)
        return mi_fail(err, MI_EIO, "no process for the run: %s", strerror(errno));
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(1);
        redirect_output(job);
        mi_ort_child(job, shared);
        _exit(0);
    }
    *status = wait_for(job, pid, shared);
    return true;
}

/* --- what came out --- */

static void add_results(struct mi_collect *job, const struct mi_ort_shared *shared)
{
    char path[4200];
    struct mi_manifest *manifest = &job->manifest;
    int64_t start_ns = (int64_t)shared->profile_start_ns;
    if (shared->version[0])
        mi_manifest_add_version(manifest, "onnxruntime", shared->version);
    if (shared->library[0])
        mi_manifest_add_setting(manifest, "library", shared->library);
    if (shared->shapes[0])
        mi_manifest_add_setting(manifest, "inputs", shared->shapes);
    manifest->start_unix_ns = start_ns;
    add_file(job, MI_ORT_OPTIMISED, MI_ROLE_OPTIMISED_MODEL, "ort_onnx", 0);
    if (shared->profile[0] && in_dir(job, MI_ORT_PROFILE, path, sizeof path) &&
        rename(shared->profile, path) == 0)
        add_file(job, MI_ORT_PROFILE, MI_ROLE_PROFILE, "ort_profile", start_ns);
    const char *partition = mi_args_text(job->args, "partition", NULL);
    if (partition && in_dir(job, MI_ORT_PARTITION, path, sizeof path) &&
        copy_file(partition, path, NULL))
        add_file(job, MI_ORT_PARTITION, MI_ROLE_PARTITION, "ort_partition", 0);
}

/* ONNX Runtime names its profile after the time; one whose name it did not tell is empty, because
 * it is written at the end only. It is kept where the model ran, so that the ledger speaks of it.
 */
static void tidy_profiles(struct mi_collect *job, struct mi_ort_shared *shared)
{
    struct mi_dir dir;
    if (!mi_dir_read(&dir, job->dir, MI_DIR_MAX_ENTRIES, NULL))
        return;
    for (uint32_t i = 0; i < dir.count; i++) {
        char path[4200];
        if (strncmp(dir.entries[i].name, MI_ORT_PROFILE_PREFIX "_", 4) != 0 ||
            !in_dir(job, dir.entries[i].name, path, sizeof path))
            continue;
        if (!shared->profile[0] && atomic_load(&shared->stage) >= MI_ORT_STAGE_RUN)
            snprintf(shared->profile, sizeof shared->profile, "%s", path);
        else if (strcmp(path, shared->profile) != 0)
            unlink(path);
    }
    mi_dir_free(&dir);
}

static void add_verdict(struct mi_collect *job, struct mi_ort_shared *shared, int status)
{
    static const char *const doing[] = {"starting", "loading the model", "running the model",
                                        "writing the profile"};
    int64_t total = mi_args_int(job->args, "warmup", 1) + mi_args_int(job->args, "runs", 3);
    unsigned done = atomic_load(&shared->runs_done);
    int stage = atomic_load(&shared->stage);
    bool stopped = atomic_load(&shared->was_stopped) || mi_cancelled(job->cancel);
    if (WIFSIGNALED(status) && stopped)
        add_note(job, "stopped while %s; no profile was written", doing[stage]);
    else if (WIFSIGNALED(status))
        add_note(job, "ONNX Runtime crashed with signal %d (%s) while %s; see " MI_ORT_LOG,
                 WTERMSIG(status), strsignal(WTERMSIG(status)), doing[stage]);
    else if (!atomic_load(&shared->has_ended))
        add_note(job, "ONNX Runtime ended the process with code %d while %s; see " MI_ORT_LOG,
                 WEXITSTATUS(status), doing[stage]);
    else if (shared->error.code != MI_OK)
        add_note(job, "%s", shared->error.text);
    else if (stopped)
        add_note(job, "stopped after %u of %lld runs", done, (long long)total);
    else
        job->manifest.complete = true;
    if (!job->manifest.complete) {
        char text[16];
        snprintf(text, sizeof text, "%u", done);
        mi_manifest_add_setting(&job->manifest, MI_ORT_RUNS_DONE, text);
    }
    if (shared->no_optimised.code != MI_OK)
        add_note(job, "the compiled graph could not be written: %s", shared->no_optimised.text);
}

/* What an earlier run left here would otherwise pass for a result of this one. */
static void remove_old(const struct mi_collect *job)
{
    static const char *const names[] = {MI_ORT_SOURCE, MI_ORT_OPTIMISED, MI_ORT_PROFILE,
                                        MI_ORT_PARTITION, MI_ORT_LOG};
    char path[4200];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (in_dir(job, names[i], path, sizeof path))
            unlink(path);
}

static bool run(struct mi_collect *job, struct mi_error *err)
{
    struct mi_ort_shared *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return mi_fail(err, MI_ENOMEM, "out of memory");
    job->manifest.collector = "ort";
    job->manifest.complete = false;
    remove_old(job);
    add_source(job);
    add_settings(job);
    int status = 0;
    bool ok =
        mi_manifest_write(&job->manifest, job->dir, err) && run_child(job, shared, &status, err);
    /* Wrong options and a missing library leave nothing that anybody would want to look at. */
    if (ok && (shared->error.code == MI_EUSAGE || shared->error.code == MI_ENOTFOUND)) {
        *err = shared->error;
        ok = false;
    }
    if (ok) {
        tidy_profiles(job, shared);
        add_results(job, shared);
        add_verdict(job, shared, status);
        ok = mi_manifest_write(&job->manifest, job->dir, err);
    }
    munmap(shared, sizeof *shared);
    return ok;
}

const struct mi_collector mi_collector_ort = {.name = "ort",
                                              .title = N_("ONNX Runtime on the CPU"),
                                              .params = mi_collector_params_ort,
                                              .available = available,
                                              .run = run};
