/* Errors of the library: what went wrong, where, in one sentence. */
#ifndef MODEL_INSPECTOR_ERROR_H
#define MODEL_INSPECTOR_ERROR_H

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
    X(MI_ECANCELLED,   "cancelled",      130, 499)                                                 \
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

/* A fresh error: code MI_OK, no place. The first failure wins: an error that is set is not changed.
 */
#define MI_ERROR_INIT ((struct mi_error){.code = MI_OK, .offset = MI_NO_OFFSET})

#endif
