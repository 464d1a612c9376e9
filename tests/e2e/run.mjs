// `inspector-cli run` against a live ONNX Runtime, as a user types it.
// usage: node run.mjs INSPECTOR_CLI MAKE_ONNX QUICKACT_OP.so SAMPLES WORK_DIR      77 = skipped
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

const [cli, makeOnnx, quickact, samples, work] = process.argv.slice(2);
let passed = 0, failed = 0, skipped = 0;

function call(...args) {
    const done = spawnSync(cli, args, { encoding: "utf8", maxBuffer: 1 << 28 });
    return { code: done.status, out: done.stdout, err: done.stderr };
}

function check(what, truth, detail = "") {
    if (truth) passed++;
    else {
        failed++;
        console.log(`not ok: ${what} ${typeof detail === "string" ? detail : JSON.stringify(detail)}`);
    }
}

const json = (path) => JSON.parse(readFileSync(path, "utf8"));
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// What must hold of every capture that ran: files, three layers, every task with its node.
function checkCapture(name, dir, runs) {
    const manifest = json(join(dir, "capture.json"));
    const graph = json(join(dir, "graph.json")), trace = json(join(dir, "trace.json"));
    check(`${name}: complete`, manifest.complete === true, manifest.notes);
    const roles = manifest.files.map((file) => file.role).sort().join();
    check(`${name}: files`, roles.startsWith("optimised,") && roles.includes("profile,source"), roles);
    for (const file of manifest.files)
        check(`${name}: ${file.path} has its size`,
            statSync(join(dir, file.path)).size === file.size_bytes && /^xxh3:[0-9a-f]{32}$/.test(file.hash));
    check(`${name}: clock`, BigInt(manifest.start_unix_ns) > 1600000000n * 1000000000n);
    const compiled = graph.nodes.filter((node) => node.layer_level === "compiled");
    const framework = graph.nodes.filter((node) => node.layer_level === "framework");
    const ids = new Set(compiled.map((node) => node.node_id));
    check(`${name}: both graphs`, compiled.length > 0 && framework.length > 0);
    check(`${name}: tasks`, trace.tasks.length > 0);
    const lost = trace.tasks.filter((task) => !ids.has(task.op_node_id));
    check(`${name}: every task has its node`, lost.length === 0, lost.length);
    check(`${name}: runs`, new Set(trace.tasks.map((task) => task.run)).size === runs);
    check(`${name}: every framework op has a fate`,
        framework.every((node) => node.fate && node.fate !== "unknown"));
    return { manifest, graph, trace, compiled, framework };
}

function ownModels() {
    const model = join(work, "own.onnx"), dir = join(work, "own");
    check("a model is made", spawnSync(makeOnnx, [model, "40", "3"]).status === 0);
    const before = readFileSync(model);
    const made = call("run", model, "-o", dir, "--runs", "2", "--warmup", "1");
    check("own: exit code", made.code === 0, made.err);
    check("own: summary is printed", made.out.includes("By operator type") && made.out.includes("graph.json"));
    const { manifest } = checkCapture("own", dir, 3);
    check("own: settings", manifest.settings.runs === "2" && manifest.settings.warmup === "1");
    check("own: the input is untouched", before.equals(readFileSync(model)));
    const again = call("run", model, "--output-dir", dir, "--runs", "1", "--warmup", "0", "--threads", "2");
    check("own: an older capture is replaced", again.code === 0, again.err);
    checkCapture("own again", dir, 1);
    for (const level of ["0", "1", "2", "99"]) {
        const other = join(work, `level${level}`);
        check(`level ${level}`, call("run", model, "-o", other, "--level", level).code === 0);
        const { compiled, framework } = checkCapture(`level ${level}`, other, 4);
        if (level === "0") check("level 0 keeps every node", compiled.length === framework.length);
    }
    const partition = join(work, "partition.json"), streams = join(work, "streams");
    check("partition", call("run", model, "-o", streams, "--partition", partition).code === 0);
    const roles = json(join(streams, "capture.json")).files.map((file) => file.role);
    check("partition: kept with the capture", roles.includes("partition") && existsSync(partition), roles);
    check("partition: tasks on streams", json(join(streams, "trace.json")).tasks.every((task) => task.stream_id !== null));
    return model;
}

function mistakes(model) {
    const dir = join(work, "mistakes");
    const cases = [
        [["run"], 2, "one model"],
        [["run", join(work, "none.onnx")], 3, "no such file"],
        [["run", model, "-o", dir, "--ort-lib", "/nonexistent.so"], 3, "/nonexistent.so"],
        [["run", model, "-o", dir, "--ort-lib", "libz.so.1"], 3, "not ONNX Runtime"],
        [["run", model, "-o", dir, "--runs", "0"], 2, "--runs"],
        [["run", model, "-o", dir, "--level", "3"], 2, "--level"],
        [["run", model, "-o", dir, "--shape", "nobody=1x2"], 2, "nobody"],
        [["run", model, "-o", dir, "--fill", "nobody=1"], 2, "nobody"],
        [["run", model, "-o", work], 2, "not empty"],
    ];
    for (const [args, code, word] of cases) {
        const done = call(...args);
        check(`${args.slice(2).join(" ") || "no model"}: exit ${code}`, done.code === code, `${done.code} ${done.err}`);
        check(`${args.slice(2).join(" ") || "no model"}: says why`, done.err.includes(word), done.err);
    }
    const broken = join(work, "broken.onnx");
    writeFileSync(broken, readFileSync(model).subarray(0, 600));
    const done = call("run", broken, "-o", join(work, "broken"));
    check("a cut model: ONNX Runtime's reason", done.err.includes("does not load"), done.err);
}

