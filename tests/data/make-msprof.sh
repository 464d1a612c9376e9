#!/bin/sh
# Writes the small tables and notes of Ascend profilers below msprof_tables and msprof_info.
# usage: make-msprof.sh
set -eu
cd "$(dirname "$0")"
mkdir -p msprof_tables msprof_info
cd msprof_tables

cat >op_statistic.csv <<'EOF'
Device_id,OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),Ratio(%)
0,Conv2D,AI_CORE,4,82.000,20.500,20.500,20.500,80.392
1,Mul,AI_VECTOR_CORE,2,20.000,N/A,10.000,12.125,19.608
EOF
# without Device_id, CRLF
printf 'Level,API Name,Time(us),Count,Avg(us),Min(us),Max(us),Variance\r\nacl,aclnnMul,10.250,2,5.125,5.000,5.250,0.015\r\nhccl,Launch_Ffts,474.41,4,118.603,89.18,138.75,389.155\r\n' >api_statistic.csv
cat >communication_statistic.csv <<'EOF'
Device_id,OP Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),Ratio(%)
0,hcom_allReduce_,2,30.5,10.5,15.25,20.0,100
EOF
cat >step_trace_time.csv <<'EOF'
Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble,Communication(Not Overlapped and Exclude Receive),Preparing
50,8827.472999999998,81515.607,4001.281999999992,85516.889,25908.102000000003,116251.25,0,81515.607,19358.0
EOF
cat >cluster_step_trace_time.csv <<'EOF'
Step,Type,Index,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble,Communication(Not Overlapped and Exclude Receive)
2,rank,0,75174.5,146614.0,6987.3,153601.3,69909.5,291698.0,0.0,146614.0
2,stage,"(0, 1)",75422.25,146614.0,6987.3,153601.3,69909.5,291698.0,0.0,146614.0
EOF
printf 'Device_id,Iteration ID,FP Start(us),BP End(us),Iteration End(us),Iteration Time(us),FP to BP Time(us),Iteration Refresh(us),Data Aug Bound(us),Model ID,Reduce Start(us),Reduce Duration(us)\n0,1,N/A,N/A,1700000000000150.125\t,150.125,N/A,N/A,N/A,3,N/A,N/A\n0,2,N/A,N/A,1700000000000300.250\t,149.125,N/A,N/A,N/A,3,1700000000000200.000\t,5.5\n0,3,N/A,N/A,N/A,149.125,N/A,N/A,N/A,3,N/A,N/A\n' >step_trace.csv
cat >fusion_op.csv <<'EOF'
Device_id,Model Name,Model ID,Fusion Op,Original Ops,Memory Input(KB),Memory Output(KB),Memory Weight(KB),Memory Workspace(KB),Memory Total(KB)
host,net,3,conv1relu1,conv1;relu1,64,64,1,0,129
host,net,3,chain,a;b;c;d;e;f;g;h,64,64,0,0,128
host,net,3,,lost,64,64,0,0,128
EOF
cat >l2_cache.csv <<'EOF'
Stream Id,Task Id,Hit Rate,Victim Rate,Op Name
35,1,N/A,0.066608,conv/Conv2D
35,2,0.5,0.25,a,b
35,3,0.75
EOF
printf 'Device_id,Timestamp(us),Node,Compute_time(us),Memcpy_time(us),Task_time(us),Dispatch_time(us),Total_time(us),Stream ID,Task ID\n0,1700000000000010.500\t,Unique,12.5,1.25,14,3,20,35,7\n' >aicpu.csv
printf 'Name,Input Shapes,Call Stack,Host Self Duration(us),Host Total Duration(us),Device Self Duration(us),Device Total Duration(us),Device Self Duration With AICore(us),Device Total Duration With AICore(us)\naten::empty,";\r\n;",,1.5,1.5,0,0,0,0\naten::mul,"32,3;\r\n32,3","model/net/a.py(12): forward;\r\nmodel/net/b.py(3): ""main"";",2.5,10.25,20.0,20.0,0,0\n' >operator_details.csv
printf 'Name,Size(KB),Allocation Time(us),Release Time(us),Duration(us),Allocation Total Allocated(MB),Device Type\naten::empty,512.5,1700000000000005.250\t,,,1.5,NPU:1\ncann::Graph_70,-192,1700000000000006.000\t,1700000000000016.000\t,10.0,0.25,NPU:1\n' >operator_memory.csv
printf 'Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Total Active(MB),Stream Ptr,Device Type\nPTA,1700000000000005.250\t,1.5,2.0,1.5,897357296,NPU:1\nAPP,1700000000000004.000\t,,2109.6015625,,,NPU:1\nAPP,1.7E+15,,2109.6015625,,,NPU:1\n' >memory_record.csv
cat >npu_mem.csv <<'EOF'
event,ddr(KB),hbm(KB),memory(KB),timestamp(us)
app,0,2048.5,2048.5,1700000000000005.250
device,0,4096,4096,1700000000000006.000
EOF
cat >static_op_mem.csv <<'EOF'
Device_id,Op Name,Model Name,Graph ID,Node Index Start,Node Index End,Size(KB)
host,sqrt_01,0,0,31,4294967295,2343.78125
EOF
printf 'Device_id,pid,tid,category,event_type,payload_type,payload_value,Start_time(us),End_time(us),message_type,message,domain\nhost,100,101,0,marker_ex,0,0,1700000000000001.000\t,1700000000000002.500\t,0,load,default\nhost,100,102,0,marker_ex,0,0,1700000000000001.000\t,1700000000000000.500\t,0,"a ""b"", c",default\n' >msprof_tx.csv
cat >task_time_old.csv <<'EOF'
Time(%),Time(us),Count,Avg(us),Min(us),Max(us),Waiting(us),Running(us),Pending(us),Type,API,Task ID,Op Name,Stream ID
60.0,12.5,2,6.25,6.0,6.5,0,12.5,0,kernel AI core task,KernelLaunch,3,conv1,5
EOF
cat >hbm.csv <<'EOF'
Device_id,Metric,Read(MB/s),Write(MB/s)
0,0,12.5,3.5
EOF
printf 'Device_id,Timestamp(us),Bandwidth(MB/s),Rx Bandwidth efficiency(%%),rxPacket/s\n0,1700000000000001.000,200000,0.5,12\n0,1700000000000002.000,200000,0.25,N/A\n' >nic.csv
# a spreadsheet of a country with decimal commas: semicolons, byte order mark
printf '\357\273\277OP Type;Core Type;Count;Total Time(us);Min Time(us);Avg Time(us);Max Time(us);Ratio(%%)\r\nConv2D;AI_CORE;4;82,125;20,5;20,5;20,5;80,392\r\nConv2D;AI_CORE;x;82,125;20,5;20,5;20,5;80,392\r\n' >spreadsheet.csv

