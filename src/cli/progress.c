/* The progress line. Ticks come from any thread, often; drawing is rare and done by whoever gets
 * the lock. */
#include "base/mem.h"
#include "base/utf8.h"
#include "cli/cli.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { FIRST_MS = 1000, EACH_MS = 100 };

struct mi_progress {
    const struct mi_cli *cli;
    int64_t start_ms;
    atomic_int_fast64_t next_ms; /* when to draw next */
    atomic_flag is_drawing;
    bool is_drawn; /* under is_drawing */
};

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

struct mi_progress *mi_progress_new(const struct mi_cli *cli)
{
    struct mi_progress *progress = mi_mem_zero(1, sizeof *progress);
    if (!progress)
        return NULL;
    progress->cli = cli;
    progress->start_ms = now_ms();
    atomic_init(&progress->next_ms, progress->start_ms + FIRST_MS);
    atomic_flag_clear(&progress->is_drawing);
    return progress;
}

static const char *stage_text(enum mi_lang lang, const char *stage)
{
    if (strcmp(stage, "open") == 0)
        return mi_tr(lang, N_("opening"));
    if (strcmp(stage, "read") == 0)
        return mi_tr(lang, N_("reading"));
    if (strcmp(stage, "correlate") == 0)
        return mi_tr(lang, N_("joining the layers"));
    return mi_tr(lang, stage);
}

bool mi_progress_tick(void *user, const char *stage, uint64_t done, uint64_t total)
{
    struct mi_progress *progress = user;
    bool goes_on = !mi_cancelled(progress->cli->cancel);
    if (!progress->cli->err_is_tty)
        return goes_on;
    int64_t now = now_ms();
    if (now < atomic_load_explicit(&progress->next_ms, memory_order_relaxed) ||
        atomic_flag_test_and_set(&progress->is_drawing))
        return goes_on;
    atomic_store_explicit(&progress->next_ms, now + EACH_MS, memory_order_relaxed);
    progress->is_drawn = true;
    fprintf(stderr, "\r\x1b[K%s", stage_text(progress->cli->lang, stage));
    if (total)
        fprintf(stderr, " %u %%", (unsigned)(done >= total ? 100 : done * 100 / total));
    fflush(stderr);
    atomic_flag_clear(&progress->is_drawing);
    return goes_on;
}

void mi_progress_free(struct mi_progress *progress)
{
    if (progress && progress->is_drawn) {
        fputs("\r\x1b[K", stderr);
        fflush(stderr);
    }
    mi_mem_free(progress);
}
