#include "parse/formats/msprof_db/db_columns.h"

#include <stdbool.h>
#include <stddef.h>

#define DATA_TYPE "ENUM_HCCL_DATA_TYPE"

const struct mi_db_column mi_db_task_columns[] = {{"contextId", MI_DB_NUMBER, NULL},
                                                  {"globalTaskId", MI_DB_NUMBER, NULL},
                                                  {"globalPid", MI_DB_NUMBER, NULL},
                                                  {NULL, MI_DB_NUMBER, NULL}};

/* Of blockNum, blockDim and block_dim the first that is there is the number of cores; a blockDim
 * beside gridDim is another thing, a text. */
const struct mi_db_column mi_db_compute_columns[] = {
    {"blockNum", MI_DB_NUMBER, NULL},    {"blockDim", MI_DB_NUMBER, NULL},
    {"block_dim", MI_DB_NUMBER, NULL},   {"mixBlockNum", MI_DB_NUMBER, NULL},
    {"mixBlockDim", MI_DB_NUMBER, NULL}, {"taskType", MI_DB_TEXT, NULL},
    {"inputFormats", MI_DB_TEXT, NULL},  {"outputFormats", MI_DB_TEXT, NULL},
    {"attrInfo", MI_DB_TEXT, NULL},      {"opState", MI_DB_TEXT, NULL},
    {"hf32Eligible", MI_DB_TEXT, NULL},  {"gridDim", MI_DB_TEXT, NULL},
    {NULL, MI_DB_NUMBER, NULL}};

const struct mi_db_column mi_db_part_columns[] = {
    {"opId", MI_DB_NUMBER, NULL},
    {"planeId", MI_DB_NUMBER, NULL},
    {"notifyId", MI_DB_NUMBER, NULL},
    {"rdmaType", MI_DB_ENUM, "ENUM_HCCL_RDMA_TYPE"},
    {"srcRank", MI_DB_NUMBER, NULL},
    {"dstRank", MI_DB_NUMBER, NULL},
    {"transportType", MI_DB_ENUM, "ENUM_HCCL_TRANSPORT_TYPE"},
    {"size", MI_DB_NUMBER, NULL},
    {"dataType", MI_DB_ENUM, DATA_TYPE},
    {"linkType", MI_DB_ENUM, "ENUM_HCCL_LINK_TYPE"},
    {"isMaster", MI_DB_NUMBER, NULL},
    {"bandwidth", MI_DB_NUMBER, NULL},
    {NULL, MI_DB_NUMBER, NULL}};

const struct mi_db_column mi_db_copy_columns[] = {
    {"size", MI_DB_NUMBER, NULL},
    {"memcpyOperation", MI_DB_ENUM, "ENUM_MEMCPY_OPERATION"},
    {NULL, MI_DB_NUMBER, NULL}};

const struct mi_db_column mi_db_collective_columns[] = {
    {"opId", MI_DB_NUMBER, NULL},     {"relay", MI_DB_NUMBER, NULL},
    {"retry", MI_DB_NUMBER, NULL},    {"dataType", MI_DB_ENUM, DATA_TYPE},
    {"algType", MI_DB_TEXT, NULL},    {"count", MI_DB_NUMBER, NULL},
    {"rankSize", MI_DB_NUMBER, NULL}, {NULL, MI_DB_NUMBER, NULL}};

const struct mi_db_column mi_db_torch_columns[] = {{"sequenceNumber", MI_DB_NUMBER, NULL},
                                                   {"fwdThreadId", MI_DB_NUMBER, NULL},
                                                   {"inputDtypes", MI_DB_TEXT, NULL},
                                                   {"inputShapes", MI_DB_TEXT, NULL},
                                                   {NULL, MI_DB_NUMBER, NULL}};

