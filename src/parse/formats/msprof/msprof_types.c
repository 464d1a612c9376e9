#include "parse/formats/msprof/msprof_types.h"

#define COMPUTE(name, engine)                                                                      \
    {                                                                                              \
        name, engine, MI_TASK_COMPUTE, MI_SYNC_NONE                                                \
    }
#define MOVE(name, engine)                                                                         \
    {                                                                                              \
        name, engine, MI_TASK_TRANSFER, MI_SYNC_NONE                                               \
    }
#define COLLECTIVE(name)                                                                           \
    {                                                                                              \
        name, "", MI_TASK_COMMUNICATION, MI_SYNC_NONE                                              \
    }
#define CONTROL(name)                                                                              \
    {                                                                                              \
        name, "", MI_TASK_SYNC, MI_SYNC_NONE                                                       \
    }

static const struct mi_msprof_type table[] = {
    COMPUTE("AI_CORE", "AI_CORE"),
    COMPUTE("KERNEL_AICORE", "AI_CORE"),
    COMPUTE("AIC", "AI_CORE"),
    COMPUTE("AI_VECTOR_CORE", "AI_VECTOR_CORE"),
    COMPUTE("KERNEL_AIVEC", "AI_VECTOR_CORE"),
    COMPUTE("AIV_SQE", "AI_VECTOR_CORE"),
    COMPUTE("AIV", "AI_VECTOR_CORE"),
    COMPUTE("MIX_AIC", "MIX_AIC"),
    COMPUTE("KERNEL_MIX_AIC", "MIX_AIC"),
    COMPUTE("MIX_AIV", "MIX_AIV"),
    COMPUTE("KERNEL_MIX_AIV", "MIX_AIV"),
    COMPUTE("AI_CPU", "AI_CPU"),
    COMPUTE("KERNEL_AICPU", "AI_CPU"),
    COMPUTE("KERNEL_SIMT", "SIMT"),
    COMPUTE("FUSION", "FUSION"),
    COMPUTE("KERNEL_FUSION", "FUSION"),
    COMPUTE("STARS_COMMON", "STARS"),
    COMPUTE("DSA_SQE", "DSA"),
    COMPUTE("DSA", "DSA"),
    COMPUTE("DVPP", "DVPP"),
    COMPUTE("VPC_SQE", "DVPP"),
    COMPUTE("JPEGE_SQE", "DVPP"),
    COMPUTE("JPEGD_SQE", "DVPP"),
    COMPUTE("VQ6_SQE", "DVPP"),
    COMPUTE("TOF_SQE", "TOF"),
    MOVE("MEMCPY_ASYNC", ""),
    MOVE("MEMSET_ASYNC", ""),
    MOVE("REDUCE_ASYNC_V2", ""),
    MOVE("CMO", ""),
    MOVE("WRITE_BACK", ""),
    MOVE("SDMA", "SDMA"),
    MOVE("SDMA_SQE", "SDMA"),
    MOVE("PCIE_DMA_SQE", "PCIE_DMA"),
    MOVE("Data Context", ""),
    MOVE("Invalidate Data Context", ""),
    MOVE("Writeback Data Context", ""),
    COLLECTIVE("COMMUNICATION"),
    COLLECTIVE("HCCL"),
    COLLECTIVE("HCCL_AI_CPU"),
    COLLECTIVE("ROCCE_SQE"),
    COLLECTIVE("RDMA_SEND"),
    COLLECTIVE("RDMA_DB_SEND"),
    COLLECTIVE("RDMASend"), /* of planes, like the next two */
    MOVE("Memcpy", ""),
    MOVE("Reduce_Inline", ""),
    {"FFTS_PLUS", "", MI_TASK_CONTROL, MI_SYNC_NONE},
    CONTROL("PLACE_HOLDER_SQE"),
    CONTROL("NOP"),
    CONTROL("FLIP_TASK"),
    CONTROL("BARRIER"),
    CONTROL("Load Context"),
    CONTROL("HOST_CPU_SQE"),
    CONTROL("ACTIVE_AICPU_STREAM"),
    CONTROL("CREATE_STREAM"),
    CONTROL("MAINTENANCE"),
    CONTROL("HOSTFUNC_CALLBACK"),
    CONTROL("WriteValueTask"),
    CONTROL("Write Value"),
    CONTROL("DATADUMP_LOADINFO"),
};

