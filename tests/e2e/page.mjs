/* The page in Chromium: it draws, folds, searches, selects in each view so that the others follow, shows
 * paths, keeps its place in the address, obeys the keyboard alone, speaks both languages, wears both themes,
 * and takes no hostile name for more than a name. Any console error or policy violation fails the test.
 * MI_CLI, MI_HOSTILE name the program and a file; MI_CASE, MI_SAMPLES may be empty or absent. */
import {execFileSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {aBox, camera, check, finish, ink, open, openAll, rest, scene, serve, until, untilThere} from './page_lib.mjs';

const aNode = (page, at = 0.5) => aBox(page, {part: at});

/* What the first picture needs is asked for once, and nothing else before it is there. */
async function opening(name, page) {
    const {asked, before} = await page.evaluate(() => {
        const shown = performance.getEntriesByName('first-picture')[0]?.startTime ?? -1;
        const list = performance.getEntriesByType('resource').filter((e) => e.name.includes('/api/v1/'));
        const what = (e) => e.name.split('/api/v1/')[1].split(/[/?]/)[0];
        return {asked: list.map(what), before: list.filter((e) => e.startTime < shown).map(what)};
    });
    check(`${name}: there was a first picture`, before.includes('layout'), before.join());
    check(`${name}: nothing else came before it`, !before.some((x) => ['passes', 'outline', 'links', 'search'].includes(x)), before.join());
    check(`${name}: its drawing was asked for once`, asked.filter((x) => x === 'layout').length === 1 &&
        before.filter((x) => x === 'slices').length <= 1, asked.join());
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
    await rest(page);
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
    await untilThere(page, '.mapping .row.lit');
    await rest(page);
    const title = await page.locator('aside.panel h2.name').innerText();
    check(`${name}: a click shows details`, title.includes(place.label.split('/').pop().slice(0, 20)), `${title} / ${place.label}`);
    check(`${name}: the mapping follows`, (await page.locator('.mapping .row.lit').count()) > 0);
    check(`${name}: the address keeps it`, await until(page, () => /;s=n:\d+/.test(location.hash)));
    const wanted = await page.evaluate((n) => fetch(`api/v1/links?node=${n}`).then((r) => r.json()).then((l) => l.task_total), place.node);
    const told = await page.evaluate(() => document.querySelector('aside.panel').innerText.match(/device tasks: ([\d,]+)/)?.[1] ?? '0');
    check(`${name}: the tasks of the selection are told`, Number(told.replace(/,/g, '')) === wanted, `${told} ${wanted}`);
    check(`${name}: without a profile there are none`, hasTasks || wanted === 0);
}

async function mapping(name, page) {
    const cell = page.locator('.mapping .row .party').nth(1);
    if (!(await cell.count())) return;
    await cell.click();
    await rest(page);
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

// Sorted by bytes and FLOPs: the largest first, what is not known last, sums of the nodes that are known.
async function sums(name, page) {
    const sized = await page.evaluate(async () => {
        const report = await fetch('api/v1/passes/map').then((r) => r.json()), nodes = new Map();
        for (const table of report.tables.filter((x) => x.columns.some((c) => c.name === 'flops'))) {
            const cell = (row, name) => row[table.columns.findIndex((c) => c.name === name)] ?? null;
            for (const row of table.rows.filter((x) => cell(x, 'compiled') !== null || cell(x, 'tasks') !== null)) nodes.set(cell(row, 'compiled') ?? -cell(row, 'framework'), [cell(row, 'bytes'), cell(row, 'flops')]);
        }
        return [...nodes.values()];
    });
    const text = await page.locator('.mapping .sums').innerText();
    for (const [k, label, sum] of [[0, 'bytes', 'of tensors'], [1, 'FLOPs', 'FLOPs']]) {
        const known = sized.map((x) => x[k]).filter((x) => x !== null), most = known.reduce((a, b) => Math.max(a, b), -1);
        const words = `${sum}, known of ${known.length ? `${known.length.toLocaleString('en')} of ${sized.length.toLocaleString('en')} nodes` : ''}`;
        check(`${name}: the sum of ${label} says of what`, text.includes(words) === known.length > 0, `${text} / ${words}`);
        if (!known.length) continue;
        const head = page.locator('.mapping .heads button').filter({hasText: label});
        await head.click();
        await page.locator('.mapping .rows').evaluate((e) => e.scrollTo(0, 0)); // a selection may have moved it
        await rest(page);
        const titles = await page.locator('.mapping .row .time').evaluateAll((list) => list.map((e) => e.title));
        const shown = titles.slice(0, 6).map((x) => Number(x.match(new RegExp(`${label}: ([\\d,]+)`))?.[1].replace(/,/g, '') ?? -1));
        check(`${name}: ${label}, the largest first`, shown[0] === most && shown.every((x, i) => i === 0 || x <= shown[i - 1]), shown.join());
        await head.click();
        await head.click();
    }
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
    await rest(page);
    check(`${name}: a task selects its node`, (await page.locator('.mapping .row.lit').count()) > 0 &&
        (await page.locator('aside.panel h2.name').count()) === 1);
    const range = await page.evaluate(() => location.hash.match(/;t=(-?\d+),(\d+)/)?.[2]);
    await page.locator('#timeline').focus();
    await page.keyboard.press('w');
    await page.keyboard.press('w');
    // the address is written when the picture rests, which a busy machine may delay
    await until(page, (was) => {
        const now = location.hash.match(/;t=(-?\d+),(\d+)/)?.[2];
        return now && Number(now) < Number(was ?? Infinity);
    }, range);
    const zoomed = await page.evaluate(() => location.hash.match(/;t=(-?\d+),(\d+)/)?.[2]);
    check(`${name}: W zooms the timeline`, Number(zoomed) < Number(range ?? Infinity), `${range} ${zoomed}`);
}

async function paths(name, page) {
    const place = await aNode(page, 0.4);
    if (!place) return;
    await page.mouse.click(place.x, place.y);
    await rest(page);
    await page.keyboard.press('p');
    await untilThere(page, '.details .path-mark');
    await rest(page);
    check(`${name}: P shows the path`, (await page.locator('.details .path-mark').count()) === 1);
    const pink = await page.evaluate(() => {
        const canvas = document.getElementById('graph'), data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
        let found = 0;
        for (let i = 0; i < data.length; i += 4) if (data[i] > 215 && data[i + 1] < 80 && data[i + 2] > 100 && data[i + 2] < 180) found++;
        return found;
    });
    const isUnknown = (await page.locator('.path-note.unknown').count()) === 1; /* of a graph without data flow */
    check(`${name}: the path stands out, or why there is none`, pink > 50 || (isUnknown && (await page.locator('.path-note').innerText()).length > 60), String(pink));
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
    await untilThere(page, '.hits button');
    check(`${name}: something is found`, (await page.locator('.hits button').count()) > 0);
    await page.keyboard.press('Enter');
    await rest(page);
    check(`${name}: Enter goes to a hit`, (await page.locator('aside.panel h2.name').count()) === 1);
    await page.keyboard.press('Escape');
    check(`${name}: Escape ends the search`, (await page.locator('.hits').count()) === 0);
}

async function languagesAndThemes(name, page) {
    await page.locator('#lang').click();
    await rest(page);
    check(`${name}: Chinese`, await page.evaluate(() => document.documentElement.lang === 'zh' && /详情/.test(document.body.innerText)));
    await page.locator('#lang').click();
    const theme = await page.evaluate(() => document.documentElement.dataset.theme);
    await page.locator('#tool-theme').click();
    await rest(page);
    check(`${name}: the other theme`, (await page.evaluate(() => document.documentElement.dataset.theme)) !== theme);
}

async function permalink(name, page) {
    await rest(page);
    const address = page.url(), before = await scene(page);
    const title = await page.locator('aside.panel h2.name').innerText().catch(() => '');
    const again = await open(address);
    await rest(again);
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
    await rest(page);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await rest(page);
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
        await opening(name, page);
        await structure(name, page);
        await selecting(name, page, has.includes('tasks'));
        await mapping(name, page);
        await sums(name, page);
        if (has.includes('tasks')) await timeline(name, page);
        await paths(name, page);
        await searching(name, page, text);
        await permalink(name, page);
        await languagesAndThemes(name, page);
        for (const tab of await page.locator('.tabs button').all()) {
            await tab.click();
            await rest(page);
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
        await rest(page);
        for (const tab of await page.locator('.tabs button').all()) await tab.click();
        const place = await aNode(page, 0.01);
        await page.mouse.click(place.x, place.y);
        await rest(page);
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

await finish();
