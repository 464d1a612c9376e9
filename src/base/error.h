/* Errors with a place.
 *
 * Functions that can fail return bool and take `struct mi_error *err` last. The first failure wins:
 * a second mi_fail() on an error that is already set changes nothing, so a caller may go on and
 * report once. Only cli/ prints errors and only main() chooses the exit code. */
#ifndef MI_BASE_ERROR_H
#define MI_BASE_ERROR_H

#include "model-inspector/error.h"

#include <stdarg.h>
#include <stdbool.h>

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
