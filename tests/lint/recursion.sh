#!/bin/sh
# No function calls itself, directly or through others: input must not decide how deep the stack gets.
# Reads the direct calls out of a built file; calls through pointers are not seen.
# usage: recursion.sh FILE OBJDUMP
set -eu
"$2" -d --no-show-raw-insn "$1" | awk '
    /^[0-9a-f]+ <.*>:$/ {
        from = $2
        gsub(/[<>:]/, "", from)
        # Names with an underscore in front come from the compiler: sanitizers, gcov.
        if (from !~ /^_/) {
            known[from] = 1
            functions++
        }
        next
    }
    # call, bl: a call. jmp, b to the start of a function: the last thing it does, which keeps no frame.
    $2 ~ /^(call|callq|bl)$/ && $NF ~ /^<[^+]*>$/ {
        to = $NF
        gsub(/[<>]/, "", to)
        if (!((from, to) in seen) && to !~ /@plt$/) {
            seen[from, to] = 1
            edges++
            source[edges] = from
            target[edges] = to
        }
    }
    END {
        # Strip what calls nothing that is left, or is called by nothing that is left, until only
        # circles (and paths between circles) remain.
        do {
            split("", calls)
            split("", called)
            for (i = 1; i <= edges; i++)
                if (!gone[source[i]] && !gone[target[i]]) {
                    calls[source[i]] = 1
                    called[target[i]] = 1
                }
            stripped = 0
            for (name in known)
                if (!gone[name] && !((name in calls) && (name in called))) {
                    gone[name] = 1
                    stripped++
                }
        } while (stripped)
        for (i = 1; i <= edges; i++)
            if (known[source[i]] && known[target[i]] && !gone[source[i]] && !gone[target[i]]) {
                print source[i] " calls " target[i]
                bad++
            }
        printf "%d functions, %d calls, %d in circles\n", functions, edges, bad
        exit bad > 0 || functions == 0 || edges == 0
    }'
