/* Structure, mapping and panels in Chromium: what boxes there are, badges and jumps, paths, groups and their
 * contents, words of the search, the outline and the twin for screen readers, findings, the summary that filters,
 * pictures for files, borders, addresses. What is shown is compared with what the server says.
 * MI_CLI names the program; MI_CASE, MI_SAMPLES may be empty or absent. */
import {execFileSync} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {aBox, camera, check, finish, ink, open, openAll, rest, scene, serve, until, untilThere} from './page_lib.mjs';

const GROUP = 1, OPEN = 2, FUSED = 64, INPUT = 256, OUTPUT = 512, PART = 1024;

const json = (page, path) => page.evaluate((where) => fetch(`api/v1/${where}`).then((r) => r.json()), path);
const title = (page) => page.evaluate(() => document.querySelector('aside.panel h2.name')?.innerText ?? '');

async function chooseTab(page, at) {
    await page.locator('.tabs button').nth(at).click();
    await rest(page);
}

/* Inputs of a graph that are no nodes are boxes, with wires; they show their type. */
async function ends(name, page) {
    const found = await page.evaluate(([input, output]) => {
        const s = window.inspector.graph.scene, list = {inputs: 0, outputs: 0, wired: 0, typed: 0};
        for (let b = 1; b < s.count; b++) {
            if (!(s.flags[b] & (input | output)) || s.flags[b] & 4) continue;
            if (s.flags[b] & input) list.inputs++;
            else list.outputs++;
            list.wired += s.out.first[b + 1] > s.out.first[b] || s.in.first[b + 1] > s.in.first[b];
            list.typed += s.type[b] !== '';
        }
        return list;
    }, [INPUT, OUTPUT]);
    check(`${name}: inputs and outputs are boxes`, found.inputs > 0 && found.outputs > 0, JSON.stringify(found));
    check(`${name}: all of them have wires and types`, found.wired === found.inputs + found.outputs && found.typed === found.wired, JSON.stringify(found));
    const place = await aBox(page, {want: INPUT, node: false});
    await page.mouse.click(place.x, place.y);
    await rest(page);
    check(`${name}: an input tells its type`, (await title(page)) === place.label && /\[/.test(await page.locator('aside.panel .facts').innerText()));
}

/* A node that is related but hidden marks the group around it; F goes down to it. */
async function badges(name, page) {
    const hidden = await page.evaluate(() => {
        const {scene: s, outline} = window.inspector.graph;
        for (let n = 1; n < outline.ofNode.length; n++) {
            const box = outline.ofNode[n] ? outline.visible(s, n) : 0;
            if (box && s.node[box] !== n && !(s.flags[box] & 2)) return {node: n, group: s.group[box]};
        }
        return null;
    });
    if (!hidden) return;
    const before = (await scene(page)).count;
    const row = await page.evaluate((n) => fetch(`api/v1/links?node=${n}`).then((r) => r.json()).then((l) => l.name), hidden.node);
    await page.locator('.heads input').first().fill(row);
    await rest(page);
    await page.locator('.mapping .row .party').first().click();
    await rest(page);
    const isMarked = await until(page, (item) => {
        const view = window.inspector.graph;
        return (view.related.get(view.scene.boxOfItem.get(item)) ?? 0) > 0;
    }, hidden.group);
    check(`${name}: the group around a hidden node is marked`, isMarked && (await scene(page)).count === before);
    await page.locator('#graph').focus();
    await page.keyboard.press('f');
    check(`${name}: F opens down to it`, await until(page, (n) => {
        const {scene: s, outline} = window.inspector.graph, box = outline.visible(s, n);
        return s.node[box] === n || (s.flags[box] & 3) === 0; /* of a constant: what reads it */
    }, hidden.node));
    await page.locator('.heads input').first().fill('');
}

async function groups(name, page) {
    const place = await aBox(page, {want: GROUP, not: OPEN | FUSED, node: false});
    if (!place) return;
    await page.mouse.click(place.x, place.y);
    await rest(page);
    check(`${name}: a group tells its name`, (await title(page)).includes(place.label), `${await title(page)} / ${place.label}`);
    const told = await json(page, `group?layer=${await page.locator('#layer').inputValue()}&fold=scope&item=${place.item}`);
    check(`${name}: and what is in it`, (await page.locator('aside.panel .bars li').count()) === told.types.length &&
        told.types.reduce((sum, x) => sum + x.nodes, 0) === told.nodes, JSON.stringify(told).slice(0, 200));
    const at = await page.evaluate((item) => {
        const {scene: s, camera: c} = window.inspector.graph, b = s.boxOfItem.get(item);
        return {x: (s.x[b] - c.x) * c.scale, y: (s.y[b] - c.y) * c.scale};
    }, place.item);
    await page.mouse.dblclick(place.x, place.y);
    await rest(page);
    const then = await page.evaluate((item) => {
        const {scene: s, camera: c} = window.inspector.graph, b = s.boxOfItem.get(item);
        return {x: (s.x[b] - c.x) * c.scale, y: (s.y[b] - c.y) * c.scale, open: (s.flags[b] & 2) > 0};
    }, place.item);
    check(`${name}: a double click opens it`, then.open);
    check(`${name}: and it stays where it is`, Math.abs(then.x - at.x) < 1.5 && Math.abs(then.y - at.y) < 1.5, JSON.stringify([at, then]));
    await page.locator('aside.panel .tools button').first().click();
    check(`${name}: the panel closes it`, await until(page, (item) => {
        const {scene: s} = window.inspector.graph;
        return !(s.flags[s.boxOfItem.get(item)] & 2);
    }, place.item));
}

/* Without opening it a group that is large on the screen shows what is in it. */
async function peeking(name, page) {
    const place = await aBox(page, {want: GROUP, not: OPEN, node: false, scale: 4});
    if (!place) return;
    const before = await scene(page);
    check(`${name}: a look inside`, await until(page, () => [...window.inspector.graph.peeks.known.values()].some((p) => p.scene && p.scene.count > 1)));
    check(`${name}: moves nothing`, JSON.stringify(await scene(page)) === JSON.stringify(before));
}

async function fusion(name, page) {
    await page.locator('#fold').selectOption('group');
    await rest(page);
    const found = await page.evaluate(([g, f]) => {
        const s = window.inspector.graph.scene;
        let fused = 0, right = 0;
        for (let b = 1; b < s.count; b++)
            if ((s.flags[b] & (g | f)) === (g | f)) {
                fused++;
                right += s.members[b] > 1 && s.members[b] === s.nodes[b];
            }
        return {fused, right};
    }, [GROUP, FUSED]);
    check(`${name}: fusion groups fold`, found.fused > 0 && found.right === found.fused, JSON.stringify(found));
    await page.locator('#fold').selectOption('scope');
    await rest(page);
}

/* The wires of a path join its nodes, also through the ports of open groups; the rest is dimmed. */
async function paths(name, page) {
    await openAll(page, 3);
    const place = await aBox(page, {not: GROUP | OPEN, part: 0.5});
    await page.mouse.click(place.x, place.y);
    await rest(page);
    await page.locator('#tool-path').click();
    await until(page, () => window.inspector.graph.trace);
    await rest(page);
    const found = await page.evaluate((own) => {
        const {trace, scene: s} = window.inspector.graph;
        if (!trace) return null;
        const between = [...trace.wires].filter((w, e) => w && !(s.flags[s.from[e]] & 4) && !(s.flags[s.to[e]] & 4) &&
            !(trace.boxes.has(s.from[e]) || s.flags[s.from[e]] & 2)).length;
        return {boxes: trace.boxes.size, wires: [...trace.wires].filter(Boolean).length, wrong: between, own: trace.boxes.has(own), all: s.count - 1};
    }, place.box);
    check(`${name}: the path has boxes and wires`, found !== null && found.own && found.wires > 0 && found.wrong === 0, JSON.stringify(found));
    await page.keyboard.press('Escape');
    await page.locator('#graph').focus();
    await page.keyboard.press('Escape');
}

/* Each word against what the mapping or the graphs say. */
async function words(name, page, has) {
    const total = async (query) => (await json(page, `search?max=2000&q=${encodeURIComponent(query)}`));
    const all = await total('layer:');
    const rows = all.hits.filter((h) => h.node);
    if (!rows.length || all.total > 2000) return;
    const op = rows[Math.floor(rows.length / 2)].op;
    const byOp = await total(`op:${op}`);
    check(`${name}: op: finds operator types`, byOp.total > 0 && byOp.hits.every((h) => h.op.toLowerCase().includes(op.toLowerCase())) &&
        byOp.hits.filter((h) => h.node).length === rows.filter((h) => h.op.toLowerCase().includes(op.toLowerCase())).length);
    const deep = rows.find((h) => /^\/?[^/]+\/[^/]+/.test(h.name));
    if (deep) {
        const scope = deep.name.replace(/^\//, '').split('/')[0];
        const inside = await total(`ns:${scope}`);
        check(`${name}: ns: finds scopes`, inside.total > 0 && inside.hits.every((h) => `/${h.name}`.toLowerCase().includes(`/${scope.toLowerCase()}/`)));
    }
    const layer = await total('layer:compiled');
    check(`${name}: layer: leaves one layer`, layer.hits.every((h) => h.layer === 'compiled'));
    if (has.includes('tasks')) {
        const long = await total('dur>0ns'), none = await total('dur>1000000s');
        check(`${name}: dur> asks for times`, none.total === 0 && long.total > 0 && long.total < all.total + 1, `${long.total}`);
    }
    await page.locator('#search').fill(`op:${op}`);
    check(`${name}: hits are marked, the rest is dim`, await until(page, () => {
        const view = window.inspector.graph;
        return view.marks().lit !== null && view.marks().lit.size === view.found.size;
    }));
    await page.keyboard.press('ArrowDown');
    check(`${name}: arrows choose among the hits`, (await page.locator('.hits .cursor').count()) === 1);
    await page.keyboard.press('Escape');
}

async function outlineTree(name, page) {
    await chooseTab(page, 3);
    const tree = page.locator('[role=tree]');
    await tree.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    const focused = () => page.evaluate(() => {
        const tree = document.querySelector('[role=tree]'), row = document.getElementById(tree.getAttribute('aria-activedescendant'));
        return row && {level: row.getAttribute('aria-level'), expanded: row.getAttribute('aria-expanded'), text: row.innerText};
    });
    const row = await focused();
    check(`${name}: the outline has rows`, row !== null && Number(row.level) >= 1, JSON.stringify(row));
    await page.keyboard.press('Enter');
    check(`${name}: a row of the outline chooses`, await until(page, () => window.inspector.graph.selectedBox > 0));
    const lines = await page.locator('[role=treeitem]').count();
    for (let i = 0; i < 40 && (await focused())?.expanded !== 'false'; i++) await page.keyboard.press('ArrowDown');
    if ((await focused())?.expanded === 'false') {
        await page.keyboard.press('ArrowRight');
        await rest(page);
        check(`${name}: the outline opens`, (await focused()).expanded === 'true' && (await page.locator('[role=treeitem]').count()) >= lines);
    }
    await chooseTab(page, 0);
}

async function twin(name, page) {
    const place = await aBox(page, {not: OPEN, part: 0.3});
    await page.mouse.click(place.x, place.y);
    await rest(page);
    const told = await page.evaluate(() => {
        const id = document.getElementById('graph').getAttribute('aria-activedescendant'), row = id && document.getElementById(id);
        return row && {text: row.textContent, place: Number(row.getAttribute('aria-posinset')), of: Number(row.getAttribute('aria-setsize'))};
    });
    check(`${name}: the twin tells the chosen box`, told !== null && told.text.includes(place.label) && told.place >= 1 && told.place <= told.of, JSON.stringify(told));
    check(`${name}: and so does the live line`, (await page.locator('.page > .announce').innerText()) !== '');
}

/* Headings sort, by pointer and by keys, and say so; what has no cost comes last either way. */
async function sortedFindings(name, page) {
    const heads = page.locator('table.findings th');
    if (await page.locator('table.findings > tbody').count() < 2) return;
    const over = await page.evaluate(() => document.querySelector('table.findings').getBoundingClientRect().right - document.querySelector('aside.panel').getBoundingClientRect().right);
    check(`${name}: findings fit into the panel`, over <= 0, String(over));
    const column = (at) => page.evaluate((i) => [...document.querySelectorAll('table.findings > tbody')].map((body) => body.rows[0].cells[i].textContent.trim()), at);
    const sorts = () => heads.evaluateAll((list) => list.map((th) => th.getAttribute('aria-sort')).join());
    check(`${name}: findings are sorted by cost at first`, (await sorts()) === 'none,none,descending', await sorts());
    const rules = (await column(1)).sort((a, b) => a.localeCompare(b));
    await heads.nth(1).locator('button').click();
    check(`${name}: then by rule`, (await sorts()) === 'none,ascending,none' && (await column(1)).join() === rules.join(), (await column(1)).join());
    await page.keyboard.press('Enter');
    check(`${name}: a key turns that round`, (await sorts()) === 'none,descending,none' && (await column(1)).join() === rules.reverse().join(), (await column(1)).join());
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    const order = ['error', 'warning', 'notice', 'info'], severities = (await column(0)).map((s) => order.indexOf(s));
    check(`${name}: by severity the worst come first`, (await sorts()) === 'descending,none,none' && severities.every((s, i) => !i || s >= severities[i - 1]), severities.join());
    await heads.nth(2).locator('button').click();
    await heads.nth(2).locator('button').click();
    const costs = await column(2), known = costs.filter(Boolean).length;
    check(`${name}: what has no cost comes last either way`, (await sorts()) === 'none,none,ascending' && costs.every((cost, i) => (cost !== '') === i < known), costs.join());
    await heads.nth(2).locator('button').click();
}

async function findings(name, page) {
    await chooseTab(page, 2);
    await page.waitForSelector('aside .chips');
    const passes = (await json(page, 'capture')).passes.filter((p) => p.verdicts && p.can_run);
    let wanted = 0;
    for (const p of passes) wanted += (await json(page, `passes/${p.name}?max=500`)).findings.length;
    check(`${name}: all findings are listed`, (await page.locator('aside table.findings > tbody').count()) === wanted, `${wanted}`);
    const costs = await page.evaluate(() => [...document.querySelectorAll('aside table.findings > tbody')].map((li) => li.querySelector('.cost') !== null));
    check(`${name}: those with a cost come first`, costs.every((has, i) => !has || costs[i - 1] !== false));
    await sortedFindings(name, page);
    const jump = page.locator('aside table.findings button.link').first();
    if (await jump.count()) {
        const before = await page.locator('#layer').inputValue();
        await jump.click();
        check(`${name}: a finding shows what it is about`, await until(page, () => /;s=[nt]:\d+/.test(location.hash) || window.inspector.graph.selectedBox > 0));
        await rest(page);
        const node = await page.evaluate(() => Number(location.hash.match(/;s=n:(\d+)/)?.[1] ?? 0));
        const links = node ? await json(page, `links?node=${node}`) : null, layer = await page.locator('#layer').inputValue();
        check(`${name}: in the layer that has it`, !links || links[layer].length > 0, `${node} is not in the ${layer} graph`);
        await page.locator('#layer').selectOption(before);
        await rest(page);
    }
    await page.keyboard.press('Escape');
    await page.locator('.splitter.panel').focus();
    await page.keyboard.press('Escape');
    await chooseTab(page, 0);
}

async function summary(name, page) {
    await chooseTab(page, 1);
    await untilThere(page, '.report-table');
    const bars = page.locator('ul.chart button');
    check(`${name}: the summary has tables`, (await page.locator('.report-table').count()) > 0);
    if ((await bars.count()) > 1) {
        await bars.first().click();
        check(`${name}: a bar filters`, (await page.locator('header .chip').count()) === 1);
        await bars.first().click();
        check(`${name}: and again takes the filter away`, (await page.locator('header .chip').count()) === 0);
    }
    await chooseTab(page, 0);
}

async function pictures(name, page) {
    const save = async (id) => {
        const [download] = await Promise.all([page.waitForEvent('download'), page.locator(id).click()]);
        return {name: download.suggestedFilename(), bytes: readFileSync(await download.path())};
    };
    const svg = await save('#graph-svg'), png = await save('#graph-png');
    const text = svg.bytes.toString('utf8');
    check(`${name}: SVG holds boxes and names`, /^structure-\w+\.svg$/.test(svg.name) && text.startsWith('<svg xmlns') && (text.match(/<text/g) ?? []).length > 3, svg.name);
    const blank = await page.context().newPage(); /* the page itself may not parse anything */
    const parsed = await blank.evaluate((source) => new DOMParser().parseFromString(source, 'image/svg+xml').querySelector('parsererror')?.textContent ?? '', text);
    await blank.close();
    check(`${name}: and is well formed`, parsed === '', parsed);
    check(`${name}: PNG is one`, png.name.endsWith('.png') && png.bytes.subarray(1, 4).toString() === 'PNG' && png.bytes.length > 2000);
}

async function heatAndBorders(name, page) {
    const before = await ink(page, 'graph');
    await page.locator('#colours').selectOption('time');
    await rest(page);
    check(`${name}: colours by time have a scale`, (await page.locator('.heat-scale .ramp i').count()) > 8 && before > 0);
    await page.locator('#colours').selectOption('type');
    const wide = () => page.evaluate(() => document.querySelector('aside.panel').getBoundingClientRect().width);
    const first = await wide();
    await page.locator('.splitter.panel').focus();
    await page.keyboard.press('ArrowLeft');
    await rest(page);
    check(`${name}: a border moves by keys`, (await wide()) > first + 10, `${first} ${await wide()}`);
    await page.locator('.splitter.panel').dblclick();
    await rest(page);
    check(`${name}: and a double click puts it back`, Math.abs((await wide()) - first) < 2, `${first} ${await wide()}`);
}

async function addresses(name, page, url) {
    const place = await aBox(page, {not: OPEN | GROUP, part: 0.2});
    await page.mouse.click(place.x, place.y);
    await rest(page);
    const second = await aBox(page, {not: OPEN | GROUP, part: 0.7});
    await page.mouse.click(second.x, second.y);
    await rest(page);
    if (second.node !== place.node) {
        await page.goBack();
        await rest(page);
        check(`${name}: Back undoes a selection`, (await title(page)).includes(place.label.split('/').pop().slice(0, 16)), `${await title(page)} / ${place.label}`);
    }
    await page.locator('#graph').focus();
    await page.keyboard.press('w');
    await rest(page);
    for (const [what, pan] of [['an address brings the camera back', 0], ['also where the selection is out of sight', 4000]]) {
        await page.evaluate((by) => window.inspector.graph.pan(by, by / 2), pan);
        await rest(page);
        const now = await camera(page), again = await open(page.url());
        await rest(again);
        const there = await camera(again);
        check(`${name}: ${what}`, Math.abs(there.x - now.x) <= 1 && Math.abs(there.y - now.y) <= 1 && Math.abs(there.scale / now.scale - 1) < 0.01,
            JSON.stringify([now, there]));
        await again.context().close();
    }
    const address = page.url();
    const other = await open(address.replace(/;w=[^;]*/, ';w=no%20such%20name'));
    await rest(other);
    check(`${name}: an address of other files is noticed`, (await other.locator('#search').inputValue()) === '"no such name"');
    await other.context().close();
    const calm = await open(url, {reducedMotion: 'reduce', forcedColors: 'active', colorScheme: 'dark'});
    await calm.locator('#graph').focus();
    await calm.keyboard.press('0');
    check(`${name}: without motion the camera is there at once`, await calm.evaluate(() => window.inspector.graph.flight === null));
    check(`${name}: forced colours: nothing went wrong`, calm.problems.length === 0, calm.problems.join(' | '));
    await calm.context().close();
}

async function mappingTable(name, page) {
    const rows = await page.evaluate(() => Number(document.querySelector('.mapping .rows').getAttribute('aria-rowcount')));
    const report = await json(page, 'passes/map'), size = (n) => report.tables.find((x) => x.name === n)?.total ?? 0;
    check(`${name}: the mapping has every row`, rows >= size('map') + size('without_origin') && rows > 0, `${rows}`);
    const shown = await page.locator('.mapping .row').count();
    check(`${name}: but elements only for those in sight`, shown < 80 && shown > 0, `${shown}`);
    const unmapped = page.locator('.mapping .chip').nth(1);
    if (/not mapped/.test(await unmapped.innerText())) {
        await unmapped.click();
        await rest(page);
        check(`${name}: what is not mapped says why`, await page.evaluate(() => [...document.querySelectorAll('.mapping .row')].every((r) => r.querySelector('i')?.textContent || r.querySelectorAll('.party').length)));
        await unmapped.click();
    }
    const sorter = page.locator('.heads button.head').filter({hasText: /^time/});
    if (await sorter.isVisible()) {
        await sorter.click();
        await rest(page);
        const times = await page.evaluate(() => [...document.querySelectorAll('.mapping .row .bar')].slice(0, 10).map((b) => parseFloat(b.style.width)));
        check(`${name}: sorted by time`, times.every((v, i) => !i || v <= times[i - 1] + 0.051), times.join());
        await sorter.click();
        await sorter.click();
    }
    await page.locator('.mapping .rows').focus();
    await page.keyboard.press('End');
    await rest(page);
    check(`${name}: keys go to the end`, await page.evaluate((n) => document.querySelector('.mapping .rows').getAttribute('aria-activedescendant') === `map-${n - 1}` &&
        document.getElementById(`map-${n - 1}`) !== null, await page.evaluate(() => Number(document.querySelector('.mapping .rows').getAttribute('aria-rowcount')))));
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    check(`${name}: Enter chooses the row`, await until(page, () => document.querySelector('aside.panel h2.name') !== null));
}

async function parts(name, page) {
    await page.locator('#fold').selectOption('none');
    await rest(page);
    const found = await page.evaluate((flag) => {
        const s = window.inspector.graph.scene, list = [];
        for (let b = 1; b < s.count; b++) if (s.flags[b] & flag && !(s.flags[b] & 4)) list.push(s.label[b]);
        return list;
    }, PART);
    check(`${name}: long graphs come in parts`, found.length > 1 && found[0] === `1/${found.length}`, found.join());
    await page.locator('#fold').selectOption('scope');
    await rest(page);
}

/* Ctrl and a click add to the selection in each view, and take away again; the address keeps all of it. */
async function several(name, page) {
    const held = () => page.evaluate(() => (location.hash.match(/;a=([nt\d.]+)/)?.[1] ?? '').split('.').filter(Boolean));
    const one = await aBox(page, {part: 0.3});
    await page.mouse.click(one.x, one.y);
    await rest(page);
    const two = await aBox(page, {part: 0.6});
    if (!one.node || one.node === two.node) return;
    await page.mouse.move(two.x, two.y);
    await page.keyboard.down('Control');
    await page.mouse.click(two.x, two.y);
    await rest(page);
    const marked = await page.evaluate((boxes) => boxes.map((box) => window.inspector.graph.related.has(box)), [one.box, two.box]);
    check(`${name}: Ctrl and a click add to the selection`, (await held()).join() === `n${one.node}` && marked.every(Boolean), `${await held()} ${marked}`);
    check(`${name}: the panel says what is selected beside`, (await page.locator('.also button').count()) === 1);
    const row = page.locator('.mapping .row:not(.lit) .party').first();
    let wanted = 2;
    if (await row.count()) {
        await row.click({modifiers: ['Control']});
        await rest(page);
        check(`${name}: in the mapping too`, (await held()).length === wanted, String(await held()));
        wanted++;
    }
    const task = await page.evaluate(() => {
        const t = window.inspector.timeline, d = t?.data, r = document.getElementById('timeline')?.getBoundingClientRect();
        for (const lane of d?.lanes ?? [])
            for (let i = lane.from; !lane.host && i < lane.end; i++) {
                const x = t.x(d.base + (d.start[i] + d.dur[i] / 2) * d.step), y = t.laneTop(lane) + 9;
                if (d.dur[i] * d.step > t.scale().nsPerPixel * 4 && x > 165 && x < r.width - 5 && y > 70 && y < r.height && lane.shown) return {x: r.left + x, y: r.top + y};
            }
        return null;
    });
    if (task) {
        await page.mouse.click(task.x, task.y);
        await rest(page);
        check(`${name}: and in the timeline`, (await held()).length === wanted, String(await held()));
    }
    await page.keyboard.up('Control');
    const all = await held(), again = await open(page.url());
    check(`${name}: a link restores all of it`, await until(again, (n) => document.querySelectorAll('.also button').length === n, all.length), String(all));
    check(`${name}: nothing went wrong there`, again.problems.length === 0, again.problems.join(' | '));
    await again.context().close();
    await page.locator('.also button').first().click();
    await rest(page);
    check(`${name}: one is let go of`, (await held()).length === all.length - 1, `${await held()} of ${all}`);
    const last = await aBox(page, {part: 0.3});
    await page.mouse.click(last.x, last.y);
    await rest(page);
    check(`${name}: a click alone lets go of all`, (await held()).length === 0);
    await page.keyboard.press('Shift+ArrowDown');
    await rest(page);
    const below = await held();
    check(`${name}: Shift and an arrow add`, below.length === 0 || below.join() === `n${last.node}`, String(below));
    await page.keyboard.press('Escape');
    await rest(page);
}

/* On a small screen what narrows the views can still be read, and stands in line. */
async function smallScreen(name, page) {
    await page.setViewportSize({width: 1280, height: 800});
    await rest(page);
    const found = await page.evaluate(() => {
        const pen = document.createElement('canvas').getContext('2d');
        const cut = [...document.querySelectorAll('.graph-bar select')].filter((select) => {
            pen.font = getComputedStyle(select).font;
            return pen.measureText(select.selectedOptions[0].textContent).width + 14 > select.clientWidth;
        });
        const tops = [...document.querySelectorAll('.heads input')].filter((x) => x.clientWidth > 0).map((x) => x.getBoundingClientRect().top);
        const legend = document.querySelector('ul.legend');
        return {cut: cut.map((x) => x.id), tops, hidden: legend.scrollHeight - legend.clientHeight};
    });
    check(`${name}: lists show what is chosen`, !found.cut.length, found.cut.join());
    check(`${name}: filters stand in line`, new Set(found.tops).size <= 1, found.tops.join());
    check(`${name}: the legend is whole`, found.hidden <= 2, String(found.hidden));
    await page.setViewportSize({width: 1400, height: 900});
    await rest(page);
}

async function whole(name, inputs, {hasEnds = true, hasWires = true, isLong = false, isFused = false} = {}) {
    const {child, url} = await serve(inputs);
    try {
        const page = await open(url);
        const {has} = await json(page, 'capture');
        await mappingTable(name, page);
        await page.locator('#tool-less').click();
        await rest(page);
        if (hasEnds) await ends(name, page);
        await badges(name, page);
        await page.locator('#tool-less').click();
        await rest(page);
        await groups(name, page);
        await peeking(name, page);
        if (isFused) await fusion(name, page);
        if (isLong) await parts(name, page);
        if (hasWires) await paths(name, page);
        await words(name, page, has);
        await outlineTree(name, page);
        await openAll(page, 2);
        await twin(name, page);
        await several(name, page);
        await findings(name, page);
        await summary(name, page);
        await pictures(name, page);
        await heatAndBorders(name, page);
        await smallScreen(name, page);
        await addresses(name, page, url);
        check(`${name}: nothing went wrong`, page.problems.length === 0, page.problems.join(' | '));
        await page.context().close();
    } finally {
        child.kill('SIGINT');
    }
}

const samples = process.env.MI_SAMPLES ?? '', sample = (path) => join(samples, path);
await whole('small capture', [join(process.env.MI_SOURCE_DIR ?? '.', 'tests/data/capture/small')]);
if (process.env.MI_CASE) {
    const dir = process.env.MI_CASE;
    const profiles = execFileSync('find', [dir, '-maxdepth', '1', '-name', 'PROF_*'], {encoding: 'utf8'}).trim().split('\n').filter(Boolean);
    await whole('generated case', [join(dir, 'framework.onnx'), join(dir, 'model.om'), ...profiles], {isFused: true});
}
if (existsSync(sample('onnxruntime/bert_tiny.onnx')))
    await whole('ORT capture', ['bert_tiny.onnx', 'bert_tiny.seq1.opt.onnx', 'bert_tiny.seq1.profile.json'].map((f) => sample(`onnxruntime/${f}`)), {isFused: true});
if (existsSync(sample('cann-static')))
    await whole('LaneNet', [sample('cann-static/framework/lanenet_epoch_122_batch_8_AUG.onnx'), sample('cann-static/om/lanenet_ascend310b4.om')],
        {isFused: true, isLong: true});
const torch = sample('cann-profiling/pytorch_alexnet_2rank/text/level1/rank0_ascend_pt');
if (existsSync(torch)) await whole('torch_npu', [torch], {hasEnds: false, hasWires: false});
await finish();
