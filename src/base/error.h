/* Errors with a place.
 *
 * Functions that can fail return bool and take `struct mi_error *err` last. The first failure wins:
 * a second mi_fail() on an error that is already set changes nothing, so a caller may go on and
 * report once. Only cli/ prints errors and only main() chooses the exit code. */
#ifndef MI_BASE_ERROR_H
#define MI_BASE_ERROR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

/* clang-format off */
/*     code            name           exit  HTTP */
#define MI_CODES(X)                                                                                \
    X(MI_OK,           "ok",             0, 200)                                                   \
    X(MI_ENOMEM,       "no_memory",      4, 500)                                                   \
    X(MI_EIO,          "io",             3, 500)                                                   \
    X(MI_EFORMAT,      "format",         3, 422)                                                   \
    X(MI_ETRUNCATED,   "truncated",      3, 422)                                                   \
    X(MI_EUNSUPPORTED, "unsupported",    3, 422)                                                   \
    X(MI_ELIMIT,       "limit",          3, 413)                                                   \
    X(MI_ENOTFOUND,    "not_found",      3, 404)                                                   \
    X(MI_EUSAGE,       "usage",          2, 400)                                                   \
    X(MI_ECANCELLED,   "cancelled",      3, 499)                                                   \
    X(MI_EINTERNAL,    "internal",       4, 500)
/* clang-format on */

enum mi_code {
#define MI_CODE_ENUM(code, name, exit_code, http_status) code,
    MI_CODES(MI_CODE_ENUM)
#undef MI_CODE_ENUM
};

#define MI_NO_OFFSET UINT64_MAX

struct mi_error {
    enum mi_code code; /* MI_OK as long as nothing failed */
    uint32_t line;     /* 1-based; 0 for binary input or where unknown */
    uint64_t offset;   /* bytes from the start of the input; MI_NO_OFFSET if unknown */
    char input[160];   /* path as the user gave it; "outer.zip!inner.csv" for members; "" if none */
    char text[256];    /* one sentence in English, no trailing newline */
};

/* A fresh error: code MI_OK, no place. */
#define MI_ERROR_INIT ((struct mi_error){.code = MI_OK, .offset = MI_NO_OFFSET})

/* Records a failure without a place; keeps an earlier one. Always returns false; `err` may be
 * NULL. */
bool mi_fail(struct mi_error *err, enum mi_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Same, with the place inside the input: `line` 0 and `offset` MI_NO_OFFSET mean unknown. */
bool mi_fail_at(struct mi_error *err, enum mi_code code, uint64_t offset, uint32_t line,
                const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Fills in `input` if it is still empty (long paths keep their tail). Always returns false. */
bool mi_error_in(struct mi_error *err, const char *input);

const char *mi_code_name(enum mi_code code); /* "format" */
int mi_code_exit(enum mi_code code);         /* exit code of a program that ends with this error */
int mi_code_http(enum mi_code code);

#endif
