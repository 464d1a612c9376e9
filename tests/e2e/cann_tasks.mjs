/* Tasks of Ascend tables against what the generator of cases knows: each task once, linked to its node, with
 * its issuer and its run, fates of framework ops, and the table of one case to the last digit.
 * usage: cann_tasks.mjs CASE... */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const cli = process.env.MI_CLI;
const place = mkdtempSync(join(tmpdir(), 'cann-'));
let wrong = 0;

function expect(truth, what) {
    if (truth) return;
    wrong++;
    console.error(`not ok: ${what}`);
}

function inputs(dir) {
    const profiles = readdirSync(dir).filter((name) => name.startsWith('PROF_'));
    return ['framework.onnx', 'model.om', ...profiles].map((name) => join(dir, name));
}

function run(...options) {
    const done = spawnSync(cli, options, { maxBuffer: 1 << 28, encoding: 'utf8' });
    expect(done.status === 0 || done.status === 1, `${options.join(' ')}: status ${done.status} ${done.stderr}`);
    return done.stdout;
}

/* Starts need all 64 bits, so keys are cut out of the text of the truth. */
function readTruth(dir) {
    const text = readFileSync(join(dir, 'truth.json'), 'utf8').replace(/\b\d{17,}\b/g, '"$&"');
    return JSON.parse(text);
}

function tasksOf(truth) {
    const tasks = new Map();
    for (const one of truth.runs)
        for (const row of one.tasks) {
            const task = Object.fromEntries(one.task_fields.map((field, i) => [field, row[i]]));
            if (task.copies) tasks.set(`${task.device}/${task.stream}/${task.task_id}/${task.raw_start_ns}`, task);
        }
    return tasks;
}

function checkTasks(name, truth, links) {
    const tasks = tasksOf(truth);
    let linked = 0, linkable = 0, issuers = 0;
    expect(links.tasks.length === tasks.size, `${name}: ${links.tasks.length} tasks, not ${tasks.size}`);
    for (const one of links.tasks) {
        const task = tasks.get(one.task);
        expect(task, `${name}: there is no task ${one.task}`);
        if (!task) continue;
        expect(!one.node || one.node === task.node, `${name}: ${one.task} is of ${task.node}, not of ${one.node}`);
        linkable += task.node !== null;
        linked += task.node !== null && one.node === task.node;
        issuers += one.by === task.by;
    }
    expect(linked >= 0.99 * linkable, `${name}: ${linked} of ${linkable} tasks have their node`);
    expect(issuers >= 0.99 * tasks.size, `${name}: ${issuers} of ${tasks.size} issuers are right`);
    console.log(`${name}: ${linked}/${linkable} links, ${issuers}/${tasks.size} issuers`);
}

function checkFates(name, truth, links) {
    const fates = new Map(truth.framework.map((op) => [op.node, op.fate]));
    const right = links.framework.filter((op) => fates.get(op.node) === op.fate).length;
    expect(right >= 0.99 * fates.size, `${name}: ${right} of ${fates.size} fates are right`);
}

/* Runs have the tasks that the truth has in them: the export of rows has the column. */
function checkRuns(name, truth, dir) {
    const out = join(place, `${name}-rows`);
    run('export', '--format', 'csv', '-o', out, ...inputs(dir));
    const find = (table) => readFileSync(join(out, readdirSync(out).find((file) => file.endsWith(`${table}.csv`))), 'utf8')
        .trim().split(/\r?\n/).map((line) => line.split(','));
    const [head, ...rows] = find('tasks'), [trackHead, ...tracks] = find('tracks');
    const cell = (row, column) => row[head.indexOf(column)];
    const number = (text) => Number(text.replace(/^\D*/, ''));
    const tasks = tasksOf(truth);
    let right = 0, all = 0;
    for (const row of rows) {
        const track = tracks[number(cell(row, 'track')) - 1];
        const at = (column) => track[trackHead.indexOf(column)];
        const task = tasks.get(`${at('device')}/${at('native_id')}/${cell(row, 'native_id')}/${cell(row, 'start_raw')}`);
        if (!task || task.iteration < 0) continue;
        all++;
        right += Number(cell(row, 'run')) === task.iteration;
    }
    expect(all > 0 && right >= 0.99 * all, `${name}: ${right} of ${all} tasks are in their run`);
}

const article = [['convolution', 17, 8120000, 477647, 0.421], ['data_movement', 3, 4560000, 1520000, 0.236],
    ['fully_connected', 2, 3560000, 1780000, 0.185], ['normalisation', 17, 1950000, 114705, 0.101],
    ['activation', 16, 880000, 55000, 0.046], ['custom', 1, 220000, 220000, 0.011]];

function checkArticle(dir) {
    const report = JSON.parse(run('summary', '--json', ...inputs(dir)));
    const rows = report.tables.by_category.map((row) =>
        [row.category, row.nodes, row.total_ns, row.average_ns, Math.round(row.share * 1000) / 1000]);
    expect(JSON.stringify(rows) === JSON.stringify(article), `article: ${JSON.stringify(rows)}`);
    expect(report.facts.explained_compiled_share === 1, 'article: everything is explained');
}

for (const dir of process.argv.slice(2)) {
    const name = basename(dir), truth = readTruth(dir);
    run('export', '--format', 'links', '-o', join(place, name), ...inputs(dir));
    const links = JSON.parse(readFileSync(join(place, name, 'export.links.json'), 'utf8'));
    checkTasks(name, truth, links);
    checkFates(name, truth, links);
    checkRuns(name, truth, dir);
    if (name === 'article') checkArticle(dir);
}
rmSync(place, { recursive: true });
process.exit(wrong ? 1 : 0);
