/* Values of attributes as text that looks like Python or like GE's readable dumps. */
#ifndef MI_PARSE_GE_LITERAL_H
#define MI_PARSE_GE_LITERAL_H

#include "parse/formats/ge/ge_build.h"

/* Gives the attribute that is open its value: a bool, a number, a list of whole numbers in [], ()
 * or
 * {}, a quoted text without its quotes; everything else as text. */
void mi_ge_literal(struct mi_ge *ge, struct mi_bytes text);

#endif
