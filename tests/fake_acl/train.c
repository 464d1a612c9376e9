/* A program as training loops are: steps on two streams that wait for each other, kernels and
 * operators of its own, the model as a part of the step, from THREADS threads at once. train
 * MODEL.om STEPS [THREADS] */
#include "acl.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { KERNELS = 4, DEVICES = 2 };

static uint32_t models[DEVICES];
static int steps;

static void step(uint32_t model, void *compute, void *side, void *kernel, void *forward, void *back)
{
    static _Thread_local char from[256], to[256];
    aclrtMemcpyAsync(to, sizeof to, from, sizeof from, 1, side);
    aclrtMemcpy2dAsync(to, 32, from, 16, 16, 8, 1, side);
    aclrtRecordEvent(forward, side);
    aclrtStreamWaitEvent(compute, forward);
    aclmdlExecuteAsync(model, NULL, NULL, compute);
    for (int k = 0; k < KERNELS; k++)
        aclrtLaunchKernel(kernel, 8, NULL, 0, compute);
    aclnnAdd(NULL, 0, NULL, compute);
    aclrtRecordEvent(back, compute);
    aclrtStreamWaitEvent(side, back);
}

static void *loop(void *user)
{
    int32_t device = (int32_t)(intptr_t)user;
    void *compute, *side, *kernel, *forward, *back;
    aclrtSetDevice(device);
    aclrtCreateStream(&compute);
    aclrtCreateStream(&side);
    aclrtCreateEvent(&forward);
    aclrtCreateEvent(&back);
    aclrtBinaryGetFunction(NULL, "te_adam_1__kernel0", &kernel);
    for (int s = 0; s < steps; s++) {
        step(models[device], compute, side, kernel, forward, back);
        if (s % 4 == 3)
            aclrtSynchronizeStream(side);
    }
    aclrtSynchronizeStream(compute);
    aclrtSynchronizeStream(side);
    aclrtDestroyEvent(forward);
    aclrtDestroyEvent(back);
    aclrtDestroyStream(compute);
    aclrtDestroyStream(side);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[DEVICES];
    int count = argc > 3 ? atoi(argv[3]) : 1;
    steps = argc > 2 ? atoi(argv[2]) : 1;
    if (argc < 2 || count < 1 || count > DEVICES || aclInit(NULL) != 0)
        return 9;
    for (int d = 0; d < count; d++)
        if (aclrtSetDevice(d) != 0 || aclmdlLoadFromFile(argv[1], &models[d]) != 0)
            return 9;
    char from[16] = {0}, to[16];
    if (aclrtMemcpy2d(to, 8, from, 8, 4, 2, 1) != 0)
        return 8;
    for (int d = 0; d < count; d++)
        pthread_create(&threads[d], NULL, loop, (void *)(intptr_t)d);
    for (int d = 0; d < count; d++)
        pthread_join(threads[d], NULL);
    printf("%d steps\n", steps);
    aclFinalize();
    return 0;
}
