/* Verdicts on waits, on models that are checked on paper. Times in us. */
#include "alloc_fail.h"
#include "analyse/pass.h"
#include "analyse/pass_params.h"
#include "base/mem.h"
#include "hand_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

enum { US = 1000 };

/* --- reports --- */

static struct mi_report run_waits(const struct hand *hand, const char *option, int64_t number)
{
    struct mi_arg arg = {.number = number};
    struct mi_args args = {.list = &arg, .count = option ? 1 : 0};
    struct mi_report report;
    struct mi_error err = MI_ERROR_INIT;
    for (const struct mi_param *p = mi_params_waits; option && p->name; p++)
        if (strcmp(p->name, option) == 0)
            arg.param = p;
    mi_report_init(&report);
    assert_true(mi_pass_waits.run(&hand->model, &args, &report, &err));
    assert_false(report.failed);
    return report;
}

static const struct mi_cell *cell_of(const struct mi_report *report, uint32_t row,
                                     const char *column)
{
    const struct mi_report_table *table = &report->tables[0];
    assert_true(row < table->row_count);
    for (unsigned c = 0; c < table->column_count; c++)
        if (strcmp(table->columns[c].name, column) == 0)
            return &table->cells[row * table->column_count + c];
    fail_msg("no column %s", column);
    return NULL;
}

/* The row of the task that was held back, by name; UINT32_MAX: none. */
static uint32_t row_of(const struct mi_report *report, const char *name)
{
    for (uint32_t r = 0; r < report->tables[0].row_count; r++)
        if (mi_bytes_equal(cell_of(report, r, "name")->text, mi_cstr(name)))
            return r;
    return UINT32_MAX;
}

static void assert_verdict(const struct mi_report *report, const char *name, const char *verdict)
{
    uint32_t row = row_of(report, name);
    assert_int_not_equal(row, UINT32_MAX);
    assert_string_equal(cell_of(report, row, "verdict")->word, verdict);
}

static bool has_finding(const struct mi_report *report, const char *rule)
{
    for (uint32_t f = 0; f < report->finding_count; f++)
        if (strcmp(report->findings[f].rule, rule) == 0)
            return true;
    return false;
}

/* --- models --- */

struct scene {
    struct hand hand;
    uint32_t s0, s1, s2, x, xv;
};

static void begin(struct scene *scene)
{
    hand_init(&scene->hand);
    hand_graph(&scene->hand, MI_LAYER_COMPILED, 0);
    scene->x = hand_value(&scene->hand, "x", MI_VALUE_INPUT, "float16", 0);
    scene->s0 = hand_track(&scene->hand, "s0", 0);
    scene->s1 = hand_track(&scene->hand, "s1", 1);
    scene->s2 = hand_track(&scene->hand, "s2", 2);
}

static void end(struct scene *scene, struct mi_report *report)
{
    mi_report_fini(report);
    hand_fini(&scene->hand);
}

/* A node that reads `input` and its task; returns the node. */
static uint32_t work(struct scene *scene, uint32_t track, const char *name, uint32_t input,
                     uint32_t *output, int64_t start_us, int64_t end_us)
{
    uint32_t node = hand_node(&scene->hand, name, "Op", "float16", (uint32_t[4]){input}, output);
    hand_executed(&scene->hand, node,
                  hand_task(&scene->hand, track, name, MI_TASK_COMPUTE, 0, start_us * US,
                            (end_us - start_us) * US, 0));
    return node;
}

/* The task that a row of `executed` stands for. */
static uint32_t task_of(const struct mi_tables *rows, uint32_t link)
{
    uint32_t task = 1;
    while (rows->tasks.link[task].v != link)
        task++;
    return task;
}

