/* What tests of the page have in common: the browser, and what they ask of it. */
import {chromium} from 'playwright-core';
import {PATIENCE_MS, rest, until, untilThere} from './page_rest.mjs';
import {check, serve, sumUp} from './server_lib.mjs';

export {check, rest, serve, until, untilThere};

const browser = await chromium.launch({
    executablePath: process.env.MI_CHROMIUM ?? '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
        '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});

const isThere = () => window.inspector?.graph?.scene && window.inspector.graph.outline;

/* A page of its own, with all that it complained about in `problems`; `ready`: what is waited for, and then until it is at rest. */
export async function open(url, {ready = isThere, isAtRest = true, ...options} = {}) {
    const context = await browser.newContext({viewport: {width: 1400, height: 900}, acceptDownloads: true, ...options});
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    page.problems = [];
    /* Reading pixels back is what tests do, not the page. */
    page.on('console', (m) => ['error', 'warning'].includes(m.type()) && !/readback/.test(m.text()) && page.problems.push(m.text()));
    page.on('pageerror', (e) => page.problems.push(e.message));
    await page.goto(url);
    await page.waitForFunction(ready);
    if (isAtRest) await rest(page);
    return page;
}

export async function finish() {
    await browser.close();
    sumUp();
}

export const scene = (page) => page.evaluate(() => {
    const s = window.inspector.graph.scene;
    let nodes = 0, open = 0;
    for (let b = 1; b < s.count; b++) {
        if (s.node[b]) nodes++;
        if (s.flags[b] & 2) open++;
    }
    return {count: s.count, nodes, open, edges: s.edges};
});

export const camera = (page) => page.evaluate(() => ({...window.inspector.graph.camera}));

/* How many pixels of the canvas differ from its most frequent colour. */
export const ink = (page, id) => page.evaluate((name) => {
    const canvas = document.getElementById(name), c = canvas.getContext('2d');
    const view = new Uint32Array(c.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
    const counts = new Map();
    for (const p of view) counts.set(p, (counts.get(p) ?? 0) + 1);
    return view.length - Math.max(...counts.values());
}, id);

/* Puts a box of some kind into the middle of the structure: with all flags of `want`, none of `not`, and a
 * node or none. Returns where it is on the page; null = there is none. */
export const aBox = (page, {want = 0, not = 0, node = true, part = 0, scale = 1} = {}) => page.evaluate((o) => {
    const view = window.inspector.graph, s = view.scene, list = [];
    for (let b = 1; b < s.count; b++)
        if ((s.flags[b] & o.want) === o.want && !(s.flags[b] & (o.not | 4)) && (s.node[b] > 0) === o.node) list.push(b);
    if (!list.length) return null;
    const box = list[Math.floor((list.length - 1) * o.part)];
    view.camera = {x: s.x[box] + s.width[box] / 2, y: s.y[box] + s.height[box] / 2, scale: o.scale};
    view.flight = null;
    view.paint();
    const r = document.getElementById('graph').getBoundingClientRect();
    return {box, x: r.left + r.width / 2, y: r.top + r.height / 2, node: s.node[box], label: s.label[box], item: s.group[box]};
}, {want, not, node, part, scale});

export async function openAll(page, levels = 6) {
    for (let i = 0; i < levels; i++) {
        const before = (await scene(page)).count;
        await page.locator('#tool-more').click();
        await rest(page);
        if ((await scene(page)).count === before) break;
    }
}
