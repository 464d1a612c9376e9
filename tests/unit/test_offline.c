/* What a one-file report is made of: the code that answers in the page, compiled here for this
 * machine (core.c); stand-ins for names; what is left out for the sake of size. */
#include "base/base64.h"
#include "export_model.h"
#include "present/offline/cut.h"
#include "present/offline/disguise.h"
#include "present/offline/offline.h"
#include "rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

/* core.c, as the page sees it */
uint8_t *mi_core_room(size_t bytes);
void mi_core_give_back(uint8_t *room);
unsigned mi_core_open(const uint8_t *bytes, size_t len);
unsigned mi_core_ask(char *text, size_t len, size_t body_len);
const uint8_t *mi_core_reply(void);
size_t mi_core_reply_length(void);

enum { RANDOM_REQUESTS = 20000, MOST_TEXT = 256 };

static struct mi_bytes reply(void)
{
    return (struct mi_bytes){mi_core_reply(), mi_core_reply_length()};
}

static bool has(struct mi_bytes bytes, const char *part)
{
    size_t len = strlen(part);
    for (size_t i = 0; i + len <= bytes.len; i++)
        if (memcmp(bytes.at + i, part, len) == 0)
            return true;
    return false;
}

/* In a block of exactly its size, so that a look beyond its end is noticed. */
static unsigned ask_bytes(struct mi_bytes text, struct mi_bytes body)
{
    uint8_t *room = mi_core_room(text.len + 1 + body.len);
    assert_non_null(room);
    if (text.len)
        memcpy(room, text.at, text.len);
    room[text.len] = 0;
    if (body.len)
        memcpy(room + text.len + 1, body.at, body.len);
    unsigned status = mi_core_ask((char *)room, text.len, body.len);
    mi_core_give_back(room);
    return status;
}

static unsigned ask(const char *text, const char *body)
{
    return ask_bytes(mi_cstr(text), mi_cstr(body));
}

static struct mi_sink snapshot_of_export_model(void)
{
    struct mi_model model;
    struct export_ids ids;
    struct mi_sink sink;
    struct mi_error err = MI_ERROR_INIT;
    assert_true(export_model(&model, &ids));
    mi_sink_init_memory(&sink);
    assert_true(mi_snapshot_write(&model, NULL, &sink, &err));
    mi_model_fini(&model);
    return sink;
}

static void the_page_is_answered(void **state)
{
    (void)state;
    static struct mi_sink snapshot;                          /* the core borrows it to its end */
    assert_int_equal(ask("GET /api/v1/capture", NULL), 400); /* nothing was opened */
    snapshot = snapshot_of_export_model();
    struct mi_bytes bytes = mi_sink_bytes(&snapshot);
    assert_int_equal(mi_core_open(bytes.at, bytes.len / 2), 422);
    assert_true(has(reply(), "the snapshot"));
    assert_int_equal(mi_core_open(bytes.at, bytes.len), 0);

    assert_int_equal(ask("GET /api/v1/capture", NULL), 200);
    assert_true(has(reply(), "\"has\": [\"framework\"") || has(reply(), "\"framework\""));
    assert_int_equal(ask("GET /api/v1/search?max=5&q=%72el%75", NULL), 200); /* relu */
    assert_true(has(reply(), "Relu"));
    assert_int_equal(ask("GET /api/v1/passes/summary?lang=zh", NULL), 200);
    assert_true(has(reply(), "\xe7")); /* Chinese */
    assert_int_equal(ask("POST /api/v1/layout", "{\"layer\":\"framework\"}"), 200);
    assert_true(mi_bytes_starts(reply(), MI_LIT("MIB1")));
    assert_int_equal(ask("POST /api/v1/slices", "{\"from_ns\":0,\"to_ns\":1000,\"step_ns\":1}"),
                     200);
    assert_true(mi_bytes_starts(reply(), MI_LIT("MIB1")));
    assert_int_equal(ask("GET /api/v1/links?node=1", NULL), 200);
    assert_int_equal(ask("GET /api/v1/links?node=999999", NULL), 404);
    assert_int_equal(ask("GET /api/v1/layout", NULL), 405);
    assert_int_equal(ask("PUT /api/v1/capture", NULL), 405);
    assert_int_equal(ask("GET /", NULL), 404);
    assert_int_equal(ask("GET report.html", NULL), 404);
    assert_int_equal(ask("GET", NULL), 400);
    assert_int_equal(ask("", NULL), 400);
}