static uint32_t event(struct scene *scene, uint32_t track, enum mi_sync sync, int64_t start_us,
                      int64_t end_us)
{
    struct mi_tables *rows = &scene->hand.model.all.rows;
    uint32_t task =
        hand_task(&scene->hand, track, sync == MI_SYNC_WAIT ? "EVENT_WAIT" : "EVENT_RECORD",
                  MI_TASK_SYNC, 0, start_us * US, (end_us - start_us) * US, 0);
    rows->kernels.sync[rows->tasks.kernel[task].v] = (uint8_t)sync;
    return task;
}

static void signal(struct scene *scene, uint32_t record, uint32_t wait)
{
    mi_add_signal(
        &scene->hand.model.all,
        &(struct mi_signal_row){.record = {record}, .wait = {wait}, .confidence = MI_LIKELY});
}

/*   s0   p [0,100) record [100,101)
 *   s1   wait [0,102) c [103,203) d [204,304)
 * d always reads c; what c and d read of p is the case. */
struct frame {
    struct scene scene;
    uint32_t pv, cv, p, c, record;
};

static void make_frame(struct frame *f, bool c_reads, bool d_reads)
{
    struct scene *scene = &f->scene;
    begin(scene);
    f->p = work(scene, scene->s0, "p", scene->x, &f->pv, 0, 100);
    f->record = event(scene, scene->s0, MI_SYNC_RECORD, 100, 101);
    signal(scene, f->record, event(scene, scene->s1, MI_SYNC_WAIT, 0, 102));
    f->c = work(scene, scene->s1, "c", c_reads ? f->pv : scene->x, &f->cv, 103, 203);
    uint32_t d = hand_node(&scene->hand, "d", "Op", "float16",
                           (uint32_t[4]){f->cv, d_reads ? f->pv : 0}, NULL);
    hand_executed(
        &scene->hand, d,
        hand_task(&scene->hand, scene->s1, "d", MI_TASK_COMPUTE, 0, 204 * US, 100 * US, 0));
}

static void data_is_waited_for(void **state)
{
    struct frame f;
    (void)state;
    make_frame(&f, true, false);
    hand_finish(&f.scene.hand);
    struct mi_report report = run_waits(&f.scene.hand, NULL, 0);
    assert_verdict(&report, "c", "data");
    assert_true(cell_of(&report, 0, "gain_ns")->is_none);
    assert_int_equal(cell_of(&report, 0, "wait_ns")->number, 102 * US);
    assert_true(mi_bytes_equal(cell_of(&report, 0, "cause")->text, MI_LIT("p")));
    assert_int_equal(report.finding_count, 0);
    end(&f.scene, &report);
}

static void nobody_needs_it(void **state)
{
    struct frame f;
    (void)state;
    make_frame(&f, false, false);
    hand_finish(&f.scene.hand);
    struct mi_report report = run_waits(&f.scene.hand, NULL, 0);
    assert_verdict(&report, "c", "needless");
    /* Without it c begins after its gap of 1 us, d ends at 202, not at 304. */
    assert_int_equal(cell_of(&report, 0, "gain_ns")->number, 102 * US);
    assert_int_equal(report.finding_count, 1);
    assert_string_equal(report.findings[0].rule, "redundant_sync");
    assert_int_equal(report.findings[0].cost_ns, 102 * US);
    assert_int_equal(report.findings[0].severity, MI_WARNING);
    end(&f.scene, &report);
}

static void only_a_later_task_needs_it(void **state)
{
    struct frame f;
    (void)state;
    make_frame(&f, false, true);
    hand_finish(&f.scene.hand);
    struct mi_report report = run_waits(&f.scene.hand, NULL, 0);
    assert_verdict(&report, "c", "too early");
    assert_true(mi_bytes_equal(cell_of(&report, 0, "needed_by")->text, MI_LIT("d")));
    /* c [1,101), d: p has ended at 100, and the event takes 2 us: [103,203) */
    assert_int_equal(cell_of(&report, 0, "gain_ns")->number, 101 * US);
    assert_true(has_finding(&report, "redundant_sync"));
    end(&f.scene, &report);
}

