/* Both sides of a comparison in Chromium: what did not change stands at the same place on both, one camera looks at
 * both, the first change goes to the right nodes, a click on either side lights its partner, all by keys alone,
 * in both languages and themes; a capture against itself says that nothing differs.
 * Any console error or policy violation fails the test. MI_CLI names the program, MI_DIFF a folder with the cases
 * of page_run.sh, MI_SAMPLES may be absent. */
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {check, finish, ink, open, rest, serve, until, untilThere} from './page_lib.mjs';

const ready = () => window.inspector?.pair?.panes.new.scene && window.inspector.pair.panes.base.outline;

async function openPair(base, capture, use, options = {}) {
    const {child, url} = await serve([capture, '--base', base]);
    const page = await open(url, {...options, ready});
    await page.waitForFunction(() => document.querySelector('.changes'));
    await use(page, url);
    check(`${capture}: no complaint`, page.problems.length === 0, page.problems.join('; '));
    await page.context().close();
    child.kill('SIGINT');
}

/* Of each node on both sides: where its boxes are; and which boxes a side does not have. */
const places = (page) => page.evaluate(() => {
    const {base, new: now} = window.inspector.pair.panes, found = {same: 0, moved: 0, onlyBase: [], onlyNew: []};
    for (let b = 1; b < now.scene.count; b++) {
        const isOld = !(base.scene.flags[b] & 4096), isNew = !(now.scene.flags[b] & 4096);
        const equal = ['x', 'y', 'width', 'height', 'group'].every((k) => base.scene[k][b] === now.scene[k][b]);
        if (!equal) found.moved++;
        else if (isOld && isNew) found.same++;
        else (isOld ? found.onlyBase : found.onlyNew).push((isOld ? base : now).scene.label[b]);
    }
    return found;
});

/* What is selected, as each side shows it. */
const chosen = (page) => page.evaluate(() => {
    const {pair} = window.inspector, b = pair.selectedBox;
    const label = (side) => (pair.panes[side].scene.flags[b] & 4096 ? '' : pair.panes[side].scene.label[b]);
    const r = document.getElementById('graph-new').getBoundingClientRect(), s = pair.panes.new.scene;
    const near = (v, middle, size) => Math.abs(v - middle) * pair.camera.scale < size / 2;
    return {b, base: b ? label('base') : '', new: b ? label('new') : '', related: [...pair.panes.base.related.keys()].map((x) => pair.panes.base.scene.label[x]),
        isInSight: b > 0 && near(s.x[b] + s.width[b] / 2, pair.camera.x, r.width) && near(s.y[b] + s.height[b] / 2, pair.camera.y, r.height)};
});

async function firstChange(page) {
    await page.keyboard.press('.');
    await page.waitForFunction(() => document.querySelector('.changes tr.lit'));
    await rest(page);
    return {...(await chosen(page)), row: await page.locator('.changes tr.lit').first().innerText()};
}

async function unchangedStay(name, page) {
    await page.evaluate(() => window.inspector.pair.openMore());
    await rest(page);
    await page.evaluate(() => window.inspector.pair.openMore());
    await rest(page);
    const found = await places(page);
    check(`${name}: what did not change stands at the same place`, found.moved === 0 && found.same > 10, JSON.stringify(found));
    for (const side of ['base', 'new']) check(`${name}: the ${side} side is drawn`, (await ink(page, `graph-${side}`)) > 1000);
    return found;
}

/* All tabs in one line, also with that of the changes. */
async function tabs(name, page) {
    for (const width of [1024, 1400]) {
        await page.setViewportSize({width, height: 900});
        await rest(page);
        const found = await page.evaluate(() => {
            const bar = document.querySelector('.tabs');
            return {tabs: bar.children.length, lines: new Set([...bar.children].map((e) => e.offsetTop)).size, over: bar.scrollWidth - bar.clientWidth};
        });
        check(`${name}: ${width} wide: tabs stand in one line`, found.tabs === 7 && found.lines === 1 && found.over <= 0, JSON.stringify(found));
    }
}

