// Bundles, captured graphs and collectives as the hook saw them.
// usage: hook_newer.mjs bundle MODEL.om OUT     writes a bundle of that model, twice
//        hook_newer.mjs copy BUNDLE COPY        the copy is the bundle without its weights
//        hook_newer.mjs calls|times NAME STEPS  NAME.csv, NAME.truth: what the program did
import { readFileSync, writeFileSync } from "node:fs";
import assert from "node:assert";

const [what, first, second] = process.argv.slice(2);
const HEAD = 256, KIND_AT = 82, BUNDLE = 5, ENTRY = 24, MEMBER = 24, WEIGHTS = 1;

function makeBundle(model) {
    const head = Buffer.from(model.subarray(0, HEAD)), count = 3;
    head[KIND_AT] = BUNDLE;
    const table = Buffer.alloc(8 + ENTRY * count), variables = Buffer.alloc(8);
    const parts = [[25, variables], [MEMBER, model], [MEMBER, model]];
    let at = table.length;
    table.writeUInt32LE(count, 0);
    parts.forEach(([type, bytes], i) => {
        table.writeUInt32LE(type, 8 + i * ENTRY);
        table.writeBigUInt64LE(BigInt(at), 8 + i * ENTRY + 8);
        table.writeBigUInt64LE(BigInt(bytes.length), 8 + i * ENTRY + 16);
        at += bytes.length;
    });
    return Buffer.concat([head, table, ...parts.map(([, bytes]) => bytes)]);
}

// Where weights lie in a model of one table.
function weightsOf(model) {
    const count = model.readUInt32LE(HEAD);
    for (const wide of [true, false]) {
        const size = wide ? 24 : 12, head = wide ? 8 : 4, data = HEAD + head + count * size;
        const read = (at) => (wide ? Number(model.readBigUInt64LE(at)) : model.readUInt32LE(at));
        const parts = Array.from({ length: count }, (_, i) => HEAD + head + i * size).map((at) => ({
            type: model.readUInt32LE(at), at: data + read(at + size / 3), bytes: read(at + (2 * size) / 3),
        }));
        if (parts.every((p, i) => p.at === (i ? parts[i - 1].at + parts[i - 1].bytes : data)))
            return parts.find((p) => p.type === WEIGHTS);
    }
    return undefined;
}

function checkCopy(bundle, copy) {
    assert.equal(copy.length, bundle.length);
    const expected = Buffer.from(bundle);
    for (const i of [1, 2]) {
        const at = HEAD + Number(bundle.readBigUInt64LE(HEAD + 8 + i * ENTRY + 8));
        const weights = weightsOf(bundle.subarray(at));
        assert.ok(weights && weights.bytes > 0, "the model has no weights to leave out");
        expected.fill(0, at + weights.at, at + weights.at + weights.bytes);
    }
    assert.ok(copy.equals(expected), "the copy differs by more than its weights");
}

// Our own tables: cells may be quoted, none of these holds a quote or a comma.
function table(name, file) {
    const [head, ...lines] = readFileSync(`${name}.csv/${file}.csv`, "utf8").trimEnd().split(/\r?\n/);
    const names = head.split(","), cells = (line) => line.split(",").map((cell) => cell.replace(/^"(.*)"$/, "$1"));
    return lines.map((line) => Object.fromEntries(cells(line).slice(0, names.length).map((cell, i) => [names[i], cell])));
}