static void small_gains_are_no_finding(void **state)
{
    struct frame f;
    (void)state;
    make_frame(&f, false, false);
    hand_finish(&f.scene.hand);
    struct mi_report report = run_waits(&f.scene.hand, "min-gain", 103);
    assert_verdict(&report, "c", "needless");
    assert_int_equal(report.finding_count, 0);
    mi_report_fini(&report);
    report = run_waits(&f.scene.hand, "min-share", 340); /* 102 of 304 are 335 */
    assert_int_equal(report.finding_count, 0);
    mi_report_fini(&report);
    report = run_waits(&f.scene.hand, "min-wait", 103);
    assert_int_equal(report.tables[0].row_count, 0);
    end(&f.scene, &report);
}

static void control_edges_explain(void **state)
{
    struct frame f;
    (void)state;
    make_frame(&f, true, false);
    struct mi_tables *rows = &f.scene.hand.model.all.rows;
    rows->ports.is_control[rows->nodes.first_in[f.c]] = 1;
    hand_finish(&f.scene.hand);
    struct mi_report report = run_waits(&f.scene.hand, NULL, 0);
    assert_verdict(&report, "c", "order only");
    assert_int_equal(report.finding_count, 0);
    end(&f.scene, &report);
}

static void add_buffer(struct frame *f, uint32_t node, enum mi_buffer_kind kind, int64_t offset)
{
    mi_add_buffer(&f->scene.hand.model.all, &(struct mi_buffer_row){.node = {node},
                                                                    .kind = (uint8_t)kind,
                                                                    .offset_bytes = offset,
                                                                    .size_bytes = 64});
}

static void memory_explains(void **state)
{
    static const struct {
        int64_t offset;
        const char *verdict;
    } cases[] = {{63, "order only"}, {64, "needless"}};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct frame f;
        make_frame(&f, false, false);
        add_buffer(&f, f.p, MI_BUFFER_INPUT, 0);
        add_buffer(&f, f.c, MI_BUFFER_OUTPUT, cases[i].offset);
        add_buffer(&f, f.c, MI_BUFFER_INPUT, 0); /* both read it: no reason to wait */
        hand_finish(&f.scene.hand);
        struct mi_report report = run_waits(&f.scene.hand, NULL, 0);
        assert_verdict(&report, "c", cases[i].verdict);
        end(&f.scene, &report);
    }
}

static void unknown_is_not_judged(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct frame f;
        make_frame(&f, false, false);
        struct mi_executed *links = &f.scene.hand.model.all.rows.executed;
        if (i == 0) /* the task before the record has no node */
            links->node[1].v = 0;
        else if (i == 1) /* the task behind the wait was guessed */
            links->confidence[2] = MI_GUESS;
        else /* nothing says to which record it belongs */
            f.scene.hand.model.all.rows.signals.count = 1;
        hand_finish(&f.scene.hand);
        struct mi_report report = run_waits(&f.scene.hand, NULL, 0);
        assert_verdict(&report, "c", "event");
        assert_int_equal(report.finding_count, 0);
        end(&f.scene, &report);
    }
}

/* Control flow before the record, or behind the wait. */
static void labels_are_order(void **state)
{
    (void)state;
    for (uint32_t link = 1; link <= 2; link++) {
        struct frame f;
        make_frame(&f, false, false);
        struct mi_tables *rows = &f.scene.hand.model.all.rows;
        uint32_t kernel = rows->tasks.kernel[task_of(rows, link)].v;
        rows->kernels.kind[kernel] = MI_TASK_SYNC;
        rows->kernels.name[kernel] = hand_str(&f.scene.hand, "STREAM_LABEL_SWITCH_BY_INDEX");
        hand_finish(&f.scene.hand);
        struct mi_report report = run_waits(&f.scene.hand, NULL, 0);
        assert_verdict(&report, "c", "order only");
        end(&f.scene, &report);
    }
}