cd ../msprof_info
cat >profiler_info_1.json <<'EOF'
{"config": {"common_config": {"activities": ["ProfilerActivity.CPU",
      "ProfilerActivity.NPU"], "schedule": {"wait": 0, "active": 1}, "with_stack": true, "with_flops": false},
  "experimental_config": {"_profiler_level": "Level1", "_aic_metrics": "PipeUtilization", "_export_type": ["text", "db"]}},
 "start_info": {"syscnt_enable": true, "freq": 100, "start_cnt": 17238197612056, "start_monotonic": 172163581670080},
 "end_info": {"collectionTimeEnd": 1700000000000000840, "MonotonicTimeEnd": 172164265133640},
 "torch_npu_version": "2.1.0", "cann_version": "8.1.RC1", "rank_id": 1}
EOF
cat >profiler_metadata.json <<'EOF'
{"distributed_args": {"tensor_model_parallel_size": 2, "rank": 5, "world_size": 8},
 "ENV_VARIABLES": {"HCCL_ALGO": "ring", "EMPTY": ""},
 "parallel_group_info": {"192.0.2.1%eth0_55000_0_17": {"group_name": "dp", "group_rank": 0, "global_ranks": [0, 2]}},
 "note": "a \"quoted\" word", "nested": {"list": [1, {"deep": [2, 3]}]}}
EOF
cat >info.json.0 <<'EOF'
{"CPU": [{"Frequency": "100.000000", "Id": 0}], "DeviceInfo": [{"id": 0, "hwts_frequency": "49.999001", "aic_frequency": "1800",
 "ai_core_num": 24}], "devices": "0", "hostname": "host-a", "hostUid": "17", "pid": "4711", "platform_version": "5", "rank_id": -1}
