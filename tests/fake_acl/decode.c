/* An inference program as newer ones are: two models of one file, a graph that is captured from
 * calls on two streams and then replayed, collectives. decode BUNDLE.om STEPS */
#include "acl.h"

#include <stdio.h>
#include <stdlib.h>

enum { FLOAT32 = 4, WITHIN_THREAD = 1 };

static void *prefill, *attend, *sample;
static int failed;

static void expect(int code)
{
    failed += code != 0;
}

/* A stream that waits for an event of the capture takes part in it. */
static void *capture(void *stream, void *side, void *fork, void *join)
{
    void *graph = NULL;
    expect(aclmdlRICaptureBegin(stream, WITHIN_THREAD));
    expect(aclrtLaunchKernel(attend, 8, NULL, 0, stream));
    expect(aclrtRecordEvent(fork, stream));
    expect(aclrtStreamWaitEvent(side, fork));
    expect(aclrtLaunchKernel(sample, 8, NULL, 0, side));
    expect(aclrtRecordEvent(join, side));
    expect(aclrtStreamWaitEvent(stream, join));
    expect(aclmdlRICaptureEnd(stream, &graph));
    return graph;
}

int main(int argc, char **argv)
{
    static float data[1024];
    uint32_t bundle = 0, models[2] = {0};
    void *stream, *side, *fork, *join;
    int steps = argc > 2 ? atoi(argv[2]) : 1;
    if (argc < 2 || aclInit(NULL) != 0 || aclrtSetDevice(0) != 0 ||
        aclmdlBundleLoadFromFile(argv[1], &bundle) != 0)
        return 9;
    for (size_t m = 0; m < 2; m++)
        expect(aclmdlBundleGetModelId(bundle, m, &models[m]));
    expect(aclmdlBundleGetModelId(bundle, 0, &models[0])); /* once more: nothing new */
    aclrtCreateStream(&stream);
    aclrtCreateStream(&side);
    aclrtCreateEvent(&fork);
    aclrtCreateEvent(&join);
    aclrtBinaryGetFunction(NULL, "prefill_kernel", &prefill);
    aclrtBinaryGetFunction(NULL, "attend_kernel", &attend);
    aclrtBinaryGetFunction(NULL, "sample_kernel", &sample);
    expect(aclrtLaunchKernel(prefill, 8, NULL, 0, stream));
    void *graph = capture(stream, side, fork, join);
    for (int s = 0; s < steps; s++) {
        expect(aclmdlExecute(models[s % 2], NULL, NULL));
        expect(aclmdlRIExecuteAsync(graph, stream));
        expect(HcclAllReduce(data, data, 1024, FLOAT32, 0, &bundle, stream));
        expect(aclrtLaunchKernel(prefill, 8, NULL, 0, stream));
        expect(aclrtSynchronizeStream(stream));
    }
    expect(HcclAllGather(data, data, 16, FLOAT32, &bundle, side));
    expect(HcclBarrier(&bundle, side));
    expect(aclmdlRIExecute(graph, -1));
    expect(aclrtSynchronizeDevice());
    expect(aclmdlRIDestroy(graph));
    expect(aclmdlBundleUnload(bundle));
    aclrtDestroyStream(stream);
    aclrtDestroyStream(side);
    aclFinalize();
    printf("%d steps\n", steps);
    return failed ? 8 : 0;
}