function checkCalls(name, steps, hasTimes) {
    const truth = readFileSync(`${name}.truth`, "utf8").trimEnd().split("\n").map((line) => line.split(" "));
    const slices = table(name, "slices");
    const byId = new Map(slices.map((s) => [s.id, s]));
    const submissions = table(name, "submissions");
    const of = (call) => submissions.filter((s) => byId.get(s.slice)?.name === call);

    // Kernels that were put into the graph ran when it was replayed: their calls have made no task.
    const eager = truth.filter((w) => w[0] === "task" && w[5] === "KERNEL_AICORE" && w[4] === "-1");
    assert.equal(eager.length, steps + 1);
    assert.deepEqual(of("aclrtLaunchKernel").map((s) => `${s.stream} ${s.native_id}`).sort(),
        eager.map((w) => `${w[2]} ${w[3]}`).sort());
    assert.equal(of("aclrtRecordEvent").length + of("aclrtStreamWaitEvent").length, 0);

    // Graphs and collectives: which, on which stream, and no id that might be of another task.
    const main = eager[0][2];
    for (const [call, item, count] of [["aclmdlRIExecuteAsync", "graph 1", steps], ["HcclAllReduce", "1024 float32", steps],
        ["HcclAllGather", "16 float32", 1], ["HcclBarrier", "", 1]]) {
        assert.equal(of(call).length, count, call);
        for (const s of of(call)) {
            assert.equal(byId.get(s.slice).item, item);
            assert.equal(s.native_id, "-1");
            assert.equal(s.stream === main, count === steps);
        }
    }
    assert.equal(of("aclmdlRIExecute").length, 0);
    for (const call of ["aclmdlRICaptureEnd", "aclmdlRIExecute"])
        assert.ok(slices.some((s) => s.name === call && s.item === "graph 1"), call);

    // Both models of the bundle, each once, with its place.
    const loads = table(name, "loads"), graphs = table(name, "graphs");
    assert.deepEqual(loads.map((l) => l.part), ["0", "1"]);
    assert.equal(new Set(loads.map((l) => l.model)).size, 2);
    assert.ok(loads.every((l) => /bundle\.om$/.test(l.path) && /\.om$/.test(l.copy)));
    const mains = graphs.filter((g) => g.layer === "compiled" && g.kind === "main").map((g) => g.id);
    if (hasTimes)
        assert.deepEqual(loads.map((l) => l.graph), mains);
    assert.equal(mains.length, 2);
    return { truth, slices: byId, submissions };
}

function checkTimes(name, steps) {
    const { truth, slices, submissions } = checkCalls(name, steps, true);
    const tasks = table(name, "tasks"), kernels = new Map(table(name, "kernels").map((k) => [k.id, k]));
    const ran = (type, model) => truth.filter((w) => w[0] === "task" && w[5] === type && model(Number(w[4])));
    const byLaunch = (call) => tasks.filter((t) => slices.get(t.launch)?.name === call);
    const bySubmission = new Map(submissions.filter((s) => s.task !== "").map((s) => [s.task, s]));

    // Each collective is launched by its own call, which begins before it and knows it.
    const collectives = tasks.filter((t) => kernels.get(t.kernel).kind === "communication");
    assert.equal(collectives.length, ran("COMMUNICATION", () => true).length);
    assert.equal(collectives.length, steps + 2);
    const launches = collectives.map((t) => t.launch);
    assert.equal(new Set(launches).size, collectives.length);
    for (const t of collectives) {
        const call = slices.get(t.launch), what = kernels.get(t.kernel).name;
        const wanted = { hcom_allReduce__1_0: "HcclAllReduce", hcom_allGather__1_0: "HcclAllGather", hcom_barrier__1_0: "HcclBarrier" };
        assert.equal(call.name, wanted[what]);
        assert.ok(BigInt(call.start_ns) <= BigInt(t.start_ns));
        assert.equal(bySubmission.get(t.id)?.slice, t.launch);
    }

    // Kernels of the graph, two of each replay.
    assert.equal(byLaunch("aclmdlRIExecuteAsync").length, 2 * steps);
    assert.equal(new Set(byLaunch("aclmdlRIExecuteAsync").map((t) => t.launch)).size, steps);
    assert.equal(byLaunch("aclrtLaunchKernel").length, steps + 1);
}

if (what === "bundle")
    writeFileSync(second, makeBundle(readFileSync(first)));
else if (what === "copy")
    checkCopy(readFileSync(first), readFileSync(second));
else if (what === "calls")
    checkCalls(first, Number(second), false);
else
    checkTimes(first, Number(second));
