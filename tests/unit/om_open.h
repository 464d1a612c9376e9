/* Files of the cases of om_cases.h, written in memory and read. */
#ifndef MI_TESTS_OM_OPEN_H
#define MI_TESTS_OM_OPEN_H

#include "ge_find.h"
#include "om_cases.h"

#include <stdlib.h>

struct file {
    struct onnx_writer w;
    struct reading r;
};

static inline void read_bytes(struct file *f, const struct mi_limits *limits)
{
    struct mi_bytes bytes = {f->w.at, f->w.len};
    reading_bytes(&f->r, &mi_reader_om, bytes, NULL, limits);
}

static inline struct file *open_case(const char *name)
{
    struct file *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->w = om_case_bytes(name);
    read_bytes(f, NULL);
    return f;
}

static inline void again(struct file *f)
{
    mi_batch_fini(&f->r.batch);
    read_bytes(f, NULL);
}

static inline void close_file(struct file *f)
{
    mi_batch_fini(&f->r.batch);
    onnx_writer_fini(&f->w);
    free(f);
}

static inline const struct mi_tables *rows_of(const struct file *f)
{
    return &f->r.batch.rows;
}

/* Reading failed, for this reason and in these words. */
static inline void says(struct file *f, enum mi_code code, const char *word)
{
    assert_false(f->r.ok);
    assert_int_equal(f->r.err.code, code);
    assert_non_null(strstr(f->r.err.text, word));
}

static inline void check_text(const struct file *f, uint32_t node, const char *name, uint32_t k,
                              enum mi_attr_kind kind, const char *text)
{
    uint32_t attr = node_attr(&f->r, node, name);
    assert_true(attr != 0);
    assert_int_equal(rows_of(f)->attrs.kind[attr], kind);
    assert_text(&f->r, rows_of(f)->items.text[item(&f->r, attr, k)], text);
}

#endif
