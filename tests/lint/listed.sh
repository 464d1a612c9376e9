#!/bin/sh
# Every C source in the tree is built: none was left out of its CMakeLists.txt or table.
# usage: listed.sh COMPILE-COMMANDS
set -eu
commands=$1
cd "$(dirname "$0")/../.."
status=0
for file in $(find src tests -name '*.c' ! -path 'tests/data/*' ! -path 'tests/golden/*' ! -path src/cli/template.c | LC_ALL=C sort); do
    grep -q "/$file\"" "$commands" || {
        echo "$file is compiled by nothing"
        status=1
    }
done
exit $status
