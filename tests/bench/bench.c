#include "bench.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SAMPLE_MS = 2 };

/* What a child tells its parent. */
struct outcome {
    double seconds[BENCH_MOST_ROUNDS], cpu_seconds[BENCH_MOST_ROUNDS];
    uint64_t result, peak_bytes, page_faults, major_page_faults;
};

/* Resident sizes of a process. */
struct memory {
    uint64_t peak, all, anon, file;
};

static void usage(const char *program)
{
    fprintf(stderr, "usage: %s [--json] [--rounds N] [--size-mb N] [--only TEXT]\n", program);
    exit(2);
}

static size_t number(const char *program, const char *text, size_t most)
{
    char *end;
    unsigned long value = text ? strtoul(text, &end, 10) : 0;
    if (!value || value > most || *end)
        usage(program);
    return (size_t)value;
}

void bench_init(struct bench *bench, const char *name, int argc, char **argv)
{
    *bench = (struct bench){.name = name, .rounds = 5, .group = ""};
    for (int i = 1; i < argc; i++) {
        const char *next = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(argv[i], "--json"))
            bench->json = true;
        else if (!strcmp(argv[i], "--rounds"))
            bench->rounds = (unsigned)number(argv[0], next, BENCH_MOST_ROUNDS), i++;
        else if (!strcmp(argv[i], "--size-mb"))
            bench->size_bytes = number(argv[0], next, 100000) * 1000 * 1000, i++;
        else if (!strcmp(argv[i], "--only") && next)
            bench->only = next, i++;
        else
            usage(argv[0]);
    }
}

void bench_group(struct bench *bench, const char *group)
{
    bench->group = group;
}

double bench_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* All zeros where there is no such file, or the process has ended. */
static struct memory memory_of(pid_t pid)
{
    struct memory memory = {0};
    const struct {
        const char *name;
        uint64_t *bytes;
    } lines[] = {{"VmHWM:", &memory.peak},
                 {"VmRSS:", &memory.all},
                 {"RssAnon:", &memory.anon},
                 {"RssFile:", &memory.file}};
    char path[64], text[256];
    snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    FILE *file = fopen(path, "r");
    while (file && fgets(text, sizeof text, file))
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
            if (!strncmp(text, lines[i].name, strlen(lines[i].name)))
                *lines[i].bytes = strtoull(text + strlen(lines[i].name), NULL, 10) * 1024;
    if (file)
        fclose(file);
    return memory;
}

/* Makes the peak of the resident set start again at what it is now. */
static void reset_peak(void)
{
    int fd = open("/proc/self/clear_refs", O_WRONLY);
    if (fd >= 0) {
        ssize_t ignored = write(fd, "5", 1);
        (void)ignored;
        close(fd);
    }
}

static uint64_t grown(uint64_t now, uint64_t before)
{
    return now > before ? now - before : 0;
}

static double cpu_seconds(const struct rusage *used)
{
    return (double)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) +
           (double)(used->ru_utime.tv_usec + used->ru_stime.tv_usec) * 1e-6;
}

/* --- cases in a child --- */

static void child(unsigned rounds, bench_fn *fn, void *context, int out)
{
    struct outcome outcome = {0};
    struct rusage before, after;
    reset_peak();
    uint64_t start_bytes = memory_of(getpid()).all;
    for (unsigned i = 0; i < rounds; i++) {
        getrusage(RUSAGE_SELF, &before);
        double start = bench_now();
        outcome.result = fn(context);
        outcome.seconds[i] = bench_now() - start;
        getrusage(RUSAGE_SELF, &after);
        outcome.cpu_seconds[i] = cpu_seconds(&after) - cpu_seconds(&before);
        outcome.page_faults = (uint64_t)(after.ru_minflt - before.ru_minflt);
        outcome.major_page_faults = (uint64_t)(after.ru_majflt - before.ru_majflt);
    }
    outcome.peak_bytes = grown(memory_of(getpid()).peak, start_bytes);
    _exit(write(out, &outcome, sizeof outcome) == sizeof outcome ? 0 : 1);
}

