#!/bin/sh
# The lints find what they are for: each is run on a small tree that breaks its rules.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/include/model-inspector" "$root/src/base" "$root/src/analyse" "$root/src/cli" \
    "$root/src/present/text" "$root/src/collect/hook"
passed=0 failed=0

# expect NAME STATUS LINT FILE TEXT: the lint ends with STATUS on a tree where FILE has TEXT.
expect() {
    printf '#include "base/error.h"\n' >"$root/src/base/error.c"
    printf '%b' "$5" >"$root/$4"
    status=0
    sh "$here/$3.sh" "$root" >"$root/out" 2>&1 || status=1
    if [ "$status" = "$2" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$1: $3.sh ended with $status instead of $2"
        cat "$root/out"
    fi
    rm "$root/$4"
}

expect 'own folder' 0 layers src/base/a.c '#include "base/error.h"\n'
expect 'upwards' 1 layers src/base/a.c '#include "model/model.h"\n'
expect 'spaces' 1 layers src/base/a.c '  #  include "model/model.h"\n'
expect 'one file' 0 layers src/present/text/a.c '#include "analyse/report.h"\n'
expect 'its neighbour' 1 layers src/present/text/a.c '#include "analyse/summary.h"\n'
expect 'no folder' 1 layers src/cli/a.c '#include "cli.h"\n'
expect 'by dots' 1 layers src/cli/a.c '#include "cli/../base/error.h"\n'
expect 'hook' 1 layers src/collect/hook/a.c '#include "base/error.h"\n'
expect 'public header' 1 layers include/model-inspector/a.h '#include "base/error.h"\n'
expect 'table' 1 layers src/base/a.def '#include "cli/cli.h"\n'

expect 'malloc' 1 banned src/cli/a.c 'p = malloc(1);\n'
expect 'malloc in base' 0 banned src/base/a.c 'p = malloc(1);\n'
expect 'own free' 0 banned src/cli/a.c 'mi_model_free(p);\n'
expect 'a member' 0 banned src/cli/a.c 'api->free(p);\n'
expect 'in a comment' 0 banned src/cli/a.c '/* malloc(1)\n * free(p) */\n'
expect 'in a string' 0 banned src/cli/a.c 'f("malloc(1) \\" free(p)");\n'
expect 'behind a comment' 1 banned src/cli/a.c '/* x */ free(p);\n'
expect 'behind a quote' 1 banned src/cli/a.c "c = '\"'; free(p);\\n"
expect 'printf in a pass' 1 banned src/analyse/a.c 'printf("x");\n'
expect 'printf in cli' 0 banned src/cli/a.c 'printf("x");\n'
expect 'snprintf' 0 banned src/analyse/a.c 'snprintf(a, 1, "x");\n'
expect 'marker' 1 banned src/cli/a.c '/* TO''DO: later */\n'

# expect_calls NAME STATUS CALLER CALLEE...: the same for recursion.sh, with an objdump that prints calls.
expect_calls() {
    name=$1 wanted=$2
    shift 2
    {
        echo '#!/bin/sh'
        while [ $# -gt 0 ]; do
            printf 'echo "0000000000001000 <%s>:"\n' "$1"
            printf 'printf "    1000:\\tcall   2000 <%s>\\n"\n' "$2"
            shift 2
        done
    } >"$root/objdump"
    chmod +x "$root/objdump"
    status=0
    sh "$here/recursion.sh" file "$root/objdump" >"$root/out" 2>&1 || status=1
    if [ "$status" = "$wanted" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$name: recursion.sh ended with $status instead of $wanted"
        cat "$root/out"
    fi
}

expect_calls 'a chain' 0 a b b c c puts@plt
expect_calls 'a function calls itself' 1 a b b b
expect_calls 'a circle of three' 1 main a a b b c c a c d
expect_calls 'a jump inside a function' 0 a b a 'a+0x10'
expect_calls 'no calls at all' 1

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
