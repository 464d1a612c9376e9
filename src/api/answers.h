/* What answers of the public API share: parameters in, JSON out. */
#ifndef MI_API_ANSWERS_H
#define MI_API_ANSWERS_H

#include "model-inspector/inspector.h"

#include "base/param.h"
#include "pipeline/session.h"

struct mi_inspector {
    struct mi_session *session;
};

/* The rows of a loaded session; NULL before that. */
const struct mi_model *mi_api_model(const struct mi_inspector *insp);

/* "name=value" strings into `args`, whose list has room for them. `owner` is who has `known`. */
bool mi_api_params(const struct mi_param *known, const char *owner, const char *const *params,
                   size_t param_count, struct mi_args *args, struct mi_error *err);

struct mi_api_writer {
    mi_write_fn *write;
    void *user;
};

/* For mi_sink_init_callback(); `context` is a struct mi_api_writer. */
bool mi_api_forward(void *context, struct mi_bytes bytes, struct mi_error *err);

#endif
