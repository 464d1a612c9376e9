/* Models as text; see the header. */
#include "onnx_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 512

struct text {
    struct onnx_writer *w;
    struct {
        size_t graph, attr, node;
        bool has_node;
    } open[DEPTH_MAX];
    int depth;
    size_t function;
    bool in_function, is_main_done;
    char words[5][128], domain[128]; /* domain: of the last function */
    int count;
};

static void split(struct text *t, const char *line, size_t len)
{
    t->count = 0;
    while (len && t->count < 5) {
        size_t word = 0;
        while (word < len && line[word] != ' ')
            word++;
        if (word) {
            if (word >= sizeof t->words[0])
                abort();
            memcpy(t->words[t->count], line, word);
            t->words[t->count][word] = 0;
            if (strcmp(t->words[t->count], "-") == 0)
                t->words[t->count][0] = 0;
            t->count++;
        }
        line += word + (word < len);
        len -= word + (word < len);
    }
}

static bool is_word(const struct text *t, const char *word, int count)
{
    return t->count == count && strcmp(t->words[0], word) == 0;
}

static void close_node(struct text *t)
{
    if (t->open[t->depth].has_node)
        onnx_end(t->w, t->open[t->depth].node);
    t->open[t->depth].has_node = false;
}

static void list(struct text *t, uint32_t field, const char *names)
{
    while (*names) {
        size_t len = strcspn(names, ",");
        onnx_bytes(t->w, field, names, len);
        names += len + (names[len] != 0);
    }
}

static void node(struct text *t)
{
    if (t->count < 2)
        abort();
    for (int i = t->count; i < 4; i++)
        t->words[i][0] = 0;
    close_node(t);
    char *op = strrchr(t->words[1], ':');
    const char *domain = op ? t->words[1] : "";
    if (op)
        *op++ = 0;
    /* Nodes of a function stand in another field. */
    size_t begin = onnx_begin(t->w, t->in_function && t->depth == 0 ? 7 : 1);
    list(t, 1, t->words[2]);
    list(t, 2, t->words[3]);
    onnx_text(t->w, 3, t->words[0]);
    onnx_text(t->w, 4, op ? op : t->words[1]);
    onnx_text(t->w, 7, domain);
    t->open[t->depth].node = begin;
    t->open[t->depth].has_node = true;
}

static void begin_graph(struct text *t)
{
    if (!t->open[t->depth].has_node || t->depth + 1 >= DEPTH_MAX)
        abort();
    t->depth++;
    t->open[t->depth].has_node = false;
    t->open[t->depth].attr = onnx_attr_begin(t->w, t->words[1], 5);
    t->open[t->depth].graph = onnx_begin(t->w, 6);
    onnx_text(t->w, 2, t->words[1]);
}

static void end_graph(struct text *t)
{
    close_node(t);
    onnx_end(t->w, t->open[t->depth].graph);
    onnx_end(t->w, t->open[t->depth].attr);
    t->depth--;
}

static void constant(struct text *t)
{
    static const int64_t dims[] = {1};
    float value = strtof(t->words[2], NULL);
    onnx_tensor(t->w, 5, t->words[1], 1, dims, 1, &value, sizeof value);
}

/* Numbers with commas. */
static size_t numbers(const char *word, int64_t out[16])
{
    size_t count = 0;
    for (char *end; *word && count < 16; word = end + (*end == ','))
        out[count++] = strtoll(word, &end, 10);
    return count;
}

static void int_constant(struct text *t)
{
    int64_t values[16];
    const int64_t dims[] = {(int64_t)numbers(t->words[2], values)};
    onnx_tensor(t->w, 5, t->words[1], 7, dims, 1, values, (size_t)dims[0] * sizeof *values);
}

static void number_attribute(struct text *t)
{
    int64_t values[16];
    size_t count = numbers(t->words[2], values);
    if (strchr(t->words[2], ','))
        onnx_attr_ints(t->w, t->words[1], values, count);
    else
        onnx_attr_int(t->w, t->words[1], values[0]);
}

static bool is_value(const struct text *t)
{
    for (int count = 2; count <= 4; count++)
        if (is_word(t, "in", count) || is_word(t, "out", count) || is_word(t, "type", count))
            return true;
    return false;
}

static void value(struct text *t)
{
    uint32_t field = t->words[0][0] == 'i' ? 11 : t->words[0][0] == 'o' ? 12 : 13;
    int elem = t->count > 2 ? atoi(t->words[2]) : 1;
    if (elem) {
        const char *dims = t->count > 3 ? t->words[3] : "1,8";
        onnx_value(t->w, field, t->words[1], elem, dims[0] == '?' && !dims[1] ? NULL : dims);
        return;
    }
    size_t begin = onnx_begin(t->w, field);
    onnx_text(t->w, 1, t->words[1]);
    onnx_end(t->w, begin);
}

static void close_main(struct text *t)
{
    close_node(t);
    if (!t->is_main_done)
        onnx_end(t->w, t->open[0].graph);
    t->is_main_done = true;
}

static void begin_function(struct text *t)
{
    close_main(t); /* functions stand behind it */
    if (strcmp(t->domain, t->words[1]) != 0)
        onnx_opset(t->w, t->words[1], 1);
    snprintf(t->domain, sizeof t->domain, "%s", t->words[1]);
    t->function = onnx_begin(t->w, 25);
    t->in_function = true;
    onnx_text(t->w, 1, t->words[2]);
    onnx_text(t->w, 10, t->words[1]);
    for (int i = 0; i < 2; i++) {
        size_t opset = onnx_begin(t->w, 9);
        onnx_text(t->w, 1, i ? t->words[1] : "");
        onnx_int(t->w, 2, i ? 1 : 17);
        onnx_end(t->w, opset);
    }
    list(t, 4, t->words[3]);
    list(t, 5, t->words[4]);
}

static void end_function(struct text *t)
{
    close_node(t);
    onnx_end(t->w, t->function);
    t->in_function = false;
}

static void text_attribute(struct text *t)
{
    size_t attr = onnx_attr_begin(t->w, t->words[1], 3);
    onnx_text(t->w, 4, t->words[2]);
    onnx_end(t->w, attr);
}

static void line(struct text *t)
{
    if (is_word(t, "{", 2)) {
        begin_graph(t);
    } else if (is_word(t, "}", 1)) {
        end_graph(t);
    } else if (is_word(t, "attr", 3)) {
        number_attribute(t);
    } else if (is_word(t, "text", 3)) {
        text_attribute(t);
    } else if (is_word(t, "function", 5)) {
        begin_function(t);
    } else if (is_word(t, "end", 1)) {
        end_function(t);
    } else if (is_word(t, "const", 3)) {
        close_node(t);
        constant(t);
    } else if (is_word(t, "ints", 3)) {
        close_node(t);
        int_constant(t);
    } else if (is_value(t)) {
        close_node(t);
        value(t);
    } else if (t->count) {
        node(t);
    }
}

void onnx_from_text(struct onnx_writer *w, const char *text)
{
    struct text *t = calloc(1, sizeof *t);
    if (!t)
        abort();
    t->w = w;
    onnx_int(w, 1, 8);
    onnx_opset(w, "", 17);
    t->open[0].graph = onnx_begin(w, 7);
    onnx_text(w, 2, "main");
    while (*text) {
        size_t len = strcspn(text, "\n");
        split(t, text, len);
        line(t);
        text += len + (text[len] != 0);
    }
    if (t->depth)
        abort();
    close_main(t);
    free(t);
}
