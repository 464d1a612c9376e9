#include "present/serve/search_query.h"

#include "analyse/describe.h"
#include "base/decimal.h"
#include "present/serve/find_text.h"

#include <string.h>

/* --- reading --- */

static bool has(struct mi_bytes text, struct mi_bytes part)
{
    return mi_find_text(text, part) != SIZE_MAX;
}

/* "1.5ms" in ns, without a double on the way; false if it is no time. */
static bool read_time(struct mi_bytes text, int64_t *ns)
{
    static const struct {
        const char *name;
        int exp10;
    } units[] = {{"ns", 0}, {"us", 3}, {"µs", 3}, {"μs", 3}, {"ms", 6}, {"s", 9}, {"", 3}};
    size_t digits = 0;
    while (digits < text.len &&
           (text.at[digits] == '.' || (text.at[digits] >= '0' && text.at[digits] <= '9')))
        digits++;
    struct mi_bytes unit = mi_bytes_sub(text, digits, text.len);
    for (size_t i = 0; digits && i < sizeof units / sizeof *units; i++)
        if (mi_bytes_equal(unit, mi_cstr(units[i].name)))
            return !(mi_decimal_scaled(mi_bytes_sub(text, 0, digits), units[i].exp10, ns) &
                     MI_DECIMAL_BAD);
    return false;
}

/* dur>X, dur>=X, dur<X, dur<=X; false if the word is none of these. */
static bool read_duration(struct mi_bytes word, struct mi_query_word *out)
{
    if (!mi_bytes_starts(word, MI_LIT("dur")) || word.len < 4 ||
        (word.at[3] != '<' && word.at[3] != '>'))
        return false;
    bool is_above = word.at[3] == '>', is_equal = word.len > 4 && word.at[4] == '=';
    int64_t ns = is_above ? -1 : INT64_MAX;
    if (read_time(mi_bytes_sub(word, is_equal ? 5 : 4, word.len), &ns) && is_equal)
        ns += is_above ? -1 : 1;
    *out = (struct mi_query_word){.kind = is_above ? MI_QUERY_ABOVE : MI_QUERY_BELOW, .ns = ns};
    return true;
}

static struct mi_query_word read_word(struct mi_bytes word)
{
    static const struct {
        const char *prefix;
        enum mi_query_kind kind;
    } prefixes[] = {{"op:", MI_QUERY_OP},       {"type:", MI_QUERY_OP},
                    {"ns:", MI_QUERY_SCOPE},    {"dtype:", MI_QUERY_DTYPE},
                    {"layer:", MI_QUERY_LAYER}, {"stream:", MI_QUERY_STREAM}};
    struct mi_query_word out = {.kind = MI_QUERY_TEXT, .text = word};
    if (mi_bytes_equal(word, MI_LIT("unmapped")))
        return (struct mi_query_word){.kind = MI_QUERY_UNMAPPED};
    if (read_duration(word, &out))
        return out;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (mi_bytes_starts(word, mi_cstr(prefixes[i].prefix))) {
            size_t len = strlen(prefixes[i].prefix);
            return (struct mi_query_word){.kind = prefixes[i].kind,
                                          .text = mi_bytes_sub(word, len, word.len)};
        }
    return out;
}

struct mi_query mi_query_read(struct mi_bytes text)
{
    struct mi_query query = {.has_text_only = true};
    for (size_t at = 0; at < text.len && query.count < MI_QUERY_MOST_WORDS;) {
        bool is_quoted = text.at[at] == '"';
        size_t begin = at + is_quoted, end = begin;
        while (end < text.len && text.at[end] != (is_quoted ? '"' : ' '))
            end++;
        struct mi_bytes word = mi_bytes_sub(text, begin, end - begin);
        at = end + 1;
        if (!word.len)
            continue;
        struct mi_query_word read =
            is_quoted ? (struct mi_query_word){.kind = MI_QUERY_TEXT, .text = word}
                      : read_word(word);
        query.has_text_only &= read.kind == MI_QUERY_TEXT || read.kind == MI_QUERY_OP;
        query.words[query.count++] = read;
    }
    return query;
}

/* --- fitting --- */

/* A scope is one or more whole parts of the name in front of its last one. */
static bool is_in_scope(struct mi_bytes name, struct mi_bytes scope)
{
    for (size_t from = 0; from + scope.len <= name.len;) {
        size_t at = mi_find_text(mi_bytes_sub(name, from, name.len), scope);
        if (at == SIZE_MAX)
            return false;
        size_t end = from + at + scope.len;
        bool begins = from + at == 0 || name.at[from + at - 1] == '/';
        if (begins && (!scope.len || scope.at[scope.len - 1] == '/' ||
                       (end < name.len && name.at[end] == '/')))
            return true;
        from += at + 1;
    }
    return false;
}

