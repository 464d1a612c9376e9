/* The case "kernels": code in every kind of store, and tasks with arguments. */
#include "om_cases.h"

#include <string.h>

#define MAP       UINT64_C(0x80000000)
#define WEIGHTS   UINT64_C(0x80010000)
#define VARIABLES UINT64_C(0x4000000000)

static void ops(struct onnx_writer *w)
{
    size_t op = om_op_begin(w, "x", "Data", 0, "-");
    om_numbers(w, 29, "512");
    onnx_end(w, om_desc(w, 34, 1, "ND", "4"));
    onnx_end(w, op);
    op = om_op_begin(w, "w", "Const", 1, "");
    onnx_end(w, om_desc(w, 34, 1, "ND", "4"));
    onnx_end(w, op);
    for (int i = 2; i < 4; i++) { /* two that run one kernel */
        op = om_op_begin(w, i == 2 ? "mul" : "mul_again", "Mul", i, i == 2 ? "x:0 w:0" : "mul:0");
        om_attr_text(w, 10, "_kernelname", "te_mul");
        om_numbers(w, 28, i == 2 ? "512,64" : "1024");
        om_numbers(w, 29, i == 2 ? "1024" : "2048");
        onnx_end(w, om_desc(w, 34, 1, "ND", "4"));
        onnx_end(w, op);
    }
    op = om_op_begin(w, "host", "MyCpuOp", 4, "mul_again:0");
    onnx_end(w, om_desc(w, 34, 1, "ND", "4"));
    onnx_end(w, op);
}

static void kernel_task(struct onnx_writer *w, int64_t op_index, const char *format,
                        const uint64_t *args, size_t count)
{
    struct onnx_writer bytes = {0};
    size_t task = om_task(w, 0, 0), kernel = onnx_begin(w, 20), context = onnx_begin(w, 1);
    onnx_int(w, 1, 2);
    onnx_int(w, 4, op_index);
    onnx_bytes(w, 6, "\0\0\x08", 4);
    onnx_int(w, 7, (int64_t)count);
    om_numbers(w, 8, "2");
    onnx_text(w, 10, format);
    onnx_end(w, context);
    onnx_text(w, 10, "2_-1_0_mul");
    onnx_int(w, 11, 4);
    for (size_t i = 0; i < count; i++)
        om_u64(&bytes, args[i]);
    onnx_bytes(w, 13, bytes.at, bytes.len);
    onnx_text(w, 17, "te_mul");
    size_t info = onnx_begin(w, 20);
    onnx_int(w, 1, 1);
    onnx_int(w, 3, -1);
    onnx_end(w, info);
    onnx_end(w, kernel);
    onnx_end(w, task);
    onnx_writer_fini(&bytes);
}

static void task_list(struct onnx_writer *w)
{
    const uint64_t first[] = {MAP + 512, WEIGHTS + 64, MAP + 1024, 7},
                   second[] = {MAP + 1024, MAP + 2048};
    kernel_task(w, 2, "{i_instance0*}{i_instance1*}{o_instance0*}{#7}", first, 4);
    kernel_task(w, 3, "", second, 2);
    size_t task = om_task(w, 13, 0), copy = onnx_begin(w, 31);
    onnx_int(w, 1, (int64_t)(MAP + 4096));
    onnx_int(w, 3, (int64_t)VARIABLES);
    onnx_int(w, 4, 16);
    onnx_int(w, 6, 4);
    onnx_end(w, copy);
    onnx_end(w, task);
    task = om_task(w, 0, 0);
    size_t kernel = onnx_begin(w, 20), context = onnx_begin(w, 1);
    onnx_int(w, 1, 7);
    onnx_int(w, 4, 4);
    onnx_end(w, context);
    onnx_bytes(w, 13, "abc", 3);
    onnx_text(w, 16, "libcust_aicpu.so");
    onnx_text(w, 17, "RunCpuKernel");
    onnx_end(w, kernel);
    onnx_end(w, task);
}

static void store(struct onnx_writer *w, uint32_t magic, const char *name, const char *code)
{
    om_u32(w, magic);
    om_u32(w, (uint32_t)strlen(name));
    om_u32(w, (uint32_t)strlen(code));
    onnx_raw(w, name, strlen(name));
    onnx_raw(w, code, strlen(code));
}

static void libraries(struct onnx_writer *w)
{
    om_u32(w, 1);
    om_u32(w, 0x5d776efd);
    om_u32(w, 9);
    om_u32(w, 3);
    om_u32(w, 2);
    onnx_raw(w, "libops.soabc", 12);
    onnx_raw(w, "so", 2);
}

void om_case_kernels(struct onnx_writer *w)
{
    struct onnx_writer def = {0}, tasks = {0}, tbe = {0}, aicpu = {0}, so = {0}, custom = {0};
    size_t graph = om_graph(&def, "kernels");
    ops(&def);
    onnx_end(&def, graph);
    om_attr_int(&def, 11, "memory_size", (int64_t)(WEIGHTS - MAP));
    om_attr_int(&def, 11, "weight_size", 4096);
    om_attr_int(&def, 11, "task_gen_base_addr", (int64_t)MAP);
    om_attr_int(&def, 11, "task_gen_weight_addr", (int64_t)WEIGHTS);
    om_attr_int(&def, 11, "task_gen_variable_addr", (int64_t)VARIABLES);
    task_list(&tasks);
    store(&tbe, 0x5d776efd, "te_mul",
          "\x7f"
          "ELF code");
    store(&tbe, 0x5d776efd, "te_unused",
          "\x7f"
          "ELF");
    store(&aicpu, 0x5d776efd, "host",
          "\x7f"
          "ELF more code");
    libraries(&so);
    store(&custom, 0x4b43534b, "MyCpuOp", "code");
    struct om_part_of parts[] = {{0, def.at, def.len}, {2, tasks.at, tasks.len},
                                 {3, tbe.at, tbe.len}, {4, aicpu.at, aicpu.len},
                                 {5, so.at, so.len},   {26, custom.at, custom.len}};
    om_file(w, &(struct om_head){.model_num = 1}, parts, 6);
    onnx_writer_fini(&def);
    onnx_writer_fini(&tasks);
    onnx_writer_fini(&tbe);
    onnx_writer_fini(&aicpu);
    onnx_writer_fini(&so);
    onnx_writer_fini(&custom);
}
