#include "base/param.h"

#include <stdio.h>
#include <string.h>

/* strtol accepts blanks, a plus sign and the locale's idea of digits; options do not. */
static bool parse_int(const char *text, int64_t *number)
{
    const char *at = text + (*text == '-');
    if (!*at)
        return false;
    int64_t value = 0;
    for (; *at; at++) {
        if (*at < '0' || *at > '9' || value > (INT64_MAX - 9) / 10)
            return false;
        value = value * 10 + (*at - '0');
    }
    *number = *text == '-' ? -value : value;
    return true;
}

static bool parse_choice(const struct mi_param *param, const char *text, struct mi_arg *arg,
                         struct mi_error *err)
{
    char words[160] = "";
    for (int i = 0; param->choices[i]; i++) {
        if (strcmp(text, param->choices[i]) == 0) {
            arg->number = i;
            return true;
        }
        size_t used = strlen(words);
        if (used + strlen(param->choices[i]) + 3 < sizeof words)
            snprintf(words + used, sizeof words - used, "%s%s", used ? ", " : "",
                     param->choices[i]);
    }
    return mi_fail(err, MI_EUSAGE, "--%s: \"%.60s\" is not one of: %s", param->name, text, words);
}

bool mi_param_parse(const struct mi_param *param, const char *text, struct mi_arg *arg,
                    struct mi_error *err)
{
    *arg = (struct mi_arg){.param = param, .text = text ? text : ""};
    switch (param->kind) {
    case MI_PARAM_FLAG:
        arg->number = 1;
        return true;
    case MI_PARAM_TEXT:
        return true;
    case MI_PARAM_CHOICE:
        return parse_choice(param, arg->text, arg, err);
    case MI_PARAM_INT:
        if (!parse_int(arg->text, &arg->number))
            return mi_fail(err, MI_EUSAGE, "--%s: \"%.60s\" is not a whole number", param->name,
                           arg->text);
        if (arg->number < param->min || arg->number > param->max)
            return mi_fail(err, MI_EUSAGE, "--%s: %lld is not within %lld and %lld", param->name,
                           (long long)arg->number, (long long)param->min, (long long)param->max);
        return true;
    }
    return false;
}

const struct mi_arg *mi_args_find(const struct mi_args *args, const char *name)
{
    for (size_t i = args ? args->count : 0; i-- > 0;)
        if (strcmp(args->list[i].param->name, name) == 0)
            return &args->list[i];
    return NULL;
}

const struct mi_arg *mi_args_nth(const struct mi_args *args, const char *name, size_t k)
{
    for (size_t i = 0; args && i < args->count; i++)
        if (strcmp(args->list[i].param->name, name) == 0 && k-- == 0)
            return &args->list[i];
    return NULL;
}

bool mi_args_flag(const struct mi_args *args, const char *name)
{
    return mi_args_find(args, name) != NULL;
}

int64_t mi_args_int(const struct mi_args *args, const char *name, int64_t fallback)
{
    const struct mi_arg *arg = mi_args_find(args, name);
    return arg ? arg->number : fallback;
}

const char *mi_args_text(const struct mi_args *args, const char *name, const char *fallback)
{
    const struct mi_arg *arg = mi_args_find(args, name);
    return arg ? arg->text : fallback;
}
