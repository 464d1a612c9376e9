/* How many paths lead through a vertex: exact while 64 bits hold it, then to three digits. */
#ifndef MI_ANALYSE_PATH_COUNT_H
#define MI_ANALYSE_PATH_COUNT_H

#include "analyse/deps.h"
#include "base/arena.h"

/* Paths from vertices without predecessors over `vertex` to vertices without successors, where
 * `before` and `after` are the marks of the two sides and `order` [count] is topological. *text:
 * "12" or "about 1.27e30", in `arena`. False: out of memory. */
bool mi_path_count(const struct mi_deps *deps, const uint8_t *marks, const uint32_t *order,
                   uint32_t count, uint32_t vertex, uint8_t before, uint8_t after,
                   struct mi_arena *arena, struct mi_bytes *text);

#endif
