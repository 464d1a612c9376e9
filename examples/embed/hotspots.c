/* Which compiled nodes took the most device time, and which operators of the model they stand for:
 * a small program on the library.
 *
 *     hotspots [-n COUNT] INPUT...      files or capture folders, in any mix
 */
#include <model-inspector/inspector.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct hotspot {
    uint32_t node;
    uint32_t task_count;
    int64_t total_ns;
};

/* Names come from files and may hold anything: control characters are not let through to a
 * terminal. */
static void print_text(struct mi_text text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.at[i];
        putchar(byte < 0x20 || byte == 0x7f ? '?' : byte);
    }
}

static int by_time(const void *left, const void *right)
{
    const struct hotspot *a = left, *b = right;
    if (a->total_ns != b->total_ns)
        return a->total_ns < b->total_ns ? 1 : -1;
    return (a->node > b->node) - (a->node < b->node);
}

/* The operators of the framework graph that went into compiled node `node`. */
static void print_origins(const struct mi_inspector *insp, uint32_t node, uint32_t link_count)
{
    for (uint32_t i = 1; i <= link_count; i++) {
        struct mi_link_info link;
        struct mi_node_info op;
        if (!mi_inspector_link(insp, i, &link) || link.compiled != node ||
            !mi_inspector_node(insp, link.framework, &op))
            continue;
        printf("      %s %s: ", link.role, link.confidence);
        print_text(op.op_type);
        putchar(' ');
        print_text(op.name);
        putchar('\n');
    }
}

static int print_hotspots(const struct mi_inspector *insp, uint32_t most)
{
    struct mi_inspector_counts counts;
    mi_inspector_count(insp, &counts);
    /* Row 0 gathers the tasks without a node. */
    struct hotspot *spots = calloc((size_t)counts.node_count + 1, sizeof *spots);
    if (!spots)
        return 1;
    int64_t total_ns = 0;
    for (uint32_t i = 1; i <= counts.task_count; i++) {
        struct mi_task_info task;
        if (!mi_inspector_task(insp, i, &task) || task.node > counts.node_count)
            continue;
        spots[task.node].node = task.node;
        spots[task.node].task_count++;
        spots[task.node].total_ns += task.dur_ns;
        total_ns += task.dur_ns;
    }
    printf("%" PRIu32 " framework nodes, %" PRIu32 " compiled nodes, %" PRIu32 " tasks, %.3f ms\n",
           counts.framework_node_count, counts.compiled_node_count, counts.task_count,
           (double)total_ns / 1e6);
    qsort(spots, (size_t)counts.node_count + 1, sizeof *spots, by_time);
    for (uint32_t i = 0; i <= counts.node_count && i < most && spots[i].task_count > 0; i++) {
        struct mi_node_info node;
        printf("%10.3f ms %5" PRIu32 " tasks  ", (double)spots[i].total_ns / 1e6,
               spots[i].task_count);
        if (mi_inspector_node(insp, spots[i].node, &node)) {
            print_text(node.op_type);
            putchar(' ');
            print_text(node.name);
        } else {
            printf("(no node)");
        }
        putchar('\n');
        print_origins(insp, spots[i].node, counts.link_count);
    }
    free(spots);
    return 0;
}

int main(int argc, char **argv)
{
    uint32_t most = 5;
    int first = 1;
    if (argc > 2 && strcmp(argv[1], "-n") == 0) {
        most = (uint32_t)strtoul(argv[2], NULL, 10);
        first = 3;
    }
    if (first >= argc) {
        fprintf(stderr, "usage: %s [-n COUNT] INPUT...\n", argv[0]);
        return 2;
    }
    struct mi_error err = MI_ERROR_INIT;
    struct mi_inspector *insp = mi_inspector_new(NULL, &err);
    for (int i = first; insp && i < argc && err.code == MI_OK; i++)
        mi_inspector_add(insp, argv[i], &err);
    int status = 3;
    if (insp && err.code == MI_OK && mi_inspector_load(insp, &err))
        status = print_hotspots(insp, most);
    else
        fprintf(stderr, "%s: %s\n", err.input[0] ? err.input : argv[0], err.text);
    mi_inspector_free(insp);
    return status;
}
