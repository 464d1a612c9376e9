#!/bin/sh
# Text files of the tree: no trailing blanks, no CR, a newline at the end, no tabs in C; shell scripts parse.
set -eu
cd "$(dirname "$0")/../.."
status=0
complain() {
    echo "$1"
    status=1
}

files=$(find .ci dev cmake docs examples include po src tests tools web CMakeLists.txt CMakePresets.json \
    -path tests/data -prune -o -path tests/golden -prune -o -path '*/node_modules' -prune -o -type f \
    \( -name '*.[chS]' -o -name '*.def' -o -name '*.cmake' -o -name '*.txt' -o -name '*.sh' \
    -o -name '*.awk' -o -name '*.md' -o -name '*.po' -o -name '*.json' -o -name '*.ts' -o -name '*.css' \
    -o -name '*.html' -o -name dev -o -name run -o -path 'tools/*' \) -print 2>/dev/null || true)
for file in $files; do
    ! grep -nE '[[:blank:]]$' "$file" >/dev/null || complain "$file: blanks at the end of a line"
    ! grep -q "$(printf '\r')" "$file" || complain "$file: carriage returns"
    [ -z "$(tail -c 1 "$file")" ] || complain "$file: no newline at the end"
    case "$file" in
    *.c | *.h) ! grep -q "$(printf '\t')" "$file" || complain "$file: tabs" ;;
    esac
    case "$(head -c 9 "$file" | tr -d '\000')" in
    '#!/bin/sh'*) sh -n "$file" || complain "$file: does not parse" ;;
    esac
done
exit $status
