/* Reads files, merges them into one model and joins its layers, for tests. */
#ifndef MI_TESTS_JOINING_H
#define MI_TESTS_JOINING_H

#include "correlate/matcher.h"
#include "reading.h"

#define JOINING_MAX 8

struct joining {
    struct mi_model model;
    struct mi_error err;
    struct reading readings[JOINING_MAX];
    uint32_t count;
};

/* A model without rows. */
void joining_init(struct joining *joining);

/* Reads a file with the reader of that name and merges it; false: there is no such file. */
bool joining_file(struct joining *joining, const char *reader, const char *path);

/* The same for bytes, which must outlive the model; `path` is what the source is called. */
void joining_bytes(struct joining *joining, const char *reader, struct mi_bytes bytes,
                   const char *path);

/* Indexes the graphs, correlates and freezes. */
bool joining_run(struct joining *joining);

void joining_fini(struct joining *joining);

#endif