EOF
echo '{"ai_core_metrics": "PipeUtilization", "task_time": "l1"}' >sample.json
echo '{"clockMonotonicRaw": "39000000000000", "collectionDateBegin": "2023-11-14 22:13:20", "collectionTimeBegin": "1700000000000000"}' >start_info
echo '{"clockMonotonicRaw": "39000144237000", "collectionDateEnd": "2023-11-14 22:13:20", "collectionTimeEnd": "1700000000144237"}' >end_info.0
printf '[Host]\nclock_monotonic_raw: 39000000000000\ncntvct: 3900000000000\ncntvct_diff: 7\n' >host_start.log
printf 'clock_monotonic_raw: 38999987654322\r\ncntvct: 1950000000000\r\nbroken\r\n' >dev_start.log.0
cat >communication_group.json <<'EOF'
{"collective": [[0, 1], [0, 2]], "p2p": [[0, 1, 2, 3]],
 "comm_group_parallel_info": [{"type": "collective", "rank_set": [0, 1], "group_name": "6960437680420871035",
  "group_id": "192.0.2.1%eth0_55000_0_17", "pg_name": "tp"}, {"rank_set": [0, 2], "group_name": "42"}]}
EOF

mkdir -p ../acl_graph ../msprof_communication
cd ../acl_graph
# Two streams; two waits stand in front of the one record of their event, as lists go stream by stream.
cat >captured.json <<'EOF'
[
{"name":"EVENT_WAIT_20627656278240","pid":"17 aclGraph","tid":"stream3","ts":0,"dur":9.5,"ph":"X","args":{"Model Id":1,"Stream Id":3,"Task Id":0}},
{"name":"MatMulV2_ND_1","pid":"17 aclGraph","tid":"stream3","ts":10,"dur":9.5,"ph":"X","args":{"Model Id":1,"Stream Id":3,"Task Id":1}},
{"name":"EVENT_WAIT_20627656278240","pid":"17 aclGraph","tid":"stream4","ts":0,"dur":9.5,"ph":"X","args":{"Model Id":1,"Stream Id":4,"Task Id":0}},
{"name":"MEMCPY_ASYNC","pid":"17 aclGraph","tid":"stream4","ts":10,"dur":9.5,"ph":"X","args":{"Model Id":1,"Stream Id":4,"Task Id":7}},
{"name":"NOTIFY_RECORD_610","pid":"17 aclGraph","tid":"stream4","ts":20,"dur":9.5,"ph":"X","args":{"Model Id":1,"Stream Id":4,"Task Id":8}},
{"name":"NOP","pid":"17 aclGraph","tid":"stream5","ts":0,"dur":0.5,"ph":"X","args":{"Model Id":1,"Stream Id":5,"Task Id":0}},
{"name":"EVENT_RECORD_20627656278240","pid":"17 aclGraph","tid":"stream5","ts":10,"dur":9.5,"ph":"X","args":{"Model Id":1,"Stream Id":5,"Task Id":1}},
{"name":"EVENT_RESET_20627656278240","pid":"17 aclGraph","tid":"stream5","ts":20,"dur":9.5,"ph":"X","args":{"Model Id":1,"Stream Id":5,"Task Id":2}}
]
EOF
# The newer form: types, cores, hexadecimal addresses, two models; one event broken, the end cut off.
cat >verbose.json <<'EOF'
[
{"name":"EVENT_RECORD_0x12c2ec000d20","pid":"17 aclGraph","tid":"stream3","ts":0,"dur":9.5,"ph":"X","args":{"Model Id":2,"Stream Id":3,"Task Id":0,"Task Type":"EVENT_RECORD"}},
{"name":"Add_7","pid":"17 aclGraph","tid":"stream3","ts":10,"dur":9.5,"ph":"X","args":{"Model Id":2,"Stream Id":3,"Task Id":1,"Task Type":"KERNEL_AIVEC","Numblocks":24,"Schem Mode":0,"Kernel Args":["0x1","0x2"]}},
{"name":"broken,"pid":"17 aclGraph"
{"name":"STREAM_ACTIVE","pid":"17 aclGraph","tid":"stream3","ts":20,"dur":9.5,"ph":"X","args":{"Model Id":5,"Stream Id":3,"Task Id":2,"Task Type":"STREAM_ACTIVE","Active Stream Id":9}},
{"name":"other","pid":"17","tid":"stream3","ts":20,"dur":9.5,"ph":"X","args":{}},
{"name":"EVENT_WAIT_0x12c2ec000d20","pid":"17 aclGraph","tid":"str
EOF
truncate -s -1 verbose.json
cd ../msprof_communication
cat >communication.json <<'EOF'
{"step50": {"p2p": {}, "collective": {"hcom_allReduce__271_0_1@11022204950826225271": {"Communication Time Info":
 {"Start Timestamp(us)": 1700000000000059.8, "Elapse Time(ms)": 86.4709076875, "Transit Time(ms)": 0.25, "Wait Time(ms)": 2.5},
 "Communication Bandwidth Info": {"HCCS": {"Transit Size(MB)": 37.5, "Bandwidth(GB/s)": 16.8589, "Size Distribution": {"0.5": [12, 1.5]}}}},
 "Total Op Info": {"Communication Time Info": {"Start Timestamp(us)": 0, "Elapse Time(ms)": 86.5}, "Communication Bandwidth Info": {}}}}}
EOF
cat >communication_matrix.json <<'EOF'
{"p2p": {}, "collective": {"allreduce-top1@11022204950826225271": {
 "0-0": {"Transport Type": "LOCAL", "Transit Size(MB)": 4.5, "Transit Time(ms)": 0.008320125, "Bandwidth(GB/s)": 496.2397, "Op Name": "hcom_allReduce__271_0_1"},
 "0-1": {"Transport Type": "HCCS", "Transit Size(MB)": 37.5, "Transit Time(ms)": 2.25, "Bandwidth(GB/s)": 16.8589, "Op Name": "hcom_allReduce__271_2_1"}}}}
EOF
cat >cluster_communication.json <<'EOF'
{"p2p": {"step2": {"hcom_send__822_0@42": {"0": {"Communication Time Info": {"Start Timestamp(us)": 1700000000000042.5, "Elapse Time(ms)": 0.5}},
 "8": {"Communication Time Info": {"Start Timestamp(us)": 1700000000000043.5, "Elapse Time(ms)": 0.25}}}}}, "(0, 1)": {}}
EOF

# Folders as profilers leave them: PROF_000001 exported twice, PROF_000002 never.
rm -rf ../profile_folder
one=../profile_folder/deep/PROF_000001_20231114221320000_ABCDEFGH
two=../profile_folder/deep/PROF_000002_20231114221330000_ABCDEFGH
for side in $one/host $one/device_0 $two/host; do
    mkdir -p $side/data
    printf '\132\132\010\047' >$side/data/unaging.api_event.data.slice_0
done
cp ../msprof_info/host_start.log $one/host
cp ../msprof_info/info.json.0 $one/device_0
cp ../msprof_info/start_info $two/host
out=$one/mindstudio_profiler_output
mkdir -p $out $two/host/sqlite
printf 'SQLite format 3\000' >$two/host/sqlite/api_event.db
: >$two/host/data/all_file.complete
echo 'Deliverables.' >$out/README.txt
cat >$out/op_summary_20231114221400.csv <<'EOF'
Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us),Task Wait Time(us),Block Dim
0,3,1,35,conv1relu1,Conv2D,AI_CORE,1700000000000010.125,20.500,0,24
0,3,2,35,mul1,Mul,AI_VECTOR_CORE,1700000000000040.000,10.000,9.375,24
0,3,1,35,conv1relu1,Conv2D,AI_CORE,1700000000000110.125,21.500,60.125,24
0,3,2,35,mul1,Mul,AI_VECTOR_CORE,1700000000000140.000,10.000,8.375,24
EOF
cat >$out/op_statistic_20231114221400.csv <<'EOF'
Device_id,OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),Ratio(%)
0,Conv2D,AI_CORE,2,42.000,20.500,21.000,21.500,67.742
0,Mul,AI_VECTOR_CORE,2,20.002,10.000,10.000,10.000,32.258
EOF
sed 's/,2,/,1,/' $out/op_statistic_20231114221400.csv >$out/op_statistic_20231114221350.csv
cat >$out/l2_cache_20231114221400.csv <<'EOF'
Stream Id,Task Id,Hit Rate,Victim Rate,Op Name
35,1,0.5,0.25,conv1relu1
35,2,N/A,0.125,mul1
35,1,0.75,0.25,conv1relu1
35,9,0.75,0.25,elsewhere
EOF
for k in 0 1; do
    sed "s/,17000000000000/,170000000000${k}0/" ../msprof_tables/npu_mem.csv >$out/npu_mem_slice_${k}_20231114221400.csv
done

# Frameworks: collected, not analysed; the one of MindSpore lies deep.
for folder in host_17_20231114221320000_ascend_pt deeper/than/that/host_17_ascend_ms; do
    mkdir -p ../profile_raw/$folder/FRAMEWORK
    printf '\001\000\004\000\000\000abcd' >../profile_raw/$folder/FRAMEWORK/torch.op_range
done
cp ../msprof_info/profiler_info_1.json ../profile_raw/host_17_20231114221320000_ascend_pt
