# Counts single tests and prints `N passed, N failed, N skipped`.
# usage: awk -f test-summary.awk ctest-junit.xml LastTest.log
#
# The first file has the fate of each ctest test, the second its whole output. A cmocka program counts by
# its own tests. A script may say `N passed, N failed, N skipped` on a line of its own. Anything else
# counts as one. A program that failed as a whole counts as a failure even if none of its tests reported
# one, as after a crash. Ends with 1 if anything failed or nothing ran.

FNR == 1 { file++ }

file == 1 && /^\t<testcase / {
    split($0, part, "\"")
    name = part[2]
    fate[name] = /status="run"/ ? "passed" : /status="fail"/ ? "failed" : "skipped"
    next
}
# Not run for another reason than its own wish: a missing program, a failed fixture.
file == 1 && /^\t\t<skipped message=/ && !/SKIP_RE/ { fate[name] = "failed" }
file == 1 { next }

/^[0-9]+\/[0-9]+ Testing: / {
    name = substr($0, index($0, ": ") + 2)
    listing = 0
}
# cmocka repeats the names at the end.
/test\(s\), listed below:$/ { listing = 1 }
!listing && /^\[       OK \]/ { ok[name]++ }
!listing && /^\[  FAILED  \]/ { bad[name]++ }
!listing && /^\[  SKIPPED \]/ { skip[name]++ }
/^\[==========\].*Running / { listing = 0 }

/^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$/ {
    ok[name] += $1
    bad[name] += $3
    skip[name] += $5
}

END {
    for (name in fate) {
        if (fate[name] == "failed" && !bad[name])
            bad[name] = 1
        else if (!ok[name] && !bad[name] && !skip[name]) {
            ok[name] = fate[name] == "passed"
            skip[name] = fate[name] == "skipped"
        }
        passed += ok[name]
        failed += bad[name]
        skipped += skip[name]
    }
    printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
    exit failed > 0 || passed + failed == 0
}
