# Checks sources against banned.txt (the first file); see banned.sh. Strings and comments do not count,
# except for the words that are about comments.

NR == FNR {
    if (/^#/ || NF == 0)
        next
    split($0, field, "\t")
    rules++
    about_comments[rules] = field[1] ~ /TODO/
    # awk has no word boundary that all versions know: a letter before or behind is excluded instead.
    pattern[rules] = field[1]
    sub(/^\\</, "(^|[^A-Za-z0-9_>.])", pattern[rules])
    sub(/\\>$/, "($|[^A-Za-z0-9_])", pattern[rules])
    gsub(/\\t/, "\t", pattern[rules])
    fine[rules] = " " field[2] " "
    reason[rules] = field[3]
    next
}

FNR == 1 {
    files++
    in_comment = 0
}

function is_fine(rule,    folder) {
    folder = FILENAME
    while (sub(/\/[^\/]*$/, "", folder))
        if (index(fine[rule], " " folder " "))
            return 1
    return 0
}

# The line without comments and without what stands in quotes.
function code_of(line,    out, at) {
    out = ""
    while (line != "") {
        if (in_comment) {
            at = index(line, "*/")
            if (!at)
                return out
            line = substr(line, at + 2)
            in_comment = 0
        } else if (match(line, /\/\*|\/\/|"|'/)) {
            out = out substr(line, 1, RSTART - 1)
            at = substr(line, RSTART, RLENGTH)
            line = substr(line, RSTART + RLENGTH)
            if (at == "//")
                return out
            if (at == "/*")
                in_comment = 1
            else if (at == "\"" && match(line, /^([^"\\]|\\.)*"/))
                line = substr(line, RLENGTH + 1)
            else if (at == "'" && match(line, /^([^'\\]|\\.)*'/))
                line = substr(line, RLENGTH + 1)
        } else {
            return out line
        }
    }
    return out
}

{
    code = code_of($0)
    for (rule = 1; rule <= rules; rule++) {
        text = about_comments[rule] ? $0 : code
        if (text ~ pattern[rule] && !is_fine(rule)) {
            printf "%s:%d: %s: %s\n", FILENAME, FNR, reason[rule], $0
            bad++
        }
    }
}

END {
    printf "%d files checked against %d rules, %d wrong\n", files, rules, bad
    exit bad > 0 || files == 0
}