/* Families whose members the runtime keeps adding to: a part of the name says what it is. */
static const struct {
    const char *part;
    enum mi_sync sync;
} families[] = {
    {"EVENT_RECORD", MI_SYNC_RECORD},
    {"EVENT_WAIT", MI_SYNC_WAIT},
    {"NOTIFY_RECORD", MI_SYNC_RECORD},
    {"NOTIFY_WAIT", MI_SYNC_WAIT},
    {"CAPTURE_RECORD", MI_SYNC_RECORD},
    {"CAPTURE_WAIT", MI_SYNC_WAIT},
    {"Notify Record", MI_SYNC_RECORD},
    {"Notify Wait", MI_SYNC_WAIT},
    {"Notify_Record", MI_SYNC_RECORD},
    {"Notify_Wait", MI_SYNC_WAIT},
    {"MEM_WRITE_VALUE", MI_SYNC_RECORD},
    {"MEM_WAIT_VALUE", MI_SYNC_WAIT},
    {"EVENT_RESET", MI_SYNC_NONE},
    {"WRITE_VALUE", MI_SYNC_NONE},
    {"MODEL_", MI_SYNC_NONE},
    {"STREAM_", MI_SYNC_NONE},
    {"LABEL_", MI_SYNC_NONE},
    {"PROFIL", MI_SYNC_NONE},
    {"ONLINE_PROF", MI_SYNC_NONE},
};

static const struct mi_msprof_type by_sync[] = {
    [MI_SYNC_NONE] = {"", "", MI_TASK_SYNC, MI_SYNC_NONE},
    [MI_SYNC_WAIT] = {"", "", MI_TASK_SYNC, MI_SYNC_WAIT},
    [MI_SYNC_RECORD] = {"", "", MI_TASK_SYNC, MI_SYNC_RECORD},
};

static const struct mi_msprof_type unknown = {"", "", MI_TASK_OTHER, MI_SYNC_NONE};

enum { MAX_TYPE_BYTES = 128 };

static bool contains(struct mi_bytes text, struct mi_bytes part)
{
    for (; text.len >= part.len; text = mi_bytes_sub(text, 1, text.len))
        if (mi_bytes_starts(text, part))
            return true;
    return false;
}

const struct mi_msprof_type *mi_msprof_type_find(struct mi_bytes name)
{
    if (name.len > MAX_TYPE_BYTES)
        return &unknown;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (mi_bytes_equal(name, mi_cstr(table[i].name)))
            return &table[i];
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (contains(name, mi_cstr(families[i].part)))
            return &by_sync[families[i].sync];
    return &unknown;
}

bool mi_msprof_is_collective(struct mi_bytes name)
{
    return mi_bytes_starts(name, MI_LIT("hcom_")) || mi_bytes_ends(name, MI_LIT("AicpuKernel")) ||
           mi_bytes_ends(name, MI_LIT("AivKernel"));
}

size_t mi_msprof_dtype(struct mi_bytes name, uint8_t *out)
{
    static const struct {
        const char *from, *to;
    } renamed[] = {{"FLOAT", "float32"}, {"DOUBLE", "float64"}, {"BF16", "bfloat16"}};
    if (mi_bytes_starts(name, MI_LIT("DT_")))
        name = mi_bytes_sub(name, 3, name.len);
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++) {
        struct mi_bytes to = mi_cstr(renamed[i].to);
        if (!mi_bytes_equal(name, mi_cstr(renamed[i].from)))
            continue;
        memcpy(out, to.at, to.len);
        return to.len;
    }
    for (size_t i = 0; i < name.len; i++) {
        uint8_t c = name.at[i];
        out[i] = c >= 'A' && c <= 'Z' ? (uint8_t)(c + ('a' - 'A')) : c;
    }
    return name.len;
}
