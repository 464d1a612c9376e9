#!/bin/sh
# Writes the small samples of ONNX Runtime's profile and partition formats: every trap of the format page
# in one file, a loop that was cut off, and the same loop as a JSON library would write it. Needs POSIX
# tools only.
set -eu
cd "$(dirname "$0")"
mkdir -p ort_profile ort_partition

# event CATEGORY TID START_US DURATION_US NAME ARGS, without a line end
event() {
    printf '{"cat" : "%s","pid" :7,"tid" :%s,"dur" :%s,"ts" :%s,"ph" : "X","name" :"%s","args" : {%s}}' \
        "$1" "$2" "$4" "$3" "$5" "$6"
}

# kernel START_US DURATION_US NODE OP INDEX [MORE]
kernel() {
    event Node 7 "$1" "$2" "$3_kernel_time" "\"op_name\" : \"$4\",\"provider\" : \"CPUExecutionProvider\",\
\"node_index\" : \"$5\",\"input_type_shape\" : [{\"float\":[1,8]}],\
\"output_type_shape\" : [{\"float\":[1,8]}],\"output_size\" : \"32\"${6-}"
}

next() {
    printf ',\n'
}

traps() {
    printf '[\n'
    event Session 7 1 2 model_loading_uri ''; next
    event Session 7 4 5 session_initialization ''; next
    event Node 7 10 0 a_fence_before '"op_name" : "Add"'; next
    kernel 10 2 a Add 0; next
    event Node 7 12 0 a_fence_after '"op_name" : "Add"'; next
    kernel 13 1 'quote"d' Mul 1; next
    kernel 15 1 'back\slash' Mul 2; next
    kernel 17 1 'line
end' Mul 3; next
    kernel 19 1 '' Relu 4; next
    kernel 21 1 HardSigmoid_5 HardSigmoid 5 ',"thread_scheduling_stats" : {"main_thread": {"thread_pool_name": "p", "block_size": [1], "core": 1}, "sub_threads": {"5": {"num_run": 2, "core": 0}}}'; next
    printf '{"cat" : "Node","pid" :broken}'; next
    event Node 8 23 1 seq_kernel_time '"op_name" : "SequenceAt","input_type_shape" : [{"int64":[]},]'; next
    event Session 7 9 17 SequentialExecutor::Execute ''; next
    event Session 7 8 19 model_run ''; next
    event Api 7 7 21 Run ''; next
    event Kernel -1 30 3 gemm '"stream" : "7","parent_name" : "a_kernel_time"'; next
    printf ']\n'
}

loop() {
    kernel 10 2 first Add 0; next
    for turn in 0 1 2; do
        kernel $((22 + 10 * turn)) 2 /body/add Add 0; next
        event Session 7 $((21 + 10 * turn)) 5 SequentialExecutor::Execute ''; next
    done
    kernel 20 35 /loop Loop 1; next
    event Session 7 9 50 SequentialExecutor::Execute ''; next
    event Session 7 8 52 model_run ''; next
    kernel 70 2 first Add 0
}

traps >ort_profile/traps.json
{ printf '[\n'; loop; printf ',\n{"cat" : "Node","pid" :7,"ti'; } >ort_profile/loop_cut.json
# other blanks, other order of events
{ printf '[\n'; loop | sed 's/,$//; s/" : *\([^:]\)/": \1/g; s/" :/":/g; s/,"/, "/g' | sort -r | sed '$!s/$/,/'; printf ']\n'; } \
    >ort_profile/anew.json

printf '%s\n' '{"devices":["0","0"],"streams":[["a","b\"c"],["/loop"]],"type":"DeviceBasedPartitioner"}' \
    >ort_partition/sorted.json
