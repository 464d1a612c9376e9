#include "api/answers.h"

const struct mi_model *mi_api_model(const struct mi_inspector *insp)
{
    const struct mi_model *model = mi_session_model(insp->session);
    return model->frozen ? model : NULL;
}

static const struct mi_param *find_param(const struct mi_param *params, struct mi_bytes name)
{
    for (; params && params->name; params++)
        if (mi_bytes_equal(mi_cstr(params->name), name))
            return params;
    return NULL;
}

bool mi_api_params(const struct mi_param *known, const char *owner, const char *const *params,
                   size_t param_count, struct mi_args *args, struct mi_error *err)
{
    for (size_t i = 0; i < param_count; i++) {
        const char *sign = strchr(params[i], '=');
        size_t len = sign ? (size_t)(sign - params[i]) : strlen(params[i]);
        const struct mi_param *param = find_param(known, mi_bytes_sub(mi_cstr(params[i]), 0, len));
        if (!param)
            return mi_fail(err, MI_EUSAGE, "%s has no parameter \"%.60s\"", owner, params[i]);
        if (!mi_param_parse(param, sign ? sign + 1 : "", &args->list[args->count++], err))
            return false;
    }
    return true;
}

bool mi_api_forward(void *context, struct mi_bytes bytes, struct mi_error *err)
{
    struct mi_api_writer *writer = context;
    return writer->write(writer->user, bytes.at, bytes.len) ||
           mi_fail(err, MI_EIO, "the caller stopped the writing");
}
