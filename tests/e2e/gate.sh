#!/bin/sh
# gate and baseline as CI uses them: exit codes, files of every form, and these judged by other programs:
# xmllint by our schema of JUnit, the SARIF validator where it is installed.
set -eu
cli=$MI_BINARY_DIR/inspector-cli
data=$PWD/tests/data/diff
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
export MI_BASELINE_DIR="$temp/kept"
fail() { echo "$*" >&2; exit 1; }

"$cli" baseline save base "$data/v1"
code=0
"$cli" gate baseline:base "$data/v2" -r "$temp/a.md" -r "$temp/a.xml" -r "$temp/a.sarif" -r "$temp/a.json" \
    -r "$temp/a.jsonl" -r "$temp/a.txt" > "$temp/out" || code=$?
[ "$code" = 1 ] || fail "a slower run should end with 1, not $code"
cmp "$temp/out" "$temp/a.txt" || fail "text on standard output and in a file differ"
"$cli" gate baseline:base "$data/v1" -r "$temp/b.xml" -r "$temp/b.sarif" > /dev/null || fail "equals raise an alarm"

# every line of .jsonl and the other JSON files are JSON, and tell the same findings
node -e '
    const fs = require("fs"), [whole, lines, sarif] = process.argv.slice(1).map((f) => fs.readFileSync(f, "utf8"));
    const findings = JSON.parse(whole).findings;
    const single = lines.trim().split("\n").map((line) => JSON.parse(line))
        .filter((line) => line.kind === "finding").map(({kind, ...finding}) => finding);
    if (JSON.stringify(findings) !== JSON.stringify(single)) throw new Error("lines and report differ");
    const results = JSON.parse(sarif).runs[0].results;
    if (results.length !== findings.length || results.some((r, i) => r.message.text !== findings[i].sentence))
        throw new Error("SARIF and report differ");
' "$temp/a.json" "$temp/a.jsonl" "$temp/a.sarif"

if command -v xmllint > /dev/null; then
    xmllint --noout --schema docs/schema/junit.xsd "$temp/a.xml" "$temp/b.xml" || fail "JUnit: not as in its schema"
    sed 's/failures="/fails="/' "$temp/a.xml" > "$temp/wrong.xml"
    ! xmllint --noout --schema docs/schema/junit.xsd "$temp/wrong.xml" 2> /dev/null || fail "the schema allows anything"
else
    echo "xmllint is not installed: JUnit not judged"
fi
# The validator answers 0 and says little whatever it reads: its log tells. Files that it cannot load leave an
# empty one, so a warning that it has about every file of ours (no web address of the tool) must be there.
validator=node_modules/.bin/sarif-multitool
judge() {
    "$validator" validate "$1" -o "$temp/log" --log ForceOverwrite > /dev/null 2>&1 || true
    node -e '
        const log = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8").replace(/^\uFEFF/, ""));
        const results = log.runs[0].results;
        const errors = results.filter((r) => r.level === "error");
        if (!results.some((r) => r.ruleId === "SARIF2005")) errors.push({ruleId: "not judged"});
        if (errors.length) { console.log(JSON.stringify(errors.slice(0, 3))); process.exit(1); }
    ' "$temp/log"
}
if [ -x "$validator" ] && "$validator" version > /dev/null 2>&1; then
    judge "$temp/a.sarif" || fail "SARIF: not accepted"
    sed 's/"ruleId"/"ruleWrong"/' "$temp/a.sarif" > "$temp/wrong.sarif"
    ! judge "$temp/wrong.sarif" > /dev/null || fail "the validator accepts anything"
else
    echo "sarif-multitool does not run here: SARIF not judged"
fi

# a report never lands on half a file, and a name that tells no form is refused before anything is read
code=0
"$cli" gate "$temp/missing" "$temp/missing" -r "$temp/a.pdf" 2> "$temp/said" || code=$?
[ "$code" = 2 ] && grep -q 'a.pdf' "$temp/said" || fail "--report a.pdf was not refused"
echo ok