/* What c needs of s0 comes to it over s2: p -> (event) -> q on s2 -> (event) -> c reads p alone. */
static void covered_over_a_third_stream(void **state)
{
    struct scene s;
    uint32_t pv, cv;
    (void)state;
    begin(&s);
    work(&s, s.s0, "p", s.x, &pv, 0, 100);
    uint32_t r0 = event(&s, s.s0, MI_SYNC_RECORD, 100, 101);
    signal(&s, r0, event(&s, s.s2, MI_SYNC_WAIT, 0, 102));
    work(&s, s.s2, "q", pv, NULL, 103, 203);
    uint32_t r2 = event(&s, s.s2, MI_SYNC_RECORD, 204, 205);
    signal(&s, r2, event(&s, s.s1, MI_SYNC_WAIT, 0, 206));
    work(&s, s.s1, "c", pv, &cv, 207, 307);
    hand_finish(&s.hand);
    struct mi_report report = run_waits(&s.hand, NULL, 0);
    assert_verdict(&report, "c", "data"); /* nothing else makes sure of p */
    assert_int_equal(report.finding_count, 0);
    end(&s, &report);
}

/* A stream goes on under another number: what ran on the old one has ended all the same. */
static void covered_by_a_split_stream(void **state)
{
    struct scene s;
    uint32_t pv;
    (void)state;
    begin(&s);
    work(&s, s.s0, "p", s.x, &pv, 0, 100);
    hand_task(&s.hand, s.s0, "STREAM_ACTIVE", MI_TASK_SYNC, 0, 101 * US, 1 * US, 0);
    work(&s, s.s2, "q", s.x, NULL, 103, 153);
    uint32_t record = event(&s, s.s2, MI_SYNC_RECORD, 154, 155);
    signal(&s, record, event(&s, s.s1, MI_SYNC_WAIT, 0, 157));
    work(&s, s.s1, "c", pv, NULL, 158, 258);
    hand_finish(&s.hand);
    struct mi_report report = run_waits(&s.hand, NULL, 0);
    assert_verdict(&report, "c", "data");
    end(&s, &report);
}

/* The second wait is for an older record of a stream that the first already covers. */
static void covered_before(void **state)
{
    struct scene s;
    uint32_t pv, qv;
    (void)state;
    begin(&s);
    work(&s, s.s0, "p", s.x, &pv, 0, 100);
    uint32_t r0 = event(&s, s.s0, MI_SYNC_RECORD, 100, 101);
    work(&s, s.s0, "q", pv, &qv, 102, 202);
    uint32_t r1 = event(&s, s.s0, MI_SYNC_RECORD, 203, 204);
    work(&s, s.s0, "z", s.x, NULL, 205, 300); /* no place for c there */
    signal(&s, r1, event(&s, s.s1, MI_SYNC_WAIT, 0, 206));
    work(&s, s.s1, "b", qv, NULL, 207, 217);
    signal(&s, r0, event(&s, s.s1, MI_SYNC_WAIT, 218, 220));
    work(&s, s.s1, "c", pv, NULL, 221, 231);
    hand_finish(&s.hand);
    struct mi_report report = run_waits(&s.hand, "min-wait", 1);
    assert_verdict(&report, "b", "data");
    assert_verdict(&report, "c", "covered before");
    assert_int_equal(report.finding_count, 0);
    end(&s, &report);
}

static void clocks_that_do_not_fit(void **state)
{
    struct frame f;
    uint32_t ev;
    (void)state;
    make_frame(&f, false, false);
    work(&f.scene, f.scene.s2, "e", f.pv, &ev, 20, 60); /* before p has ended */
    hand_finish(&f.scene.hand);
    struct mi_report report = run_waits(&f.scene.hand, NULL, 0);
    assert_verdict(&report, "c", "event");
    assert_true(has_finding(&report, "not_checked"));
    assert_false(has_finding(&report, "redundant_sync"));
    end(&f.scene, &report);
}

