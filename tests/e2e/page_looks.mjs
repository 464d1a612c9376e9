/* What a person sees in Chromium: whether the first screen tells what matters, whether texts are whole, in contrast to
 * what is behind them and in one language, at narrow and wide windows, in both themes.
 * MI_CLI names the program; MI_CASE, MI_SAMPLES may be empty or absent. */
import {execFileSync} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {aBox, check, finish, open, rest, serve, until, untilThere} from './page_lib.mjs';

const SIZES = [[1024, 700, 'zh'], [1024, 700, 'en'], [1400, 900, 'en'], [2560, 1400, 'en']];
const ready = () => window.inspector?.graph || window.inspector?.timeline;

/* Texts of bars that are wider than their place, and tabs that stand in a second line. */
const cut = (page) => page.evaluate(() => {
    const list = [];
    for (const e of document.querySelectorAll('header.bar button, .tabs button, .graph-bar button, .time-bar button, .chips button, .heads button, ul.legend button'))
        if (e.getClientRects().length && e.scrollWidth > e.clientWidth + 1 && !e.classList.contains('file')) list.push(e.innerText);
    for (const e of document.querySelectorAll('aside.panel ul.chart button > span'))
        if (e.scrollWidth > e.clientWidth + 1) list.push(e.innerText);
    for (const e of document.querySelectorAll('.graph-bar select')) {
        const wide = e.offsetWidth, free = e.cloneNode(true);
        free.style.cssText = 'flex: none; position: absolute; visibility: hidden';
        free.value = e.value;
        e.parentElement.append(free);
        if (free.offsetWidth > wide + 1) list.push(`${e.id}: ${wide} of ${free.offsetWidth}`);
        free.remove();
    }
    const tops = new Set([...document.querySelectorAll('.tabs button')].map((e) => e.offsetTop));
    const tabs = document.querySelector('.tabs');
    if (tops.size > 1 || tabs.scrollWidth > tabs.clientWidth) list.push(`tabs in ${tops.size} lines, ${tabs.scrollWidth} wide in ${tabs.clientWidth}`);
    return list;
});

/* The columns of the mapping and what stands above them. */
const columns = (page) => page.evaluate(() => {
    const of = (row) => [...(row?.children ?? [])].map((e) => e.getBoundingClientRect());
    const heads = of(document.querySelector('.map-grid.heads')), cells = of(document.querySelector('.mapping .row'));
    const off = cells.map((c, i) => Math.abs(c.left - heads[i].left) + Math.abs(c.width - heads[i].width));
    return {rows: cells.length, off: Math.max(0, ...off), least: Math.min(...cells.map((c) => c.width))};
});

/* Texts with less contrast than 4.5 to 1 to what is behind them (WCAG 2.1, 1.4.3). */
const pale = (page) => page.evaluate(() => {
    const paint = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    const rgba = (colour) => {
        paint.clearRect(0, 0, 1, 1);
        paint.fillStyle = colour;
        paint.fillRect(0, 0, 1, 1);
        return paint.getImageData(0, 0, 1, 1).data;
    };
    const light = (c) => [0.2126, 0.7152, 0.0722].reduce((sum, part, i) => sum + part * ((c[i] / 255) <= 0.03928 ? c[i] / 255 / 12.92 : ((c[i] / 255 + 0.055) / 1.055) ** 2.4), 0);
    const behind = (e) => {
        for (let at = e; at; at = at.parentElement) {
            const c = rgba(getComputedStyle(at).backgroundColor);
            if (c[3] > 250) return c;
        }
        return [255, 255, 255, 255];
    };
    const found = new Set(), walk = document.createTreeWalker(document.querySelector('#app'), NodeFilter.SHOW_TEXT);
    for (let text = walk.nextNode(); text; text = walk.nextNode()) {
        const e = text.parentElement, box = e.getClientRects()[0];
        if (!text.data.trim() || !box || box.left < 0 || e.closest('select, .twin, .announce, [aria-pressed="false"], .off')) continue;
        const a = light(rgba(getComputedStyle(e).color)), b = light(behind(e));
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < 4.5) found.add(`${text.data.trim().slice(0, 30)} ${ratio.toFixed(2)}`);
    }
    return [...found];
});

async function firstScreen(name, page) {
    const isTold = await until(page, () => document.querySelectorAll('aside.panel ul.chart li').length > 0);
    check(`${name}: the first screen tells what the whole is made of`, isTold);
    const shares = await page.locator('aside.panel ul.chart small:last-child').allInnerTexts();
    const sum = shares.reduce((all, text) => all + Number(text.match(/([\d.]+) %/)?.[1] ?? 0), 0);
    check(`${name}: and its shares are those of a whole`, Math.abs(sum - 100) < 1, shares.join(' | '));
}

async function sizes(name, page) {
    for (const [width, height, language] of SIZES) {
        await page.setViewportSize({width, height});
        if ((await page.evaluate(() => document.documentElement.lang)) !== language) await page.locator('#lang').click();
        await rest(page);
        const list = await cut(page), found = await columns(page);
        check(`${name}: ${width} wide: no text of a bar is cut (${language})`, list.length === 0, list.join(' | '));
        check(`${name}: ${width} wide: columns stand below their heads (${language})`, !found.rows || found.off < 1.5, JSON.stringify(found));
        check(`${name}: ${width} wide: columns have room (${language})`, !found.rows || found.least > 84, JSON.stringify(found));
    }
    await page.setViewportSize({width: 1400, height: 900});
}

