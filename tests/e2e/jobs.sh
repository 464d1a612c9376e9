#!/bin/sh
# One capture among other files, exported in every format and shown by the commands that show all:
# with one thread and with eight, twice each, mapped and read. All bytes must be equal.
# usage: jobs.sh MAKE_ONNX
set -eu
cli=$MI_BINARY_DIR/inspector-cli
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
cp -R "$MI_SOURCE_DIR/tests/data/capture/small" "$temp/cap"
cd "$temp"

# Files of very different sizes, so that with several threads they do not end in order.
mkdir more
for i in 1 2 3 4 5 6 7 8; do
    "$1" "more/$i.onnx" $((i % 3 * 3000 + i)) "$i"
done
for file in "$MI_SOURCE_DIR"/tests/data/ort_profile/*; do
    [ ! -f "$file" ] || cp "$file" more/
done
chmod -R u+w cap more

# dump NAME OPTION...
dump() {
    name=$1
    shift
    mkdir out
    for format in json csv sqlite chrome dot links; do
        "$cli" export --format $format -o out/cap "$@" cap > "out/cap.$format.out"
        "$cli" export --format $format -o out/all "$@" cap more > "out/all.$format.out"
    done
    for command in summary inputs graph tasks map; do
        "$cli" $command "$@" cap more > "out/$command.txt"
        "$cli" $command --json "$@" cap more > "out/$command.json"
    done
    mv out "$name"
}

dump one --jobs 1
dump one-again --jobs 1
dump eight --jobs 8
dump eight-again --jobs 8
dump read --jobs 8 --no-mmap

# What they say has to be something.
[ "$(find one -type f | wc -l)" -ge 40 ] || { echo "FAILED: too few dumps: $(ls one one/*)" && exit 1; }
grep -q '"certain"' one/map.json || { echo "FAILED: no links in map --json" && exit 1; }

failures=0
for other in one-again eight eight-again read; do
    diff -rq one "$other" || failures=$((failures + 1))
done
exit $failures
