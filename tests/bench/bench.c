#include "bench.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What a child tells its parent. */
struct outcome {
    double seconds;
    uint64_t result, peak_bytes;
};

static void usage(const char *program)
{
    fprintf(stderr, "usage: %s [--json] [--rounds N] [--size-mb N]\n", program);
    exit(2);
}

static size_t number(const char *program, const char *text)
{
    char *end;
    unsigned long value = text ? strtoul(text, &end, 10) : 0;
    if (!value || value > 100000 || *end)
        usage(program);
    return (size_t)value;
}

void bench_init(struct bench *bench, int argc, char **argv)
{
    *bench = (struct bench){.rounds = 5, .size_bytes = 200u * 1000 * 1000, .group = ""};
    for (int i = 1; i < argc; i++) {
        const char *next = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(argv[i], "--json"))
            bench->json = true;
        else if (!strcmp(argv[i], "--rounds"))
            bench->rounds = (unsigned)number(argv[0], next), i++;
        else if (!strcmp(argv[i], "--size-mb"))
            bench->size_bytes = number(argv[0], next) * 1000 * 1000, i++;
        else
            usage(argv[0]);
    }
}

void bench_group(struct bench *bench, const char *group)
{
    bench->group = group;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* A "Name:  123 kB" line of /proc/self/status; 0 where there is no such file. */
static uint64_t status_bytes(const char *name)
{
    char line[256];
    unsigned long long kib = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, name, strlen(name)))
            sscanf(line + strlen(name), ": %llu", &kib);
    if (file)
        fclose(file);
    return kib * 1024;
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

static void child(unsigned rounds, bench_fn *fn, void *context, int out)
{
    struct outcome outcome = {.seconds = 1e9};
    reset_peak();
    uint64_t before = status_bytes("VmRSS");
    for (unsigned i = 0; i < rounds; i++) {
        double start = now();
        outcome.result = fn(context);
        double seconds = now() - start;
        if (seconds < outcome.seconds)
            outcome.seconds = seconds;
    }
    uint64_t peak = status_bytes("VmHWM");
    outcome.peak_bytes = peak > before ? peak - before : 0;
    _exit(write(out, &outcome, sizeof outcome) == sizeof outcome ? 0 : 1);
}

void bench_run(struct bench *bench, const char *name, bench_fn *fn, void *context, uint64_t bytes)
{
    struct outcome outcome = {0};
    int fds[2], status = 1;
    if (bench->row_count == BENCH_MOST_ROWS || pipe(fds))
        return;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        child(bench->rounds, fn, context, fds[1]);
    close(fds[1]);
    bool is_ok = pid > 0 && read(fds[0], &outcome, sizeof outcome) == sizeof outcome &&
                 waitpid(pid, &status, 0) == pid && status == 0;
    close(fds[0]);
    bench->rows[bench->row_count++] = (struct bench_row){
        bench->group, name, outcome.seconds, bytes, outcome.result, outcome.peak_bytes, is_ok};
}

static double speed(const struct bench_row *row)
{
    return row->is_ok && row->seconds > 0 ? (double)row->bytes / row->seconds / 1e9 : 0;
}

/* The first row of a row's group. */
static const struct bench_row *base_of(const struct bench *bench, const struct bench_row *row)
{
    const struct bench_row *base = bench->rows;
    while (strcmp(base->group, row->group) != 0)
        base++;
    return base;
}

static void print_row(const struct bench *bench, const struct bench_row *row)
{
    double base = speed(base_of(bench, row)), ratio = base > 0 ? speed(row) / base : 0;
    double peak_mb = (double)row->peak_bytes / 1e6;
    if (bench->json)
        printf("{\"group\":\"%s\",\"name\":\"%s\",\"ok\":%s,\"bytes\":%llu,\"gb_per_s\":%.3f,"
               "\"ratio\":%.4f,\"peak_mb\":%.1f,\"result\":\"%llx\"}",
               row->group, row->name, row->is_ok ? "true" : "false", (unsigned long long)row->bytes,
               speed(row), ratio, peak_mb, (unsigned long long)row->result);
    else
        printf("%-12s %-34s %8.3f %8.4f %9.1f  %llx%s\n", row->group, row->name, speed(row), ratio,
               peak_mb, (unsigned long long)row->result, row->is_ok ? "" : "  FAILED");
}

int bench_report(const struct bench *bench)
{
    bool all_ok = bench->row_count > 0;
    if (bench->json)
        printf("{\"rounds\":%u,\"rows\":[", bench->rounds);
    else
        printf("%-12s %-34s %8s %8s %9s  result\n", "input", "case", "GB/s", "ratio", "peak MB");
    for (unsigned i = 0; i < bench->row_count; i++) {
        if (bench->json && i)
            printf(",");
        print_row(bench, &bench->rows[i]);
        all_ok = all_ok && bench->rows[i].is_ok;
    }
    if (bench->json)
        printf("]}\n");
    return all_ok ? 0 : 1;
}
