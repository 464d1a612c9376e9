// What a live ONNX Runtime makes of models at levels 0, 1, 2 and 99, joined: no cut stays open, no two
// rules disagree, every op has a fate with a reason; and small models of which each fate is known.
// usage: node join.mjs INSPECTOR_CLI MAKE_ONNX_TEXT QUICKACT_OP.so SAMPLES WORK_DIR      77 = skipped
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [cli, makeText, quickact, samples, work] = process.argv.slice(2);
let passed = 0, failed = 0;

function check(what, truth, detail = "") {
    if (truth) passed++;
    else {
        failed++;
        console.log(`not ok: ${what} ${typeof detail === "string" ? detail : JSON.stringify(detail)}`);
    }
}

function run(model, name, level, more = []) {
    const dir = join(work, `${name}.${level}`);
    const done = spawnSync(cli, ["run", model, "-o", dir, "--runs", "1", "--warmup", "0", "--level", level, ...more],
        { encoding: "utf8", maxBuffer: 1 << 28 });
    if (/no library|not found|cannot open/i.test(done.stderr) && !existsSync(join(dir, "graph.json"))) {
        console.log(`skipped: ${done.stderr.trim()}`);
        process.exit(77);
    }
    check(`${name} level ${level} runs`, done.status === 0, done.stderr);
    return JSON.parse(readFileSync(join(dir, "graph.json"), "utf8"));
}

// What holds at every level.
function checkGraph(what, graph) {
    for (const node of graph.nodes) {
        const here = `${what} ${node.layer_level} ${node.op_type} ${node.name}`;
        for (const link of node.links) {
            check(`${here}: closed`, link.confidence !== "guess", link);
            check(`${here}: no conflict`, link.conflict === null, link);
        }
        if (node.layer_level === "framework")
            check(`${here}: fate`, node.fate && node.fate !== "unknown" && node.fate_reason !== "unlinked",
                [node.fate, node.fate_reason]);
        else
            check(`${here}: origin`, node.origin && node.origin !== "unknown", node.origin);
    }
}

// Fates of the framework nodes, in order: "name fate reason".
function fates(graph) {
    return graph.nodes.filter((node) => node.layer_level === "framework")
        .map((node) => `${node.name} ${node.fate} ${node.fate_reason}`);
}

const small = {
    merged: [`in x
out y
out y2
r1 Relu x a
r2 Relu x b
s Sigmoid b c
add Add a,c d
id Identity d y
drop Dropout d e
n Neg e f
dead Exp f g
m Add f,y h
o Abs h y2`, /^r[12] removed merged$/, /^id executed own_node$/, /^drop removed identity$/, /^dead executed own_node$/],
    branch: [`in x
out y
p Abs x p
c Constant - c
attr value_int 1
b Cast c b
attr to 9
if If b q
{ then_branch
out t
r Relu p t0
s Sigmoid t0 t
}
{ else_branch
out e
n Neg p e
}
z Tanh q y`, /^r executed own_node$/, /^s executed own_node$/, /^n not_executed branch_not_taken$/, /^if removed absorbed$/,
        /^b folded constant$/],
    functions: [`in x
out y
a Abs x a
one loc:G a b
two loc:F b c
n Neg c y
function loc F p q
r Relu p t
s Sigmoid t q
end
function loc G p q
f1 loc:F p u
f2 loc:F u v
c Cos v q
end`, /^one executed own_node$/, /^two executed own_node$/, /^f1 executed own_node$/, /^c executed own_node$/],
};

function smallModels() {
    for (const [name, [text, ...expected]] of Object.entries(small)) {
        const source = join(work, `${name}.txt`), model = join(work, `${name}.onnx`);
        writeFileSync(source, text + "\n");
        check(`${name} is made`, spawnSync(makeText, [source, model]).status === 0);
        const graph = run(model, name, "99");
        checkGraph(name, graph);
        for (const fate of expected)
            check(`${name}: ${fate}`, fates(graph).some((line) => fate.test(line)), fates(graph));
    }
}

// The shape is what the model leaves open; ids stay within the tables that they index.
const models = {
    resnet18_q: [], mobilenetv3_w25: [], inception_branches: [], qdq_net: [], functions: [],
    custom_domain: ["--custom-op-lib", quickact], control_flow: ["--fill", "steps=5"],
    bert_tiny: ["--fill", "input_ids=3", "--fill", "token_type_ids=1", "--fill", "attention_mask=1"],
    bert_attention: ["--fill", "input_ids=3", "--fill", "token_type_ids=1", "--fill", "attention_mask=1",
        "--shape", "input_ids=1x32", "--shape", "token_type_ids=1x32", "--shape", "attention_mask=1x32"],
};

function sampleModels() {
    if (!existsSync(samples)) return;
    for (const [name, more] of Object.entries(models))
        for (const level of ["0", "1", "2", "99"])
            checkGraph(`${name} level ${level}`, run(join(samples, `${name}.onnx`), name, level, more));
}

smallModels();
sampleModels();
console.log(`${passed} checks passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