const struct mi_db_column mi_db_range_columns[] = {
    {"eventType", MI_DB_ENUM, "ENUM_MSTX_EVENT_TYPE"},
    {"rangeId", MI_DB_NUMBER, NULL},
    {"category", MI_DB_NUMBER, NULL},
    {"endGlobalTid", MI_DB_NUMBER, NULL},
    {NULL, MI_DB_NUMBER, NULL}};

const struct mi_db_column mi_db_op_memory_columns[] = {
    {"size", MI_DB_NUMBER, NULL},
    {"releaseTime", MI_DB_NUMBER, NULL},
    {"activeReleaseTime", MI_DB_NUMBER, NULL},
    {"duration", MI_DB_NUMBER, NULL},
    {"activeDuration", MI_DB_NUMBER, NULL},
    {"allocationTotalAllocated", MI_DB_NUMBER, NULL},
    {"allocationTotalReserved", MI_DB_NUMBER, NULL},
    {"allocationTotalActive", MI_DB_NUMBER, NULL},
    {"releaseTotalAllocated", MI_DB_NUMBER, NULL},
    {"releaseTotalReserved", MI_DB_NUMBER, NULL},
    {"releaseTotalActive", MI_DB_NUMBER, NULL},
    {"streamPtr", MI_DB_NUMBER, NULL},
    {NULL, MI_DB_NUMBER, NULL}};

const struct mi_db_column mi_db_npu_op_mem_columns[] = {
    {"type", MI_DB_TEXT, NULL},           {"size", MI_DB_NUMBER, NULL},
    {"addr", MI_DB_NUMBER, NULL},         {"totalAllocate", MI_DB_NUMBER, NULL},
    {"totalReserve", MI_DB_NUMBER, NULL}, {"component", MI_DB_TEXT, NULL},
    {"globalTid", MI_DB_NUMBER, NULL},    {NULL, MI_DB_NUMBER, NULL}};

/* Texts of these tables stand in place. */
const struct mi_db_column mi_db_comm_time_columns[] = {
    {"elapse_time", MI_DB_NUMBER, NULL}, {"transit_time", MI_DB_NUMBER, NULL},
    {"wait_time", MI_DB_NUMBER, NULL},   {"synchronization_time", MI_DB_NUMBER, NULL},
    {"idle_time", MI_DB_NUMBER, NULL},   {"type", MI_DB_NUMBER, NULL},
    {NULL, MI_DB_NUMBER, NULL}};
const struct mi_db_column mi_db_comm_way_columns[] = {{"transit_size", MI_DB_NUMBER, NULL},
                                                      {"transit_time", MI_DB_NUMBER, NULL},
                                                      {"bandwidth", MI_DB_NUMBER, NULL},
                                                      {"large_packet_ratio", MI_DB_NUMBER, NULL},
                                                      {"package_size", MI_DB_NUMBER, NULL},
                                                      {"count", MI_DB_NUMBER, NULL},
                                                      {"total_duration", MI_DB_NUMBER, NULL},
                                                      {"type", MI_DB_NUMBER, NULL},
                                                      {NULL, MI_DB_NUMBER, NULL}};
const struct mi_db_column mi_db_comm_link_columns[] = {{"transport_type", MI_DB_NUMBER, NULL},
                                                       {"transit_size", MI_DB_NUMBER, NULL},
                                                       {"transit_time", MI_DB_NUMBER, NULL},
                                                       {"bandwidth", MI_DB_NUMBER, NULL},
                                                       {"op_name", MI_DB_NUMBER, NULL},
                                                       {"type", MI_DB_NUMBER, NULL},
                                                       {NULL, MI_DB_NUMBER, NULL}};

const char *mi_db_shown_name(const struct mi_db_column *columns, uint32_t found, unsigned i)
{
    if (columns != mi_db_compute_columns || i > 4)
        return columns[i].name;
    bool has_grid = found >> 11 & 1, has_number = found & 1;
    if (i == 1 && (has_number || has_grid))
        return has_grid ? "blockDim" : NULL;
    return i >= 3 ? "mixBlockNum" : "blockNum";
}
