/* Steps over the tasks of Ascend task tables, before anything is matched. */
#ifndef MI_CORRELATE_CANN_TABLES_H
#define MI_CORRELATE_CANN_TABLES_H

#include "model/model.h"

/* [sources.count] For sources that hold tasks of Ascend devices a number from 1, equal for those of
 * one collection (a PROF_* or *_ascend_pt folder, else the folder of the file); 0 for all others.
 * NULL: out of memory. The caller frees it with mi_mem_free(). */
uint32_t *mi_cann_collections(const struct mi_model *model);

/* [tracks.count] For tracks of those sources a number from 1, equal for those of one device of one
 * collection; 0 for all others. NULL: out of memory. Freed with mi_mem_free(). */
uint32_t *mi_cann_devices(const struct mi_model *model, const uint32_t *collections);

/* Adds guesses to `signals` for waits that nothing else tells of: one that ended just behind a
 * record on another stream of its device. */
bool mi_cann_guess_signals(struct mi_model *model, struct mi_error *err);

/* Whether there is any such source. */
bool mi_cann_has_any(const struct mi_model *model, const uint32_t *collections);

/* Sets sources.collection: the same numbers, also for traces of other devices (each file for
 * itself) and for files that lie beside the tasks and tell of their run. */
bool mi_collections_apply(struct mi_model *model, struct mi_error *err);

/* Sets kernels.kind of collectives that are typed as kernels. */
bool mi_cann_settle_kinds(struct mi_model *model, struct mi_error *err);

/* Sets tracks.rank and counters.rank of each collection. */
bool mi_cann_apply_ranks(struct mi_model *model, struct mi_error *err);

/* The number in a file name that stands for a rank; -1 = none. */
int64_t mi_cann_rank_in_name(struct mi_bytes path);

/* What the collection of the source is called: its folder, else the file. */
struct mi_bytes mi_collection_name(const struct mi_model *model, uint32_t source);

/* Sets order[1 .. *count - 1] to the tasks of those sources, by raw start. NULL: out of memory. */
uint32_t *mi_cann_order(const struct mi_model *model, const uint32_t *collections, uint32_t *count);

/* Several tables tell of the same tasks: afterwards each stands there once, and each stream. What
 * tells most stays (the table with names of operators), takes over the symbol that the other
 * knows, and what was taken out is counted as left out, in a notice. */
bool mi_cann_merge_twins(struct mi_model *model, struct mi_error *err);

/* Sets tasks.run, where the tasks of a loaded model repeat. */
bool mi_cann_number_runs(struct mi_model *model, struct mi_error *err);

/* Sets is_fused[node] for ops of the framework that the profile lists among those of a fused node
 * that ran. False: out of memory. */
bool mi_cann_mark_fused(const struct mi_model *model, uint8_t *is_fused);

/* Sets tasks.by of all tasks, whatever they come from; call once births are known. */
bool mi_judge_issuers(struct mi_model *model, struct mi_error *err);

#endif
