/* Constants as boxes, switched on and off; and Back of the browser, step by step. Over small captures of the project's
 * own, and the large samples where they are at hand. MI_CLI names the program; MI_SAMPLES may be empty or absent. */
import {existsSync, readdirSync} from 'node:fs';
import {join} from 'node:path';
import {aBox, check, finish, open, openAll, rest, serve, until} from './page_lib.mjs';

const GROUP = 1, OPEN = 2, PORT = 4, HUB = 8, CONSTANT = 8192;

const title = (page) => page.evaluate(() => document.querySelector('aside.panel h2.name')?.innerText ?? '');

const sorted = (list) => String([...list].sort((a, b) => a - b));

async function press(page, key) {
    await page.keyboard.press(key);
    await rest(page);
}

async function click(page, what) {
    await page.locator(what).click();
    await rest(page);
}

/* What is drawn: items of boxes that are no constants, items of groups that are open, constants, dots. */
const drawn = (page) => page.evaluate(([open, port, hub, constant]) => {
    const s = window.inspector.graph.scene, found = {boxes: [], open: [], constants: 0, wired: 0, typed: 0, dots: 0, nodeless: 0};
    for (let b = 1; b < s.count; b++) {
        if (s.flags[b] & port) continue;
        found.dots += s.constants[b];
        if (s.flags[b] & open) found.open.push(s.group[b]);
        if (!(s.flags[b] & constant)) {
            found.boxes.push(s.group[b]);
            continue;
        }
        found.constants++;
        found.nodeless += !s.node[b];
        found.wired += s.flags[b] & hub || s.out.first[b + 1] > s.out.first[b];
        found.typed += s.type[b] !== '';
    }
    return found;
}, [OPEN, PORT, HUB, CONSTANT]);

