/* What the files of the decoder of ge.proto share. Private to ge_wire*.c. */
#ifndef MI_PARSE_FORMATS_GE_WIRE_READ_H
#define MI_PARSE_FORMATS_GE_WIRE_READ_H

#include "parse/formats/ge/ge_state.h"
#include "parse/formats/ge/ge_wire.h"

/* --- ge_wire.c --- */

/* Queues the graph of the current field, an element of the attribute that is open. */
void mi_ge_wire_queue(struct mi_ge_wire *w, const struct mi_pb *field);

/* A TensorDef or TensorDescriptor as an element of the attribute that is open. */
void mi_ge_wire_tensor(struct mi_ge_wire *w, struct mi_pb pb, bool is_tensor);

/* --- ge_wire_attr.c --- */

/* A map entry of an op or descriptor. */
void mi_ge_wire_attr(struct mi_ge_wire *w, struct mi_pb entry);

#endif
