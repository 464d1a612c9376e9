#!/bin/sh
# Writes the small first inputs of the fuzz targets that are not formats of their own: scanners, packed
# files, archives. Needs gzip, zstd, zip and msgfmt. Formats have a script in their own folder;
# onnx and ort_onnx are written by build/tests/support/make_onnx_data.
set -eu
cd "$(dirname "$0")"
mkdir -p csv json mo pb_text pb_wire unpack zip

# The first byte is that of the options, see fuzz_json.c: a blank allows nothing special, 7 the most.
cat >json/strict.json <<'END'
 {"schemaVersion":1,"traceEvents":[{"name":"a\"\u00e9\ud83d\ude00\\","ph":"X","ts":"1736412474723783.388",
"dur":12.5e-1,"args":{"x":[1,-0,true,false,null,[]]}},{"ph":"M","name":"process_name","args":{"name":"NPU"}}]}
END
printf '\007[1,2.5e300,-7,NaN,-Infinity,"tab\tinside",{"a":{"b":{"c":[]}}},]\n' >json/loose.json

cat >pb_text/graph.pbtxt <<'END'
# a comment
name: "g" 'raph\n\x41\101'
op { name: "Conv_1", type: "Conv2D" input: ["a:0", "b:0"] attr < key: "k" value { list { i: [1, -2, 0x1f, 017] f: 1.5e3f b: true } } > }
op: { id: 18446744073709551615 [ext.name]: inf dtype: DT_FLOAT16 }
END

printf ' \357\273\277Task ID,Op Name,Start(us)\r\n1,"a ""b"", c\nd",1736412474723783.388\t\r\n\r\n2,x"y\n3,"z"w,' >csv/rows.csv

# version 8, name "g", a message with packed varints, a fixed32, a fixed64, a group.
printf '\010\010\022\001g\072\012\012\003\001\377\001\022\003abc\045\001\002\003\004\051\001\002\003\004\005\006\007\010\103\010\001\104' \
    >pb_wire/message.bin

gzip -nc <pb_text/graph.pbtxt >unpack/two-members.gz
gzip -nc <pb_text/graph.pbtxt >>unpack/two-members.gz
zstd -q -c <pb_text/graph.pbtxt >unpack/frame.zst
TZ=UTC touch -d '2000-01-01' pb_text/graph.pbtxt json/strict.json
rm -f zip/members.zip
TZ=UTC zip -q -X zip/members.zip pb_text/graph.pbtxt
TZ=UTC zip -q -X -0 zip/members.zip json/strict.json

printf 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\nmsgid "executed"\nmsgstr "done"\n' |
    msgfmt --endianness=little --no-hash -o mo/two.mo -
