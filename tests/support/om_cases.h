/* Small offline models with everything in them: the files of tests/data/om are these, and the unit
 * tests say what must come out of each. */
#ifndef MI_TESTS_OM_CASES_H
#define MI_TESTS_OM_CASES_H

#include "om_writer.h"

struct om_case {
    const char *name; /* of the file, without .om */
    void (*write)(struct onnx_writer *w);
};

extern const struct om_case om_cases[];
extern const size_t om_case_count;

void om_case_kernels(struct onnx_writer *w); /* "kernels", in a file of its own */

/* The bytes of one case; aborts if there is none of that name. Freed with onnx_writer_fini(). */
struct onnx_writer om_case_bytes(const char *name);

#endif
