/* Collection from within a program that uses an Ascend device: the points at which graphs and
 * device times are complete are known to the program best.
 *
 * The functions live in libmi_hook.so. It has to be in the program before the runtime is: by
 * `inspector-cli start -- COMMAND`, by LD_PRELOAD, or linked in front of libascendcl (-lmi_hook
 * -lascendcl).
 *
 *   mi_collect_start("capture", MI_COLLECT_GRAPH | MI_COLLECT_RUNTIME);   // not under `start`
 *   model = compile(...);
 *   mi_collect_snapshot_graph();
 *   run_batch(model);
 *   mi_collect_runtime();
 *   mi_collect_stop();
 *
 * Callable from any thread, at any time. None of them ends the program or changes what it does: a
 * failure is returned, noted in the capture, and that is all. */
#ifndef MODEL_INSPECTOR_COLLECT_H
#define MODEL_INSPECTOR_COLLECT_H

#ifdef __cplusplus
extern "C" {
#endif

#define MI_COLLECT_GRAPH   1u /* models that are loaded, dumps of the graph engine */
#define MI_COLLECT_RUNTIME 2u /* device times, by aclprof or MSPTI */
#define MI_COLLECT_WEIGHTS 4u /* models are copied with their weights */

/* Begins a capture in the folder, which is made if need be. For device times: before aclInit().
 * 0, or a number of errno.h: EINVAL without folder or without anything to collect; EALREADY where
 * there is one, as under `inspector-cli start`, or has been one: a process has one capture; EIO
 * where its file cannot be made, after which there will be none. */
int mi_collect_start(const char *folder, unsigned what);

/* The graph that was compiled is complete: everything of it is written out. The graph engine dumps
 * its graphs where DUMP_GE_GRAPH was set before it began, as under `inspector-cli start`; where it
 * was not, there are the loaded models alone, and the capture says so. */
int mi_collect_snapshot_graph(void);

/* The batch or step that counts has ended: what was profiled of it is whole afterwards, and the
 * profiler begins anew for the next one. Call it as often as there are such steps, when the device
 * is idle: what runs meanwhile has no device times. */
int mi_collect_runtime(void);

/* Nothing more is collected, and everything is written. This and the two above: 0, ENODEV where no
 * capture is going on, or EIO where its file cannot be written any more. */
int mi_collect_stop(void);

#ifdef __cplusplus
}
#endif

#endif
