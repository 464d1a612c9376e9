#!/bin/sh
# Compares what `whatif` predicts for changes of generated runs, and its ranking, with the generator's own
# re-simulation; see casegen_whatif.py. MI_CASEGEN_SEEDS, MI_CASEGEN_FAMILIES and MI_CASEGEN_SIZE widen it.
# 77 = skipped.
set -eu
shared=${MI_SHARED:-$PWD/../shared}
cli=$MI_BINARY_DIR/inspector-cli
[ -f "$shared/casegen/__main__.py" ] && command -v python3 > /dev/null || exit 77
here=$(cd "$(dirname "$0")" && pwd)
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
# never write byte code beside the generator
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$shared"
python3 "$here/casegen_whatif.py" "$cli" "$temp" --verbose --seeds "${MI_CASEGEN_SEEDS:-2}" \
    --families "${MI_CASEGEN_FAMILIES:-towers,moe}" --size "${MI_CASEGEN_SIZE:-120}" --changes "${MI_CASEGEN_CHANGES:-4}"
