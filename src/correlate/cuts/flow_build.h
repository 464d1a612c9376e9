/* What building a flow needs besides the flow itself; shared by flow.c and flow_order.c. */
#ifndef MI_CORRELATE_FLOW_BUILD_H
#define MI_CORRELATE_FLOW_BUILD_H

#include "correlate/cuts/flow.h"

/* Fills order, readers and the CONST, SHAPE flags. false: out of memory. */
bool mi_flow_finish(struct mi_flow *flow);

#endif
