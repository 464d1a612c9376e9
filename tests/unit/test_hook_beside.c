/* Runs of what a program launches beside the models that it executes. A program is a line of
 * letters: E executes the model, small letters launch a kernel of that name, _ is a long pause. */
#include "correlate/hook/hook_parts.h"
#include "hand_model.h"
#include "model/links.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { CALL_NS = 5, KERNEL_NS = 10, MODEL_NS = 100, PAUSE_NS = 10000, GAP_NS = 1 };

struct program {
    struct hand hand;
    uint32_t host, stream;
    int64_t now_ns;
    uint32_t runs;
    uint32_t owners[2];
};

static void begin(struct program *p)
{
    hand_init(&p->hand);
    struct mi_batch *all = &p->hand.model.all;
    p->host = mi_add_track(all, &(struct mi_track_row){.source = p->hand.source,
                                                       .kind = MI_TRACK_THREAD,
                                                       .rank = -1,
                                                       .device = -1,
                                                       .process = 1})
                  .v;
    p->stream = mi_add_track(all, &(struct mi_track_row){.source = p->hand.source,
                                                         .kind = MI_TRACK_STREAM,
                                                         .rank = -1,
                                                         .device = 0,
                                                         .process = 1})
                    .v;
    p->now_ns = 1000;
    p->runs = 0;
    p->owners[0] = 0;
    p->owners[1] = p->hand.source.v;
}

/* A call and the task that it launched, which runs at once. */
static uint32_t launch(struct program *p, const char *call, const char *kernel, int64_t dur_ns)
{
    struct mi_batch *all = &p->hand.model.all;
    mi_slice_id slice = mi_add_slice(all, &(struct mi_slice_row){.track = {p->host},
                                                                 .name = hand_str(&p->hand, call),
                                                                 .start_raw = p->now_ns,
                                                                 .start_ns = p->now_ns,
                                                                 .dur_ns = CALL_NS});
    mi_kernel_id row =
        mi_add_kernel(all, &(struct mi_kernel_row){.source = p->hand.source,
                                                   .name = hand_str(&p->hand, kernel),
                                                   .kind = MI_TASK_COMPUTE});
    int64_t start_ns = p->now_ns + CALL_NS;
    p->now_ns += CALL_NS + dur_ns + GAP_NS;
    return mi_add_task(all, &(struct mi_task_row){.track = {p->stream},
                                                  .kernel = row,
                                                  .launch = slice,
                                                  .start_raw = start_ns,
                                                  .start_ns = start_ns,
                                                  .dur_ns = dur_ns})
        .v;
}

/* `expected` has the run of each kernel, - for none; E stays. */
static void check(const char *text, const char *expected)
{
    struct program p;
    uint32_t tasks[64], count = 0;
    char seen[64] = {0};
    begin(&p);
    for (const char *at = text; *at; at++) {
        char name[2] = {*at, 0};
        if (*at == '_')
            p.now_ns += PAUSE_NS;
        else
            tasks[count++] = *at == 'E' ? launch(&p, "aclmdlExecuteAsync", "node", MODEL_NS)
                                        : launch(&p, "aclrtLaunchKernel", name, KERNEL_NS);
        if (*at == 'E')
            p.hand.model.all.rows.tasks.run[tasks[count - 1]] = p.runs++;
    }
    assert_true(mi_hook_number_beside(&p.hand.model, p.owners));
    for (uint32_t i = 0, run = 0; i < count; i++) {
        uint32_t got = p.hand.model.all.rows.tasks.run[tasks[i]];
        bool is_execution = expected[i] == 'E';
        seen[i] = is_execution && got == run ? 'E' : got == MI_NO_RUN ? '-' : (char)('0' + got);
        run += is_execution;
    }
    assert_string_equal(seen, expected);
    mi_model_fini(&p.hand.model);
}

/* What a program does around each execution tells which of two runs a kernel belongs to. */
static void test_habit(void **state)
{
    (void)state;
    check("EabEabEab", "E00E11E22");
    check("abEabEabE", "00E11E22E");
    check("aEbaEbaEb", "0E01E12E2");
    check("_aE_ba_E_ba_E_b", "0E01E12E2"); /* pauses say nothing then */
    check("aaEaaaEaaaEa", "00E011E122E2"); /* all of one name */
    check("EEE", "EEE");
}

/* What was launched once, before all that repeats, is of no run. */
static void test_before(void **state)
{
    (void)state;
    check("xyaEbaEbaEb", "--0E01E12E2");
    check("xyEabEabEab", "--E00E11E22");
    check("xyE_E_E", "--EEE");
}

/* Where it is not the same each time, the device's longest rest tells; else what was launched
 * behind an execution is of its run. */
static void test_no_habit(void **state)
{
    (void)state;
    check("aEb_aEbb_aEb", "-E01E112E2");
    check("a_aEb_aEbb_aEb", "-0E01E112E2");
    check("Eb_Ebb_Eb", "E0E11E2");
    check("E_aE_aaE", "E1E22E");
    check("EabEaE", "E00E1E");
    check("EabEbaE", "E00E11E");   /* in another order */
    check("EabEabEa", "E00E11E2"); /* ended within a step */
    check("EabEabEabx", "E00E11E222");
    check("xEabEabEabx", "-E00E11E222");
}

/* One execution, or none, repeats nothing: all is as it was. */
static void test_alone(void **state)
{
    (void)state;
    check("aEb", "0E0");
    check("ab", "00");
}

/* Parts of a task run with the whole; other devices have runs of their own. */
static void test_parts_and_devices(void **state)
{
    struct program p;
    (void)state;
    begin(&p);
    struct mi_batch *all = &p.hand.model.all;
    uint32_t device =
        mi_add_track(all,
                     &(struct mi_track_row){
                         .source = p.hand.source, .kind = MI_TRACK_STREAM, .rank = -1, .device = 1})
            .v;
    launch(&p, "aclmdlExecute", "node", MODEL_NS);
    uint32_t second = launch(&p, "aclmdlExecute", "node", MODEL_NS);
    uint32_t whole = launch(&p, "aclnnAdd", "add", KERNEL_NS);
    uint32_t part = launch(&p, "aclnnAdd", "add", KERNEL_NS);
    uint32_t other = launch(&p, "aclnnAdd", "add", KERNEL_NS);
    all->rows.tasks.run[second] = 1;
    all->rows.tasks.parent[part].v = whole;
    all->rows.tasks.track[other].v = device;
    assert_true(mi_hook_number_beside(&p.hand.model, p.owners));
    assert_int_equal(all->rows.tasks.run[whole], 1);
    assert_int_equal(all->rows.tasks.run[part], 1);
    assert_int_equal(all->rows.tasks.run[other], 0);
    mi_model_fini(&p.hand.model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_habit), cmocka_unit_test(test_before),
                                       cmocka_unit_test(test_no_habit),
                                       cmocka_unit_test(test_alone),
                                       cmocka_unit_test(test_parts_and_devices)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
