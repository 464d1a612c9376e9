#!/usr/bin/env node
/* The page on large inputs, in Chromium without a graphics card: how long its own code works on a frame, how
 * much goes over the wire for a view of the timeline, how long the server thinks, how long it takes to the first
 * picture and from a selection to its marks, and how much memory the tab takes.
 *
 * The first picture is there when the structure and the timeline have been drawn and their frame is over (the
 * page's mark "first-picture"). It is measured with the page as it ships, in a tab that is open and at rest, on
 * a server that nobody has asked anything: from the navigation, and from the start of `serve` (that, and its time
 * until it tells its address). What a tab takes for a page without anything in it is told beside.
 *
 *     bench_page.mjs [--json] [--tasks-m N]      N million tasks in the long run (default 10)
 *
 * MI_BINARY_DIR names a build. Inputs are made in TMPDIR (1 GB) and deleted. No time makes it fail. */
import {execFileSync, spawn} from 'node:child_process';
import {mkdtempSync, readdirSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {chromium} from 'playwright-core';

const root = fileURLToPath(new URL('../..', import.meta.url)), built = process.env.MI_BINARY_DIR ?? join(root, 'build-release');
const args = process.argv.slice(2), asJson = args.includes('--json');
const millions = Number(args[args.indexOf('--tasks-m') + 1] ?? 10) || 10;
const temp = mkdtempSync(join(tmpdir(), 'bench-page-')), rows = [];

function tell(what, value, unit, target) {
    rows.push({what, value, unit, target});
    if (asJson) return;
    const good = target === undefined ? '' : value <= target ? 'ok' : 'MISSED';
    console.log(`${what.padEnd(62)} ${value.toFixed(value < 100 ? 1 : 0).padStart(9)} ${unit.padEnd(4)} ${target === undefined ? '' : `<= ${target}`.padStart(8)} ${good}`);
}

/* --- inputs --- */

function trace(name, tasks, nodes) {
    const folder = join(temp, name);
    execFileSync(join(built, 'tests/bench/make_trace'), [String(tasks), folder, 'db', `nodes=${nodes}`]);
    return [join(folder, 'model.om'), ...readdirSync(folder).filter((n) => n.startsWith('PROF_')).map((n) => join(folder, n))];
}

function graph(nodes) {
    const path = join(temp, `${nodes}.onnx`);
    execFileSync(join(built, 'tests/support/make_onnx'), [path, String(nodes), '4', '64']);
    return [path];
}

/* --- server and browser --- */

const children = new Set();

function serve(inputs) {
    const began = Date.now(), child = spawn(join(built, 'inspector-cli'), ['serve', '--no-open', ...inputs], {stdio: ['ignore', 'pipe', 'inherit']});
    children.add(child);
    return new Promise((resolve, reject) => {
        child.stdout.once('data', (data) => resolve({child, url: data.toString().trim(), began}));
        child.once('exit', (code) => reject(new Error(`serve ended with ${code}`)));
    });
}

execFileSync(process.execPath, [join(root, 'web/build.mjs'), join(temp, 'page'), '--bench']);
const script = readFileSync(join(temp, 'page', readdirSync(join(temp, 'page')).find((n) => n.endsWith('.js'))));
const browser = await chromium.launch({
    executablePath: process.env.MI_CHROMIUM ?? '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
        '--disable-component-update', '--disable-sync', '--enable-precise-memory-info', '--js-flags=--expose-gc'],
});

async function tab() {
    const page = await (await browser.newContext({viewport: {width: 1600, height: 1000}})).newPage();
    page.on('pageerror', (e) => console.error(e.message));
    await page.waitForTimeout(1500); /* a new tab is busy with itself */
    return page;
}

/* ms from the navigation to the first picture, of a page that is on its way. */
const firstPicture = (page) => page.evaluate(() => new Promise((done) => new PerformanceObserver((list) =>
    list.getEntriesByName('first-picture').forEach((e) => done(e.startTime))).observe({type: 'mark', buffered: true})));

