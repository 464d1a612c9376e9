#!/bin/sh
# The rules of `export` about places: what a capture folder receives, what is refused, that inputs
# stay as they are, that dumps are not read back, and that the number of threads shows nowhere.
# 77 = skipped
set -eu
cli=$MI_BINARY_DIR/inspector-cli
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
cd "$temp"
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# expect CODE WORD COMMAND...: the exit code, and a word on standard error (. for any)
expect() {
    code=$1 word=$2
    shift 2
    got=0
    "$@" > out 2> err || got=$?
    [ "$got" = "$code" ] || fail "exit code $got, not $code: $*"
    grep -q -e "$word" err || [ "$word" = . ] || fail "no \"$word\" in: $(cat err)"
}

# A capture made by hand from a model and a profile.
"$1" model.onnx 200 2
"$1" other.onnx 20
mkdir cap
cp model.onnx cap/
cat > cap/capture.json <<'JSON'
{"schema": "model-inspector-capture/1", "collector": "test", "complete": true,
 "start_unix_ns": "1736412474723783388", "files": [{"path": "model.onnx", "role": "source"}]}
JSON
cksum cap/* model.onnx other.onnx > inputs.before

# Wrong use says what is missing.
expect 2 "name an input" "$cli" export --format json
expect 2 "format is missing" "$cli" export cap
expect 2 "is not one of" "$cli" export cap --format yaml
expect 2 "output-dir" "$cli" export model.onnx --format json
expect 2 "output FILE" "$cli" export model.onnx --format dot
expect 2 "several files" "$cli" export cap --format json --output x.json
expect 2 "exclude" "$cli" export cap --format dot --output x.dot -o x
expect 2 "layer" "$cli" export cap --format csv --layer framework
expect 2 "output-dir" "$cli" export cap other.onnx --format json
expect 3 "missing.onnx" "$cli" export missing.onnx --format json -o x
[ ! -e x ] || fail "a failed export made a folder"

# A capture folder receives its own dumps; nothing of them is read back.
expect 0 . "$cli" export --input-dir cap --format json
for file in graph trace summary; do
    [ -s "cap/$file.json" ] || fail "no cap/$file.json"
done
grep -q "Relu" out || fail "no summary: $(cat out)"
cp -r cap first
expect 0 . "$cli" export cap --format json
for file in graph trace summary; do
    cmp -s "cap/$file.json" "first/$file.json" || fail "$file.json differs the second time"
done
for format in csv sqlite chrome dot links; do
    expect 0 . "$cli" export cap --format $format
done
expect 0 . "$cli" inputs cap --json
grep -q "graph.json\|export\." out && fail "dumps are read back: $(cat out)"

# In a plain folder they are seen, and not taken for inputs.
mkdir plain
cp model.onnx cap/graph.json cap/export.* plain/
expect 0 . "$cli" export plain --format links --output plain.json
expect 0 . "$cli" export model.onnx --format links --output alone.json
cmp -s plain.json alone.json || fail "dumps in a folder changed the result"

# Inputs are never overwritten, by whatever name.
ln -s model.onnx link.onnx
expect 2 "input" "$cli" export model.onnx --format dot --output model.onnx
expect 2 "input" "$cli" export model.onnx --format dot --output ./link.onnx
expect 2 "input" "$cli" export cap --format dot --output cap/capture.json
expect 3 "missing/x" "$cli" export model.onnx --format dot --output missing/x
expect 3 "No space" "$cli" export model.onnx --format dot --output /dev/full
cksum cap/capture.json cap/model.onnx model.onnx other.onnx > inputs.after
cmp -s inputs.before inputs.after || fail "an input has changed"

# Standard output gives the same bytes as a file, and a reader that goes away is no error.
"$cli" export model.onnx --format dot --output - > piped.dot
expect 0 . "$cli" export model.onnx --format dot --output file.dot
cmp -s piped.dot file.dot || fail "standard output differs from the file"
("$cli" export model.onnx --format chrome --output - 2> err || echo "code $?" > code) | head -c 10 > out
[ ! -s err ] && [ ! -e code ] || fail "a closed pipe: $(cat err code)"

small=$MI_SOURCE_DIR/tests/data/capture/small
# Threads, repetition and the current folder show nowhere.
for format in json csv sqlite chrome dot links; do
    "$cli" export model.onnx other.onnx --format $format -o one --jobs 1 > /dev/null
    "$cli" export model.onnx other.onnx --format $format -o eight --jobs 8 > /dev/null
    "$cli" export "$small" --format $format -o one/small --jobs 1 > /dev/null
    "$cli" export "$small" --format $format -o eight/small --jobs 8 > /dev/null
done
diff -r one eight > differences || fail "--jobs shows: $(head -5 differences)"

[ $failures = 0 ] && echo "all well"
exit $((failures > 0))