/* On: every constant that is read is a box with wires; all else is as it was. Off: as it was. */
async function constants(name, page) {
    await openAll(page, 3);
    const before = await drawn(page);
    check(`${name}: at first constants are dots`, before.constants === 0 && before.dots > 0, JSON.stringify(before).slice(0, 200));
    await click(page, '#tool-constants');
    const on = await drawn(page);
    check(`${name}: then they are boxes, and no dots`, on.constants > 0 && on.dots === 0, `${on.constants} boxes, ${on.dots} dots`);
    check(`${name}: with wires and types`, on.wired === on.constants && on.typed > 0.9 * on.constants, `${on.wired} of ${on.constants} wired, ${on.typed} typed`);
    check(`${name}: all other boxes are the same`, sorted(on.boxes) === sorted(before.boxes) && sorted(on.open) === sorted(before.open));
    check(`${name}: the legend tells them`, (await page.locator('ul.legend i.constant').count()) === 1 && (await page.locator('ul.legend i.dot').count()) === 0);
    check(`${name}: the switch is on`, (await page.locator('#tool-constants').getAttribute('aria-pressed')) === 'true');
    const choose = async () => {
        const place = await aBox(page, {want: CONSTANT, node: on.nodeless === 0});
        await page.mouse.click(place.x, place.y);
        await rest(page);
        return place;
    };
    const place = await choose();
    check(`${name}: a constant can be chosen`, (await title(page)) === place.label, `${await title(page)} / ${place.label}`);
    if (on.nodeless) {
        const facts = await page.locator('aside.panel .facts').innerText();
        check(`${name}: its type, size and readers are told`, /\w\[/.test(facts) && /\d+(\.\d+)? (B|KiB|MiB)/.test(facts) && /readers\s+[1-9]/.test(facts), facts);
    }
    await link(name, page, on);
    await twins(name, page, place);
    await choose();
    await page.locator('#graph').focus();
    await press(page, 'k');
    const off = await drawn(page);
    check(`${name}: K brings back what was`, JSON.stringify(off) === JSON.stringify(before), JSON.stringify(off).slice(0, 200));
    check(`${name}: what is no more is not chosen`, on.nodeless === 0 || (await title(page)) === '', await title(page));
}

async function link(name, page, on) {
    const again = await open(page.url());
    check(`${name}: a link brings them back`, (await drawn(again)).constants === on.constants, page.url());
    check(`${name}: with the one that was chosen`, (await title(again)) === (await title(page)), `${await title(again)} / ${await title(page)}`);
    check(`${name}: nothing went wrong there`, again.problems.length === 0, again.problems.join(' | '));
    await again.context().close();
}

/* The name of a weight leads to what reads it, or to its box where it has one. */
async function weights(name, page, words) {
    const go = async () => {
        await page.locator('#search').fill(words);
        await rest(page);
        const row = page.locator('.hits button').filter({hasText: 'constant'}).first();
        const label = await row.innerText();
        await row.click();
        await page.locator('#graph').focus(); /* the list closes */
        await rest(page);
        return label;
    };
    const label = await go();
    check(`${name}: the search finds a constant by its name`, label.includes(words), label);
    check(`${name}: what reads it is chosen`, (await page.locator('aside.panel').innerText()).includes(words)
        && await page.evaluate(() => window.inspector.graph.scene.node[window.inspector.graph.selectedBox] > 0), await title(page));
    await click(page, '#tool-constants');
    await go();
    check(`${name}: its box is chosen where there is one`, (await title(page)) === words && await page.evaluate((constant) => {
        const {scene: s, selectedBox: box} = window.inspector.graph;
        return (s.flags[box] & constant) > 0;
    }, CONSTANT), await title(page));
    await page.locator('#search').fill('');
    await page.locator('#graph').focus();
    await click(page, '#tool-constants');
}

/* Keys lead from a constant to what reads it; the tree lists it where it stands. */
async function twins(name, page, place) {
    await page.getByRole('tab').filter({hasText: 'Outline'}).click();
    await rest(page);
    check(`${name}: the outline has it`, (await page.locator(`#tree-${place.item}[aria-selected=true] i.constant`).count()) === 1);
    await page.getByRole('tab').filter({hasText: 'Details'}).click();
    await page.locator('#graph').focus();
    await press(page, 'ArrowDown');
    check(`${name}: an arrow leads on`, await page.evaluate((own) => {
        const {scene: s, selectedBox: box} = window.inspector.graph;
        return box !== own || s.flags[own] & 8 /* a hub's wires are not there to follow */;
    }, place.box), String(place.box));
}

/* Steps of different kinds, each undone by one Back and done again by one Forward. */
async function back(name, page) {
    await click(page, '#tool-less');
    const state = () => page.evaluate(() => {
        const hash = location.hash.split(';').filter((part) => !/^(1|#1|[gtwqk]|th|l)(=|$)/.test(part)), {graph} = window.inspector;
        let open = 0;
        for (let b = 1; b < graph.scene.count; b++) open += (graph.scene.flags[b] & 2) > 0;
        return JSON.stringify({
            hash, open, layer: document.getElementById('layer').value, fold: document.getElementById('fold').value, path: graph.trace !== null,
            colours: document.getElementById('colours').value, constants: document.getElementById('tool-constants').getAttribute('aria-pressed'),
            tab: document.querySelector('[role=tab][aria-selected=true]').textContent, title: document.querySelector('aside.panel h2.name')?.textContent ?? '',
            legend: document.querySelectorAll('ul.legend button[aria-pressed=false]').length, chosen: graph.selectedBox,
        });
    });
    const tab = (text) => page.getByRole('tab').filter({hasText: text}).click();
    const choose = async (want) => {
        const place = await aBox(page, want);
        if (place) await page.mouse.click(place.x, place.y);
    };
    const steps = [
        ['a group opened', () => page.locator('#tool-more').click()],
        ['a selection', () => choose({not: GROUP | OPEN, part: 0.2})],
        ['a path', () => page.locator('#tool-path').click()],
        ['no path', () => page.locator('#tool-path').click()],
        ['a group chosen', () => choose({want: GROUP, node: false})],
        ['constants', () => page.locator('#tool-constants').click()],
        ['colours', () => page.locator('#colours').selectOption('time')],
        ['a panel', () => tab('Summary')],
        ['a type hidden', () => page.locator('ul.legend button').first().click()],
        ['another layer', () => page.locator('#layer').selectOption('compiled')],
        ['another fold', () => page.locator('#fold').selectOption('none')],
        ['all closed', () => page.locator('#fold').selectOption('scope')],
    ];
    const states = [await state()], names = [];
    for (const [what, act] of steps) {
        const entries = await page.evaluate(() => history.length);
        await act();
        await rest(page);
        const now = await state();
        if (now === states[states.length - 1]) continue; /* this capture has nothing of the kind */
        names.push(what);
        states.push(now);
        const added = (await page.evaluate(() => history.length)) - entries;
        check(`${name}: ${what} is one step`, added === 1, `${added} entries`);
    }
    check(`${name}: most kinds of steps are there`, names.length > 7, names.join());
    for (let i = names.length - 1; i >= 0; i--) {
        await page.goBack();
        await rest(page);
        check(`${name}: Back undoes ${names[i]}`, (await state()) === states[i], `${await state()}\n    for ${states[i]}`);
    }
    for (let i = 1; i <= names.length; i++) {
        await page.goForward();
        await rest(page);
        check(`${name}: Forward does ${names[i - 1]} again`, (await state()) === states[i], `${await state()}\n    for ${states[i]}`);
    }
}

/* Groups of rows that are folded and streams that are hidden: steps, and in the address. */
async function rows(name, page) {
    const shown = (of) => of.evaluate(() => JSON.stringify([window.inspector.timeline.rows.groups.map((g) => [g.key, g.open]), window.inspector.timeline.rows.lanes.length]));
    const fold = async () => {
        await page.locator('#timeline').focus();
        await press(page, 'Shift+E');
    };
    const hide = async () => {
        const place = await page.evaluate(() => {
            const view = window.inspector.timeline, r = view.canvas.getBoundingClientRect(), lane = view.rows.lanes.find((l) => view.laneTop(l) > 50);
            return {x: r.left + 20, y: r.top + view.laneTop(lane) + 9};
        });
        await page.mouse.click(place.x, place.y);
        await rest(page);
    };
    for (const [what, act] of [['folding', fold], ['hiding a stream', hide]]) {
        const before = await shown(page);
        await act();
        const after = await shown(page), again = await open(page.url(), {ready: () => window.inspector?.timeline?.rows});
        check(`${name}: ${what} changes the rows`, after !== before, after);
        check(`${name}: ${what} is in the address`, (await shown(again)) === after, `${page.url()} ${await shown(again)}`);
        await again.context().close();
        await page.goBack();
        await rest(page);
        check(`${name}: Back undoes ${what}`, (await shown(page)) === before, `${await shown(page)} for ${before}`);
        await page.goForward();
        await rest(page);
        check(`${name}: Forward does it again`, (await shown(page)) === after, `${await shown(page)} for ${after}`);
        await page.goBack();
        await rest(page);
    }
}

/* The number of tasks is told with what it comes from. */
async function tasksOf(name, page) {
    const node = await page.evaluate(async () => (await (await fetch('api/v1/search?max=2000&q=layer:compiled%20dur%3E0')).json()).hits.find((h) => h.tasks > 1).node);
    await page.goto(`${page.url().split('#')[0]}#1;p=details;s=n:${node}`);
    const isTold = await until(page, () => document.querySelector('.task-line'));
    const text = isTold ? await page.locator('.task-line').innerText() : '';
    const [, all, runs, streams] = /device tasks: (\d+) · runs: (\d+) · streams: (\d+)/.exec(text) ?? [];
    check(`${name}: tasks, runs and streams are told`, Number(all) >= Number(runs) && runs > 0 && streams > 0, text);
    const [, n] = / (\d+) counted/.exec(text) ?? [];
    check(`${name}: what sums leave out is told where they do`, Number(n) > 0 && Number(n) < Number(all), text);
}

/* Two steps in quick succession are two; moving about and typing are none. */
async function paces(name, page) {
    const entries = () => page.evaluate(() => history.length);
    const before = await entries();
    await page.locator('#graph').focus();
    for (const key of ['w', 'd', '0']) await press(page, key);
    await page.locator('#search').fill('conv');
    await rest(page);
    check(`${name}: moving and typing are no steps`, (await entries()) === before, `${(await entries()) - before}`);
    const tabs = page.locator('[role=tab]');
    await tabs.nth(4).click({noWaitAfter: true});
    await tabs.nth(0).click({noWaitAfter: true});
    await rest(page);
    check(`${name}: two quick steps are two`, (await entries()) === before + 2, `${(await entries()) - before}`);
    const dark = await page.evaluate(() => document.documentElement.dataset.theme);
    await click(page, '#tool-theme');
    await page.goBack();
    await rest(page);
    check(`${name}: Back leaves the theme alone`, (await page.evaluate(() => document.documentElement.dataset.theme)) !== dark);
}

async function whole(name, inputs, weight) {
    const {child, url} = await serve(inputs);
    try {
        const page = await open(url);
        await constants(name, page);
        await page.locator('#layer').selectOption('compiled');
        await rest(page);
        await constants(`${name}, compiled`, page);
        check(`${name}: nothing went wrong`, page.problems.length === 0, page.problems.join(' | '));
        await page.context().close();
        const other = await open(url);
        await weights(name, other, weight);
        await back(name, other);
        await paces(name, other);
        if (await other.evaluate(() => window.inspector.timeline?.rows)) {
            await rows(name, other);
            await tasksOf(name, other);
        }
        check(`${name}: nothing went wrong on the way back`, other.problems.length === 0, other.problems.join(' | '));
        await other.context().close();
    } finally {
        child.kill('SIGINT');
    }
}

/* Of three runs the first is warm-up. */
async function generated(dir) {
    const {child, url} = await serve([join(dir, 'framework.onnx'), join(dir, 'model.om'), ...readdirSync(dir).filter((n) => n.startsWith('PROF_')).map((n) => join(dir, n))]);
    try {
        const page = await open(url);
        await tasksOf('generated case', page);
        check('generated case: nothing went wrong', page.problems.length === 0, page.problems.join(' | '));
    } finally {
        child.kill('SIGINT');
    }
}

const samples = process.env.MI_SAMPLES ?? '', sample = (path) => join(samples, path);
await whole('small capture', [join(process.env.MI_SOURCE_DIR ?? '.', 'tests/data/capture/small')], 'kernel');
if (existsSync(sample('cann-static')))
    await whole('LaneNet', [sample('cann-static/framework/lanenet_epoch_122_batch_8_AUG.onnx'), sample('cann-static/om/lanenet_ascend310b4.om')], 'initial_block.main_branch.weight');
if (process.env.MI_CASE) await generated(process.env.MI_CASE);
else console.log('skipped: no generated case');
await finish();
