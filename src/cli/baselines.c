#include "cli/baselines.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAME = 100 };

static const char prefix[] = "baseline:";

const char *mi_baseline_dir(const struct mi_args *args)
{
    const char *given = args ? mi_args_text(args, "dir", NULL) : NULL;
    const char *set = getenv("MI_BASELINE_DIR");
    if (given && *given)
        return given;
    return set && *set ? set : ".model-inspector";
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_name(const char *name)
{
    size_t len = strlen(name);
    for (size_t i = 0; i < len; i++)
        if (!is_letter(name[i]) && (i == 0 || !strchr("._-", name[i])))
            return false;
    return len > 0 && len <= MOST_NAME;
}

char *mi_baseline_path(const char *dir, const char *name, struct mi_error *err)
{
    size_t size = strlen(dir) + strlen(name) + sizeof MI_BASELINE_SUFFIX + 1;
    if (!is_name(name)) {
        mi_fail(err, MI_EUSAGE,
                "\"%.100s\" is no name for a baseline: letters, digits and . _ - are, up to 100",
                name);
        return NULL;
    }
    char *path = mi_mem_new(size, 1);
    if (!path)
        mi_fail(err, MI_ENOMEM, "out of memory");
    else
        snprintf(path, size, "%s/%s%s", dir, name, MI_BASELINE_SUFFIX);
    return path;
}

char *mi_baseline_resolve(const char *operand, struct mi_error *err)
{
    if (strncmp(operand, prefix, sizeof prefix - 1) == 0)
        return mi_baseline_path(mi_baseline_dir(NULL), operand + sizeof prefix - 1, err);
    size_t size = strlen(operand) + 1;
    char *copy = mi_mem_new(size, 1);
    if (copy)
        memcpy(copy, operand, size);
    else
        mi_fail(err, MI_ENOMEM, "out of memory");
    return copy;
}
