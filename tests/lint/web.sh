#!/bin/sh
# The page's sources: types hold, and nothing turns text into markup or code. 77 = skipped.
set -eu
cd "$(dirname "$0")/../.."
command -v node >/dev/null 2>&1 && [ -x node_modules/.bin/tsc ] || { echo "no TypeScript"; exit 77; }
status=0
node_modules/.bin/tsc --noEmit -p web || status=1
if grep -rnE 'innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|\beval\(|new Function|javascript:|set(Timeout|Interval)\(["'"'"'`]' \
    web/src; then
    echo "web/src: text must stay text"
    status=1
fi
exit $status
