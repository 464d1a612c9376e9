/* The page that opens while the files are read: it says so, how far that is, and then shows them.
 * usage: node page_reading.mjs CAPTURE TRACE; MI_CLI names the program */
import {readFileSync} from 'node:fs';
import {check, finish, open, serve} from './page_lib.mjs';

const [capture, trace] = process.argv.slice(2);
const told = () => document.querySelector('.reading p')?.textContent;
const shown = () => window.inspector?.graph?.scene && window.inspector.graph.outline;

for (const [locale, words] of [['en', /^(Reading the files|Joining the layers)/], ['zh-CN', /^正在(读取文件|关联各层)/]]) {
    const {child, url} = await serve([capture, '-'], {stdin: 'pipe'});
    const page = await open(url, {ready: told, isAtRest: false, locale});
    check(`it says what the server is at (${locale})`, words.test(await page.evaluate(told)), await page.evaluate(told));
    check('with a bar that says how far', await page.evaluate(() => document.querySelector('.reading progress') !== null));
    check('and shows nothing yet', !await page.evaluate(shown));
    child.stdin.end(readFileSync(trace));
    await page.waitForFunction(shown);
    check('then there is the picture', await page.evaluate(told) === undefined);
    check('with its tasks', await page.evaluate(() => document.querySelector('#timeline') !== null));
    check('and nothing was complained about', page.problems.length === 0, page.problems.join('; '));
    await page.context().close();
    child.kill('SIGINT');
}
await finish();
