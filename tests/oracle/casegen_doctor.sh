#!/bin/sh
# Plants faults into generated models that run and judges the doctor's findings on them and on their healthy
# twins; see casegen_doctor.py, and casegen_shapes.py and casegen_symptoms.py for what the generator cannot plant.
# MI_CASEGEN_SEEDS, MI_CASEGEN_FAMILIES, MI_CASEGEN_SIZE and MI_CASEGEN_RULES widen it. 77 = skipped.
set -eu
shared=${MI_SHARED:-$PWD/../shared}
cli=$MI_BINARY_DIR/inspector-cli
[ -f "$shared/casegen/__main__.py" ] && command -v python3 > /dev/null || exit 77
here=$(cd "$(dirname "$0")" && pwd)
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
# never write byte code beside the generator
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$shared"
python3 "$here/casegen_doctor.py" "$cli" "$temp" --presets --verbose --seeds "${MI_CASEGEN_SEEDS:-3}" \
    --rules "${MI_CASEGEN_RULES:-all}" --families "${MI_CASEGEN_FAMILIES:-}" --size "${MI_CASEGEN_SIZE:-150}"
python3 "$here/casegen_shapes.py" "$cli" "$temp" --verbose --seeds "${MI_CASEGEN_SEEDS:-3}"
python3 "$here/casegen_symptoms.py" "$cli" "$temp" --verbose --seeds "${MI_CASEGEN_SEEDS:-3}"
