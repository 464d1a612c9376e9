/* Finds rows by name in what an ONNX reader made; fails the test where there is none. */
#ifndef MI_TESTS_ONNX_FIND_H
#define MI_TESTS_ONNX_FIND_H

#include "onnx_cases.h"
#include "reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static inline bool text_is(const struct reading *r, mi_str_id id, const char *text)
{
    return mi_bytes_equal(mi_batch_text(&r->batch, id), mi_cstr(text));
}

#define assert_text(r, id, text)                                                                   \
    do {                                                                                           \
        struct mi_bytes found_ = mi_batch_text(&(r)->batch, id);                                   \
        if (!mi_bytes_equal(found_, mi_cstr(text)))                                                \
            fail_msg("\"%.*s\" is not \"%s\"", (int)found_.len,                                    \
                     found_.len ? (const char *)found_.at : "", text);                             \
    } while (0)

static inline uint32_t node_named(const struct reading *r, const char *name)
{
    for (uint32_t i = 1; i < r->batch.rows.nodes.count; i++)
        if (text_is(r, r->batch.rows.nodes.name[i], name))
            return i;
    fail_msg("no node %s", name);
    return 0;
}

static inline uint32_t value_named(const struct reading *r, uint32_t graph, const char *name)
{
    for (uint32_t i = 1; i < r->batch.rows.values.count; i++)
        if (r->batch.rows.values.graph[i].v == graph &&
            text_is(r, r->batch.rows.values.name[i], name))
            return i;
    fail_msg("no value %s in graph %u", name, graph);
    return 0;
}

static inline uint32_t attr_named(const struct reading *r, uint32_t node, const char *name)
{
    const struct mi_tables *rows = &r->batch.rows;
    for (uint32_t i = 0; i < rows->nodes.attr_count[node]; i++)
        if (text_is(r, rows->attrs.name[rows->nodes.first_attr[node] + i], name))
            return rows->nodes.first_attr[node] + i;
    fail_msg("no attribute %s", name);
    return 0;
}

/* Item k of attribute `attr`. */
static inline uint32_t item(const struct reading *r, uint32_t attr, uint32_t k)
{
    assert_true(k < r->batch.rows.attrs.item_count[attr]);
    return r->batch.rows.attrs.first_item[attr] + k;
}

static inline uint32_t in_value(const struct reading *r, uint32_t node, uint32_t k)
{
    const struct mi_tables *rows = &r->batch.rows;
    assert_true(k < rows->nodes.in_count[node]);
    return rows->ports.value[rows->nodes.first_in[node] + k].v;
}

static inline uint32_t out_value(const struct reading *r, uint32_t node, uint32_t k)
{
    const struct mi_tables *rows = &r->batch.rows;
    assert_true(k < rows->nodes.out_count[node]);
    return rows->ports.value[rows->nodes.first_out[node] + k].v;
}

static inline void assert_fact(const struct reading *r, const char *name, const char *text)
{
    const struct mi_facts *facts = &r->batch.rows.facts;
    for (uint32_t i = 1; i < facts->count; i++)
        if (text_is(r, facts->name[i], name)) {
            assert_text(r, facts->text[i], text);
            return;
        }
    fail_msg("no fact %s", name);
}

#endif
