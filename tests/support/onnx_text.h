/* clang-format off */
/* Models as text, for tests. One line each, words separated by blanks, "-" = empty:
 *
 *     NAME OP INPUTS OUTPUTS    a node; INPUTS and OUTPUTS are names with commas; OP may be domain:OP
 *     attr NAME INTEGER         an attribute of the node above; with a comma behind it a list
 *     text NAME WORD            likewise, a string
 *     { ROLE  ...  }            a graph that the node above owns
 *     in NAME / out NAME        an input or output of the graph
 *     type NAME                 the type of a tensor
 *                               all three: [ELEM [DIMS]]  element type (a number of TensorProto, 0 =
 *                               not given) and dimensions like 1,N,? ("-" = none, "?" = not given);
 *                               else 1 1,8
 *     const NAME NUMBER         an initialiser of one float
 *     ints NAME NUMBERS         an initialiser: int64, with commas
 *     function DOMAIN NAME INPUTS OUTPUTS ... end
 *
 * Wrong text ends the program. */
/* clang-format on */
#ifndef MI_TESTS_ONNX_TEXT_H
#define MI_TESTS_ONNX_TEXT_H

#include "onnx_writer.h"

/* Appends the model. */
void onnx_from_text(struct onnx_writer *w, const char *text);

#endif