/* ms from the navigation to the first picture; of an empty page to the end of its first frame. */
async function picture(url, isEmpty) {
    const page = await tab();
    await page.goto(isEmpty ? `${url}nothing` : url, {waitUntil: 'commit'});
    const took = isEmpty ? await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now())))))
        : await firstPicture(page);
    await page.context().close();
    return took;
}

/* A server that has read its files; it opens its door before. */
async function isReady(url) {
    await (await fetch(`${url}api/v1/capture`)).arrayBuffer();
}

/* ms from the start of serve to the first picture, in a tab that is at hand, as when serve opens the link. */
async function fromTheStart(inputs) {
    const page = await tab(), {child, url, began} = await serve(inputs);
    await page.goto(url, {waitUntil: 'commit'});
    const at = await page.evaluate(() => performance.timeOrigin) + await firstPicture(page); /* looked for without drawing frames meanwhile */
    await page.context().close();
    child.kill('SIGINT');
    return at - began;
}

/* The first picture of fresh servers, the middle of `times`. */
async function opening(name, inputs, target, times = 5) {
    const empty = [], navigated = [], started = [];
    for (let i = 0; i < times; i++) {
        const {child, url} = await serve(inputs);
        await isReady(url);
        navigated.push(await picture(url, false));
        empty.push(await picture(url, true));
        child.kill('SIGINT');
        started.push(await fromTheStart(inputs));
    }
    tell(`${name}: an empty page, from navigation to its first frame`, median(empty), 'ms');
    tell(`${name}: from navigation to the first picture`, median(navigated), 'ms', target);
    tell(`${name}: from the start of serve to the first picture`, median(started), 'ms', target);
    tell(`${name}: from navigation to the first picture, least`, Math.min(...navigated), 'ms');
}

async function open(url) {
    const page = await tab();
    await page.route('**/app-*.js', (route) => route.fulfill({body: script, contentType: 'text/javascript'}));
    await page.goto(`${url}?bench=1`, {waitUntil: 'commit'});
    await page.waitForFunction(() => performance.getEntriesByName('first-picture').length, null, {timeout: 120000});
    page.opened = await page.evaluate(() => performance.getEntriesByName('first-picture')[0].startTime);
    await page.waitForTimeout(1500);
    return page;
}

const heap = (page) => page.evaluate(() => {
    window.gc?.();
    return performance.memory.usedJSHeapSize / 1e6;
});

/* Bytes and time of what one view of the timeline asks for. */
const view = (page, from, to, plot) => page.evaluate(async ([a, b, width]) => {
    const step = Math.max(1, 2 ** Math.round(Math.log2((b - a) / width))), around = (b - a) / 2;
    const body = {from_ns: Math.floor(a - around), to_ns: Math.ceil(b + around), step_ns: step};
    let bytes = 0, slices = 0;
    for (const [path, more] of [['slices', {}], ['flows', {kinds: ['signal']}], ['busy', {}]]) {
        const begin = performance.now();
        const response = await fetch(`api/v1/${path}`, {method: 'POST', body: JSON.stringify({...body, ...more}), headers: {'Content-Type': 'application/json'}});
        bytes += (await response.arrayBuffer()).byteLength;
        if (path === 'slices') slices = performance.now() - begin;
    }
    return {bytes, slices};
}, [from, to, plot]);

const median = (list) => [...list].sort((x, y) => x - y)[list.length >> 1] ?? 0;

