/* ONNX models that ONNX Runtime's optimiser wrote: the form of onnx.c, taken as the compiled graph.
 *
 * The writer imports every operator set that the runtime knows, used or not; that tells its files
 * from models that merely use operators of com.microsoft. See onnx_look.c. */
#include "base/translate.h"
#include "parse/formats/onnx/onnx_read.h"

static int sniff(const struct mi_probe *probe)
{
    struct onnx_look look = mi_onnx_look(probe->bytes);
    return look.is_from_ort ? look.score : 0;
}

static bool read(const struct mi_source *src, struct mi_batch *out, struct mi_error *err)
{
    return mi_onnx_read(src, MI_LAYER_COMPILED, out, err);
}

const struct mi_reader mi_reader_ort_onnx = {.name = "ort_onnx",
                                             .title = N_("ONNX model optimised by ONNX Runtime"),
                                             .yields =
                                                 MI_HAS_FRAMEWORK_GRAPH | MI_HAS_COMPILED_GRAPH,
                                             .sniff = sniff,
                                             .read = read};
