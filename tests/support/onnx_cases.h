/* Small ONNX models with everything in them: the files of tests/data/onnx and tests/data/ort_onnx
 * are these, and the unit tests say what must come out of each. */
#ifndef MI_TESTS_ONNX_CASES_H
#define MI_TESTS_ONNX_CASES_H

#include "onnx_writer.h"

struct onnx_case {
    const char *reader; /* who must claim it; the folder of the file */
    const char *name;   /* of the file, without .onnx */
    void (*write)(struct onnx_writer *w);
};

extern const struct onnx_case onnx_cases[];
extern const size_t onnx_case_count;

/* The bytes of one case; aborts if there is none of that name. Freed with onnx_writer_fini(). */
struct onnx_writer onnx_case_bytes(const char *name);

#endif