async function timelines(page, name) {
    for (const [part, label, target] of [[1, 'all of it', 16], [0.05, 'a twentieth', 16], [0.0001, 'a ten thousandth, arrows and labels', 33]]) {
        if (target === 33) await page.locator('#show-flows').check();
        const frames = await page.evaluate((p) => window.__bench.timeline(p), part);
        tell(`${name}: frame of ${label} (${frames.shapes} slices), p95`, frames.p95, 'ms', target);
        tell(`${name}: the same, median`, frames.median, 'ms');
        tell(`${name}: the same, least`, frames.least, 'ms');
        tell(`${name}: the same with a pixel read back, p95`, frames.painted, 'ms');
    }
    const whole = await page.evaluate(() => ({from: window.inspector.timeline.loads.whole.first, to: window.inspector.timeline.loads.whole.end}));
    const size = whole.to - whole.from;
    for (const [part, label, target] of [[1, 'full width', 60], [0.01, 'a hundredth', 30], [0.00001, 'a hundred thousandth', 30]]) {
        const answers = [];
        for (let i = 0; i < 7; i++) {
            const from = whole.from + (size - size * part) * (i / 7);
            answers.push(await view(page, from, from + size * part, 1400));
        }
        tell(`${name}: slices of ${label}, question to answer`, median(answers.map((a) => a.slices)), 'ms', target);
        tell(`${name}: bytes of such a view`, Math.max(...answers.map((a) => a.bytes)) / 1000, 'KB', 200);
    }
}

async function small() {
    for (const [tasks, nodes, target] of [[200000, 10000, 500], [2000000, 100000, 3000]]) {
        const inputs = trace(`open-${nodes}`, tasks, nodes), name = `${nodes / 1000}k nodes, ${tasks / 1e6} M tasks`;
        await opening(name, inputs, target);
        const {child, url} = await serve(inputs);
        await isReady(url);
        const page = await open(url);
        const some = Array.from({length: 8}, (_, i) => Math.floor(nodes * (i + 0.5) / 8) + 1);
        const jumps = await page.evaluate((list) => window.__bench.jump(list), some);
        tell(`${name}: from a selection to its marks, median of ${jumps.length}`, median(jumps), 'ms', 100);
        tell(`${name}: heap of the tab`, await heap(page), 'MB', 200);
        await page.context().close();
        child.kill('SIGINT');
    }
}

async function machine() {
    const {child, url} = await serve(graph(100)), page = await open(url);
    tell('this machine: mean of a loop beside its best', await page.evaluate(() => window.__bench.slowdown()), 'x');
    await page.context().close();
    child.kill('SIGINT');
}

async function long() {
    const inputs = trace('long', millions * 1e6, 1000), {child, url, began} = await serve(inputs);
    await isReady(url);
    const ready = Date.now() - began, name = `${millions} M tasks`, page = await open(url);
    tell(`${name}: read, joined, ready`, ready / 1000, 's');
    tell(`${name}: from navigation to the first picture`, page.opened, 'ms');
    const begin = performance.now();
    await page.waitForFunction(() => window.inspector.timeline.loads.whole, null, {timeout: 120000});
    tell(`${name}: until it is told how busy devices were, once`, page.opened + 1500 + performance.now() - begin, 'ms');
    await timelines(page, name);
    tell(`${name}: heap of the tab`, await heap(page), 'MB', 200);
    await page.context().close();
    child.kill('SIGINT');
}

async function structure() {
    const inputs = graph(100000);
    await opening('100k nodes', inputs, undefined, 3);
    const {child, url} = await serve(inputs), page = await open(url);
    await page.locator('#graph').focus();
    for (let i = 0; i < 4; i++) {
        await page.keyboard.press('e');
        await page.waitForTimeout(700);
    }
    for (const [scale, label, target] of [[0, 'all of it', 16], [0.15, 'from afar', 16], [1, 'near', 33]]) {
        const frames = await page.evaluate((s) => window.__bench.graph(s), scale);
        tell(`100k nodes: frame ${label} (${frames.shapes} boxes open), p95`, frames.p95, 'ms', target);
        tell(`100k nodes: the same, median`, frames.median, 'ms');
    }
    tell('100k nodes: heap of the tab', await heap(page), 'MB', 200);
    await page.context().close();
    child.kill('SIGINT');
}

try {
    await machine();
    await small();
    await structure();
    await long();
} finally {
    await browser.close();
    for (const child of children) child.kill('SIGINT');
    rmSync(temp, {recursive: true, force: true});
}
if (asJson) console.log(JSON.stringify({bench: 'page', rows}, null, 1));
