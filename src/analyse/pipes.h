/* What the record of a device task says about how it ran: cores, pipes, kind of shapes. Records lie
 * in the inputs and are read when asked for. Source of the names: the profiler's operator summary,
 * of both the file and the database form. */
#ifndef MI_ANALYSE_PIPES_H
#define MI_ANALYSE_PIPES_H

#include "model/model.h"

enum mi_pipe {
    MI_PIPE_CUBE,
    MI_PIPE_VECTOR,
    MI_PIPE_SCALAR,
    MI_PIPE_MTE1,
    MI_PIPE_MTE2,
    MI_PIPE_MTE3,
    MI_PIPES
};

struct mi_pipes {
    int64_t cores;           /* -1 not stated */
    int64_t share[MI_PIPES]; /* of its cycles in which the pipe worked, ppm; -1 not stated */
    uint8_t state[32];       /* of its shapes, as written: static, dynamic */
    size_t state_len;
};

/* Those of a task; nothing is stated where its record cannot be read. One thread at a time. */
struct mi_pipes mi_pipes_read(const struct mi_model *model, uint32_t task);

bool mi_pipes_is_state(const struct mi_pipes *counters, const char *state);

#endif
