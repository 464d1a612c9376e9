#!/bin/sh
# A stand-in for msprof: makes the tables of a PROF_* folder that the stand-in for AscendCL has left, or
# runs a program under the profiler and then makes them.
# usage: msprof --export=on --output=DIR | msprof --output=DIR [--OPTION...] COMMAND ARGS...
set -eu
[ -z "${LD_PRELOAD:-}" ] || { echo "a tool is no program to be looked at"; exit 3; }

make_tables() {
    tables=$1/mindstudio_profiler_output
    mkdir -p "$tables"
    for kind in op_summary task_time; do
        cp "$1/device_0/data/$kind.raw" "$tables/${kind}_$(date +%Y%m%d%H%M%S).csv"
    done
}

if [ "$1" = --export=on ]; then
    make_tables "${2#--output=}"
    exit
fi
dir= status=0
while :; do
    case "${1:-}" in
    --output=*) dir=${1#--output=} ;;
    --*) ;;
    *) break ;;
    esac
    shift
done
[ -n "$dir" ] && [ $# -gt 0 ] || exit 2
PROFILER_SAMPLECONFIG='{}' FAKE_ACL_PROFILE=$dir "$@" || status=$?
for profile in "$dir"/PROF_*; do
    make_tables "$profile"
done
exit $status