// Whether it was so within a minute; machines are slow at times.
async function until(isSo) {
    for (let i = 0; i < 2400 && !isSo(); i++) await sleep(25);
    return isSo();
}

// Starts a long run, does something to it a while after its model was loaded, and waits for its end.
async function interrupted(model, dir, ms, act) {
    const child = spawn(cli, ["run", model, "-o", dir, "--runs", "1000000"], { stdio: "ignore", detached: true });
    const ended = new Promise((resolve) => child.on("exit", (code, signal) => resolve({ code, signal })));
    await until(() => existsSync(join(dir, "optimised.onnx")) || child.exitCode !== null);
    await sleep(ms);
    act(child);
    return ended;
}

async function interruptions(model) {
    let dir = join(work, "ctrl-c");
    let end, manifest;
    // The first run cannot be seen from outside: where there was none yet, longer the next time.
    for (let ms = 400; ms < 60000 && !/stopped after \d+ of/.test(manifest?.notes.join()); ms *= 2) {
        end = await interrupted(model, dir, ms, (child) => process.kill(-child.pid, "SIGINT"));
        manifest = json(join(dir, "capture.json"));
    }
    check("Ctrl-C: shows what there is", end.code === 0, end);
    check("Ctrl-C: the capture says so", !manifest.complete && /stopped after \d+ of/.test(manifest.notes.join()), manifest.notes);
    const trace = json(join(dir, "trace.json"));
    check("Ctrl-C: tasks are there", trace.tasks.length > 0 && trace.tasks.every((task) => task.op_node_id !== null));
    dir = join(work, "killed");
    await interrupted(model, dir, 400, (child) => process.kill(child.pid, "SIGKILL"));
    check("kill -9: capture.json is whole", json(join(dir, "capture.json")).complete === false);
    const inputs = call("inputs", dir);
    check("kill -9: the capture opens and says so", inputs.code === 0 && inputs.out.includes("capture.incomplete"), inputs.err);
    const left = () => spawnSync("pgrep", ["-f", dir], { encoding: "utf8" }).stdout.trim();
    check("kill -9: no process is left behind", await until(() => left() === ""), left());
}

function realModels() {
    const models = ["bert_attention", "bert_tiny", "control_flow", "functions", "inception_branches",
        "mobilenetv3_w25", "qdq_net", "resnet18_q"];
    if (!existsSync(join(samples, "bert_tiny.onnx"))) {
        skipped += models.length + 1;
        console.log("skipped: no sample models");
        return;
    }
    for (const model of models) {
        const dir = join(work, model);
        const done = call("run", join(samples, `${model}.onnx`), "-o", dir);
        check(`${model}: exit code`, done.code === 0, done.err);
        const { compiled, trace } = checkCapture(model, dir, 4);
        // Nodes that ONNX Runtime expands lose their names; those are joined by order, which is likely.
        const guesses = trace.tasks.filter((task) => !["certain", "likely"].includes(task.confidence)).length;
        check(`${model}: no task is joined by guess`, guesses === 0, `${guesses}/${trace.tasks.length}`);
        check(`${model}: origins`, compiled.every((node) => node.origin && node.origin !== "unknown"));
    }
    const source = join(samples, "custom_domain.onnx");
    let dir = join(work, "custom-without");
    let done = call("run", source, "-o", dir);
    check("custom domain: framework layer all the same", done.code === 0 && done.out.includes("QuickAct"), done.err);
    check("custom domain: and the reason", done.err.includes("QuickAct"), done.err);
    check("custom domain: not an execution",
        json(join(dir, "graph.json")).nodes.every((node) => node.fate === "not_executed"));
    dir = join(work, "custom-with");
    const beside = spawnSync(cli, ["run", source, "-o", dir, "--custom-op-lib", basename(quickact)],
        { encoding: "utf8", cwd: dirname(quickact) });
    check("custom: a library of the current folder", beside.status === 0 && beside.stderr === "", beside.stderr);
    done = call("run", source, "-o", dir, "--custom-op-lib", quickact);
    check("custom domain with its library", done.code === 0, done.err);
    const { compiled } = checkCapture("custom domain", dir, 4);
    check("custom ops are custom", compiled.filter((node) => node.op_type === "QuickAct").every((node) => node.category === "custom"));
}

rmSync(work, { recursive: true, force: true });
mkdirSync(work, { recursive: true });
const probe = call("run", "/dev/null");
const model = join(work, "probe.onnx");
spawnSync(makeOnnx, [model]);
const available = call("run", model, "-o", join(work, "probe"));
if (available.err.includes("was not found") || available.err.includes("cannot open shared object")) {
    console.log(`skipped: ${available.err.trim()}`);
    process.exit(77);
}
check("a device is no model", probe.code === 3);
const own = ownModels();
mistakes(own);
await interruptions(own);
realModels();
rmSync(work, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exit(failed ? 1 : 0);
