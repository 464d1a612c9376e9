#!/bin/sh
# Text files of the tree: no trailing blanks, no CR, a newline at the end, no tabs in C; shell scripts parse.
set -eu
cd "$(dirname "$0")/../.."
status=0

# All files at once: a process for each check of each file would take minutes.
complain() { # SENTENCE: about the files whose names come in
    while read -r file; do
        echo "$file: $1"
        : > "$found"
    done
}
found=$(mktemp -u)
trap 'rm -f "$found"' EXIT

files=$(find .ci dev cmake docs examples include po src tests tools web CMakeLists.txt CMakePresets.json \
    -path tests/data -prune -o -path tests/golden -prune -o -path '*/node_modules' -prune -o -type f \
    \( -name '*.[chS]' -o -name '*.def' -o -name '*.cmake' -o -name '*.txt' -o -name '*.sh' \
    -o -name '*.awk' -o -name '*.md' -o -name '*.po' -o -name '*.json' -o -name '*.ts' -o -name '*.css' \
    -o -name '*.html' -o -name dev -o -name run -o -path 'tools/*' \) -print 2>/dev/null || true)
tab=$(printf '\t') cr=$(printf '\r')
echo "$files" | xargs grep -lE '[[:blank:]]$' | complain "blanks at the end of a line"
echo "$files" | xargs grep -l "$cr" | complain "carriage returns"
echo "$files" | xargs grep -LPz '\n\z|\A\z' | complain "no newline at the end"
echo "$files" | grep -E '\.[ch]$' | xargs grep -l "$tab" | complain "tabs"
for file in $(echo "$files" | xargs grep -lPz '\A#!/bin/sh'); do
    sh -n "$file" || echo "$file" | complain "does not parse"
done
[ ! -e "$found" ] || status=1
exit $status
