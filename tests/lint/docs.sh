#!/bin/sh
# Pages: each row of a table has its page (a_b is a-b.md) or its word on the page of its kind, and the
# links between pages lead somewhere.
# usage: docs.sh [ROOT]
set -eu
cd "${1:-$(dirname "$0")/../..}"
status=0
complain() {
    echo "$1"
    status=1
}

rows() { sed -n "s/^$2(\([a-z0-9_]*\)[,)].*/\1/p" "$1" 2>/dev/null || true; }

pages() { # TABLE MACRO FOLDER
    for row in $(rows "$1" "$2"); do
        page=$3/$(echo "$row" | tr _ -).md
        [ -s "$page" ] || complain "$1: $row has no $page"
    done
}

words() { # TABLE MACRO PAGE
    for row in $(rows "$1" "$2"); do
        grep -qwE "$row|$(echo "$row" | tr _ -)" "$3" 2>/dev/null ||
            complain "$1: $row does not stand in $3"
    done
}

pages src/cli/commands.def MI_COMMAND docs/commands
pages src/parse/readers.def MI_READER docs/formats
pages src/collect/collectors.def MI_COLLECTOR docs/collectors
pages src/analyse/passes.def MI_PASS docs/passes
words src/cli/commands.def MI_COMMAND man/inspector-cli.1
words src/present/exporters.def MI_EXPORTER docs/exports.md
words src/correlate/matchers.def MI_MATCHER docs/correlation.md

for page in $(find . -name '*.md' ! -path './build*' ! -path '*/node_modules/*' ! -path './deps/*'); do
    # [text](target), without those to the web and inside the page; code spans do not count.
    for target in $(sed 's/`[^`]*`//g' "$page" | grep -oE '\]\([^) ]+\)' | sed 's/^](//; s/)$//; s/#.*//'); do
        case "$target" in
        *://* | mailto:*) ;;
        *) [ -e "$(dirname "$page")/$target" ] || complain "$page: link to $target leads nowhere" ;;
        esac
    done
done
exit $status
