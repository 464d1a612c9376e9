/* A program of many threads: crowd THREADS AT_ONCE KERNELS     each launches so many on the default
 * stream */
#include "acl.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { AT_ONCE_MAX = 1000 };

static pthread_barrier_t everyone; /* all of a wave are alive at the same time */

static void *launch(void *user)
{
    void *kernel = NULL;
    aclrtBinaryGetFunction(NULL, "te_relu_1__kernel0", &kernel);
    for (intptr_t i = 0; i < (intptr_t)user; i++)
        aclrtLaunchKernel(kernel, 1, NULL, 0, NULL);
    pthread_barrier_wait(&everyone);
    return NULL;
}

int main(int argc, char **argv)
{
    static pthread_t threads[AT_ONCE_MAX];
    int count = argc > 1 ? atoi(argv[1]) : 1, at_once = argc > 2 ? atoi(argv[2]) : 1;
    intptr_t kernels = argc > 3 ? atoi(argv[3]) : 1;
    if (at_once < 1 || at_once > AT_ONCE_MAX || aclInit(NULL) != 0 || aclrtSetDevice(0) != 0)
        return 9;
    for (int done = 0; done + at_once <= count; done += at_once) {
        pthread_barrier_init(&everyone, NULL, (unsigned)at_once);
        for (int i = 0; i < at_once; i++)
            if (pthread_create(&threads[i], NULL, launch, (void *)kernels) != 0)
                return 8;
        for (int i = 0; i < at_once; i++)
            pthread_join(threads[i], NULL);
        pthread_barrier_destroy(&everyone);
    }
    aclrtSynchronizeDevice();
    printf("%d threads\n", count);
    return 0;
}
