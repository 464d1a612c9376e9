/* Collection while a program of the user runs: its capture folder, its environment, its process,
 * and questions to the hook inside it (src/collect/hook). */
#ifndef MI_COLLECT_LIVE_LIVE_H
#define MI_COLLECT_LIVE_LIVE_H

#include "base/arena.h"
#include "base/error.h"

#include <sys/types.h>

enum { MI_LIVE_PATH = 3072, MI_LIVE_ENV_MAX = 16 };

#define MI_LIVE_DUMPS "ge_dump" /* where the graph engine is told to dump */

struct mi_live {
    char dir[MI_LIVE_PATH];  /* capture folder, absolute */
    char hook[MI_LIVE_PATH]; /* libmi_hook.so */
    bool wants_graph, wants_runtime, wants_weights;
    const char *profiler;       /* one of mi_live_profilers; NULL = auto */
    const char *program;        /* version, noted in the manifest */
    const char *const *sources; /* [source_count] framework models that belong to it */
    size_t source_count;
};

/* Finds libmi_hook.so: MI_HOOK_LIB, beside the program, where it was installed. */
bool mi_live_find_hook(char *path, size_t size, struct mi_error *err);

/* --- live_dir.c --- */

/* Makes the folder and its capture.json. MI_EUSAGE: something else is in it (a capture may be
 * replaced); MI_EIO: it cannot be written. Sets live->dir. */
bool mi_live_prepare(struct mi_live *live, const char *dir, bool may_replace, struct mi_error *err);

/* MI_EUSAGE where the folder holds a capture. */
bool mi_live_has_no_capture(const char *dir, struct mi_error *err);

/* The program has ended: says in capture.json how complete the capture is. `status` as of
 * waitpid(), or -1 if it is not known. */
bool mi_live_close(const struct mi_live *live, int status, struct mi_error *err);

/* --- live_replace.c --- */

/* Removes the capture in the folder, all of it or nothing. MI_EUSAGE: there is something in it that
 * no capture leaves, or a process still runs. One thread at a time. */
bool mi_live_remove_capture(const char *dir, struct mi_error *err);

/* --- live_env.c --- */

/* What the environment of the program needs; values in `arena`. Returns their number, 0: out of
 * memory. */
struct mi_live_var {
    const char *name, *value; /* value NULL: it is to be removed */
};
size_t mi_live_environment(const struct mi_live *live, struct mi_arena *arena,
                           struct mi_live_var vars[MI_LIVE_ENV_MAX]);

/* The variable by which the user has graphs dumped to a place of his own; NULL: they come into the
 * capture. */
const char *mi_live_foreign_dumps(void);

/* --- live_run.c --- */

/* Runs the command with that environment, hands signals on that are sent to us, and waits for it.
 * The status is that of waitpid(). False: it could not be started. */
bool mi_live_run(const struct mi_live_var *vars, size_t count, char *const *argv, int *status,
                 struct mi_error *err);

/* --- live_ask.c --- */

struct mi_live_answer {
    long process;
    uint64_t records, models;
    char profiler[16], tool[16]; /* its state; which one */
    bool wants_graph, wants_runtime, dumps;
};

enum { MI_LIVE_ANSWERS_MAX = 256 };

/* Asks every running process of the capture; what does not answer is left out. Returns how many
 * did. */
size_t mi_live_ask(const char *dir, const char *question,
                   struct mi_live_answer answers[MI_LIVE_ANSWERS_MAX]);

/* --- live_export.c --- */

/* Has msprof export what it has not yet exported of the capture's PROF_* folders. *missing: folders
 * that are still raw, because there is no msprof or it failed; its output is in msprof.log. */
bool mi_live_export_profiles(const char *dir, uint32_t *exported, uint32_t *missing,
                             struct mi_error *err);

/* --- live_check.c --- */

/* One thing that collecting needs, or that stands in its way. */
struct mi_live_fact {
    const char *name; /* "libascendcl.so": for scripts */
    bool is_found;
    const char *serves; /* message id: what it is for */
    char detail[256];   /* path, value; "" = none */
};

enum { MI_LIVE_FACTS_MAX = 24 };

/* Looks at this machine. Libraries are opened in a child process, so that what they do stays there.
 */
size_t mi_live_check(struct mi_live_fact facts[MI_LIVE_FACTS_MAX]);

/* --- live_profiler.c --- */

extern const char *const mi_live_profilers[]; /* "auto" first, NULL last */

/* Which of them auto is on this machine. The same order as in the hook (collect/hook/profile.c),
 * and msprof where there is neither. */
const char *mi_live_choose(const struct mi_live_fact *facts, size_t count);

/* The command with msprof in front of it; takes LD_PRELOAD out of `vars`, for the program alone.
 * The list is in `arena`, its last parts are those of argv. NULL: out of memory. */
char **mi_live_wrap(const struct mi_live *live, struct mi_arena *arena, struct mi_live_var *vars,
                    size_t *var_count, char *const *argv);

#endif