/*   s0   a [0,10)                         out [214,224)
 *   s1   long [0,200) x [201,211)
 * x reads a, out reads x. On s0 x would run [11,21), out at [22,32). */
static void make_queue(struct scene *s, bool is_related)
{
    uint32_t av, lv, xv;
    begin(s);
    work(s, s->s0, "a", s->x, &av, 0, 10);
    work(s, s->s1, "long", s->x, &lv, 0, 200);
    work(s, s->s1, "x", is_related ? lv : av, &xv, 201, 211);
    work(s, s->s0, "out", xv, NULL, 214, 224);
}

static void queue_is_a_dependency(void **state)
{
    struct scene s;
    (void)state;
    make_queue(&s, false);
    hand_finish(&s.hand);
    struct mi_report report = run_waits(&s.hand, NULL, 0);
    assert_string_equal(cell_of(&report, 0, "verdict")->word, "queue");
    assert_verdict(&report, "x", "queue");
    assert_int_equal(cell_of(&report, 0, "wait_ns")->number, 191 * US);
    assert_true(mi_bytes_equal(cell_of(&report, 0, "cause")->text, MI_LIT("long")));
    assert_true(mi_bytes_equal(cell_of(&report, 0, "better_stream")->text, MI_LIT("s0")));
    /* long still ends at 200 */
    assert_int_equal(cell_of(&report, 0, "gain_ns")->number, 24 * US);
    assert_int_equal(report.finding_count, 1);
    assert_string_equal(report.findings[0].rule, "pseudo_dependency");
    end(&s, &report);
    make_queue(&s, true);
    hand_finish(&s.hand);
    report = run_waits(&s.hand, NULL, 0);
    assert_int_equal(row_of(&report, "x"), UINT32_MAX);
    assert_int_equal(report.finding_count, 0);
    end(&s, &report);
}

static void branches_are_not_moved(void **state)
{
    struct scene s;
    uint32_t av, xv;
    (void)state;
    begin(&s);
    work(&s, s.s0, "a", s.x, &av, 0, 10);
    work(&s, s.s1, "long", s.x, NULL, 0, 200);
    uint32_t owner = hand_node(&s.hand, "if", "If", "float16", (uint32_t[4]){av}, NULL);
    mi_graph_id body = hand_graph(&s.hand, MI_LAYER_COMPILED, owner);
    uint32_t outer = hand_value(&s.hand, "a", MI_VALUE_OUTER, "float16", av);
    work(&s, s.s1, "x", outer, &xv, 201, 211);
    hand_output(&s.hand, body, xv);
    hand_finish(&s.hand);
    struct mi_report report = run_waits(&s.hand, NULL, 0);
    assert_int_equal(row_of(&report, "x"), UINT32_MAX);
    end(&s, &report);
}

/* Idle time that no event explains: a late launch, data without a recorded event, nothing known. */
static void gaps_are_told_apart(void **state)
{
    struct scene s;
    uint32_t av;
    (void)state;
    begin(&s);
    uint32_t host = hand_track(&s.hand, "host", 9);
    s.hand.model.all.rows.tracks.kind[host] = MI_TRACK_THREAD;
    uint32_t slice = mi_add_slice(&s.hand.model.all, &(struct mi_slice_row){.track = {host},
                                                                            .start_ns = 390 * US,
                                                                            .dur_ns = 5 * US})
                         .v;
    work(&s, s.s0, "a", s.x, &av, 0, 100);
    work(&s, s.s1, "b", s.x, NULL, 0, 10);
    work(&s, s.s1, "c", av, NULL, 110, 120);
    work(&s, s.s1, "d", s.x, NULL, 220, 230);
    work(&s, s.s1, "e", s.x, NULL, 400, 410);
    struct mi_tables *rows = &s.hand.model.all.rows;
    rows->tasks.launch[task_of(rows, rows->executed.count - 1)].v = slice;
    hand_finish(&s.hand);
    struct mi_report report = run_waits(&s.hand, NULL, 0);
    assert_verdict(&report, "c", "data");
    assert_verdict(&report, "d", "gap");
    assert_verdict(&report, "e", "host launch");
    assert_int_equal(report.tables[0].row_count, 3);
    assert_true(mi_bytes_equal(cell_of(&report, 0, "name")->text, MI_LIT("e"))); /* 170 us */
    end(&s, &report);
}

