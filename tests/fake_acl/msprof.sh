#!/bin/sh
# A stand-in for msprof: makes the tables of a PROF_* folder that the stand-in for AscendCL has left.
# usage: msprof --export=on --output=DIR
set -eu
[ "$1" = --export=on ] || exit 2
dir=${2#--output=}
[ -z "${LD_PRELOAD:-}" ] || { echo "a tool is no program to be looked at"; exit 3; }
tables=$dir/mindstudio_profiler_output
mkdir -p "$tables"
for kind in op_summary task_time; do
    cp "$dir/device_0/data/$kind.raw" "$tables/${kind}_$(date +%Y%m%d%H%M%S).csv"
done
