#!/bin/sh
# What the sources may not use: the rows of banned.txt.
# usage: banned.sh [ROOT]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$here/../..}"
find include src -name '*.[ch]' | LC_ALL=C sort | xargs awk -f "$here/banned.awk" "$here/banned.txt"