/* Gains are means over the counted runs: 24 us and 34 us. */
static void gains_are_means(void **state)
{
    struct scene s;
    (void)state;
    make_queue(&s, false);
    struct mi_tables *rows = &s.hand.model.all.rows;
    static const int64_t again[4][2] = {{1000, 10}, {1000, 200}, {1201, 20}, {1224, 10}};
    uint32_t first = rows->tasks.count - 4;
    for (uint32_t i = 0; i < 4; i++)
        rows->tasks.native_id[first + i] = mi_some_of(i);
    for (uint32_t i = 0; i < 4; i++) {
        struct mi_task_row row = {.track = rows->tasks.track[first + i],
                                  .kernel = rows->tasks.kernel[first + i],
                                  .native_id = i,
                                  .run = 1,
                                  .start_raw = again[i][0] * US,
                                  .start_ns = again[i][0] * US,
                                  .dur_ns = again[i][1] * US,
                                  .record_offset = -1};
        hand_executed(&s.hand, rows->executed.node[rows->executed.count - 4 + i].v,
                      mi_add_task(&s.hand.model.all, &row).v);
    }
    hand_finish(&s.hand);
    struct mi_report report = run_waits(&s.hand, NULL, 0);
    assert_verdict(&report, "x", "queue");
    assert_int_equal(cell_of(&report, 0, "gain_ns")->number, 29 * US);
    mi_report_fini(&report);
    report = run_waits(&s.hand, "run", 1);
    assert_int_equal(cell_of(&report, 0, "gain_ns")->number, 34 * US);
    end(&s, &report);
}

/* Whichever allocation fails: an error, or the whole report; nothing leaks, nothing is half. */
static void memory_runs_out(void **state)
{
    struct scene s;
    bool done = false;
    (void)state;
    make_queue(&s, false);
    hand_finish(&s.hand);
    for (long n = 0; !done; n++) {
        done = true;
        for (int which = 0; which < 2; which++) {
            const struct mi_pass *pass = which ? &mi_pass_critical : &mi_pass_waits;
            struct mi_report report;
            struct mi_error err = MI_ERROR_INIT;
            mi_report_init(&report);
            alloc_left = n;
            bool ok = pass->run(&s.hand.model, NULL, &report, &err);
            done = done && alloc_left > 0;
            alloc_left = -1;
            assert_true(ok ? report.failed || report.table_count > 0 : err.code == MI_ENOMEM);
            mi_report_fini(&report);
        }
        assert_true(n < 100000);
    }
    hand_fini(&s.hand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_is_waited_for),
        cmocka_unit_test(nobody_needs_it),
        cmocka_unit_test(only_a_later_task_needs_it),
        cmocka_unit_test(small_gains_are_no_finding),
        cmocka_unit_test(control_edges_explain),
        cmocka_unit_test(memory_explains),
        cmocka_unit_test(unknown_is_not_judged),
        cmocka_unit_test(labels_are_order),
        cmocka_unit_test(covered_over_a_third_stream),
        cmocka_unit_test(covered_by_a_split_stream),
        cmocka_unit_test(covered_before),
        cmocka_unit_test(clocks_that_do_not_fit),
        cmocka_unit_test(queue_is_a_dependency),
        cmocka_unit_test(branches_are_not_moved),
        cmocka_unit_test(gaps_are_told_apart),
        cmocka_unit_test(gains_are_means),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
