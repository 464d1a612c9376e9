/* MSPTI, driven from inside the program; mspti.c. Callers hold the lock of profile.c. */
#ifndef MI_COLLECT_HOOK_MSPTI_H
#define MI_COLLECT_HOOK_MSPTI_H

#include <stdbool.h>

/* Whether libmspti.so can be loaded and has what is needed; loads it. */
bool mi_mspti_is_there(void);

/* 0, or the library's code: 2 = somebody else has subscribed. Begin before aclInit() if possible:
 * calls before it are not seen. */
int mi_mspti_start(void);

/* Has the library deliver what it holds. */
void mi_mspti_flush(void);

/* Ends a step: all of it is in the file afterwards. The next one begins at once, unless it is for
 * good. */
void mi_mspti_stop(bool for_good);

void mi_mspti_forget(void); /* in a child */

#endif
