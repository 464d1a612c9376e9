/* One-file reports in Chromium, from disk and without a network: they draw, fold, search, select so that the
 * other views follow, and tell what they leave out, as the served page does; they ask for nothing, break no rule
 * of their policy, and take no hostile name for more than a name. With --anonymise no name of the inputs is in
 * the file. MI_CLI, MI_TEMP name the program and a folder with hostile.prototxt; MI_CASE, MI_SAMPLES may be absent. */
import {execFileSync} from 'node:child_process';
import {existsSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {gunzipSync} from 'node:zlib';
import {chromium} from 'playwright-core';
import {PATIENCE_MS, rest} from './page_rest.mjs';

const cli = process.env.MI_CLI, temp = process.env.MI_TEMP;
const samples = process.env.MI_SAMPLES ?? '', generated = process.env.MI_CASE ?? '';
let passed = 0, failed = 0;

function check(what, is, more = '') {
    if (is) passed++;
    else {
        failed++;
        console.log(`FAILED: ${what} ${more}`);
    }
}

const browser = await chromium.launch({
    executablePath: process.env.MI_CHROMIUM ?? '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
        '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});

function write(name, inputs, options = []) {
    const file = join(temp, `${name}.html`);
    execFileSync(cli, ['report', ...inputs, '-o', file, ...options], {stdio: ['ignore', 'ignore', 'ignore']});
    return file;
}

const isThere = () => window.inspector?.graph?.scene;

async function open(file, options = {}, ready = isThere) {
    const context = await browser.newContext({viewport: {width: 1400, height: 900}, offline: true, ...options});
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    page.problems = [];
    page.on('console', (m) => ['error', 'warning'].includes(m.type()) && !/readback/.test(m.text()) && page.problems.push(m.text()));
    page.on('pageerror', (e) => page.problems.push(e.message));
    page.on('request', (r) => !/^(file|blob|data):/.test(r.url()) && page.problems.push(`asks for ${r.url()}`));
    await page.addInitScript(() => document.addEventListener('securitypolicyviolation',
        (e) => console.error(`policy: ${e.violatedDirective} ${e.blockedURI}`)));
    await page.goto(`file://${file}`);
    await page.waitForFunction(ready);
    await rest(page);
    return page;
}

async function close(name, page) {
    check(`${name}: no errors, no requests, no violations`, page.problems.length === 0, page.problems.slice(0, 3).join(' | '));
    check(`${name}: no failure is told`, (await page.locator('.failure').count()) === 0);
    if (process.env.MI_PICTURES) await page.screenshot({path: join(process.env.MI_PICTURES, `${name}.png`)});
    await page.context().close();
}

/* How many pixels of the canvas differ from its most frequent colour. */
const ink = (page, id) => page.evaluate((name) => {
    const canvas = document.getElementById(name), c = canvas.getContext('2d');
    const view = new Uint32Array(c.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
    const counts = new Map();
    for (const p of view) counts.set(p, (counts.get(p) ?? 0) + 1);
    return view.length - Math.max(...counts.values());
}, id);

const boxes = (page) => page.evaluate(() => window.inspector.graph.scene.count);
const aside = (page) => page.locator('aside.panel').innerText();

/* The middle of some box with a node, in pixels of the page. */
const aNode = (page) => page.evaluate(() => {
    const view = window.inspector.graph, s = view.scene, list = [];
    for (let b = 1; b < s.count; b++) if (s.node[b]) list.push(b);
    if (!list.length) return null;
    const box = list[Math.floor((list.length - 1) / 2)];
    view.camera.x = s.x[box] + s.width[box] / 2;
    view.camera.y = s.y[box] + s.height[box] / 2;
    view.camera.scale = 1;
    view.paint();
    const r = document.getElementById('graph').getBoundingClientRect();
    return {x: r.left + r.width / 2, y: r.top + r.height / 2, node: s.node[box], label: s.label[box]};
});

async function looking(name, page, hasTasks) {
    const first = await boxes(page);
    check(`${name}: the graph is drawn`, first > 1 && (await ink(page, 'graph')) > 1000, `${first} boxes`);
    check(`${name}: the timeline is drawn where there are tasks`,
        (await page.locator('#timeline').count()) === (hasTasks ? 1 : 0) && (!hasTasks || (await ink(page, 'timeline')) > 1000));
    for (let level = 0; level < 4; level++) await page.locator('#tool-more').click().then(() => rest(page));
    check(`${name}: groups open`, (await boxes(page)) >= first);

    const place = await aNode(page);
    await page.mouse.click(place.x, place.y);
    await page.waitForSelector('aside.panel h2.name');
    await rest(page);
    check(`${name}: a click shows details`, (await page.locator('aside.panel h2.name').innerText()).length > 0);
    check(`${name}: the mapping follows`, (await page.locator('.mapping .row.lit').count()) > 0);

    await page.locator('#search').fill('e');
    await rest(page);
    const hits = await page.locator('.hits button').count();
    check(`${name}: search finds`, hits > 0);
    if (hits) await page.locator('.hits button').first().click();
    await rest(page);
    await page.locator('#search').fill('');
    for (const tab of [1, 2, 3]) {
        await page.locator('.tabs button').nth(tab).click();
        await rest(page);
        check(`${name}: panel ${tab} has content`, (await aside(page)).length > 40, await aside(page));
    }
    await page.locator('.tabs button').nth(1).click();
    const english = await aside(page);
    await page.locator('#lang').click();
    await rest(page);
    const chinese = await aside(page);
    check(`${name}: the summary speaks both languages`, chinese !== english && /[\u4e00-\u9fff]/.test(chinese) &&
        (await page.locator('html').getAttribute('lang')) === 'zh');
    check(`${name}: so does the note`, /[\u4e00-\u9fff]/.test(await page.locator('.note').innerText()));
    await page.locator('#lang').click();
    await page.locator('#tool-theme').click();
}

/* A task with a node in the timeline: details and mapping follow. Null: none is wide enough to be hit. */
async function fromTheTimeline(page) {
    await page.evaluate(() => window.inspector.timeline.fitAll());
    await rest(page);
    const place = await page.evaluate(() => {
        const t = window.inspector.timeline, d = t.data, r = document.getElementById('timeline').getBoundingClientRect();
        for (const lane of d?.lanes ?? [])
            for (let i = lane.from; !lane.host && i < lane.end; i++) {
                const left = t.x(d.base + d.start[i] * d.step), right = t.x(d.base + (d.start[i] + d.dur[i]) * d.step);
                if (d.node[i] && right - left > 4 && left > 160) return {x: r.left + (left + right) / 2, y: r.top + t.laneTop(lane) + 9};
            }
        return null;
    });
    if (!place) return null;
    await page.keyboard.press('Escape');
    await page.mouse.click(place.x, place.y);
    await rest(page);
    return (await page.locator('.mapping .row.lit').count()) > 0 && /;s=[nt]:\d+/.test(await page.evaluate(() => location.hash));
}

/* The data of a report, unpacked. */
function payload(file) {
    const text = readFileSync(file, 'latin1');
    return gunzipSync(Buffer.from(text.match(/id="snapshot">([^<]*)</)[1], 'base64'));
}

/* Its strings, see src/model/snapshot.h, each on a line; and all bytes behind them. */
function stringsOf(bytes) {
    let at = 24;
    const number = () => {
        let value = 0, shift = 1;
        for (;; shift *= 128) {
            const byte = bytes[at++];
            value += (byte & 127) * shift;
            if (byte < 128) return value;
        }
    };
    const lengths = Array.from({length: number() - 1}, number), list = [];
    for (const length of lengths) {
        list.push(bytes.toString('latin1', at, at + length));
        at += length;
    }
    return `${list.join('\n')}\n${bytes.toString('latin1', at)}`;
}

const about = (file) => JSON.parse(readFileSync(file, 'latin1').match(/id="about">([^<]*)</)[1]);

/* Columns of strings by what they hold, as src/model/tables.def declares it. */
function columnsOf(kind) {
    const list = [], tables = new Map();
    const text = readFileSync(join(process.env.MI_SOURCE_DIR, 'src/model/tables.def'), 'utf8');
    for (const [, , table, macro] of text.matchAll(/T\((\w+), (\w+), (MI_\w+_COLUMNS)\)/g)) tables.set(macro, table);
    for (const [, macro, body] of text.matchAll(/#define (MI_\w+_COLUMNS)\(COL, T\)((?:.*\\\n)*.*)/g))
        for (const [, column] of body.matchAll(new RegExp(`COL\\(T, (\\w+), mi_str_id, STR, ${kind},`, 'g')))
            list.push([tables.get(macro), column]);
    return list;
}

/* What the runtime calls its own tasks tells nothing of the model. */
const OF_THE_RUNTIME = /^(MODEL_EXECUTE|STREAM_ACTIVE|MEMCPY_ASYNC|(EVENT|NOTIFY)_(RECORD|WAIT|RESET))$/;
const NAMES = [...columnsOf('0'), ...columnsOf('MI_S_TEXT')], WORDS = columnsOf('MI_S_WORD');

/* What must not be in a file without names: all that inputs call by a name, if it is long enough not to be there by
 * chance, and is not itself a part of an operator type or another word that stays. */
function namesOf(inputs) {
    const dir = join(temp, `csv-${passed}-${failed}`);
    execFileSync(cli, ['export', ...inputs, '--format', 'csv', '-o', dir], {stdio: ['ignore', 'ignore', 'ignore']});
    const values = (columns) => {
        const all = new Set();
        for (const [table, column] of columns) {
            const [head, ...rows] = rowsOf(readFileSync(join(dir, `${table}.csv`), 'utf8'));
            const at = head.indexOf(column);
            if (at < 0) throw new Error(`${table}.csv has no ${column}`);
            for (const row of rows) all.add(row[at]);
        }
        return all;
    };
    const vocabulary = [...values(WORDS)].join('\n').toLowerCase();
    return [...values(NAMES)].filter((n) => n && n.length >= 5 && /[A-Za-z]{3}/.test(n) &&
        n.replace(/stream|thread|device|rank|logic/g, '').match(/[A-Za-z]/) && !OF_THE_RUNTIME.test(n) && !vocabulary.includes(n.toLowerCase()));
}

function rowsOf(text) {
    const rows = [[]];
    for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
        rows.at(-1).push(quoted === undefined ? plain : quoted.replace(/""/g, '"'));
        if (end !== ',') rows.push([]);
        if (end === '') break;
    }
    return rows.filter((row) => row.length > 1 || row[0]);
}

const inputs = [['first', null, false], ['hostile', [join(temp, 'hostile.prototxt')], false]];
const lanenet = ['cann-static/framework/lanenet_epoch_122_batch_8_AUG.onnx', 'cann-static/om/lanenet_ascend310b4.om'].map((p) => join(samples, p));
const torch = join(samples, 'cann-profiling/pytorch_alexnet_2rank');
if (existsSync(lanenet[0])) inputs.push(['lanenet', lanenet, false]);
if (existsSync(torch)) inputs.push(['torch', [torch], true]);
if (generated) inputs.push(['case', [generated], true]);

for (const [name, files, hasTasks] of inputs) {
    const page = await open(files ? write(name, files) : join(temp, `${name}.html`));
    await looking(name, page, hasTasks);
    if (hasTasks) {
        const found = await fromTheTimeline(page);
        check(`${name}: a click in the timeline selects`, found || (found === null && name !== 'case'));
    }
    check(`${name}: nothing was run`, await page.evaluate(() => window.hacked === undefined));
    await close(name, page);
}

for (const [name, files, hasTasks] of inputs.filter(([, list]) => list)) {
    const file = write(`${name}-hidden`, files, ['--anonymise']);
    const names = namesOf(files), bytes = stringsOf(payload(file)), told = JSON.stringify(about(file));
    const seen = names.filter((n) => {
        const text = Buffer.from(n, 'utf8').toString('latin1');
        return bytes.includes(text) || told.includes(text);
    });
    check(`${name}: there are names to hide`, names.length > 10, `${names.length}`);
    check(`${name}: none of ${names.length} names is in the file`, seen.length === 0, JSON.stringify(seen.slice(0, 8)));
    const plain = payload(join(temp, `${name}.html`));
    const key = join(temp, 'names.key'), keyed = [];
    writeFileSync(key, 'sixteen bytes and more of a secret');
    for (const list of [files, [...files].reverse()]) keyed.push(payload(write(`${name}-keyed`, list, ['--anonymise', '--key', key])));
    const standIns = keyed.map((data) => new Set(stringsOf(data).match(/x[a-z]{10}/g) ?? []));
    check(`${name}: with a key none is either`, !names.some((n) => stringsOf(keyed[0]).includes(Buffer.from(n, 'utf8').toString('latin1'))));
    check(`${name}: one key, one stand-in`, standIns[0].size > 3 && [...standIns[0]].every((x) => standIns[1].has(x)), `${standIns[0].size} ${standIns[1].size}`);
    check(`${name}: without the option they are`, names.filter((n) => plain.includes(n)).length > names.length / 2);
    if (name !== 'hostile' && name !== 'case') continue;
    const page = await open(file);
    check(`${name}: the note tells of stand-ins`, /stand-ins/.test(await page.locator('.note').innerText()));
    await looking(`${name} hidden`, page, hasTasks);
    await close(`${name} hidden`, page);
}

/* Two captures beside one another: the changes are those of `serve --base`, also without names; asked of one another they
 * stay on their sides. */
if (generated) {
    const pair = join(temp, 'pair'), sides = ['v1', 'v2'].map((side) => join(pair, side));
    execFileSync('python3', ['-m', 'casegen', 'preset', 'article-serialised-custom-op', '--seed', '77', '--out', pair],
        {cwd: join(samples, '..'), stdio: 'ignore', env: {...process.env, PYTHONDONTWRITEBYTECODE: '1'}});
    const told = [];
    for (const [name, options] of [['pair', []], ['pair-hidden', ['--anonymise']]]) {
        const file = write(name, [sides[1]], ['--base', sides[0], ...options]);
        const page = await open(file, {}, () => window.inspector?.pair?.panes.new.scene && window.inspector.pair.panes.base.scene);
        check(`${name}: names of the sides`, about(file).names[0] === (options.length ? 'base' : sides[0]), about(file).names);
        await page.keyboard.press('.');
        await rest(page);
        check(`${name}: the first change is marked on both sides`, /;s=n:\d+/.test(await page.evaluate(() => location.hash)), await page.evaluate(() => location.hash));
        told.push((await page.locator('aside.panel table').first().innerText()).split('\n').filter((line) => /FastFilter|parallel|µs/.test(line)));
        await close(name, page);
    }
    check('pair: what the cause is', /FastFilter/.test(told[0].join()) && /parallel to serial/.test(told[0].join()), told[0].join('|').slice(0, 200));
    check('pair: the cause is the same without names', /FastFilter/.test(told[1][0]) && told[1].filter((l) => /parallel/.test(l)).length === told[0].filter((l) => /parallel/.test(l)).length,
        told[1].join('|').slice(0, 300));
    const before = readFileSync(join(sides[0], 'framework.onnx'));
    let code = 0;
    try {
        execFileSync(cli, ['report', sides[1], '--base', sides[0], '-o', join(sides[0], 'framework.onnx')], {stdio: 'ignore'});
    } catch (e) {
        code = e.status;
    }
    check('pair: the base is an input, too', code === 2 && before.equals(readFileSync(join(sides[0], 'framework.onnx'))), `${code}`);
}

/* A size that is too small for all of it. */
if (generated) {
    const large = join(temp, 'large');
    execFileSync('python3', ['-m', 'casegen', 'gen', '--family', 'chain', '--size', '200', '--iterations', '300', '--seed', '3', '--stages', 'none', '--out', large],
        {cwd: join(samples, '..'), stdio: 'ignore', env: {...process.env, PYTHONDONTWRITEBYTECODE: '1'}});
    const whole = write('whole', [large]), cut = write('cut', [large], ['--max-size', '1']);
    check('the large one is larger than 1 MiB', statSync(whole).size > 1 << 20, `${statSync(whole).size}`);
    check('the size is kept and used', statSync(cut).size <= 1 << 20 && statSync(cut).size > 700000, `${statSync(cut).size}`);
    const out = about(cut).left_out.find((x) => x.table === 'tasks');
    check('tasks were left out', out && out.kept > 0 && out.kept < out.of, JSON.stringify(about(cut)));
    const page = await open(cut), note = await page.locator('.note').innerText();
    check('the page says how many', note.includes((out.of - out.kept).toLocaleString('en-GB')), note);
    check('the timeline is drawn', (await ink(page, 'timeline')) > 1000);
    await close('cut', page);
}

await browser.close();
console.log(`${passed} passed, ${failed} failed`);
if (!generated || !existsSync(torch)) console.log('skipped: samples or case generator are not here');
process.exit(failed ? 1 : 0);
