#!/bin/sh
# Every header compiles by itself; the public ones also as C++ where a C++ compiler is there.
# usage: headers.sh CC
set -eu
cc=$1
cd "$(dirname "$0")/../.."
status=0 count=0
for header in $(find include src -name '*.h' | LC_ALL=C sort); do
    define=-D_DEFAULT_SOURCE
    case "$header" in src/collect/hook/*) define=-D_GNU_SOURCE ;; esac
    echo "#include \"${header#*/}\"" |
        $cc -std=c17 $define -fsyntax-only -Wall -Wextra -Werror -Iinclude -Isrc -xc - || status=1
    count=$((count + 1))
    case "$header" in
    include/*)
        ! command -v g++ >/dev/null 2>&1 || echo "#include \"${header#*/}\"" |
            g++ -std=c++17 -fsyntax-only -Wall -Wextra -Wpedantic -Werror -Iinclude -xc++ - || status=1
        ;;
    esac
done
echo "$count headers"
exit $status
