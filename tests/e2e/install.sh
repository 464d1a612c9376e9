#!/bin/sh
# Installs into a folder of its own and builds examples/embed against that, as a user would: with make and
# the shared library, with make and the static one, with CMake. Each program must tell the same.
# usage: install.sh CC INPUT...
set -eu
cc=$1
shift
command -v make >/dev/null 2>&1 || {
    echo "no make"
    exit 77
}
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
prefix=$temp/prefix
cmake --install "$MI_BINARY_DIR" --prefix "$prefix" >"$temp/log"
libdir=$(dirname "$(find "$prefix" -name pkgconfig)")
export PKG_CONFIG_PATH="$libdir/pkgconfig"

[ "$(pkg-config --modversion model-inspector)" ] || exit 1
[ -x "$prefix/bin/inspector-cli" ] || {
    echo "no inspector-cli installed"
    exit 1
}

cp -r "$MI_SOURCE_DIR/examples/embed" "$temp/shared"
cp -r "$MI_SOURCE_DIR/examples/embed" "$temp/static"
cp -r "$MI_SOURCE_DIR/examples/embed" "$temp/cmake"
make -s -C "$temp/shared" CC="$cc" CFLAGS='-Wall -Wextra -Werror'
make -s -C "$temp/static" CC="$cc" CFLAGS='-Wall -Wextra -Werror' LINK=static
cmake -G Ninja -S "$temp/cmake" -B "$temp/cmake/build" -DCMAKE_C_COMPILER="$cc" >"$temp/log"
cmake --build "$temp/cmake/build" >"$temp/log"

LD_LIBRARY_PATH=$libdir "$temp/shared/hotspots" "$@" >"$temp/out.shared"
"$temp/static/hotspots" "$@" >"$temp/out.static"
LD_LIBRARY_PATH=$libdir "$temp/cmake/build/hotspots" "$@" >"$temp/out.cmake"
cat "$temp/out.shared"
grep -q 'compiled nodes' "$temp/out.shared"
cmp "$temp/out.shared" "$temp/out.static"
cmp "$temp/out.shared" "$temp/out.cmake"

# The static program stands alone, the shared one does not.
! env -u LD_LIBRARY_PATH "$temp/shared/hotspots" "$@" >/dev/null 2>&1 ||
    [ -e /usr/local/lib/libmodel-inspector.so ] || [ -e /usr/lib/libmodel-inspector.so ]
status=0
"$temp/static/hotspots" /nonexistent >"$temp/log" 2>&1 || status=$?
[ "$status" = 3 ] || {
    echo "a missing input ends with $status instead of 3"
    exit 1
}