async function regression(page) {
    const name = 'regression';
    const first = await firstChange(page);
    check(`${name}: the first change goes to what was fused otherwise`, first.new.includes('mlp/act') || first.new.includes('Mul_1'), JSON.stringify(first));
    check(`${name}: it is in sight`, first.isInSight);
    check(`${name}: it has no partner, its place is empty`, first.base === '');
    check(`${name}: what it was lights up on the other side`, first.related.some((x) => /gelu/i.test(x)), first.related.join());
    check(`${name}: the cost stands beside it`, /\+\d/.test(first.row) && /fusion changed/.test(first.row), first.row);
    const found = await unchangedStay(name, page);
    check(`${name}: both sides have something of their own`, found.onlyBase.some((x) => /gelu/i.test(x)) && found.onlyNew.length >= 3, JSON.stringify(found));
    /* The camera is one. */
    const before = await page.evaluate(() => ({...window.inspector.pair.camera}));
    const rect = await page.locator('#graph-base').boundingBox();
    await page.mouse.move(rect.x + 60, rect.y + 60);
    await page.mouse.wheel(0, -200);
    await page.mouse.down();
    await page.mouse.move(rect.x + 100, rect.y + 90, {steps: 3});
    await page.mouse.up();
    const after = await page.evaluate(() => ({...window.inspector.pair.camera}));
    check(`${name}: zooming one side zooms both`, after.scale > before.scale && after.x !== before.x);
    await page.locator('[role=tab]', {hasText: 'Details'}).click();
    const row = page.locator('.side-by-side tr').first();
    await row.waitFor();
    check(`${name}: values stand beside one another`, (await page.locator('.side-by-side thead th').count()) === 3);
    await page.selectOption('#diff-colours', 'time');
    await rest(page);
    check(`${name}: differences of time have a scale`, (await page.locator('.delta-scale').count()) === 1);
    await rest(page);
    const address = await page.evaluate(() => location.hash);
    check(`${name}: the address keeps both sides and their colours`, /;y=1/.test(address) && /;z=time/.test(address) && /;s=n:\d+/.test(address), address);
    const title = await page.locator('h2.name').innerText();
    await page.reload();
    await page.waitForFunction(ready);
    await untilThere(page, 'h2.name');
    check(`${name}: and brings them back`, (await page.locator('h2.name').innerText()) === title && (await page.inputValue('#diff-colours')) === 'time');
    await page.keyboard.press('c');
    await page.waitForFunction(() => window.inspector.graph?.scene);
    check(`${name}: C shows the new side alone`, (await page.locator('#graph-base').count()) === 0 && (await page.locator('.mapping').count()) === 1);
    await page.keyboard.press('c');
    await page.waitForFunction(ready);
    check(`${name}: and both again`, (await page.locator('#graph-base').count()) === 1);
}

/* A click on a box of the base: its partner is chosen, and both are told. */
async function clickBase(name, page) {
    const place = await page.evaluate(() => {
        const {pair} = window.inspector, {base, new: now} = pair.panes, s = base.scene;
        for (let b = 1; b < s.count; b++) {
            if (!s.node[b] || !now.scene.node[b] || s.differs[b]) continue;
            pair.camera = {x: s.x[b] + s.width[b] / 2, y: s.y[b] + s.height[b] / 2, scale: 1};
            pair.flight = null;
            pair.paint();
            const r = document.getElementById('graph-base').getBoundingClientRect();
            return {x: r.left + r.width / 2, y: r.top + r.height / 2, node: now.scene.node[b], label: now.scene.label[b]};
        }
        return null;
    });
    await page.mouse.click(place.x, place.y);
    await until(page, (node) => location.hash.includes(`s=n:${node};`), place.node);
    const found = await chosen(page);
    check(`${name}: a click on the base lights the partner`, found.new === place.label && found.base !== '', JSON.stringify(found));
    await page.locator('[role=tab]', {hasText: 'Details'}).click();
    await page.locator('.pair-evidence').waitFor();
    check(`${name}: with what the pair rests on`, /certain|likely|guess/.test(await page.locator('.pair-evidence').innerText()));
    await page.keyboard.press('Escape');
}

/* One scale for both timelines; runs begin at the same place; a task of one lights those of its partner. */
async function timelines(name, page) {
    await page.waitForFunction(() => window.inspector.timeline?.data && window.inspector.baseTimeline?.data && window.inspector.baseTimeline.rows);
    const starts = () => page.evaluate(() => {
        const {timeline, baseTimeline} = window.inspector, at = (view) => view.x(view.source.zero());
        return {new: at(timeline), base: at(baseTimeline), scale: timeline.scale().nsPerPixel, baseScale: baseTimeline.scale().nsPerPixel};
    });
    const first = await starts();
    check(`${name}: first runs begin at the same place`, Math.abs(first.new - first.base) < 0.5 && first.scale === first.baseScale, JSON.stringify(first));
    const rect = await page.locator('#timeline-base').boundingBox();
    await page.mouse.move(rect.x + rect.width * 0.6, rect.y + rect.height - 10);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -300);
    await page.keyboard.up('Control');
    await page.mouse.down();
    await page.mouse.move(rect.x + rect.width * 0.6 - 70, rect.y + rect.height - 10, {steps: 3});
    await page.mouse.up();
    await rest(page);
    const later = await starts();
    check(`${name}: they zoom and move together`, later.scale < first.scale && Math.abs(later.new - later.base) < 0.5, JSON.stringify(later));
    const task = await page.evaluate(() => {
        const {source} = window.inspector.baseTimeline, task = source.tasks()[0];
        source.select(task);
        return task;
    });
    await until(page, (t) => window.inspector.baseTimeline.loads.related.some((p) => p.task === t) && window.inspector.timeline.loads.related.length > 0, task);
    const lit = await page.evaluate(() => ['timeline', 'baseTimeline'].map((slot) => {
        const view = window.inspector[slot];
        return view.loads.related.map((p) => p.name).concat(view.rows.lanes.some((l) => view.loads.related.some((p) => p.track === l.track && view.laneTop(l) + 18 <= view.high)) ? 'in sight' : 'hidden');
    }));
    check(`${name}: a task of the base lights those of its partner, in rows that are in sight`, lit.every((list) => list.length > 1 && list.at(-1) === 'in sight' && /FastFilter/.test(list[0])), JSON.stringify(lit));
}

