/* Graphs that a program captures from the calls it makes on a stream, and replays. Between the
 * beginning and the end of a capture nothing runs: tasks are put into the graph instead. Which
 * streams take part (one that waits for an event of the graph does) the runtime knows, so it is
 * asked. */
#include "collect/hook/wrap.h"

enum { CAPTURE_NONE = 0 }; /* aclmdlRICaptureStatus */

typedef int get_info_fn(void *, int *, void **);

_Atomic uint32_t mi_hook_graphs;

bool mi_hook_asks_whether_captured(uint64_t stream)
{
    get_info_fn *ask = (get_info_fn *)mi_hook_real(MI_SYMBOL_aclmdlRICaptureGetInfo);
    struct mi_hook_thread *self = &mi_hook_self;
    int status = CAPTURE_NONE;
    void *graph = NULL;
    if (!stream || !ask) /* the default stream cannot be captured */
        return false;
    self->is_busy = true;
    bool ok = ask((void *)(uintptr_t)stream, &status, &graph) == 0;
    self->is_busy = false;
    return ok && status != CAPTURE_NONE;
}

MI_WRAP(aclmdlRICaptureBegin, void *stream, int mode)
{
    MI_CALL(aclmdlRICaptureBegin, (stream, mode));
    if (code == 0)
        atomic_fetch_add_explicit(&mi_hook_graphs, 1, memory_order_relaxed);
    MI_NOTE(aclmdlRICaptureBegin, false, NULL, .stream = MI_ID(stream), .size = (uint64_t)mode);
    return code;
}

MI_WRAP(aclmdlRICaptureEnd, void *stream, void **graph)
{
    MI_CALL(aclmdlRICaptureEnd, (stream, graph));
    uint32_t open = atomic_load_explicit(&mi_hook_graphs, memory_order_relaxed);
    while (code == 0 && open &&
           !atomic_compare_exchange_weak_explicit(&mi_hook_graphs, &open, open - 1,
                                                  memory_order_relaxed, memory_order_relaxed))
        continue;
    MI_NOTE(aclmdlRICaptureEnd, false, NULL, .stream = MI_ID(stream), .object = MI_MADE(graph));
    return code;
}

/* What the runtime says was the last task of the thread need not be of the replay. */
MI_WRAP(aclmdlRIExecuteAsync, void *graph, void *stream)
{
    MI_CALL(aclmdlRIExecuteAsync, (graph, stream));
    if (is_noted)
        mi_hook_tell_of_stream(MI_ID(stream));
    MI_NOTE(aclmdlRIExecuteAsync, false, NULL, .stream = MI_ID(stream), .object = MI_ID(graph),
            .size = 1);
    return code;
}

MI_WRAP(aclmdlRIExecute, void *graph, int32_t timeout_ms)
{
    MI_CALL(aclmdlRIExecute, (graph, timeout_ms));
    MI_NOTE(aclmdlRIExecute, false, NULL, .object = MI_ID(graph));
    return code;
}

MI_WRAP(aclmdlRIDestroy, void *graph)
{
    MI_CALL(aclmdlRIDestroy, (graph));
    MI_NOTE(aclmdlRIDestroy, false, NULL, .object = MI_ID(graph));
    return code;
}
