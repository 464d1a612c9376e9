/* Parts of the matcher hook_calls: what a hook saw, joined with what a profile of the same capture
 * tells. */
#ifndef MI_CORRELATE_HOOK_PARTS_H
#define MI_CORRELATE_HOOK_PARTS_H

#include "model/model.h"

/* Sets submissions.task and, where there is none yet, tasks.launch; then adds a signal for each
 * wait whose record is known. False: out of memory. */
bool mi_hook_join_tasks(struct mi_model *model);

/* Sets loads.graph: the input that is the file which was loaded. False: out of memory. */
bool mi_hook_find_files(struct mi_model *model);

/* Streams of a loaded model whose tasks are those of its plan, one for one: raises the confidence
 * of what others have found of them, and adds links for those they have not. False: out of memory.
 */
bool mi_hook_join_plan(struct mi_model *model);

/* Sets tasks.launch of tasks of a loaded model to the call that executed it in that run. False: out
 * of memory. */
bool mi_hook_join_runs(struct mi_model *model);

#endif
