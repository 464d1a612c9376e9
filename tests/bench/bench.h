/* A small bench: every case runs in its own child process, several rounds, the best one counts.
 *
 * Speed is GB/s of input and, since machines differ, also relative to the first case, which should
 * be a memcpy of the same bytes. Memory is what the child's resident set grew by beyond the input,
 * at its peak.
 *
 *     struct bench bench;
 *     bench_init(&bench, "JSON", argc, argv);
 *     bench_run(&bench, "memcpy", copy, &input, input.len);
 *     ...
 *     return bench_report(&bench);
 *
 * Options of every bench program: --json, --rounds N, --size-mb N (input to generate). */
#ifndef MI_TESTS_BENCH_H
#define MI_TESTS_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BENCH_MOST_ROWS 64

/* One run over the input. Returns a number that depends on all that was read: equal inputs, equal
 * numbers; it is shown, so that a case that read too little is seen. */
typedef uint64_t bench_fn(void *context);

struct bench_row {
    const char *group, *name;
    double seconds; /* best round */
    uint64_t bytes, result;
    uint64_t peak_bytes; /* growth of the resident set */
    bool is_ok;
};

struct bench {
    bool json;
    unsigned rounds;
    size_t size_bytes; /* of input to generate */
    const char *group;
    unsigned row_count;
    struct bench_row rows[BENCH_MOST_ROWS];
};

/* Reads the options; ends the program on a wrong one. */
void bench_init(struct bench *bench, int argc, char **argv);

/* Cases of one group are compared with its first. */
void bench_group(struct bench *bench, const char *group);
void bench_run(struct bench *bench, const char *name, bench_fn *fn, void *context, uint64_t bytes);

/* Prints the table, or JSON; 0 if all cases ran. */
int bench_report(const struct bench *bench);

#endif
