/* Runs one reader over bytes or over a file, for tests. */
#ifndef MI_TESTS_READING_H
#define MI_TESTS_READING_H

#include "base/input.h"
#include "parse/reader.h"

struct reading {
    struct mi_input input;
    struct mi_batch batch;
    struct mi_error err;
    bool ok;
};

/* `bytes` stay the caller's and must outlive the reading; `role` and `limits` may be NULL. */
void reading_bytes(struct reading *reading, const struct mi_reader *reader, struct mi_bytes bytes,
                   const char *role, const struct mi_limits *limits);

/* False: there is no such file. `reader` NULL: the one that recognises it; then false as well if
 * none does. */
bool reading_file(struct reading *reading, const struct mi_reader *reader, const char *path);

void reading_fini(struct reading *reading);

/* A path under the folder of large samples ($MI_SHARED, default ../shared beside the sources);
 * static memory, overwritten by the next call. */
const char *shared_path(const char *below);

/* How often a diagnostic was counted; 0 = never. */
int64_t reading_diag(const struct reading *reading, const char *code);

#endif
