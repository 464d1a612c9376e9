/* The thread pool: every index once, the same outcome for any number of threads. */
#include "base/pool.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define TASKS 1000

struct job {
    uint32_t runs[TASKS];
    uint32_t bad[2]; /* indices that fail */
    uint32_t cancel_at;
    uint32_t max_worker[TASKS];
    pthread_t threads[TASKS];
    struct mi_cancel cancel;
};

static bool task(void *context, uint32_t index, uint32_t worker, struct mi_error *err)
{
    struct job *job = context;
    job->runs[index]++;
    job->max_worker[index] = worker;
    job->threads[index] = pthread_self();
    if (index == job->cancel_at)
        mi_cancel_set(&job->cancel);
    if (index == job->bad[0] || index == job->bad[1])
        return mi_fail(err, MI_EFORMAT, "task %u", (unsigned)index);
    return true;
}

static const struct job plain = {.bad = {TASKS, TASKS}, .cancel_at = TASKS};

static void every_index_runs_once(void **state)
{
    (void)state;
    for (uint32_t threads = 0; threads <= 9; threads += 3) {
        struct job job = plain;
        struct mi_error err = MI_ERROR_INIT;
        assert_true(mi_pool_run(threads, TASKS, task, &job, &job.cancel, &err));
        for (uint32_t i = 0; i < TASKS; i++) {
            assert_int_equal(job.runs[i], 1);
            assert_true(job.max_worker[i] < (threads ? threads : MI_POOL_MAX_THREADS));
        }
    }
}

static void one_thread_is_the_callers(void **state)
{
    (void)state;
    struct job job = plain;
    assert_true(mi_pool_run(1, TASKS, task, &job, NULL, NULL));
    for (uint32_t i = 0; i < TASKS; i++)
        assert_true(pthread_equal(job.threads[i], pthread_self()));
}

static void nothing_to_do_is_fine(void **state)
{
    (void)state;
    struct job job = plain;
    assert_true(mi_pool_run(4, 0, task, &job, NULL, NULL));
    assert_int_equal(job.runs[0], 0);
    assert_true(mi_pool_cpus() >= 1);
}

static void the_lowest_failure_is_reported(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 50; round++) {
        for (uint32_t threads = 1; threads <= 8; threads *= 2) {
            struct job job = plain;
            struct mi_error err = MI_ERROR_INIT;
            job.bad[0] = 501;
            job.bad[1] = 500;
            assert_false(mi_pool_run(threads, TASKS, task, &job, NULL, &err));
            assert_int_equal(err.code, MI_EFORMAT);
            assert_string_equal(err.text, "task 500");
            for (uint32_t i = 0; i <= 500; i++)
                assert_int_equal(job.runs[i], 1);
        }
    }
}

static void cancelling_stops_the_run(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 8; threads *= 2) {
        struct job job = plain;
        struct mi_error err = MI_ERROR_INIT;
        job.cancel_at = 10;
        assert_false(mi_pool_run(threads, TASKS, task, &job, &job.cancel, &err));
        assert_int_equal(err.code, MI_ECANCELLED);
        for (uint32_t i = 0; i <= 10; i++)
            assert_int_equal(job.runs[i], 1);
        if (threads == 1)
            assert_int_equal(job.runs[11], 0);
    }
    struct job job = plain;
    mi_cancel_set(&job.cancel);
    assert_false(mi_pool_run(2, TASKS, task, &job, &job.cancel, NULL));
    assert_int_equal(job.runs[0], 0);
}

static bool silent(void *context, uint32_t index, uint32_t worker, struct mi_error *err)
{
    (void)context;
    (void)index;
    (void)worker;
    (void)err;
    return false;
}

static void a_silent_failure_is_still_one(void **state)
{
    (void)state;
    struct mi_error err = MI_ERROR_INIT;
    assert_false(mi_pool_run(3, 5, silent, NULL, NULL, &err));
    assert_int_equal(err.code, MI_EINTERNAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_index_runs_once),
        cmocka_unit_test(one_thread_is_the_callers),
        cmocka_unit_test(nothing_to_do_is_fine),
        cmocka_unit_test(the_lowest_failure_is_reported),
        cmocka_unit_test(cancelling_stops_the_run),
        cmocka_unit_test(a_silent_failure_is_still_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
