/* The page in Chromium: it draws, folds, searches, selects in each view so that the others follow, shows
 * paths, keeps its place in the address, obeys the keyboard alone, speaks both languages, wears both themes,
 * and takes no hostile name for more than a name. Any console error or policy violation fails the test.
 * MI_CLI, MI_HOSTILE name the program and a file; MI_CASE, MI_SAMPLES may be empty or absent. */
import {execFileSync, spawn} from 'node:child_process';
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {chromium} from 'playwright-core';

const cli = process.env.MI_CLI;
let passed = 0, failed = 0;

function check(what, is, more = '') {
    if (is) passed++;
    else {
        failed++;
        console.log(`FAILED: ${what} ${more}`);
    }
}

function serve(inputs) {
    const child = spawn(cli, ['serve', '--no-open', ...inputs], {stdio: ['ignore', 'pipe', 'inherit']});
    return new Promise((resolve, reject) => {
        child.stdout.once('data', (data) => resolve({child, url: data.toString().trim()}));
        child.once('exit', (code) => reject(new Error(`serve ended with ${code}`)));
    });
}

const browser = await chromium.launch({
    executablePath: process.env.MI_CHROMIUM ?? '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
        '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});

async function open(url, options = {}) {
    const context = await browser.newContext({viewport: {width: 1400, height: 900}, ...options});
    const page = await context.newPage();
    page.problems = [];
    /* Reading pixels back is what this test does, not the page. */
    page.on('console', (m) => ['error', 'warning'].includes(m.type()) && !/readback/.test(m.text()) && page.problems.push(m.text()));
    page.on('pageerror', (e) => page.problems.push(e.message));
    await page.goto(url);
    await page.waitForFunction(() => window.inspector?.graph?.scene, null, {timeout: 30000});
    await page.waitForTimeout(200);
    return page;
}

const scene = (page) => page.evaluate(() => {
    const s = window.inspector.graph.scene;
    let nodes = 0, open = 0;
    for (let b = 1; b < s.count; b++) {
        if (s.node[b]) nodes++;
        if (s.flags[b] & 2) open++;
    }
    return {count: s.count, nodes, open, edges: s.edges};
});

const camera = (page) => page.evaluate(() => ({...window.inspector.graph.camera}));

/* How many pixels of the canvas differ from its most frequent colour. */
const ink = (page, id) => page.evaluate((name) => {
    const canvas = document.getElementById(name), c = canvas.getContext('2d');
    const view = new Uint32Array(c.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
    const counts = new Map();
    for (const p of view) counts.set(p, (counts.get(p) ?? 0) + 1);
    return view.length - Math.max(...counts.values());
}, id);

/* The middle of some box with a node, in pixels of the page. */
const aNode = (page, at = 0.5) => page.evaluate((part) => {
    const view = window.inspector.graph, s = view.scene, list = [];
    for (let b = 1; b < s.count; b++) if (s.node[b]) list.push(b);
    if (!list.length) return null;
    const box = list[Math.floor((list.length - 1) * part)];
    view.camera.x = s.x[box] + s.width[box] / 2;
    view.camera.y = s.y[box] + s.height[box] / 2;
    view.camera.scale = 1;
    view.paint();
    const r = document.getElementById('graph').getBoundingClientRect();
    return {x: r.left + r.width / 2, y: r.top + r.height / 2, node: s.node[box], label: s.label[box]};
}, at);

async function openAll(page, levels = 6) {
    for (let i = 0; i < levels; i++) {
        const before = (await scene(page)).count;
        await page.locator('#tool-more').click();
        await page.waitForTimeout(250);
        if ((await scene(page)).count === before) break;
    }
}

async function structure(name, page) {
    const first = await scene(page);
    check(`${name}: boxes are drawn`, first.count > 1 && (await ink(page, 'graph')) > 1000, JSON.stringify(first));
    await openAll(page);
    const all = await scene(page);
    check(`${name}: opening shows more`, all.nodes >= first.nodes && all.nodes > 0, JSON.stringify(all));
    const before = await camera(page), rect = await page.locator('#graph').boundingBox();
    await page.mouse.move(rect.x + rect.width / 2, rect.y + rect.height / 2);
    await page.mouse.wheel(0, -300);
    await page.waitForTimeout(60);
    check(`${name}: the wheel zooms`, (await camera(page)).scale > before.scale);
    const still = await camera(page);
    await page.mouse.down();
    await page.mouse.move(rect.x + rect.width / 2 + 80, rect.y + rect.height / 2 + 30, {steps: 4});
    await page.mouse.up();
    check(`${name}: dragging moves`, Math.abs((await camera(page)).x - still.x) > 1);
}

async function selecting(name, page, hasTasks) {
    const place = await aNode(page);
    if (!place) return;
    await page.mouse.click(place.x, place.y);
    await page.waitForSelector('aside.panel h2.name');
    await page.waitForTimeout(300);
    const title = await page.locator('aside.panel h2.name').innerText();
    check(`${name}: a click shows details`, title.includes(place.label.split('/').pop().slice(0, 20)), `${title} / ${place.label}`);
    check(`${name}: the mapping follows`, (await page.locator('.mapping .row.lit').count()) > 0);
    check(`${name}: the address keeps it`, await page.evaluate(async () => {
        await new Promise((r) => setTimeout(r, 400));
        return /;s=n:\d+/.test(location.hash);
    }));
    const wanted = await page.evaluate((n) => fetch(`api/v1/links?node=${n}`).then((r) => r.json()).then((l) => l.task_total), place.node);
    const told = await page.evaluate(() => document.querySelector('aside.panel').innerText.match(/device tasks: ([\d,]+)/)?.[1] ?? '0');
    check(`${name}: the tasks of the selection are told`, Number(told.replace(/,/g, '')) === wanted, `${told} ${wanted}`);
    check(`${name}: without a profile there are none`, hasTasks || wanted === 0);
}

async function mapping(name, page) {
    const cell = page.locator('.mapping .row .party').nth(1);
    if (!(await cell.count())) return;
    await cell.click();
    await page.waitForTimeout(700);
    check(`${name}: a click in the mapping selects`, await page.evaluate(() => /;s=n:\d+/.test(location.hash) ||
        document.querySelector('aside.panel h2.name') !== null));
    check(`${name}: the chosen row is lit`, (await page.locator('.mapping .row.lit').count()) > 0);
    const seen = await page.evaluate(() => {
        const view = window.inspector.graph, s = view.scene, boxes = [...view.related.keys()];
        if (!boxes.length) return 'nothing is marked';
        const r = document.getElementById('graph').getBoundingClientRect();
        return boxes.some((box) => {
            const dx = (s.x[box] - view.camera.x) * view.camera.scale, dy = (s.y[box] - view.camera.y) * view.camera.scale;
            return dx < r.width / 2 && dy < r.height / 2 && dx + s.width[box] * view.camera.scale > -r.width / 2 &&
                dy + s.height[box] * view.camera.scale > -r.height / 2;
        }) ? '' : `all ${boxes.length} marked boxes are out of sight`;
    });
    check(`${name}: the structure went there`, seen === '', seen);
}

async function timeline(name, page) {
    check(`${name}: the timeline is drawn`, (await ink(page, 'timeline')) > 1000);
    const hit = await page.evaluate(() => {
        const t = window.inspector.timeline, d = t.data;
        if (!d) return null;
        for (const lane of d.lanes)
            for (let i = lane.from; !lane.host && i < lane.end; i++) {
                const left = t.x(d.base + d.start[i] * d.step), right = t.x(d.base + (d.start[i] + d.dur[i]) * d.step);
                if (d.node[i] && right - left > 4 && left > 160) {
                    const r = document.getElementById('timeline').getBoundingClientRect();
                    return {x: r.left + (left + right) / 2, y: r.top + t.laneTop(lane) + 9, node: d.node[i]};
                }
            }
        return null;
    });
    check(`${name}: some task with a node is wide enough`, hit !== null);
    if (!hit) return;
    await page.mouse.click(hit.x, hit.y);
    await page.waitForTimeout(900);
    check(`${name}: a task selects its node`, (await page.locator('.mapping .row.lit').count()) > 0 &&
        (await page.locator('aside.panel h2.name').count()) === 1);
    const range = await page.evaluate(() => location.hash.match(/;t=(-?\d+),(\d+)/)?.[2]);
    await page.locator('#timeline').focus();
    await page.keyboard.press('w');
    await page.keyboard.press('w');
    await page.waitForTimeout(500);
    const zoomed = await page.evaluate(() => location.hash.match(/;t=(-?\d+),(\d+)/)?.[2]);
    check(`${name}: W zooms the timeline`, Number(zoomed) < Number(range ?? Infinity), `${range} ${zoomed}`);
}

async function paths(name, page) {
    const place = await aNode(page, 0.4);
    if (!place) return;
    await page.mouse.click(place.x, place.y);
    await page.waitForTimeout(500);
    await page.keyboard.press('p');
    await page.waitForSelector('.details .path-mark', {timeout: 10000}).catch(() => {});
    check(`${name}: P shows the path`, (await page.locator('.details .path-mark').count()) === 1);
    const pink = await page.evaluate(() => {
        const canvas = document.getElementById('graph'), data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
        let found = 0;
        for (let i = 0; i < data.length; i += 4) if (data[i] > 215 && data[i + 1] < 80 && data[i + 2] > 100 && data[i + 2] < 180) found++;
        return found;
    });
    check(`${name}: the path stands out`, pink > 50, String(pink));
    await page.locator('#graph').focus();
    await page.keyboard.press('Escape');
    check(`${name}: Escape takes it away`, (await page.locator('.details .path-mark').count()) === 0);
}

async function searching(name, page, text) {
    await page.keyboard.press('Escape');
    await page.locator('#graph').focus();
    await page.keyboard.press('/');
    check(`${name}: / goes to the search`, await page.evaluate(() => document.activeElement?.id === 'search'));
    await page.keyboard.type(text);
    await page.waitForSelector('.hits button', {timeout: 5000}).catch(() => {});
    check(`${name}: something is found`, (await page.locator('.hits button').count()) > 0);
    await page.keyboard.press('Enter');
    await page.waitForTimeout(700);
    check(`${name}: Enter goes to a hit`, (await page.locator('aside.panel h2.name').count()) === 1);
    await page.keyboard.press('Escape');
    check(`${name}: Escape ends the search`, (await page.locator('.hits').count()) === 0);
}

async function languagesAndThemes(name, page) {
    await page.locator('#lang').click();
    await page.waitForTimeout(300);
    check(`${name}: Chinese`, await page.evaluate(() => document.documentElement.lang === 'zh' && /详情/.test(document.body.innerText)));
    await page.locator('#lang').click();
    const theme = await page.evaluate(() => document.documentElement.dataset.theme);
    await page.locator('#tool-theme').click();
    await page.waitForTimeout(100);
    check(`${name}: the other theme`, (await page.evaluate(() => document.documentElement.dataset.theme)) !== theme);
}

async function permalink(name, page) {
    await page.waitForTimeout(500);
    const address = page.url(), before = await scene(page);
    const title = await page.locator('aside.panel h2.name').innerText().catch(() => '');
    const again = await open(address);
    await again.waitForTimeout(900);
    check(`${name}: a link restores the selection`, title === (await again.locator('aside.panel h2.name').innerText().catch(() => '')));
    check(`${name}: and the open groups`, (await scene(again)).count === before.count, `${(await scene(again)).count} ${before.count}`);
    check(`${name}: nothing went wrong there`, again.problems.length === 0, again.problems.join(' | '));
    await again.context().close();
}

async function keyboardOnly(name, url) {
    const page = await open(url);
    await page.keyboard.press('g');
    await page.keyboard.press('1');
    check(`${name}: G 1 goes to the structure`, await page.evaluate(() => document.activeElement?.id === 'graph'));
    await page.keyboard.press('e');
    await page.waitForTimeout(400);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.waitForTimeout(200);
    const before = await camera(page);
    await page.keyboard.press('w');
    check(`${name}: W zooms`, (await camera(page)).scale > before.scale);
    await page.keyboard.press('0');
    await page.keyboard.press('Tab');
    check(`${name}: Tab goes on`, await page.evaluate(() => document.activeElement?.id !== 'graph'));
    check(`${name}: keyboard: nothing went wrong`, page.problems.length === 0, page.problems.join(' | '));
    await page.context().close();
}

async function whole(name, inputs, text) {
    const {child, url} = await serve(inputs);
    try {
        const page = await open(url);
        const has = await page.evaluate(() => fetch('api/v1/capture').then((r) => r.json()).then((c) => c.has));
        await structure(name, page);
        await selecting(name, page, has.includes('tasks'));
        await mapping(name, page);
        if (has.includes('tasks')) await timeline(name, page);
        await paths(name, page);
        await searching(name, page, text);
        await permalink(name, page);
        await languagesAndThemes(name, page);
        for (const tab of await page.locator('.tabs button').all()) {
            await tab.click();
            await page.waitForTimeout(150);
        }
        check(`${name}: nothing went wrong`, page.problems.length === 0, page.problems.join(' | '));
        await page.context().close();
        await keyboardOnly(name, url);
    } finally {
        child.kill('SIGINT');
    }
}

async function hostile(file) {
    const {child, url} = await serve([file]);
    try {
        const page = await open(url);
        await openAll(page, 2);
        await page.locator('#search').fill('script');
        await page.waitForTimeout(600);
        for (const tab of await page.locator('.tabs button').all()) await tab.click();
        const place = await aNode(page, 0.01);
        await page.mouse.click(place.x, place.y);
        await page.waitForTimeout(600);
        check('hostile names: none became script', await page.evaluate(() => window.hacked === undefined));
        check('hostile names: none became markup', await page.evaluate(() =>
            document.querySelectorAll('#app script, #app img, #app svg[onload], #app iframe').length === 0));
        check('hostile names: directions are shown, not obeyed', await page.evaluate(() => !/[\u202e\u2066]/.test(document.body.innerText)));
        check('hostile names: nothing went wrong', page.problems.length === 0, page.problems.join(' | '));
        await page.context().close();
    } finally {
        child.kill('SIGINT');
    }
}

const small = join(process.env.MI_SOURCE_DIR ?? '.', 'tests/data/capture/small');
await whole('small capture', [small], 'conv');
await hostile(process.env.MI_HOSTILE);
if (process.env.MI_CASE) {
    const dir = process.env.MI_CASE;
    await whole('generated case', [join(dir, 'framework.onnx'), join(dir, 'model.om'), ...globProfiles(dir)], 'matmul');
}
const lanenet = join(process.env.MI_SAMPLES ?? '', 'cann-static');
if (existsSync(lanenet))
    await whole('LaneNet', [join(lanenet, 'framework/lanenet_epoch_122_batch_8_AUG.onnx'), join(lanenet, 'om/lanenet_ascend310b4.om')], 'conv');
const torch = join(process.env.MI_SAMPLES ?? '', 'cann-profiling/pytorch_alexnet_2rank/text/level1/rank0_ascend_pt');
if (existsSync(torch)) await whole('torch_npu', [torch], 'mul');

function globProfiles(dir) {
    return execFileSync('find', [dir, '-maxdepth', '1', '-name', 'PROF_*'], {encoding: 'utf8'}).trim().split('\n').filter(Boolean);
}

await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
