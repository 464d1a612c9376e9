/* A program as users have it: loads a model, copies in, runs N batches, copies out, unloads.
 * infer MODEL.om BATCHES [EXIT_CODE [pause | steps | exec PROGRAM ARGS...]]
 *   pause  waits for a line of input once the model is loaded, and again before it is unloaded
 *   steps  waits for one after every fourth part of the batches but the last
 *   exec   becomes that program after the batches */
#include "acl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Says where it is and waits to be told to go on. */
static void pause_at(const char *where)
{
    char line[64];
    printf("%s\n", where);
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin))
        exit(7);
}

int main(int argc, char **argv)
{
    static char data[4096], result[4096];
    uint32_t model = 0;
    void *stream = NULL;
    int batches = argc > 2 ? atoi(argv[2]) : 1;
    if (argc < 2 || aclInit(NULL) != 0 || aclrtSetDevice(0) != 0 ||
        aclmdlLoadFromFile(argv[1], &model) != 0 || aclrtCreateStream(&stream) != 0) {
        fprintf(stderr, "cannot load\n");
        return 9;
    }
    const char *mode = argc > 4 ? argv[4] : "";
    if (strcmp(mode, "pause") == 0)
        pause_at("loaded");
    for (int i = 0; i < batches; i++) {
        memset(data, i, sizeof data);
        if (aclrtMemcpyAsync(result, sizeof result, data, sizeof data, 1, stream) != 0 ||
            aclrtSynchronizeStream(stream) != 0 || aclmdlExecute(model, NULL, NULL) != 0 ||
            aclrtMemcpy(data, sizeof data, result, sizeof result, 2) != 0)
            return 8;
        if (strcmp(mode, "steps") == 0 && (i + 1) % (batches / 4) == 0 && i + 1 < batches)
            pause_at("step");
    }
    if (strcmp(mode, "pause") == 0)
        pause_at("run");
    printf("%d batches\n", batches);
    if (strcmp(mode, "exec") == 0 && argc > 5) {
        fflush(stdout);
        execv("/nowhere", argv + 5); /* nothing has happened then */
        execvp(argv[5], argv + 5);
        return 7;
    }
    aclrtDestroyStream(stream);
    aclmdlUnload(model);
    aclrtResetDevice(0);
    aclFinalize();
    return argc > 3 ? atoi(argv[3]) : 0;
}
