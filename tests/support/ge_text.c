#include "ge_text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct out {
    char *at;
    size_t len, room;
};

static void put(struct out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct out *out, const char *format, ...)
{
    if (out->room - out->len < 4096) {
        out->room = out->room * 2 + 16384;
        out->at = realloc(out->at, out->room);
        if (!out->at)
            abort();
    }
    va_list args;
    va_start(args, format);
    int len = vsnprintf(out->at + out->len, out->room - out->len, format, args);
    va_end(args);
    if (len < 0 || (size_t)len >= out->room - out->len)
        abort();
    out->len += (size_t)len;
}

/* The part of `list` up to a separator, which is cut off; NULL at the end. */
static char *take(char **list, char separator)
{
    char *part = *list;
    if (!part)
        return NULL;
    char *end = strchr(part, separator);
    *list = end ? end + 1 : NULL;
    if (end)
        *end = 0;
    return part;
}

static void put_names(struct out *out, char *names)
{
    put(out, "attr { key: \"_datadump_original_op_names\" value { list { ");
    for (char *name; *names && (name = take(&names, '+'));) {
        put(out, "s: \"%s\" ", name);
        if (!names)
            break;
    }
    put(out, "val_type: VT_LIST_STRING } } }\n");
}

static void put_word(struct out *out, char *word, const char **origin, bool *has_output)
{
    char *value = strchr(word, '=');
    if (value)
        *value++ = 0;
    if (!strcmp(word, "rec"))
        put_names(out, value);
    else if (!strcmp(word, "org"))
        *origin = value;
    else if (!strcmp(word, "multi"))
        put(out, "attr { key: \"_datadump_is_multiop\" value { b: true } }\n");
    else if (!strncmp(word, "int:", 4))
        put(out, "attr { key: \"%s\" value { i: %s } }\n", word + 4, value);
    else if (!strcmp(word, "none"))
        *has_output = false;
    else if (!strcmp(word, "sub"))
        for (char *name; (name = take(&value, '+'));)
            put(out, "subgraph_name: \"%s\"\n", name);
    else
        abort();
}

static void put_node(struct out *out, char *line, int id)
{
    char *name = take(&line, ' '), *type = take(&line, ' '), *inputs = take(&line, ' ');
    const char *origin = NULL;
    bool has_output = true;
    if (!inputs)
        abort();
    put(out, "op { name: \"%s\" type: \"%s\" id: %d\n", name, type, id);
    for (char *input; strcmp(inputs, "-") && (input = take(&inputs, ','));) {
        put(out, strchr(input, ':') ? "input: \"%s\"\n" : "input: \"%s:0\"\n", input);
        if (!inputs)
            break;
    }
    for (char *word; (word = take(&line, ' '));)
        put_word(out, word, &origin, &has_output);
    if (has_output) {
        put(out, "output_desc { dtype: DT_FLOAT ");
        if (origin)
            put(out, "attr { key: \"_datadump_origin_name\" value { s: \"%s\" } } ", origin);
        put(out, "}\n");
    }
    put(out, "}\n");
}

char *ge_from_text(const char *text)
{
    struct out out = {0};
    char *copy = malloc(strlen(text) + 1);
    if (!copy)
        abort();
    strcpy(copy, text);
    int id = 0;
    bool is_open = false;
    for (char *rest = copy, *line; (line = take(&rest, '\n'));) {
        if (!strncmp(line, "graph ", 6)) {
            put(&out, "%sgraph { name: \"%s\"\n", is_open ? "}\n" : "", line + 6);
            is_open = true;
        } else if (*line) {
            put_node(&out, line, id++);
        }
    }
    put(&out, "}\n");
    free(copy);
    return out.at;
}
