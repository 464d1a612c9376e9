// A hook file against the ledger that was made of it. The file is taken apart here once more, by the
// lengths of its parts alone.
// usage: hook_rough.mjs FILE INPUTS.json killed|ended|broken [complete]
import { readFileSync } from "node:fs";
import assert from "node:assert";

const [path, inputsPath, ending, wanted] = process.argv.slice(2);
const file = readFileSync(path);
const HEAD = 4096, SLOTS = 252, CHUNK = 64, MSPTI_LOST = 211, UNKNOWN_KIND = 3;

// The head counts as a record; then those that no ring was left for. What MSPTI delivered of kinds that
// nobody knows is counted, and is no record of the file.
let issued = 1 + Number(file.readBigUInt64LE(40)), whole = 1, leftOut = 0, at = HEAD;
for (let slot = 0; slot < SLOTS; slot++)
    issued += Number(file.readBigUInt64LE(64 + 16 * slot + 8));
while (at + CHUNK <= file.length) {
    assert.equal(file.toString("latin1", at, at + 8), "MICHUNK\n", `no chunk at ${at}`);
    const bytes = file.readUInt32LE(at + 12);
    if (at + CHUNK + bytes > file.length)
        break;
    whole += file.readUInt32LE(at + 16);
    at += CHUNK;
    for (const end = at + bytes; at < end; at += file.readUInt16LE(at))
        if (file.readUInt16LE(at + 2) === MSPTI_LOST && file.readInt32LE(at + 4) === UNKNOWN_KIND)
            leftOut += Number(file.readBigUInt64LE(at + 40));
}

const report = JSON.parse(readFileSync(inputsPath, "utf8"));
const [row] = report.tables.sources;
const value = (name) => row[name];
const kept = value("records_kept"), skipped = value("records_skipped"), lost = value("records_lost");
assert.equal(kept + skipped, whole + leftOut, "all that is whole is read");
assert.equal(kept + skipped + lost, issued, "what is missing is counted");
assert.equal(value("records_in"), issued);

const state = file.readUInt32LE(16);
assert.equal(state, { killed: 0, ended: 1, broken: 2 }[ending], "how it ended");
if (ending === "broken")
    assert.ok(lost > 0);
if (wanted === "complete")
    assert.equal(lost, 0, "nothing is missing");
