/* The profiler of AscendCL, driven from inside the program; aclprof.c. Callers hold the lock of
 * profile.c. */
#ifndef MI_COLLECT_HOOK_ACLPROF_H
#define MI_COLLECT_HOOK_ACLPROF_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the runtime has it. */
bool mi_aclprof_is_there(void);

/* After aclInit(). 0, or the runtime's code. */
int mi_aclprof_begin(void);

/* On one device; a device that has it already is left alone. */
void mi_aclprof_start(uint32_t device);

/* On all devices; its PROF_* folder is whole then and lies in the capture folder. */
void mi_aclprof_end(void);

void mi_aclprof_forget(void); /* in a child */

#endif
