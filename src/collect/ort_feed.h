/* Inputs for a model: deterministic values in the shapes that the model and the user ask for. */
#ifndef MI_COLLECT_ORT_FEED_H
#define MI_COLLECT_ORT_FEED_H

#include "base/param.h"
#include "collect/ort_api.h"

struct mi_ort_feed {
    size_t in_count, out_count;
    char **in_names,
        **out_names;        /* owned by ONNX Runtime's allocator; live as long as the process */
    struct ort_value **ins; /* [in_count] */
    char shapes[512];       /* "x=float32[1,3,224,224] ...": for the manifest; may be cut */
};

/* Builds one tensor per input of the session.
 *
 * `--shape NAME=1x3x224x224` sets the whole shape of one input. Dimensions that the model leaves
 * open are otherwise: 1 for the first, 224 for height and width of a rank-4 input, 16 for all
 * others; a scalar stays one. Values: floats uniform in [-1, 1), bools true, integers 0 or 1 (valid
 * as index into any table), strings "text", all drawn from `--seed`; `--fill NAME=NUMBER` sets all
 * values of one input. Fails with MI_EUSAGE for a shape that does not fit and MI_EUNSUPPORTED for
 * inputs that are no tensors. */
bool mi_ort_feed_build(struct mi_ort_feed *feed, const struct mi_ort *ort,
                       struct ort_session *session, const struct mi_args *args,
                       struct mi_error *err);
void mi_ort_feed_fini(struct mi_ort_feed *feed, const struct mi_ort *ort);

#endif
