#include "base/error.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int exit_code, http_status;
} codes[] = {
#define MI_CODE_ROW(code, name, exit_code, http_status) [code] = {name, exit_code, http_status},
    MI_CODES(MI_CODE_ROW)
#undef MI_CODE_ROW
};

static void __attribute__((format(printf, 5, 0)))
fail_v(struct mi_error *err, enum mi_code code, uint64_t offset, uint32_t line, const char *format,
       va_list args)
{
    if (!err || err->code != MI_OK)
        return;
    err->code = code;
    err->offset = offset;
    err->line = line;
    vsnprintf(err->text, sizeof err->text, format, args);
}

bool mi_fail(struct mi_error *err, enum mi_code code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail_v(err, code, MI_NO_OFFSET, 0, format, args);
    va_end(args);
    return false;
}

bool mi_fail_at(struct mi_error *err, enum mi_code code, uint64_t offset, uint32_t line,
                const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail_v(err, code, offset, line, format, args);
    va_end(args);
    return false;
}

bool mi_error_in(struct mi_error *err, const char *input)
{
    if (!err || err->input[0] || !input)
        return false;
    size_t len = strlen(input), room = sizeof err->input - 1;
    if (len <= room)
        memcpy(err->input, input, len + 1);
    else
        snprintf(err->input, sizeof err->input, "...%s", input + (len - (room - 3)));
    return false;
}

const char *mi_code_name(enum mi_code code)
{
    return codes[code].name;
}

int mi_code_exit(enum mi_code code)
{
    return codes[code].exit_code;
}

int mi_code_http(enum mi_code code)
{
    return codes[code].http_status;
}
