#!/bin/sh
# The steps of CONTRIBUTING.md, from scratch: a new format, analysis and command in a copy of the tree.
# usage: contributing.sh CC     77 = skipped
set -eu
cd "$MI_SOURCE_DIR"
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
tree=$temp/tree
mkdir "$tree"
tar cf - CMakeLists.txt cmake include po src tools web/notice | tar xf - -C "$tree"
cd "$tree"

sed 's/template/example/g; s/Template/Lines of names and types/' src/parse/formats/template.c \
    >src/parse/formats/example.c
echo 'MI_READER(example)' >>src/parse/readers.def
sed 's/template/graph_sizes/g' src/analyse/template.c >src/analyse/graph_sizes.c
echo 'MI_PASS(graph_sizes)' >>src/analyse/passes.def
sed 's/template/sizes/g; /^extern /d; /^\/\* To drop/d' src/cli/template.c >src/cli/sizes.c
sed -i 's/\.pass = "sizes"/.pass = "graph_sizes"/' src/cli/sizes.c
echo 'MI_COMMAND(sizes)' >>src/cli/commands.def

cmake -S . -B build -DCMAKE_C_COMPILER="$1" -DMI_TESTS=OFF -DMI_WEB=OFF -DMI_WERROR=ON -DCMAKE_C_FLAGS=-O0 >"$temp/log" 2>&1 || {
    cat "$temp/log"
    exit 1
}
cmake --build build -j 2 --target inspector-cli >"$temp/log" 2>&1 || {
    tail -n 40 "$temp/log"
    exit 1
}

printf 'EXAMPLE\nfirst Conv\nbroken\nsecond Relu\n' >"$temp/a.example"
build/inspector-cli sizes "$temp/a.example" >"$temp/out"
cat "$temp/out"
grep -q ' 2$' "$temp/out"
build/inspector-cli inputs "$temp/a.example" >"$temp/out"
grep -q 'example .* 3 *2 *0 *1$' "$temp/out"
grep -q 'template.line_broken\|example.line_broken' "$temp/out"
build/inspector-cli sizes --input-format example "$temp/a.example" --json | grep -q '"nodes": *2'
build/inspector-cli --help | grep -q sizes
