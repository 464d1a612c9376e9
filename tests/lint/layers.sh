#!/bin/sh
# Include directions: every #include "..." names its stage, and the stage may be used from there.
# usage: layers.sh [ROOT]   ROOT is the tree to check, by default this one
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$here/../..}"
find include src -name '*.[chS]' -o -name '*.def' | LC_ALL=C sort |
    xargs awk -f "$here/layers.awk" "$here/layers.txt"