/* Watches the child's memory until it has something to say or has ended. */
static void watch(pid_t pid, int fd, struct bench_row *row)
{
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    struct memory first = memory_of(pid);
    do {
        struct memory now = memory_of(pid);
        if (grown(now.anon, first.anon) > row->anon_bytes)
            row->anon_bytes = now.anon - first.anon;
        if (grown(now.file, first.file) > row->file_bytes)
            row->file_bytes = now.file - first.file;
    } while (poll(&ready, 1, SAMPLE_MS) == 0);
}

static int compare_times(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

static void set_times(struct bench_row *row, double *seconds, double *cpu)
{
    qsort(seconds, row->rounds, sizeof *seconds, compare_times);
    qsort(cpu, row->rounds, sizeof *cpu, compare_times);
    row->best = seconds[0];
    row->seconds = seconds[row->rounds / 2];
    row->cpu_seconds = cpu[row->rounds / 2];
}

/* A case that was not asked for gets a row that is not shown. */
static struct bench_row *add_row(struct bench *bench, const char *name, uint64_t bytes)
{
    if (bench->only && !strstr(name, bench->only)) {
        bench->left_out = (struct bench_row){.group = bench->group, .name = name};
        return &bench->left_out;
    }
    if (bench->row_count == BENCH_MOST_ROWS)
        abort();
    struct bench_row *row = &bench->rows[bench->row_count++];
    *row = (struct bench_row){
        .group = bench->group, .name = name, .bytes = bytes, .rounds = bench->rounds};
    return row;
}

const struct bench_row *bench_run(struct bench *bench, const char *name, bench_fn *fn,
                                  void *context, uint64_t bytes)
{
    struct bench_row *row = add_row(bench, name, bytes);
    struct outcome outcome = {0};
    int fds[2], status = 1;
    if (row == &bench->left_out || pipe(fds))
        return row;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        child(bench->rounds, fn, context, fds[1]);
    close(fds[1]);
    if (pid > 0)
        watch(pid, fds[0], row);
    row->is_ok = pid > 0 && read(fds[0], &outcome, sizeof outcome) == sizeof outcome;
    row->is_ok = pid > 0 && waitpid(pid, &status, 0) == pid && status == 0 && row->is_ok;
    close(fds[0]);
    row->result = outcome.result;
    row->peak_bytes = outcome.peak_bytes;
    row->page_faults = outcome.page_faults;
    row->major_page_faults = outcome.major_page_faults;
    set_times(row, outcome.seconds, outcome.cpu_seconds);
    return row;
}

/* --- programs --- */

static void start_program(const char *const *arguments, const char *output)
{
    char *list[16] = {NULL};
    int out = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int none = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (unsigned i = 0; arguments[i]; i++)
        if (i + 1 == sizeof list / sizeof *list || !(list[i] = strdup(arguments[i])))
            _exit(127);
    if (out < 0 || none < 0 || dup2(none, 0) < 0 || dup2(out, 1) < 0 || dup2(none, 2) < 0)
        _exit(127);
    execv(list[0], list);
    _exit(127);
}

const struct bench_row *bench_program(struct bench *bench, const char *name,
                                      const char *const *arguments, const char *output,
                                      uint64_t bytes)
{
    struct bench_row *row = add_row(bench, name, bytes);
    double seconds[BENCH_MOST_ROUNDS], cpu[BENCH_MOST_ROUNDS];
    struct rusage used = {0};
    struct stat written = {0};
    if (row == &bench->left_out)
        return row;
    row->is_program = row->is_ok = true;
    for (unsigned i = 0; i < bench->rounds && row->is_ok; i++) {
        int status = 1;
        fflush(NULL);
        double start = bench_now();
        pid_t pid = fork();
        if (pid == 0)
            start_program(arguments, output);
        row->is_ok = pid > 0 && wait4(pid, &status, 0, &used) == pid && status == 0;
        seconds[i] = bench_now() - start;
        cpu[i] = cpu_seconds(&used);
    }
    if (!row->is_ok || stat(output, &written) != 0)
        return row;
    row->result = (uint64_t)written.st_size;
    row->peak_bytes = (uint64_t)used.ru_maxrss * 1024;
    row->page_faults = (uint64_t)used.ru_minflt;
    row->major_page_faults = (uint64_t)used.ru_majflt;
    set_times(row, seconds, cpu);
    return row;
}

/* --- report --- */

double bench_speed(const struct bench_row *row)
{
    return row->is_ok && row->cpu_seconds > 0 ? (double)row->bytes / row->cpu_seconds / 1e9 : -1;
}

void bench_goal(struct bench *bench, const char *text, double value, enum bench_sense sense,
                double limit, const char *unit)
{
    if (value < 0 && bench->only)
        return;
    if (bench->goal_count == BENCH_MOST_GOALS)
        abort();
    struct bench_goal *goal = &bench->goals[bench->goal_count++];
    *goal = (struct bench_goal){
        .unit = unit, .value = value, .limit = limit, .sense = sense, .is_measured = value >= 0};
    snprintf(goal->text, sizeof goal->text, "%s", text);
}

static const char *verdict(const struct bench_goal *goal)
{
    if (goal->sense == BENCH_NO_TARGET)
        return goal->is_measured ? "measured" : "not measured";
    bool is_reached =
        goal->sense == BENCH_AT_MOST ? goal->value <= goal->limit : goal->value >= goal->limit;
    return !goal->is_measured ? "not measured" : is_reached ? "reached" : "missed";
}

/* The first row of a row's group. */
static const struct bench_row *base_of(const struct bench *bench, const struct bench_row *row)
{
    const struct bench_row *base = bench->rows;
    while (strcmp(base->group, row->group) != 0)
        base++;
    return base;
}

static double ratio_of(const struct bench *bench, const struct bench_row *row)
{
    double base = bench_speed(base_of(bench, row));
    return base > 0 && row->is_ok ? bench_speed(row) / base : 0;
}

static void print_row(const struct bench *bench, const struct bench_row *row)
{
    printf("%-14s %-38s %9.2f %9.2f", row->group, row->name, row->seconds * 1e3,
           row->cpu_seconds * 1e3);
    if (row->bytes)
        printf(" %8.3f %8.4f", bench_speed(row), ratio_of(bench, row));
    else
        printf(" %8s %8s", "-", "-");
    printf(" %8.1f", (double)row->peak_bytes / 1e6);
    if (row->is_program)
        printf(" %8s %8s", "-", "-");
    else
        printf(" %8.1f %8.1f", (double)row->anon_bytes / 1e6, (double)row->file_bytes / 1e6);
    printf(" %8llu %6llu  %llx%s\n", (unsigned long long)row->page_faults,
           (unsigned long long)row->major_page_faults, (unsigned long long)row->result,
           row->is_ok ? "" : "  FAILED");
}

static void print_tables(const struct bench *bench)
{
    printf("%-14s %-38s %9s %9s %8s %8s %8s %8s %8s %8s %6s  result\n", "input", "case", "ms",
           "cpu ms", "GB/s", "ratio", "peak MB", "anon MB", "file MB", "faults", "major");
    for (unsigned i = 0; i < bench->row_count; i++)
        print_row(bench, &bench->rows[i]);
    for (unsigned i = 0; i < bench->goal_count; i++) {
        const struct bench_goal *goal = &bench->goals[i];
        printf("%s%-66s %10.3f %-10s ", i ? "" : "\n", goal->text, goal->value, goal->unit);
        if (goal->sense == BENCH_NO_TARGET)
            printf("no target: %s\n", verdict(goal));
        else
            printf("target %s %g: %s\n", goal->sense == BENCH_AT_MOST ? "<=" : ">=", goal->limit,
                   verdict(goal));
    }
}

static void print_json(const struct bench *bench)
{
    printf("{\"bench\":\"%s\",\"rows\":[", bench->name);
    for (unsigned i = 0; i < bench->row_count; i++) {
        const struct bench_row *row = &bench->rows[i];
        printf("%s\n{\"group\":\"%s\",\"name\":\"%s\",\"ok\":%s,\"rounds\":%u,\"bytes\":%llu,"
               "\"ms\":%.3f,\"best_ms\":%.3f,\"cpu_ms\":%.3f,\"gb_per_s\":%.3f,\"ratio\":%.4f,"
               "\"peak_mb\":%.1f,",
               i ? "," : "", row->group, row->name, row->is_ok ? "true" : "false", row->rounds,
               (unsigned long long)row->bytes, row->seconds * 1e3, row->best * 1e3,
               row->cpu_seconds * 1e3, bench_speed(row), ratio_of(bench, row),
               (double)row->peak_bytes / 1e6);
        if (!row->is_program)
            printf("\"anon_mb\":%.1f,\"file_mb\":%.1f,", (double)row->anon_bytes / 1e6,
                   (double)row->file_bytes / 1e6);
        printf("\"page_faults\":%llu,\"major_page_faults\":%llu,\"result\":\"%llx\"}",
               (unsigned long long)row->page_faults, (unsigned long long)row->major_page_faults,
               (unsigned long long)row->result);
    }
    printf("],\"goals\":[");
    for (unsigned i = 0; i < bench->goal_count; i++) {
        const struct bench_goal *goal = &bench->goals[i];
        printf("%s\n{\"text\":\"%s\",\"value\":%.4f,\"unit\":\"%s\",", i ? "," : "", goal->text,
               goal->value, goal->unit);
        if (goal->sense != BENCH_NO_TARGET)
            printf("\"sense\":\"%s\",\"limit\":%g,",
                   goal->sense == BENCH_AT_MOST ? "at_most" : "at_least", goal->limit);
        printf("\"verdict\":\"%s\"}", verdict(goal));
    }
    printf("]}\n");
}

int bench_report(const struct bench *bench)
{
    bool all_ok = bench->row_count > 0;
    if (bench->json)
        print_json(bench);
    else
        print_tables(bench);
    for (unsigned i = 0; i < bench->row_count; i++)
        all_ok = all_ok && bench->rows[i].is_ok;
    return all_ok ? 0 : 1;
}

/* --- temporary files --- */

const char *bench_path(const char *folder, const char *name)
{
    static struct path {
        struct path *next;
        char text[];
    } * paths; /* kept until the program ends */
    size_t room = strlen(folder) + strlen(name) + 2;
    struct path *path = malloc(sizeof *path + room);
    if (!path)
        abort();
    snprintf(path->text, room, "%s/%s", folder, name);
    path->next = paths;
    paths = path;
    return path->text;
}

const char *bench_folder(void)
{
    const char *base = getenv("TMPDIR");
    char name[] = "mi-bench-XXXXXX", room[4096];
    int len = snprintf(room, sizeof room, "%s/%s", base && *base ? base : "/tmp", name);
    if (len < 0 || (size_t)len >= sizeof room || !mkdtemp(room)) {
        fprintf(stderr, "cannot make a folder for the inputs in %s\n", base ? base : "/tmp");
        exit(1);
    }
    return bench_path(room, ".");
}

void bench_remove_folder(const char *folder)
{
    DIR *dir = opendir(folder);
    char path[4096];
    size_t len = strlen(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(dir), entry->d_name, 0);
    if (dir)
        closedir(dir);
    if (len > 2 && len < sizeof path) { /* without the "/." */
        memcpy(path, folder, len - 2);
        path[len - 2] = 0;
        rmdir(path);
    }
}