/* Whatever is asked, the answer is one. */
static void odd_requests_are_answered(void **state)
{
    (void)state;
    static const char *const pieces[] = {"GET ",    "POST ", "/api/v1/", "links",
                                         "passes/", "show",  "summary",  "search",
                                         "?",       "&",     "=",        "%",
                                         "%4",      "%00",   "node",     "q",
                                         "max",     "1",     "-1",       "99999999999999999999",
                                         "lang",    "zh",    "+",        "name"};
    uint64_t seed = 7;
    for (int i = 0; i < RANDOM_REQUESTS; i++) {
        char text[MOST_TEXT] = "GET /api/v1/";
        size_t len = strlen(text);
        for (size_t k = rng_below(&seed, 9); k; k--) {
            const char *piece = pieces[rng_below(&seed, sizeof pieces / sizeof *pieces)];
            int more = snprintf(text + len, sizeof text - len, "%s", piece);
            len += (size_t)more < sizeof text - len ? (size_t)more : 0;
        }
        if (rng_below(&seed, 4) == 0 && len)
            text[rng_below(&seed, len)] = (char)rng_next(&seed);
        unsigned status =
            ask_bytes((struct mi_bytes){(uint8_t *)text, len}, MI_LIT("{\"open\":[1"));
        assert_in_range(status, 200, 500);
        assert_true(mi_core_reply_length() > 0);
    }
    assert_int_equal(ask("GET /api/v1/capture", NULL), 200);
}

/* --- names --- */

static void assert_name(struct mi_disguise *d, const char *name, const char *shown)
{
    struct mi_bytes text = mi_disguise_name(d, MI_S_NAME, mi_cstr(name));
    if (!mi_bytes_equal(text, mi_cstr(shown)))
        fail_msg("%s is shown as %.*s, not %s", name, (int)text.len, (const char *)text.at, shown);
}

static void names_get_stand_ins(void **state)
{
    (void)state;
    struct mi_disguise d;
    assert_true(mi_disguise_init(&d, NULL));
    assert_name(&d, "/encoder/layer.0/Conv_12", "/xa/xb.0/xc_12");
    assert_name(&d, "layer.1/encoder", "xb.1/xa"); /* the same words, the same stand-ins */
    assert_name(&d, "conv", "xd");                 /* another word than Conv */
    assert_name(&d, "stream 37", "stream 37");
    assert_name(&d, "stream 37 (logic 0)", "stream 37 (logic 0)");
    assert_name(&d, "20260131", "xe"); /* a date is no layer */
    assert_name(&d, "\xe5\xb1\x82/\n", "xf/xg");
    assert_name(&d, "<script>", "<xh>");
    assert_true(mi_bytes_equal(mi_disguise_name(&d, MI_S_WORD, MI_LIT("Conv")), MI_LIT("Conv")));
    assert_name(&d, "MODEL_EXECUTE", "MODEL_EXECUTE"); /* the runtime's own word */
    assert_int_equal(mi_disguise_name(&d, MI_S_TEXT, MI_LIT("node conv of a file")).len, 0);
    for (int i = 0; i < 1000; i++) { /* behind xz comes xaa */
        char word[8] = {(char)('a' + i / 100), (char)('a' + i / 10 % 10), (char)('a' + i % 10),
                        'Q'};
        mi_disguise_name(&d, MI_S_NAME, mi_cstr(word));
    }
    assert_name(&d, "aabQ", "xj");
    assert_name(&d, "abiQ", "xaa");
    mi_disguise_fini(&d);
}

/* With a key a name is shown alike whatever came before it, and by another key otherwise. */
static void keys_make_stand_ins(void **state)
{
    (void)state;
    struct mi_hash_key keys[2] = {mi_hash_key_from(MI_LIT("one")), mi_hash_key_from(MI_LIT("two"))};
    struct mi_disguise d[3];
    char shown[3][64];
    for (int i = 0; i < 3; i++) {
        assert_true(mi_disguise_init(&d[i], &keys[i / 2]));
        if (i)
            mi_disguise_name(&d[i], MI_S_NAME, MI_LIT("something else"));
        struct mi_bytes text =
            mi_disguise_name(&d[i], MI_S_NAME, MI_LIT("encoder/layer.0/stream 3"));
        assert_in_range(text.len, 1, sizeof shown[i] - 1);
        memcpy(shown[i], text.at, text.len);
        shown[i][text.len] = 0;
        assert_int_equal(text.len, 2 * 11 + strlen("/.0/stream 3"));
        mi_disguise_fini(&d[i]);
    }
    assert_string_equal(shown[0], shown[1]);
    assert_string_not_equal(shown[1], shown[2]);
    assert_non_null(strstr(shown[0], ".0/stream 3"));
}

/* --- size --- */

