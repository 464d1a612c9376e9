// What rules of findings and of links are called in Chinese. Commands and documents know them by their English
// names, which the page tells too, on hovering.
export const RULES_ZH: Record<string, string> = {
    // src/analyse/doctor/rules.def
    clock_offset: '时钟偏移', constant_not_folded: '常量未折叠', format_ping_pong: '格式来回转换', inserted_transfers: '插入的搬运',
    tiny_task_storm: '小任务过多', dtype_upcast: '元素类型升宽', over_fusion: '过度融合', aicpu_fallback: '回退到 AI CPU',
    low_core_use: '核利用率低', slow_shape: '低效形状', duplicate_compute: '重复计算', missed_overlap: '未能并行', pseudo_dependency: '伪依赖',
    redundant_sync: '多余同步', host_bound: '受限于主机', unbalanced_ranks: '各 rank 不均衡', late_collective: '集合通信迟到', slow_op: '慢算子',
    transfer_share: '数据搬运占比', idle_device: '设备空闲', more_tasks_than_nodes: '任务多于节点', not_executed: '未执行',
    parallel_to_serial: '并行变串行', fusion_changed: '融合方式改变',
    // src/analyse/check.c
    vanished: '消失', shape: '形状', dtype: '元素类型', kept_dtype: '保留元素类型', ai_cpu: 'AI CPU', added: '新增', replaced: '被替换',
    layout: '排布', removed: '被移除',
    // the other analyses
    contradicted: '相互矛盾', cut: '已截断', cycle: '环', data_unknown: '数据流未知', ledger_open: '账目未平', needed_wait: '必要的等待',
    no_anchors: '没有锚点', no_plan: '没有计划', no_stages: '没有阶段', not_checked: '未检查', not_modelled: '未建模', other_format: '其他格式',
    several: '不止一个', single_stage: '只有一个阶段', tensor_name: '张量名称', tensor_read: '读取的张量',
    // src/correlate/matchers.def, and what else links are made by
    fusion_notes: '融合记录', recorded: '编译器记录', lowering_notes: '下降记录', names: '名称', tensor_names: '张量名称', tensor_origins: '张量来源',
    ort_cuts: '子图切分', ge_cuts: '子图切分', ge_inserted: '编译器插入', ort_task_names: '任务名称', cann_tasks: '任务标识', acl_graph: 'ACL 图',
    hook_calls: '调用记录', host_calls: '主机调用', timing: '时间', planned: '计划', op_index: '算子序号', task_index_op_name: '任务序号与算子名', adjacency: '相邻关系',
};
