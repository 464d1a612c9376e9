/* A program that forks when the runtime is in use: parent and child go on with it, each for itself.
 * forker KERNELS [exit|_exit|device]     device: the child sets its device anew */
#include "acl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int launch(int count)
{
    void *stream = NULL, *kernel = NULL;
    if (aclrtCreateStream(&stream) != 0 ||
        aclrtBinaryGetFunction(NULL, "te_relu_1__kernel0", &kernel) != 0)
        return 1;
    for (int i = 0; i < count; i++)
        aclrtLaunchKernel(kernel, 1, NULL, 0, stream);
    return aclrtSynchronizeStream(stream);
}

int main(int argc, char **argv)
{
    int kernels = argc > 1 ? atoi(argv[1]) : 1, status = 0;
    const char *mode = argc > 2 ? argv[2] : "exit";
    if (aclInit(NULL) != 0 || aclrtSetDevice(0) != 0 || launch(kernels) != 0)
        return 9;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        int code = strcmp(mode, "device") == 0 ? aclrtSetDevice(0) : 0;
        code = code ? code : launch(2 * kernels);
        if (strcmp(mode, "_exit") == 0)
            _exit(code);
        exit(code);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0 || launch(kernels) != 0)
        return 8;
    printf("forked\n");
    return 0;
}