/* "f16" is float16, but not in "bfloat16". */
static bool fits_dtype(struct mi_bytes dtype, struct mi_bytes text)
{
    static const struct {
        const char *brief, *full;
    } names[] = {{"f", "float"}, {"bf", "bfloat"}, {"i", "int"}, {"u", "uint"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t len = strlen(names[i].brief), full = strlen(names[i].full);
        if (text.len > len && text.at[len] >= '0' && text.at[len] <= '9' &&
            mi_bytes_starts(text, mi_cstr(names[i].brief)))
            return mi_bytes_starts(dtype, mi_cstr(names[i].full)) &&
                   mi_bytes_equal(mi_bytes_sub(dtype, full, dtype.len),
                                  mi_bytes_sub(text, len, text.len));
    }
    return has(dtype, text);
}

static bool is_of_dtype(const struct mi_model *model, uint32_t value, struct mi_bytes text)
{
    struct mi_bytes dtype = mi_model_text(model, model->all.rows.values.dtype[value]);
    return dtype.len && fits_dtype(dtype, text);
}

static bool has_dtype(const struct mi_model *model, uint32_t first, uint32_t count,
                      struct mi_bytes text)
{
    const struct mi_tables *rows = &model->all.rows;
    for (uint32_t p = first; p < first + count; p++)
        if (is_of_dtype(model, rows->ports.value[p].v, text))
            return true;
    return false;
}

/* What the tasks of one node say to a word. */
static bool tasks_fit(const struct mi_query_word *word, const struct mi_model *model, uint32_t node,
                      int64_t *total)
{
    const struct mi_tables *rows = &model->all.rows;
    const struct mi_csr *of = &model->index.node_tasks;
    for (uint32_t i = of->first[node]; i < of->first[node + 1]; i++) {
        uint32_t task = of->list[i];
        uint32_t track = rows->tasks.track[task].v;
        char number[MI_DECIMAL_ROOM];
        size_t len = mi_decimal_format_i64(rows->tracks.native_id[track], number);
        if (__builtin_add_overflow(*total, rows->tasks.dur_ns[task], total))
            *total = INT64_MAX;
        if (word->kind == MI_QUERY_STREAM &&
            (mi_bytes_equal(word->text, (struct mi_bytes){(const uint8_t *)number, len}) ||
             mi_bytes_equal(word->text, mi_model_text(model, rows->tracks.name[track]))))
            return true;
    }
    return false;
}

/* An op of the framework has the tasks of the nodes that it became part of. */
static bool fits_tasks(const struct mi_query_word *word, const struct mi_model *model,
                       uint32_t node)
{
    const struct mi_csr *compiled = &model->index.compiled_of;
    int64_t total = 0;
    bool is_on = tasks_fit(word, model, node, &total);
    for (uint32_t i = compiled->first[node]; i < compiled->first[node + 1]; i++)
        is_on |=
            tasks_fit(word, model, model->all.rows.lowered.compiled[compiled->list[i]].v, &total);
    return word->kind == MI_QUERY_STREAM  ? is_on || !word->text.len
           : word->kind == MI_QUERY_ABOVE ? total > word->ns
                                          : total < word->ns;
}

static bool is_unmapped(const struct mi_model *model, uint32_t node)
{
    return !mi_csr_count(&model->index.compiled_of, node) &&
           !mi_csr_count(&model->index.framework_of, node) &&
           !mi_csr_count(&model->index.node_tasks, node);
}

static inline bool op_has(struct mi_query_word *word, const struct mi_model *model, mi_str_id op)
{
    uint32_t place = op.v % MI_QUERY_OPS;
    if (!op.v)
        return !word->text.len;
    if (word->op[place] != op.v) {
        word->op[place] = op.v;
        word->op_has_it[place] = has(mi_model_text(model, op), word->text);
    }
    return word->op_has_it[place];
}

/* 0 = not in the name, 1 = within it, 2 = at the beginning of it or of its last part. */
static int fits_name(struct mi_bytes name, struct mi_bytes text)
{
    size_t at = mi_find_text(name, text);
    return at == SIZE_MAX ? 0 : at == 0 || name.at[at - 1] == '/' ? 2 : 1;
}

/* The kinds that look beyond a node's own names; kept out of the way of those. */
__attribute__((noinline)) static bool fits_beyond(const struct mi_query_word *word,
                                                  const struct mi_model *model, uint32_t node)
{
    const struct mi_nodes *nodes = &model->all.rows.nodes;
    enum mi_layer layer = mi_node_layer(model, (mi_node_id){node});
    switch (word->kind) {
    case MI_QUERY_TEXT:
    case MI_QUERY_OP:
        break;
    case MI_QUERY_SCOPE:
        return is_in_scope(mi_model_text(model, nodes->name[node]), word->text);
    case MI_QUERY_DTYPE:
        return has_dtype(model, nodes->first_in[node], nodes->in_count[node], word->text) ||
               has_dtype(model, nodes->first_out[node], nodes->out_count[node], word->text);
    case MI_QUERY_LAYER:
        return mi_bytes_starts(mi_cstr(mi_enum_name(MI_E_layer, layer)), word->text);
    case MI_QUERY_STREAM:
    case MI_QUERY_ABOVE:
    case MI_QUERY_BELOW:
        return fits_tasks(word, model, node);
    case MI_QUERY_UNMAPPED:
        return is_unmapped(model, node);
    }
    return false;
}

/* Kept out of the way of the many that have one. */
__attribute__((noinline)) static int fits_nameless(const struct mi_query_word *word,
                                                   const struct mi_model *model, uint32_t node)
{
    return fits_name(mi_node_known_as(model, (mi_node_id){node}), word->text);
}

static int fits(struct mi_query_word *word, const struct mi_model *model, uint32_t node)
{
    const struct mi_nodes *nodes = &model->all.rows.nodes;
    if (word->kind == MI_QUERY_OP)
        return op_has(word, model, nodes->op[node]);
    if (word->kind != MI_QUERY_TEXT)
        return fits_beyond(word, model, node);
    int rank = nodes->name[node].v ? fits_name(mi_model_text(model, nodes->name[node]), word->text)
                                   : fits_nameless(word, model, node);
    return rank ? rank : op_has(word, model, nodes->op[node]);
}

int mi_query_node(struct mi_query *query, const struct mi_model *model, uint32_t node)
{
    int rank = 1;
    if (mi_node_layer(model, (mi_node_id){node}) == MI_LAYER_STAGE)
        return 0;
    for (uint32_t i = 0; i < query->count; i++) {
        int one = fits(&query->words[i], model, node);
        if (!one)
            return 0;
        rank = one > rank ? one : rank;
    }
    return rank;
}

static int fits_constant(const struct mi_query_word *word, const struct mi_model *model,
                         uint32_t value)
{
    const struct mi_tables *rows = &model->all.rows;
    enum mi_layer layer = rows->graphs.layer[rows->values.graph[value].v];
    struct mi_bytes name = mi_model_text(model, rows->values.name[value]), op = MI_LIT("Constant");
    int rank = word->kind == MI_QUERY_TEXT ? fits_name(name, word->text) : 0;
    switch (word->kind) {
    case MI_QUERY_TEXT:
    case MI_QUERY_OP:
        return rank ? rank : has(op, word->text);
    case MI_QUERY_SCOPE:
        return is_in_scope(name, word->text);
    case MI_QUERY_DTYPE:
        return is_of_dtype(model, value, word->text);
    case MI_QUERY_LAYER:
        return mi_bytes_starts(mi_cstr(mi_enum_name(MI_E_layer, layer)), word->text);
    case MI_QUERY_STREAM:
    case MI_QUERY_ABOVE:
    case MI_QUERY_BELOW:
    case MI_QUERY_UNMAPPED:
        break; /* what runs, or is linked, is what reads it */
    }
    return 0;
}

int mi_query_constant(const struct mi_query *query, const struct mi_model *model, uint32_t value)
{
    const struct mi_tables *rows = &model->all.rows;
    int rank = 1;
    if (rows->graphs.layer[rows->values.graph[value].v] == MI_LAYER_STAGE)
        return 0;
    for (uint32_t i = 0; i < query->count; i++) {
        int one = fits_constant(&query->words[i], model, value);
        if (!one)
            return 0;
        rank = one > rank ? one : rank;
    }
    return rank;
}

int mi_query_kernel(const struct mi_query *query, const struct mi_model *model, uint32_t kernel)
{
    const struct mi_kernels *kernels = &model->all.rows.kernels;
    struct mi_bytes name = mi_model_text(model, kernels->name[kernel]);
    struct mi_bytes op = mi_model_text(model, kernels->op[kernel]);
    int rank = 1;
    for (uint32_t i = 0; i < query->count; i++) {
        const struct mi_query_word *word = &query->words[i];
        bool looks_at_op = word->kind == MI_QUERY_TEXT || word->kind == MI_QUERY_OP;
        int one = word->kind == MI_QUERY_TEXT ? fits_name(name, word->text) : 0;
        one = one ? one : looks_at_op && has(op, word->text);
        if (!one)
            return 0;
        rank = one > rank ? one : rank;
    }
    return rank;
}
