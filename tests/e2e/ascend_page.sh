#!/bin/sh
# The page "On an Ascend server", in both languages: every command on it is run as it stands there, on a program
# that uses the stand-in for AscendCL.
# usage: ascend_page.sh ASCENDCL-LIBRARY     77 = skipped
set -eu
command -v python3 >/dev/null 2>&1 || { echo "skipped: no python3"; exit 77; }
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
export MI_HOOK_LIB="$MI_BINARY_DIR/libmi_hook.so" LD_LIBRARY_PATH="$(dirname "$1")" MODEL="$MI_SOURCE_DIR/tests/data/om/plain.om"

fail() {
    echo "FAIL: $*" >&2
    exit 1
}

mkdir "$temp/bin"
cp "$MI_SOURCE_DIR/tests/fake_acl/msprof.sh" "$temp/bin/msprof"
# A server does not end by itself: it is left alone once it says where it is.
cat > "$temp/bin/inspector-cli" <<'END'
#!/bin/sh
[ "$1" = serve ] || exec "$MI_BINARY_DIR/inspector-cli" "$@"
"$MI_BINARY_DIR/inspector-cli" "$@" > served &
while ! grep -q '^http://' served && kill -0 $! 2> /dev/null; do
    sleep 0.1
done
kill $!
grep '^http://' served
END
chmod +x "$temp/bin/msprof" "$temp/bin/inspector-cli"
PATH=$temp/bin:$PATH

for page in ascend.md ascend.zh.md; do
    mkdir "$temp/$page"
    cd "$temp/$page"
    cat > infer.py <<'END'
import ctypes, os
acl, model = ctypes.CDLL("libascendcl.so"), ctypes.c_uint32()
assert acl.aclInit(None) == 0 and acl.aclrtSetDevice(0) == 0
assert acl.aclmdlLoadFromFile(os.environ["MODEL"].encode(), ctypes.byref(model)) == 0
for _ in range(5):
    assert acl.aclmdlExecute(model, None, None) == 0
assert acl.aclmdlUnload(model) == 0 and acl.aclFinalize() == 0
END
    cp "$MI_SOURCE_DIR"/tests/data/torchair_pbtxt/dynamo_*.pbtxt .
    awk '/^```/ { is_shell = $0 == "```sh"; next } is_shell' "$MI_SOURCE_DIR/docs/$page" > commands
    [ "$(grep -c '^inspector-cli\|^eval' commands)" -ge 9 ] || fail "$page: its commands are not found"
    sh -eu commands > out 2> err || fail "$page: $(cat out err)"
    for capture in capture capture2; do
        grep -q '"complete": true' "$capture/capture.json" || fail "$page: $capture is not closed"
        [ -s "$capture/trace.json" ] && [ -s "$capture/graph.json" ] && [ -s "$capture/summary.json" ] || fail "$page: $capture is not exported"
    done
    [ -s joined/graph.json ] || fail "$page: nothing was joined"
done
echo "ascend_page: ok"
