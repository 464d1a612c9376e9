/* What is written into a box: operator type, name, and the type of what it makes. */
#ifndef MI_PRESENT_LAYOUT_BOX_TEXT_H
#define MI_PRESENT_LAYOUT_BOX_TEXT_H

#include "analyse/outline.h"

enum { MI_BOX_MOST_TEXT = 256 }; /* bytes of a text that a view gets */

struct mi_box_text {
    struct mi_bytes label;  /* of the item, with the scope that a lone node stands in */
    struct mi_bytes op;     /* of a node; of a fusion group those of its nodes: "Conv+Relu" */
    struct mi_bytes type;   /* of the first output, or of the input: "f16 8x16x?x64 NC1HWC0" */
    struct mi_bytes change; /* "f32→f16" where the element type changes */
    uint32_t constants;     /* inputs of a node that are constant, where these are no items */
    uint32_t members; /* framework ops of a compiled node that has several; nodes of a group */
};

/* Made texts lie in `arena`; where memory is out they are empty. Zero for ports. */
struct mi_box_text mi_box_text(const struct mi_outline *outline, uint32_t item,
                               struct mi_arena *arena);

/* Of the closed box at scale 1, before limits. */
float mi_box_text_width(const struct mi_outline *outline, uint32_t item, struct mi_arena *arena);

/* The element type of the first input or output that is data; 0 = not known. */
mi_str_id mi_box_dtype(const struct mi_model *model, uint32_t node, bool of_input);

/* True if a dimension of an output is not known before the run. */
bool mi_box_is_dynamic(const struct mi_model *model, uint32_t node);

#endif
