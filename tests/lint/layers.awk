# Checks include directions; see layers.sh. The first file is layers.txt.

NR == FNR {
    if (/^#/ || NF == 0)
        next
    colon = index($0, ":")
    folder = substr($0, 1, colon - 1)
    allowed[folder] = " " substr($0, colon + 1) " "
    next
}

FNR == 1 {
    files++
    folder = FILENAME
    while (folder != "" && !(folder in allowed))
        folder = folder ~ /\// ? substr(folder, 1, match(folder, /\/[^\/]*$/) - 1) : ""
    stage = folder
    sub(/^src\//, "", stage)
    if (folder == "include")
        stage = "model-inspector"
    if (folder == "")
        complain("lies in no folder of layers.txt")
}

function complain(what) {
    printf "%s:%d: %s\n", FILENAME, FNR, what
    bad++
}

/^[ \t]*#[ \t]*include[ \t]*"/ {
    split($0, part, "\"")
    target = part[2]
    top = target
    sub(/\/.*/, "", top)
    if (target !~ /\// || target ~ /\.\./)
        complain("\"" target "\" does not start at src/ or include/")
    else if (index(target, stage "/") != 1 && !index(allowed[folder], " " top " ") &&
             !index(allowed[folder], " " target " "))
        complain(folder " may not include \"" target "\"")
    checked++
}

END {
    printf "%d files, %d includes checked, %d wrong\n", files, checked, bad
    exit bad > 0 || checked == 0
}
