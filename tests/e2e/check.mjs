/* Migration checks whose result is known: a fault that compiling brought in is named with its framework op
 * and everything behind it, and its healthy twin passes the gate.
 * usage: check.mjs FOLDER RULE...   FOLDER/RULE/{faulty,healthy} as the generator of cases writes them */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const cli = process.env.MI_CLI;
const [folder, ...rules] = process.argv.slice(2);
let wrong = 0;

function expect(truth, what) {
    if (truth) return;
    wrong++;
    console.error(`not ok: ${what}`);
}

function check(dir, ...options) {
    const done = spawnSync(cli, ['check', '--json', ...options, `${dir}/framework.onnx`, `${dir}/model.om`],
        { maxBuffer: 1 << 28, encoding: 'utf8' });
    return { code: done.status, ...JSON.parse(done.stdout) };
}

const digest = (names) => createHash('sha256').update([...names].sort().join('\n')).digest('hex');

function checkUpcast(rule, truth, report) {
    const fault = truth.faults.find((one) => one.rule === 'dtype_upcast');
    const rows = report.tables.changes.filter((row) => row.change === 'dtype' && row.severity === 'warning');
    expect(rows.length === 1, `${rule}: one element type, not ${rows.length}`);
    for (const row of rows) {
        expect(fault.framework_nodes.includes(row.name), `${rule}: names ${row.name}`);
        expect(fault.subjects.includes(row.compiled), `${rule}: in ${row.compiled}`);
        expect(row.before === 'float16' && row.after === 'float32', `${rule}: ${row.before} to ${row.after}`);
        const query = truth.queries.find((one) => one.layer === 'framework' && one.node === row.name);
        if (query)
            expect(digest(report.tables.downstream.map((one) => one.name)) === query.descendants.sha256,
                `${rule}: ${report.tables.downstream.length} ops behind it, not ${query.descendants.count}`);
    }
}

function checkAiCpu(rule, truth, report) {
    const fault = truth.faults.find((one) => one.rule === 'aicpu_fallback');
    const rows = report.tables.changes.filter((row) => row.change === 'ai_cpu');
    expect(rows.length > 0, `${rule}: names a node`);
    for (const row of rows)
        expect(fault.subjects.includes(row.compiled), `${rule}: names ${row.compiled}`);
}

for (const rule of rules) {
    const truth = JSON.parse(readFileSync(`${folder}/${rule}/faulty/truth.json`, 'utf8'));
    const faulty = check(`${folder}/${rule}/faulty`, '--fail-on', 'warning');
    const healthy = check(`${folder}/${rule}/healthy`, '--fail-on', 'warning');
    expect(faulty.code === 1, `${rule}: the gate lets it pass`);
    expect(healthy.code === 0, `${rule}: the gate stops the healthy twin`);
    expect(check(`${folder}/${rule}/faulty`).code === 0, `${rule}: without a gate it is an answer`);
    (truth.faults[0].rule === 'dtype_upcast' ? checkUpcast : checkAiCpu)(rule, truth, faulty);
}
console.log(`${rules.length} rules, ${wrong} wrong`);
process.exit(wrong || !rules.length ? 1 : 0);