async function serialised(page) {
    const name = 'serialised', first = await firstChange(page);
    check(`${name}: the first change is the custom op, on both sides`, /FastFilter/.test(first.new) && /FastFilter/.test(first.base) && first.isInSight, JSON.stringify(first));
    check(`${name}: the cause is named`, /parallel to serial/.test(first.row), first.row);
    await page.locator('[role=tab]', {hasText: 'Details'}).click();
    await page.locator('.change-rows').waitFor();
    check(`${name}: the stream it was on and is on`, /stream.*→.*stream/s.test(await page.locator('.change-rows').innerText()));
    await timelines(name, page);
    await unchangedStay(name, page);
    await clickBase(name, page);
    const alone = await page.evaluate(() => {
        const {base} = window.inspector.pair.panes;
        const b = [...base.scene.flags.keys()].find((x) => x && base.scene.node[x] && base.scene.differs[x] & (1 << 8));
        window.inspector.pair.choose(base, b);
        return base.scene.label[b];
    });
    await until(page, (label) => document.querySelector('h2.name')?.textContent.includes(label.split('/').pop()), alone);
    const told = await page.locator('aside.panel').innerText();
    check(`${name}: what is gone can be chosen, too`, /only there: base/.test(told), told.slice(0, 200));
    await rest(page);
    check(`${name}: and stands in the address`, /;b=\d+/.test(await page.evaluate(() => location.hash)));
    await page.locator('#lang').click();
    await rest(page);
    check(`${name}: it speaks Chinese`, /仅存在于：基线/.test(await page.locator('aside.panel').innerText()));
    await page.locator('#tool-theme').click();
    await rest(page);
    check(`${name}: and wears the dark theme`, await page.evaluate(() => document.documentElement.dataset.theme === 'dark') && (await ink(page, 'graph-new')) > 1000);
}

/* The outline is that of both sides; what is chosen there is opened and chosen on both. */
async function outlined(name, page) {
    await page.locator('[role=tab]', {hasText: 'Outline'}).click();
    await page.locator('.tree-row .label').first().waitFor();
    await page.locator('.tree').focus();
    for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await rest(page);
    const found = await chosen(page);
    check(`${name}: the outline chooses on both sides`, found.b > 0 && found.new !== '' && found.new === found.base, JSON.stringify(found));
    await page.keyboard.press('Escape');
    await page.locator('[role=tab]', {hasText: 'Changes'}).click();
}

async function nothing(name, page) {
    const found = await unchangedStay(name, page);
    await outlined(name, page);
    check(`${name}: against itself there is nothing on one side only`, !found.onlyBase.length && !found.onlyNew.length, JSON.stringify(found));
    check(`${name}: and it says so`, /Nothing differs/.test(await page.locator('.changes').innerText()) && (await page.locator('.changes tbody tr').count()) === 0);
}

const cases = process.env.MI_DIFF;
await openPair(join(cases, 'small/v1'), join(cases, 'small/v2'), async (page) => {
    const first = await firstChange(page);
    check('small: the first change', first.new === 'filter' && first.base === 'filter' && first.isInSight, JSON.stringify(first));
    const found = await unchangedStay('small', page);
    check('small: what each side has alone', found.onlyBase.length === 1 && found.onlyNew.length >= 3, JSON.stringify(found));
    await tabs('small', page);
});
if (existsSync(join(cases, 'article-regression-12pct'))) {
    await openPair(join(cases, 'article-regression-12pct/v1'), join(cases, 'article-regression-12pct/v2'), regression);
    await openPair(join(cases, 'article-serialised-custom-op/v1'), join(cases, 'article-serialised-custom-op/v2'), serialised);
} else console.log('skipped: no generator, only the small case');
const lanenet = join(process.env.MI_SAMPLES ?? '', 'cann-static/om/lanenet_ascend310b4.om');
if (existsSync(lanenet)) await openPair(lanenet, lanenet, (page) => nothing('lanenet', page));
const onnx = join(process.env.MI_SAMPLES ?? '', 'onnxruntime');
if (existsSync(join(onnx, 'resnet18_q.onnx'))) await openPair(join(onnx, 'resnet18_q.onnx'), join(onnx, 'resnet18_q.seq1.opt.onnx'), async (page) => {
    const told = await page.locator('.changes').innerText();
    check('a model and a build: that there is nothing to compare is no agreement', /nothing differs/i.test(told) === false && /in common/.test(told), told);
    check('a model and a build: the layer of the base can be shown', (await page.locator('#layer option').count()) === 2);
});
await finish();
