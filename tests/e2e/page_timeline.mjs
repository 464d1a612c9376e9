/* The timeline in Chromium: arrows, groups that fold, idle time that folds, times as exported, filters, keys,
 * marks of what is outside, the twin for screen readers, pictures for files. What is drawn is compared with
 * what the server says in other ways. Any console error or policy violation fails the test.
 * MI_CLI names the program; MI_CASE, MI_SAMPLES may be empty or absent. */
import {existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {check, finish, open as openPage, rest, serve, until, untilThere} from './page_lib.mjs';

const open = (url) => openPage(url, {ready: () => window.inspector?.timeline?.rows && window.inspector.timeline.loads.whole});

const state = (page) => page.evaluate(() => {
    const view = window.inspector.timeline, scale = view.scale();
    return {
        lanes: view.rows.lanes.length, groups: view.rows.groups.map((g) => ({key: g.key, open: g.open})), bands: view.rows.bands.map((b) => b.kind),
        counters: view.rows.counters.length, from: scale.ns(160), to: scale.ns(view.wide), arrows: view.loads.arrows, selected: view.loads.ofSelection,
        related: view.loads.related, around: view.loads.around, gaps: view.folds.gaps.length, zoom: scale.nsPerPixel, scroll: view.scroll,
        bright: view.loads.bright && view.loads.bright.id.length, slices: view.data.id.length,
    };
});

const ask = (page, path, body) => page.evaluate(async ([where, what]) => {
    const response = await fetch(`api/v1/${where}`, {method: 'POST', body: JSON.stringify(what), headers: {'Content-Type': 'application/json'}});
    return {status: response.status, size: (await response.arrayBuffer()).byteLength};
}, [path, body]);

/* Pixels of a colour, as #rrggbb, in the plot. */
const pixels = (page, colour) => page.evaluate((wanted) => {
    const canvas = document.getElementById('timeline'), c = canvas.getContext('2d');
    const data = c.getImageData(160, 64, canvas.width - 160, canvas.height - 64).data;
    const [r, g, b] = [1, 3, 5].map((at) => parseInt(wanted.slice(at, at + 2), 16));
    let found = 0;
    for (let i = 0; i < data.length; i += 4) found += Math.abs(data[i] - r) < 9 && Math.abs(data[i + 1] - g) < 9 && Math.abs(data[i + 2] - b) < 9;
    return found;
}, colour);

const RELATED = '#7b1fa2', PATH = '#e6007e';

/* A wide task with a node: where it is, and its ids. */
const aTask = (page, wanted = 'node') => page.evaluate((what) => {
    const t = window.inspector.timeline, d = t.data, scale = t.scale(), r = document.getElementById('timeline').getBoundingClientRect();
    for (const lane of t.rows.lanes)
        for (let i = lane.from; i < lane.end; i++) {
            if (lane.host !== (what === 'call') || (what === 'node' && !d.node[i]) || (what === 'work' && (!d.node[i] || d.flags[i] & 3)) || d.count[i] !== 1) continue;
            const left = scale.x(d.base + d.start[i] * d.step), right = scale.x(d.base + (d.start[i] + d.dur[i]) * d.step);
            if (right - left < 4 || left < 165 || right > t.wide - 5 || t.laneTop(lane) + 18 > t.high) continue;
            return {x: r.left + (left + right) / 2, y: r.top + t.laneTop(lane) + 9, task: d.id[i]};
        }
    return null;
}, wanted);

async function rows(name, page) {
    await page.locator('#timeline').focus();
    await page.keyboard.press('e'); /* hosts of several ranks are folded at first */
    await rest(page);
    const all = await state(page), tracks = await page.evaluate(() => fetch('api/v1/capture').then((r) => r.json()).then((c) => c.tracks));
    const with_tasks = tracks.filter((t) => t.tasks).length;
    check(`${name}: every track with tasks has rows`, await page.evaluate((n) =>
        new Set(window.inspector.timeline.rows.lanes.filter((l) => !l.host).map((l) => l.track)).size === n, with_tasks), String(with_tasks));
    check(`${name}: bands of devices are there`, all.bands.includes(0), all.bands.join());
    await page.locator('#timeline').focus();
    await page.keyboard.press('Shift+E');
    await rest(page);
    const closed = await state(page);
    check(`${name}: Shift+E folds all groups`, closed.lanes === 0 && closed.groups.every((g) => !g.open) && closed.bands.length === all.bands.length);
    await page.keyboard.press('e');
    await rest(page);
    check(`${name}: E opens them`, (await state(page)).lanes === all.lanes);
    const box = await page.locator('#timeline').boundingBox();
    await page.mouse.click(box.x + 20, box.y + 60 + 10);
    await rest(page);
    check(`${name}: a click on a head folds its group`, !(await state(page)).groups[0].open);
    await page.mouse.click(box.x + 20, box.y + 60 + 10);
    await rest(page);
}

async function arrowsAndWaits(name, page) {
    const before = await state(page), violet = await pixels(page, RELATED);
    await page.locator('#show-flows').check();
    await rest(page);
    const now = await state(page);
    check(`${name}: with launches there are more arrows`, now.arrows.total >= before.arrows.total && now.arrows.total > 0, `${before.arrows.total} ${now.arrows.total}`);
    check(`${name}: no more than 500`, now.arrows.list.length <= 500 && now.arrows.list.length > 0);
    check(`${name}: arrows do not go back in time`, now.arrows.list.filter((a) => a.kind === 1 && a.from.at > a.to.at + 1).length === 0,
        JSON.stringify(now.arrows.list.find((a) => a.from.at > a.to.at + 1)));
    check(`${name}: they are drawn`, (await pixels(page, RELATED)) > violet + 20, `${violet} ${await pixels(page, RELATED)}`);
    await page.locator('#show-flows').uncheck();
    await rest(page);
}

/* Links, places and neighbours of a task that was chosen are there. */
async function arrived(page, task) {
    await until(page, (id) => {
        const {related, around} = window.inspector.timeline.loads;
        return related.some((p) => p.task === id) && around.some((p) => p.task === id);
    }, task);
    await rest(page);
}

async function selecting(name, page) {
    const hit = await aTask(page);
    check(`${name}: some task with a node is in sight`, hit !== null);
    if (!hit) return;
    await page.mouse.click(hit.x, hit.y);
    await arrived(page, hit.task);
    const now = await state(page);
    check(`${name}: places of its node's tasks are known`, now.related.some((p) => p.task === hit.task), `${hit.task}`);
    const links = await page.evaluate((task) => fetch(`api/v1/links?task=${task}`).then((r) => r.json()), hit.task);
    check(`${name}: all of them`, now.related.length === Math.min(2000, links.tasks.length), `${now.related.length} ${links.tasks.length}`);
    check(`${name}: the neighbours are told`, now.around.length >= 1 && now.around.some((p) => p.task === hit.task));
    const twin = page.locator('#timeline-twin [role=option]');
    check(`${name}: the twin tells the place`, /\d+ of \d+$/.test(await page.locator('#timeline-at').innerText()), await page.locator('#timeline-at').innerText());
    check(`${name}: and the canvas points at it`, (await page.locator('#timeline').getAttribute('aria-activedescendant')) === 'timeline-at' && (await twin.count()) === now.around.length);
}

async function hovering(name, page) {
    const hit = await aTask(page, 'wait') ?? await aTask(page, 'call') ?? await aTask(page);
    await page.mouse.move(hit.x, hit.y);
    await rest(page);
    const now = await page.evaluate(() => ({hover: window.inspector.timeline.hover !== null, arrows: window.inspector.timeline.loads.atHand.list}));
    check(`${name}: the hand on a slice shows what it is`, now.hover);
    check(`${name}: and its arrows`, now.arrows.length > 0 && now.arrows.every((a) => a.from.id === hit.task || a.to.id === hit.task), JSON.stringify(now.arrows));
    await page.mouse.move(hit.x, 5);
    await rest(page);
    check(`${name}: and no longer when it has gone`, await page.evaluate(() => window.inspector.timeline.hover === null && !window.inspector.timeline.loads.atHand.list.length));
}

/* The task in the address, which follows a moment later: waits for the one that is wanted. */
async function chosen(page, wanted) {
    await until(page, (task) => Number(location.hash.match(/;s=t:(\d+)/)?.[1] ?? 0) === task, wanted);
    return page.evaluate(() => Number(location.hash.match(/;s=t:(\d+)/)?.[1] ?? 0));
}

async function keys(name, page) {
    const hit = await aTask(page);
    if (!hit) return;
    await page.mouse.click(hit.x, hit.y);
    await page.locator('#timeline').focus();
    await arrived(page, hit.task);
    const own = (await state(page)).around.find((p) => p.task === hit.task);
    await page.keyboard.press('ArrowRight');
    const right = await chosen(page, own.behind || hit.task);
    check(`${name}: → goes to the next task of the lane`, right === (own.behind || hit.task), `${right} ${own.behind}`);
    await rest(page);
    await arrived(page, right);
    if (own.behind) await page.keyboard.press('ArrowLeft');
    check(`${name}: ← and back`, (await chosen(page, hit.task)) === hit.task);
    await arrived(page, hit.task);
    const tasks = await page.evaluate((task) => fetch(`api/v1/links?task=${task}`).then((r) => r.json()).then((l) => l.tasks), hit.task);
    const here = tasks.indexOf(hit.task), next = tasks[here + 1] ?? tasks[here];
    await page.keyboard.press(']');
    check(`${name}: ] goes to the next task of the node`, (await chosen(page, next)) === next);
    if (next !== hit.task) {
        await arrived(page, next);
        await page.keyboard.press('[');
        check(`${name}: [ and back`, (await chosen(page, hit.task)) === hit.task);
    }
    await arrived(page, hit.task);
    await page.keyboard.press('Enter');
    await rest(page);
    let now = await state(page);
    const place = now.around.find((p) => p.task === hit.task);
    check(`${name}: Enter zooms to the task`, place && now.from <= place.start && now.to >= place.start + place.duration && (now.to - now.from) <= Math.max(1001, place.duration * 3.1));
    const outside = now.related.filter((p) => p.start > now.to || p.start + p.duration < now.from).length;
    const marked = await page.evaluate(() => window.inspector.timeline.markers.length);
    check(`${name}: tasks outside are marked`, (outside > 0) === (marked > 0), `${outside} ${marked}`);
    if (marked) {
        const mark = await page.evaluate(() => window.inspector.timeline.markers[0]), box = await page.locator('#timeline').boundingBox();
        await page.mouse.click(box.x + mark.x + mark.wide / 2, box.y + mark.y + mark.high / 2);
        await rest(page);
        now = await state(page);
        check(`${name}: a mark leads there`, mark.place.start + mark.place.duration >= now.from && mark.place.start <= now.to);
    }
    await page.keyboard.press('f');
    await rest(page);
    now = await state(page);
    check(`${name}: F shows the whole selection`, now.related.every((p) => p.start >= now.from - 1 && p.start + p.duration <= now.to + 1));
    await page.keyboard.press('0');
    await rest(page);
    const fitted = await state(page);
    await page.keyboard.down('w');
    await until(page, (zoom) => window.inspector.timeline.scale().nsPerPixel < zoom, fitted.zoom * 0.6);
    await page.keyboard.up('w');
    const zoomed = await state(page);
    check(`${name}: W, held, zooms on and on`, zoomed.zoom < fitted.zoom * 0.6, `${fitted.zoom} ${zoomed.zoom}`);
    await rest(page);
    const still = await state(page);
    await rest(page);
    check(`${name}: and stops`, (await state(page)).zoom === still.zoom);
    await page.keyboard.press('d');
    await rest(page);
    check(`${name}: D goes on in time`, (await state(page)).from > still.from);
    await page.keyboard.press('0');
    await rest(page);
}

async function path(name, page) {
    const hit = await aTask(page, 'work');
    if (!hit) return;
    await page.mouse.click(hit.x, hit.y);
    await arrived(page, hit.task);
    await page.locator('#timeline').focus();
    await page.keyboard.press('Enter');
    await rest(page);
    const before = await pixels(page, PATH);
    await page.keyboard.press('p');
    await untilThere(page, '.path-mark, .path-note.unknown');
    await rest(page);
    const isUnknown = (await page.locator('.path-note.unknown').count()) === 1; /* of a graph without data flow */
    check(`${name}: the path stands out`, isUnknown || (await pixels(page, PATH)) > before + 30, `${before} ${await pixels(page, PATH)}`);
    await page.keyboard.press('Escape');
    await rest(page);
    check(`${name}: Esc takes it away, and keeps the selection`, (await page.locator('.path-mark').count()) === 0 && (await chosen(page, hit.task)) === hit.task);
    await page.keyboard.press('Escape');
    await page.keyboard.press('0');
    await rest(page);
}

async function idle(name, page, hasGaps) {
    await page.keyboard.press('0');
    await rest(page);
    const before = await state(page);
    await page.locator('#fold-idle').check();
    await rest(page);
    const now = await state(page);
    check(`${name}: idle time folds`, hasGaps ? now.gaps > 0 && now.zoom < before.zoom : true, `${now.gaps} ${before.zoom} ${now.zoom}`);
    check(`${name}: the window is the same`, Math.abs(now.from - before.from) < 2 && Math.abs(now.to - before.to) < 2);
    check(`${name}: pixels and times agree`, await page.evaluate(() => {
        const scale = window.inspector.timeline.scale();
        for (let x = 170; x < window.inspector.timeline.wide; x += 13) if (Math.abs(scale.x(scale.ns(x)) - x) > 0.01) return false;
        return true;
    }));
    await page.locator('#fold-idle').uncheck();
    await rest(page);
}

async function filters(name, page, text) {
    const before = await state(page);
    await page.locator('#time-filter').fill(text);
    await rest(page);
    const dimmed = await state(page);
    check(`${name}: a filter pales the others`, dimmed.bright > 0 && dimmed.bright < dimmed.slices && dimmed.slices === before.slices, JSON.stringify([before.slices, dimmed.slices, dimmed.bright]));
    await page.locator('#time-others').selectOption('gone');
    await rest(page);
    const gone = await state(page);
    check(`${name}: or takes them away`, gone.bright === null && gone.slices > 0 && gone.slices < before.slices, JSON.stringify([gone.slices, before.slices]));
    await page.locator('#time-others').selectOption('pale');
    await page.locator('#time-filter').fill('');
    await rest(page);
    check(`${name}: and gives them back`, (await state(page)).slices === before.slices);
    const box = await page.locator('#timeline').boundingBox(), lane = await page.evaluate(() => window.inspector.timeline.laneTop(window.inspector.timeline.rows.lanes[0]));
    await page.mouse.click(box.x + 40, box.y + lane + 9);
    await rest(page);
    check(`${name}: a click on its name hides a stream`, (await state(page)).lanes < before.lanes && (await page.locator('#show-tracks').count()) === 1);
    await page.locator('#show-tracks').click();
    await rest(page);
    check(`${name}: and it comes back`, (await state(page)).lanes === before.lanes);
}

/* A search in the page pales what it does not find. */
async function searching(name, page) {
    const before = await pixels(page, '#0072b2');
    await page.locator('#search').fill('op:TransData');
    await rest(page);
    const now = await pixels(page, '#0072b2');
    check(`${name}: a search pales other tasks`, before > 2000 && now < before * 0.7, `${before} ${now}`);
    await page.locator('#search').fill('');
    await rest(page);
    check(`${name}: and gives their colour back`, Math.abs((await pixels(page, '#0072b2')) - before) < before * 0.05);
    await page.locator('#timeline').focus();
}

async function overview(name, page) {
    const box = await page.locator('#timeline').boundingBox(), plot = box.width - 160;
    await page.mouse.move(box.x + 160 + plot * 0.3, box.y + 12);
    await page.mouse.down();
    await page.mouse.move(box.x + 160 + plot * 0.5, box.y + 12, {steps: 5});
    await page.mouse.up();
    await rest(page);
    const now = await state(page), whole = await page.evaluate(() => {
        const {first, end} = window.inspector.timeline.loads.whole;
        return {first, end};
    });
    const at = (part) => whole.first + (whole.end - whole.first) * part, pixel = (whole.end - whole.first) / plot;
    check(`${name}: dragging over the overview sets the window`, Math.abs(now.from - at(0.3)) < pixel * 3 && Math.abs(now.to - at(0.5)) < pixel * 3,
        `${now.from} ${at(0.3)} ${now.to} ${at(0.5)}`);
    await page.keyboard.press('0');
    await rest(page);
}

async function rawTimes(name, page, isCalibrated) {
    check(`${name}: times as exported are offered where clocks were moved`, ((await page.locator('#raw-time').count()) === 1) === isCalibrated);
    if (!isCalibrated) return;
    const start = (p) => p.evaluate(() => {
        const t = window.inspector.timeline, d = t.data, found = {};
        for (const lane of d.lanes) for (let i = lane.from; !lane.host && i < lane.end; i++) if (d.count[i] === 1) found[d.id[i]] = d.base + d.start[i] * d.step;
        return found;
    });
    const before = await start(page);
    await page.locator('#raw-time').check();
    await rest(page);
    const raw = await start(page);
    const moved = Object.keys(before).filter((id) => id in raw && Math.abs(raw[id] - before[id]) > 2 * 1024).length;
    check(`${name}: times as exported are others`, moved > 0, String(moved));
    await page.locator('#raw-time').uncheck();
    await rest(page);
    check(`${name}: and calibrated ones come back`, JSON.stringify(await start(page)) === JSON.stringify(before));
}

async function pictures(name, page) {
    for (const kind of ['png', 'svg']) {
        const [download] = await Promise.all([page.waitForEvent('download'), page.locator(`#time-${kind}`).click()]);
        const bytes = readFileSync(await download.path());
        check(`${name}: ${kind} has a name of its own`, /^[\p{Letter}\p{Number}_-]+\.(png|svg)$/u.test(download.suggestedFilename()), download.suggestedFilename());
        if (kind === 'png') check(`${name}: and is a picture`, bytes.subarray(1, 4).toString() === 'PNG' && bytes.length > 2000);
        else {
            const text = bytes.toString();
            const plain = await page.context().newPage(); /* the page's own policy forbids to parse text */
            const {bad, harm} = await plain.evaluate((svg) => {
                const parsed = new DOMParser().parseFromString(svg, 'image/svg+xml');
                const acts = (e) => e.localName === 'script' || [...e.attributes].some((a) => /^on|href$/i.test(a.name));
                return {bad: parsed.querySelector('parsererror')?.textContent ?? '', harm: [...parsed.querySelectorAll('*')].filter(acts).length};
            }, text);
            await plain.close();
            check(`${name}: and is well-formed`, bad === '' && harm === 0 && /<rect/.test(text) && /<text/.test(text), `${bad.slice(0, 200)} ${harm}`);
        }
    }
}

async function languageAndTheme(name, page) {
    await page.locator('#lang').click();
    await rest(page);
    check(`${name}: Chinese`, /折叠空闲时间/.test(await page.locator('.time-bar').innerText()));
    await page.locator('#lang').click();
    const white = await pixels(page, '#fbfbfa');
    await page.locator('#tool-theme').click();
    await rest(page);
    check(`${name}: the other theme`, (await pixels(page, '#fbfbfa')) < white / 4);
    await page.locator('#tool-theme').click();
    await rest(page);
}

async function answers(name, page) {
    for (const route of ['slices', 'flows', 'busy', 'overview', 'counters', 'places'])
        for (const body of [{}, [], 7, 'x', {from_ns: 5, to_ns: 1}, {from_ns: -9e18, to_ns: 9e18, step_ns: 1}, {from_ns: 0, to_ns: 1, step_ns: 0},
            {task: 4294967295}, {slice: -1}, {tasks: [0, -1, 1e9, 'x', null]}, {tracks: {}}, {text: '<script>'}, {raw: 1}]) {
            const {status, size} = await ask(page, route, body);
            check(`${name}: ${route} ${JSON.stringify(body)} is refused or answered`, [200, 400, 404, 422].includes(status) && size < 1 << 20, `${status} ${size}`);
        }
    const now = await state(page);
    const {size} = await ask(page, 'slices', {from_ns: Math.floor(now.from), to_ns: Math.ceil(now.to), step_ns: 1});
    check(`${name}: no answer is larger than 200 KB`, size <= 200000, String(size));
}

async function whole(name, inputs, {text, gaps, signals, calibrated, paths = true}) {
    const {child, url} = await serve(inputs);
    try {
        const page = await open(url);
        await rows(name, page);
        if (signals) await arrowsAndWaits(name, page);
        if (signals) await hovering(name, page);
        await selecting(name, page);
        await keys(name, page);
        if (paths) await path(name, page);
        await idle(name, page, gaps);
        await filters(name, page, text);
        if (calibrated) await searching(name, page);
        await overview(name, page);
        await rawTimes(name, page, calibrated === true);
        await pictures(name, page);
        await languageAndTheme(name, page);
        const before = page.problems.length;
        await answers(name, page);
        /* What was refused on purpose stands in the console. */
        page.problems.splice(before, page.problems.length, ...page.problems.slice(before).filter((p) => !/status of 4(00|04|22)/.test(p)));
        check(`${name}: nothing went wrong`, page.problems.length === 0, page.problems.join(' | '));
        await page.context().close();
    } finally {
        child.kill('SIGINT');
    }
}

function writeTrace(events) {
    const folder = join(mkdtempSync(join(tmpdir(), 'trace-')), 'PROF_000001_20250109084754730_HOSTILEA');
    mkdirSync(folder);
    writeFileSync(join(folder, 'msprof_20250109084924.json'), JSON.stringify(events));
    return folder;
}

/* Tasks, calls and streams whose names try to be more than names, at times from the ends of the range. */
function hostileTrace() {
    const tricks = ['<script>window.hacked=1</script>', '"><svg onload=window.hacked=1>', ']]>&amp;', '\u202Egnp.exe', '\u0000nul', '\u001b[31m', '\ud800lone',
        'a'.repeat(3000), '中文/名称', "'; --", '', '\u2066x\u2069', 'Conv2D'];
    const meta = (name, tid, args) => ({name, pid: 5121440, tid, args, ph: 'M'});
    const events = [meta('process_name', 0, {name: 'Ascend Hardware'}), meta('process_labels', 0, {labels: 'NPU'})];
    tricks.slice(0, 7).forEach((text, i) => events.push(meta('thread_name', i + 1, {name: `Stream ${i + 1} ${text}`})));
    for (let i = 0; i < 400; i++) {
        const far = i === 398 ? '9223372036854775.806' : i === 399 ? '0.001' : `1700000000000${(i % 3 ? i : i - i % 9) + 100}.0${i % 10}0`;
        events.push({name: i === 20 ? 'b'.repeat(1 << 20) : tricks[i % tricks.length], pid: 5121440, tid: (i % 7) + 1, ts: far, dur: i % 11 ? 5.5 : 1e9, ph: 'X',
            args: {'Model Id': 7, 'Task Type': i % 13 ? 'AI_CORE' : 'EVENT_WAIT_SQE', 'Physic Stream Id': 35 + (i % 7), 'Task Id': i, 'Batch Id': 0,
                'Subtask Id': 4294967295, connection_id: i}});
        events.push({name: `Node@${tricks[(i + 3) % tricks.length]}`, pid: 5121248, tid: 5002, ts: far, dur: 1.5, ph: 'X',
            args: {'Thread Id': 5002, Mode: 'launch', level: 'node', id: '0', item_id: tricks[i % tricks.length], connection_id: i}});
    }
    return writeTrace(events);
}

async function hostile() {
    const folder = hostileTrace(), name = 'hostile names', {child, url} = await serve([folder]);
    try {
        const page = await open(url);
        await page.locator('#show-flows').check();
        await page.locator('#fold-idle').check();
        await page.locator('#time-filter').fill('<script>');
        await rest(page);
        await page.locator('#time-filter').fill('');
        await page.locator('#timeline').focus();
        for (const key of ['ArrowRight', 'ArrowRight', 'Enter', 'p', 'f', 's', 's', ']', 'ArrowDown', 'Enter']) {
            await page.keyboard.press(key);
            await rest(page);
        }
        const box = await page.locator('#timeline').boundingBox();
        for (let at = 0.1; at < 1; at += 0.2) await page.mouse.move(box.x + box.width * at, box.y + box.height * 0.6, {steps: 3});
        await rest(page);
        await pictures(name, page);
        check(`${name}: none became script`, await page.evaluate(() => window.hacked === undefined));
        check(`${name}: none became markup`, await page.evaluate(() => document.querySelectorAll('#app script, #app img, #app svg[onload]').length === 0));
        check(`${name}: directions are shown, not obeyed`, await page.evaluate(() => !/[\u202e\u2066]/.test(document.body.innerText)));
        check(`${name}: nothing went wrong`, page.problems.length === 0, page.problems.join(' | ').slice(0, 400));
        await page.context().close();
    } finally {
        child.kill('SIGINT');
        rmSync(join(folder, '..'), {recursive: true});
    }
}

/* More streams than an answer has room for: it holds what fits, and says so by being short. */
async function manyStreams() {
    const events = [{name: 'process_name', pid: 5121440, tid: 0, args: {name: 'Ascend Hardware'}, ph: 'M'},
        {name: 'process_labels', pid: 5121440, tid: 0, args: {labels: 'NPU'}, ph: 'M'}], streams = 12000;
    for (let i = 0; i < streams; i++)
        events.push({name: 'op', pid: 5121440, tid: i + 1, ts: '1700000000000500.000', dur: 5.5, ph: 'X', args: {'Model Id': 7, 'Task Type': 'AI_CORE',
            'Physic Stream Id': i, 'Task Id': i, 'Batch Id': 0, 'Subtask Id': 4294967295, connection_id: i}});
    const folder = writeTrace(events), name = 'many streams', {child, url} = await serve([folder]);
    try {
        const page = await open(url);
        const {status, size} = await ask(page, 'slices', {from_ns: -1e12, to_ns: 1e12, step_ns: 1});
        check(`${name}: the answer is there, and small`, status === 200 && size < 260000, `${status} ${size}`);
        check(`${name}: rows are laid out`, (await state(page)).lanes === streams, String((await state(page)).lanes));
        const box = await page.locator('#timeline').boundingBox();
        await page.mouse.move(box.x + 400, box.y + 200);
        for (let i = 0; i < 20; i++) await page.mouse.wheel(0, 20000);
        await rest(page);
        check(`${name}: those at the end have their tasks`, await page.evaluate(() => {
            const t = window.inspector.timeline, seen = t.rows.lanes.filter((l) => t.laneTop(l) > 70 && t.laneTop(l) + 18 < t.high);
            return t.scroll > 100000 && seen.length > 3 && seen.every((l) => l.end > l.from);
        }));
        check(`${name}: nothing went wrong`, page.problems.length === 0, page.problems.join(' | ').slice(0, 400));
        await page.context().close();
    } finally {
        child.kill('SIGINT');
        rmSync(join(folder, '..'), {recursive: true});
    }
}

await hostile();
await manyStreams();
await whole('small capture', [join(process.env.MI_SOURCE_DIR ?? '.', 'tests/data/capture/small')], {text: 'conv', gaps: true, signals: false});
if (process.env.MI_CASE) {
    const dir = process.env.MI_CASE, profiles = readdirSync(dir).filter((n) => n.startsWith('PROF_')).map((n) => join(dir, n));
    await whole('generated case', [join(dir, 'framework.onnx'), join(dir, 'model.om'), ...profiles], {text: 'matmul', gaps: true, signals: true, calibrated: true});
} else console.log('skipped: no generated case');
const torch = join(process.env.MI_SAMPLES ?? '', 'cann-profiling/pytorch_alexnet_2rank/text/level1');
if (existsSync(torch)) await whole('two ranks', ['rank0_ascend_pt', 'rank1_ascend_pt'].map((n) => join(torch, n)), {text: 'conv', gaps: true, signals: true, paths: false}); /* calls in a profile record no data flow */
else console.log('skipped: no samples');

await finish();