static void what_goes_first_is_fixed(void **state)
{
    (void)state;
    struct mi_model model;
    struct export_ids ids;
    struct mi_cut cut;
    assert_true(export_model(&model, &ids));
    const struct mi_tables *rows = &model.all.rows;
    mi_cut_init(&cut, &model);
    bool had_attrs = false, had_slices = false;
    unsigned rounds = 0;
    while (mi_cut_more(&cut, 500) == MI_CUT_DONE && rounds++ < 50) {
        had_attrs = had_attrs || (cut.keep[MI_T_attrs] && !cut.keep[MI_T_attrs][1]);
        bool slices = cut.keep[MI_T_slices] && !cut.keep[MI_T_slices][1];
        assert_true(had_attrs || !slices); /* attributes go before host calls */
        had_slices = had_slices || slices;
        assert_null(cut.keep[MI_T_nodes]); /* graphs never go */
    }
    assert_true(had_attrs && had_slices);
    struct mi_sink text;
    struct mi_jw jw;
    char wanted[80];
    mi_sink_init_memory(&text);
    mi_jw_init(&jw, &text, NULL);
    mi_cut_describe(&cut, &jw);
    mi_jw_finish(&jw, NULL);
    snprintf(wanted, sizeof wanted, "\"of\":%u", rows->slices.count - 1);
    assert_true(has(mi_sink_bytes(&text), "\"slices\""));
    assert_true(has(mi_sink_bytes(&text), wanted));
    mi_sink_fini(&text);
    mi_cut_fini(&cut);
    mi_model_fini(&model);
}

/* 1,000 tasks, 10 ns apart: half of the time is half of them, and links go with their tasks. */
static void late_tasks_go_with_their_links(void **state)
{
    (void)state;
    enum { TASKS = 1000 };
    struct mi_model model;
    struct mi_error err = MI_ERROR_INIT;
    struct mi_cut cut;
    assert_true(mi_model_init(&model, &err));
    struct mi_batch *all = &model.all;
    mi_graph_id graph = mi_add_graph(all, &(struct mi_graph_row){.layer = MI_LAYER_COMPILED});
    mi_node_id node = mi_add_node(all, &(struct mi_node_row){.graph = graph});
    mi_track_id track = mi_add_track(all, &(struct mi_track_row){.kind = MI_TRACK_STREAM});
    mi_kernel_id kernel = mi_add_kernel(all, &(struct mi_kernel_row){.node_index = -1});
    for (int i = 0; i < TASKS; i++) {
        mi_task_id task = mi_add_task(all, &(struct mi_task_row){.track = track,
                                                                 .kernel = kernel,
                                                                 .start_ns = 10 * i,
                                                                 .dur_ns = 5,
                                                                 .record_offset = -1});
        mi_link_add(all, &(struct mi_executed_row){.node = node, .task = task});
    }
    assert_true(mi_model_index_graphs(&model, &err) && mi_model_freeze(&model, &err));
    mi_cut_init(&cut, &model);
    assert_int_equal(mi_cut_more(&cut, 500), MI_CUT_DONE);
    struct mi_snapshot_options options = {0};
    memcpy(options.keep, cut.keep, sizeof options.keep);
    struct mi_sink sink;
    struct mi_model part;
    mi_sink_init_memory(&sink);
    assert_true(mi_snapshot_write(&model, &options, &sink, &err));
    assert_true(mi_model_init(&part, &err));
    assert_true(mi_snapshot_read(&part, mi_sink_bytes(&sink), &err));
    assert_int_equal(part.all.rows.tasks.count - 1, TASKS / 2);
    assert_int_equal(mi_links_count(&part.all.rows), TASKS / 2);
    for (uint32_t t = 1; t <= TASKS / 2; t++)
        assert_int_equal(part.all.rows.executed.node[part.all.rows.tasks.link[t].v].v, node.v);
    assert_true(part.all.rows.tasks.start_ns[TASKS / 2] == 10 * (TASKS / 2 - 1));
    mi_model_fini(&part);
    mi_sink_fini(&sink);
    mi_cut_fini(&cut);
    mi_model_fini(&model);
}

static void base64_is_that_of_the_standard(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"},
                                           {"\xff\xfe\xfd", "//79"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct mi_sink sink;
        mi_sink_init_memory(&sink);
        mi_base64_write(&sink, mi_cstr(pairs[i][0]));
        assert_true(mi_bytes_equal(mi_sink_bytes(&sink), mi_cstr(pairs[i][1])));
        assert_int_equal(mi_base64_size(strlen(pairs[i][0])), strlen(pairs[i][1]));
        mi_sink_fini(&sink);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_is_answered),
        cmocka_unit_test(odd_requests_are_answered),
        cmocka_unit_test(names_get_stand_ins),
        cmocka_unit_test(keys_make_stand_ins),
        cmocka_unit_test(what_goes_first_is_fixed),
        cmocka_unit_test(late_tasks_go_with_their_links),
        cmocka_unit_test(base64_is_that_of_the_standard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
