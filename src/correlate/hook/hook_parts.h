/* Parts of the matcher hook_calls: what a hook saw, joined with what a profile of the same capture
 * tells. */
#ifndef MI_CORRELATE_HOOK_PARTS_H
#define MI_CORRELATE_HOOK_PARTS_H

#include "model/model.h"

/* [sources.count] the hook's file of the process that a profile is of; 0 = not known.
 * mi_mem_free(); NULL: out of memory. */
uint32_t *mi_hook_owners(const struct mi_model *model);

#define MI_HOOK_OF_PROCESS (UINT32_C(1) << 31)

/* Where device, stream, task and model ids of a source mean one thing: MI_HOOK_OF_PROCESS | hook's
 * file, else the capture; 0 = it is in none. */
uint32_t mi_hook_home(const struct mi_model *model, const uint32_t *owners, uint32_t source);

/* Sets submissions.task and, where there is none yet, tasks.launch; then adds a signal for each
 * wait whose record is known. False: out of memory. */
bool mi_hook_join_tasks(struct mi_model *model, const uint32_t *owners);

/* Sets loads.graph: the input that is the file which was loaded. False: out of memory. */
bool mi_hook_find_files(struct mi_model *model);

/* Streams of a loaded model whose tasks are those of its plan, one for one: raises the confidence
 * of what others have found of them, and adds links for those they have not. False: out of memory.
 */
bool mi_hook_join_plan(struct mi_model *model, const uint32_t *owners);

/* Sets tasks.launch of tasks of a loaded model to the call that executed it in that run. False: out
 * of memory. */
bool mi_hook_join_runs(struct mi_model *model, const uint32_t *owners);

/* Sets tasks.run of what was launched beside executions of models, where these have several runs.
 * False: out of memory. */
bool mi_hook_number_beside(struct mi_model *model, const uint32_t *owners);

#endif
