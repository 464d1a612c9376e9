/* picture.mjs FILE.png [light|dark] [STEP...] -- INPUT...: what the page shows of these inputs, as the pictures of the
 * docs were made. INPUT...: as `inspector-cli serve` takes them, options included. A step is `key:P` (a key) or
 * `find:TEXT` (the first answer of a search). MI_CLI is the program. */
import {open, rest, serve, finish} from '../tests/e2e/page_lib.mjs';

const given = process.argv.slice(2), end = given.indexOf('--');
if (end < 1) {
    console.error('usage: picture.mjs FILE.png [light|dark] [STEP...] -- INPUT...');
    process.exit(2);
}
const [file, ...steps] = given.slice(0, end);
const {child, url} = await serve(given.slice(end + 1));
const ready = () => window.inspector?.graph?.scene || window.inspector?.pair?.panes.new.scene;
const page = await open(url, {ready, colorScheme: steps.includes('dark') ? 'dark' : 'light'});

for (const step of steps) {
    const [what, value] = step.split(/:(.*)/);
    if (what === 'key') await page.keyboard.press(value);
    if (what === 'find') {
        await page.keyboard.press('/');
        await page.keyboard.type(value);
        await rest(page);
        await page.keyboard.press('Enter');
        await page.evaluate(() => document.activeElement.blur());
    }
    await rest(page);
}
await page.screenshot({path: file});
child.kill('SIGTERM');
await finish();