async function contrast(name, page) {
    for (const theme of [0, 1]) {
        await page.locator('#tool-theme').click();
        for (const tab of await page.locator('.tabs button').all()) {
            await tab.click();
            await rest(page);
            const list = await pale(page);
            check(`${name}: texts can be read (${theme}, ${await tab.innerText()})`, list.length === 0, list.slice(0, 8).join(' | '));
        }
    }
}

/* Names stay as they are; what the page itself says is Chinese. */
async function chinese(name, page) {
    const isChinese = (text) => /[\u4e00-\u9fff]/.test(text);
    const place = await aBox(page, {not: 3}); /* neither a group nor open */
    if (place) await page.mouse.click(place.x, place.y);
    await rest(page);
    const evidence = await page.locator('.evidence').allInnerTexts();
    await page.locator('#lang').click();
    await rest(page);
    const then = await page.locator('.evidence').allInnerTexts();
    check(`${name}: evidence is told in the language of the page`, evidence.length === then.length && evidence.every((text) => !isChinese(text)) && then.every(isChinese),
        JSON.stringify([evidence, then]).slice(0, 300));
    const rules = await page.locator('.confidence').allInnerTexts();
    check(`${name}: and what a link was made by`, rules.every((text) => text.split('·').every(isChinese)), rules.join(' | '));
    const tabs = page.locator('.tabs button');
    await tabs.last().click();
    const keys = await page.locator('.keys kbd').allInnerTexts();
    check(`${name}: hands of a mouse have Chinese names`, keys.every((text) => !/wheel|click|drag/.test(text)), keys.join(' | '));
    await tabs.nth(2).click();
    await untilThere(page, 'aside.panel table.findings');
    const heads = await page.locator('table.findings b').allInnerTexts();
    check(`${name}: findings have Chinese names`, heads.every(isChinese), heads.join(' | '));
    await page.locator('#lang').click();
}

/* A node that the compiler inserted is in one layer only: the structure goes there, unless views are not to follow. */
async function following(name, page) {
    const filter = page.locator('.heads input').nth(1), choose = async (text) => {
        await page.locator('#layer').selectOption('framework');
        await filter.fill(text);
        await rest(page);
        await page.locator('.mapping .row > div:nth-child(2) .party').first().click();
        await rest(page);
        return page.locator('#layer').inputValue();
    };
    check(`${name}: the structure shows what is in the other layer only`, (await choose('TransData')) === 'compiled' &&
        await until(page, () => [...window.inspector.graph.related.keys()].length > 0));
    await page.locator('#tool-follow').click();
    check(`${name}: and stays where it is if asked to`, (await choose('Cast')) === 'framework');
    await page.locator('#tool-follow').click();
    await filter.fill('');
}

async function pictures(name, page) {
    for (const [id, canvas] of [['#graph-png', '#graph'], ['#time-png', '#timeline']]) {
        if (!(await page.locator(id).count())) continue;
        const [download] = await Promise.all([page.waitForEvent('download'), page.locator(id).click()]);
        const bytes = readFileSync(await download.path()), wide = await page.locator(canvas).evaluate((c) => c.getBoundingClientRect().width);
        check(`${name}: ${id} is sharp`, Math.abs(bytes.readUInt32BE(16) - 2 * wide) <= 1, `${bytes.readUInt32BE(16)} of ${wide}`);
    }
}

async function whole(name, inputs, looks) {
    const {child, url} = await serve(inputs);
    try {
        const page = await open(url, {ready, locale: 'en-US'});
        for (const look of looks) await look(name, page);
        check(`${name}: nothing went wrong`, page.problems.length === 0, page.problems.join(' | '));
        await page.context().close();
    } finally {
        child.kill('SIGINT');
    }
}

await whole('small capture', [join(process.env.MI_SOURCE_DIR ?? '.', 'tests/data/capture/small')], [firstScreen, chinese]);
if (process.env.MI_CASE) {
    const dir = process.env.MI_CASE;
    const profiles = execFileSync('find', [dir, '-maxdepth', '1', '-name', 'PROF_*'], {encoding: 'utf8'}).trim().split('\n').filter(Boolean);
    await whole('generated case', [join(dir, 'framework.onnx'), join(dir, 'model.om'), ...profiles], [firstScreen, sizes, following, chinese, contrast, pictures]);
}
const samples = process.env.MI_SAMPLES ?? '', torch = join(samples, 'cann-profiling/pytorch_alexnet_2rank/text/level1/rank0_ascend_pt');
if (existsSync(torch)) await whole('torch_npu', [torch], [firstScreen, sizes, chinese]);
const static_ = join(samples, 'cann-static');
if (existsSync(static_)) await whole('LaneNet', [join(static_, 'framework/lanenet_epoch_122_batch_8_AUG.onnx'), join(static_, 'om/lanenet_ascend310b4.om')], [firstScreen, sizes]);
await finish();
