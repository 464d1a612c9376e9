#!/bin/sh
# Alarms of the gate on generated pairs of captures with noise, slower or not; see casegen_gate.py.
# MI_CASEGEN_SEEDS (1,2,3 ...) widens it, MI_CASEGEN_EQUALS makes more pairs that do not differ. 77 = skipped.
set -eu
shared=${MI_SHARED:-$PWD/../shared}
[ -f "$shared/casegen/__main__.py" ] && command -v python3 > /dev/null || exit 77
here=$(cd "$(dirname "$0")" && pwd)
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
# never write byte code beside the generator
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$shared"
python3 "$here/casegen_gate.py" "$MI_BINARY_DIR/inspector-cli" "$temp" --seeds "${MI_CASEGEN_SEEDS:-1,2,3,4}" \
    --equals "${MI_CASEGEN_EQUALS:-8}"
