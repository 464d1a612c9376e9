/* Whether text is a graph of GE, and in which of its forms: by structure, not by name. Only the
 * beginning is looked at. */
#ifndef MI_PARSE_GE_LOOK_H
#define MI_PARSE_GE_LOOK_H

#include "base/bytes.h"

enum mi_ge_look {
    MI_GE_LOOK_NONE,
    MI_GE_LOOK_PROTO,   /* ge.proto ModelDef or GraphDef as protobuf text */
    MI_GE_LOOK_ONNX,    /* the same in the guise of an ONNX model: op types "ge:..." */
    MI_GE_LOOK_TORCHAIR /* in the guise of a TensorFlow graph: attributes "[i]x", "[o]y" */
};

enum mi_ge_look mi_ge_look_text(struct mi_bytes bytes);

/* JSON of a ge.proto ModelDef, as atc prints it, or the "ge_visual_json" of newer packages. */
bool mi_ge_look_json(struct mi_bytes bytes);

#endif
