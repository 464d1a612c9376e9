/* Writes tests/data/mi_hook/: make_hook_data FOLDER */
#include "support/hook_writer.h"

#include <stdio.h>

static bool save(const struct hook_writer *w, const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s" MI_REC_SUFFIX, folder, name);
    return hook_save(w, path);
}

int main(int argc, char **argv)
{
    static struct hook_writer w;
    if (argc != 2)
        return 2;
    hook_example(&w, MI_REC_ENDED);
    bool ok = save(&w, argv[1], "hook-4242-0");
    /* Killed: one thread had made three more calls, the other one had been too fast before. */
    hook_example(&w, MI_REC_RUNNING);
    hook_chunk(&w, 1, 101, 5);
    hook_call(&w, MI_REC_aclrtRecordEvent, 0xb0, 0xe0, 0, 10, NULL);
    hook_call(&w, (enum mi_rec_type)60000, 0, 0, 0, MI_REC_NO_TASK, "of a later version");
    hook_call(&w, MI_REC_note, 0, 0, 0, MI_REC_NO_TASK, "the runtime has no aclprofInit");
    hook_chunk(&w, 0, 100, 0);
    hook_call(&w, MI_REC_aclrtStreamWaitEvent, 0xa0, 0xe0, 0, 9, NULL);
    hook_end(&w, (const uint64_t[]){20, 12}, 2);
    ok = ok && save(&w, argv[1], "hook-4243-0");
    return ok ? 0 : 1;
}
