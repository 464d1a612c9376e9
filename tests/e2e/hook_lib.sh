# What tests of hooked programs have in common: a folder of their own, one program in the background, waiting.
temp=$(mktemp -d)
pid= # of the program in the background; one that lives on would hold our output open, and whoever runs the test waits
trap '[ -z "$pid" ] || kill -9 "$pid" 2> /dev/null || :; rm -rf "$temp"' EXIT

fail() {
    echo "FAIL: $*" >&2
    exit 1
}

until_so() { # COMMAND...: waits until it succeeds, some minutes at most; machines are slow at times
    for _ in $(seq 1200); do
        if "$@" > /dev/null 2>&1; then return; fi
        sleep 0.1
    done
    return 1
}
