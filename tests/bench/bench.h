/* A small bench: every case runs in its own child process, several rounds, the median counts.
 *
 * Speed is GB of input per second of processor time, so it is that of one core and other programs
 * count little; since machines differ, it is also given relative to the first case of its group,
 * which should be a memcpy of the same bytes. Memory is what the child grew by, at its peak: the
 * whole resident set, and of it what is anonymous (own memory) and what is mapped from files.
 *
 *     struct bench bench;
 *     bench_init(&bench, "json", argc, argv);
 *     bench_run(&bench, "memcpy", copy, &input, input.len);
 *     const struct bench_row *row = bench_run(&bench, "skip", skip, &input, input.len);
 *     bench_goal(&bench, "JSON is skipped at", bench_speed(row), BENCH_AT_LEAST, 1, "GB/s");
 *     return bench_report(&bench);
 *
 * Goals are printed as reached or missed and never make the program fail: times belong to the
 * machine. Options of every bench program: --json, --rounds N, --size-mb N (input to
 * generate), --only TEXT (cases whose name has it). */
#ifndef MI_TESTS_BENCH_H
#define MI_TESTS_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BENCH_MOST_ROWS   64
#define BENCH_MOST_GOALS  32
#define BENCH_MOST_ROUNDS 101

/* One run over the input. Returns a number that depends on all that was read: equal inputs, equal
 * numbers; it is shown, so that a case that read too little is seen. Ends by abort() if it fails.
 */
typedef uint64_t bench_fn(void *context);

struct bench_row {
    const char *group, *name;
    double seconds;     /* median of the rounds */
    double cpu_seconds; /* median; of all threads, user and system */
    double best;        /* fastest round, seconds */
    uint64_t bytes;     /* of input; 0 = speed says nothing */
    uint64_t result;
    uint64_t peak_bytes;        /* growth of the resident set */
    uint64_t anon_bytes;        /* of it anonymous, sampled; not known of programs */
    uint64_t file_bytes;        /* of it mapped from files, sampled; not known of programs */
    uint64_t page_faults;       /* without reading the disk, in the last round */
    uint64_t major_page_faults; /* that read the disk, in the last round */
    unsigned rounds;
    bool is_program, is_ok;
};

enum bench_sense { BENCH_AT_MOST, BENCH_AT_LEAST, BENCH_NO_TARGET };

struct bench_goal {
    char text[96];
    const char *unit;
    double value, limit;
    enum bench_sense sense;
    bool is_measured;
};

struct bench {
    const char *name;
    bool json;
    unsigned rounds;
    size_t size_bytes; /* of input to generate; 0 = what the program thinks right */
    const char *group;
    const char *only; /* NULL = all cases */
    unsigned row_count, goal_count;
    struct bench_row left_out;
    struct bench_row rows[BENCH_MOST_ROWS];
    struct bench_goal goals[BENCH_MOST_GOALS];
};

/* Reads the options; ends the program on a wrong one. */
void bench_init(struct bench *bench, const char *name, int argc, char **argv);

/* Cases of one group are compared with its first. */
void bench_group(struct bench *bench, const char *group);
const struct bench_row *bench_run(struct bench *bench, const char *name, bench_fn *fn,
                                  void *context, uint64_t bytes);

/* Runs a program from its start to its end: `arguments` ends with NULL, the first is its path.
 * What it prints goes to the file `output`, whose size is the result. */
const struct bench_row *bench_program(struct bench *bench, const char *name,
                                      const char *const *arguments, const char *output,
                                      uint64_t bytes);

double bench_now(void);                          /* seconds */
double bench_speed(const struct bench_row *row); /* GB/s of one core; negative if it failed */

/* A negative value counts as not measured (and is left out if --only left out its case).
 * BENCH_NO_TARGET: a figure that says how to read others; `limit` means nothing. */
void bench_goal(struct bench *bench, const char *text, double value, enum bench_sense sense,
                double limit, const char *unit);

/* Prints the tables, or JSON; 0 if all cases ran. */
int bench_report(const struct bench *bench);

/* --- temporary files --- */

/* Makes a folder below TMPDIR (or /tmp) and returns its path; ends the program if it cannot. */
const char *bench_folder(void);
/* Removes it with what is in it; no folders within. */
void bench_remove_folder(const char *folder);
/* FOLDER/NAME; stays valid. */
const char *bench_path(const char *folder, const char *name);

#endif
