/* Parameters: declared once as a constant list, they serve as command-line options, as parameters
 * of passes (later also HTTP query parameters) and as documentation. */
#ifndef MI_BASE_PARAM_H
#define MI_BASE_PARAM_H

#include "base/bytes.h"
#include "base/error.h"

enum mi_param_kind {
    MI_PARAM_FLAG,  /* present or not */
    MI_PARAM_INT,   /* decimal integer within [min, max] */
    MI_PARAM_TEXT,  /* anything */
    MI_PARAM_CHOICE /* one of the words in `choices` */
};

struct mi_param {
    const char *name; /* "threads": --threads N; NULL ends the list */
    char letter;      /* 'o': -o DIR; 0 = none */
    enum mi_param_kind kind;
    const char *metavar;        /* "N", "DIR": shown in --help; NULL for flags */
    const char *default_text;   /* value when not given; NULL = none */
    int64_t min, max;           /* of INT */
    const char *const *choices; /* NULL-terminated, of CHOICE */
    bool repeats;               /* may be given several times (TEXT only) */
    const char *help;           /* message id: one sentence */
};

#define MI_PARAM_END                                                                               \
    {                                                                                              \
        .name = NULL                                                                               \
    }

/* One given value. `text` is borrowed from the caller (argv). */
struct mi_arg {
    const struct mi_param *param;
    const char *text; /* "" for flags */
    int64_t number;   /* of INT; index of the word of CHOICE; 1 for flags */
};

struct mi_args {
    struct mi_arg *list; /* in the order given */
    size_t count;
    const char *const *operands; /* what is left: inputs, names */
    size_t operand_count;
};

/* Checks `text` against `param` and fills `arg`; MI_EUSAGE with a sentence that names the
 * parameter. */
bool mi_param_parse(const struct mi_param *param, const char *text, struct mi_arg *arg,
                    struct mi_error *err);

/* The last value given for `name`, or NULL. */
const struct mi_arg *mi_args_find(const struct mi_args *args, const char *name);

/* The k-th (from 0) value given for a repeating parameter, or NULL. */
const struct mi_arg *mi_args_nth(const struct mi_args *args, const char *name, size_t k);

/* Shorthands: the given value, else `fallback`. `args` may be NULL. */
bool mi_args_flag(const struct mi_args *args, const char *name);
int64_t mi_args_int(const struct mi_args *args, const char *name, int64_t fallback);
const char *mi_args_text(const struct mi_args *args, const char *name, const char *fallback);

#endif
