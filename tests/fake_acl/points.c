/* A program that names the points of its own collection, by collect.h: points FOLDER MODEL.om
 * THREADS STEPS Every thread asks for its device times after each fourth step; wrong calls fail and
 * change nothing. */
#include "acl.h"

#include "model-inspector/collect.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS_MAX = 16, STEP = 4, WHAT = MI_COLLECT_GRAPH | MI_COLLECT_RUNTIME };

static int steps;

static void *loop(void *user)
{
    void *stream = NULL, *kernel = NULL;
    intptr_t failed = 0;
    (void)user;
    aclrtSetDevice(0);
    aclrtCreateStream(&stream);
    aclrtBinaryGetFunction(NULL, "te_relu_1__kernel0", &kernel);
    for (int s = 0; s < steps; s++) {
        aclrtLaunchKernel(kernel, 8, NULL, 0, stream);
        if (s % STEP == STEP - 1)
            failed += aclrtSynchronizeStream(stream) != 0 || mi_collect_runtime() != 0;
    }
    aclrtDestroyStream(stream);
    return (void *)failed;
}

static int expect(const char *what, int code, int wanted)
{
    if (code != wanted)
        fprintf(stderr, "%s gave %d instead of %d\n", what, code, wanted);
    return code != wanted;
}

static int begin(const char *folder)
{
    return expect("a snapshot before the start", mi_collect_snapshot_graph(), ENODEV) +
           expect("no folder", mi_collect_start(NULL, WHAT), EINVAL) +
           expect("nothing to collect", mi_collect_start(folder, 0), EINVAL) +
           expect("a folder below none", mi_collect_start("/nowhere/at/all", WHAT), ENOENT) +
           expect("the start", mi_collect_start(folder, WHAT), 0) +
           expect("a second start", mi_collect_start(folder, WHAT), EALREADY);
}

static int end(void)
{
    return expect("the end", mi_collect_stop(), 0) +
           expect("a second end", mi_collect_stop(), ENODEV) +
           expect("a step after the end", mi_collect_runtime(), ENODEV) +
           expect("a start after the end", mi_collect_start("again", WHAT), EALREADY);
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS_MAX];
    uint32_t model = 0;
    void *failed;
    int count = argc > 4 ? atoi(argv[3]) : 0, wrong;
    if (count < 1 || count > THREADS_MAX)
        return 2;
    steps = atoi(argv[4]);
    wrong = begin(argv[1]);
    if (aclInit(NULL) != 0 || aclrtSetDevice(0) != 0 || aclmdlLoadFromFile(argv[2], &model) != 0)
        return 9;
    wrong += expect("the snapshot", mi_collect_snapshot_graph(), 0);
    for (int t = 0; t < count; t++)
        if (pthread_create(&threads[t], NULL, loop, NULL) != 0)
            return 8;
    for (int t = 0; t < count; t++) {
        pthread_join(threads[t], &failed);
        wrong += expect("the steps of a thread", (int)(intptr_t)failed, 0);
    }
    wrong += end();
    aclmdlUnload(model);
    aclFinalize();
    printf("%d wrong\n", wrong);
    return wrong ? 1 : 0;
}
