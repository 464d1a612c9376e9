/* The door is open before the files are read: the page is there, questions wait and are then answered, and
 * one tells how far it is. usage: node serve_reading.mjs CAPTURE; one that takes a while. MI_CLI names the program */
import {spawn, spawnSync} from 'node:child_process';

let passed = 0, failed = 0;

function check(what, is, more = '') {
    if (is) passed++;
    else {
        failed++;
        console.log(`FAILED: ${what} ${more}`);
    }
}

async function start(inputs) {
    const child = spawn(process.env.MI_CLI, ['serve', '--no-open', ...inputs], {stdio: ['ignore', 'pipe', 'pipe']});
    let errors = '';
    child.stderr.on('data', (d) => (errors += d));
    const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve({code, signal, errors})));
    const url = (await new Promise((resolve) => child.stdout.once('data', (d) => resolve(d.toString())))).trim();
    return {child, url, ended};
}

const status = async (url) => (await fetch(url).catch(() => ({status: 0}))).status;
const readingAt = async (url) => await (await fetch(`${url}api/v1/reading`)).json();

{
    const {child, url, ended} = await start([process.argv[2]]);
    const before = await readingAt(url);
    check('the first to ask is told of the reading', before.ready === false && before.total_bytes > 0, JSON.stringify(before));
    /* More than there are threads: those who wait hold nobody up. */
    let answered = 0;
    const waiting = Array.from({length: 24}, () => fetch(`${url}api/v1/capture`).then(async (r) => ({status: r.status, text: await r.text()})).finally(() => answered++));
    const layout = fetch(`${url}api/v1/layout`, {method: 'POST', body: '{}', headers: {'Content-Type': 'application/json'}}).then((r) => r.status);
    check('the page is there', await status(url) === 200);
    check('what is not there is not waited for', await status(`${url}nothing`) === 404);
    check('nor is who is refused', (await fetch(`${url}api/v1/layout`, {method: 'POST', body: '{}', headers: {Origin: 'http://evil.example'}})).status === 403);
    const meanwhile = await readingAt(url);
    check('and still nobody was answered', answered === 0 && meanwhile.ready === false, `${answered} ${JSON.stringify(meanwhile)}`);
    const seen = [before.done_bytes, meanwhile.done_bytes];
    for (let now = meanwhile; !now.ready; now = await readingAt(url)) if (now.stage === 'read') seen.push(now.done_bytes);
    check('the reading goes forward', seen.at(-1) > 0 && seen.every((n, i) => i === 0 || n >= seen[i - 1]), seen.slice(-5).join(' '));
    const all = await Promise.all(waiting);
    check('all are answered, alike', all.every((r) => r.status === 200 && r.text === all[0].text && JSON.parse(r.text).has.includes('tasks')));
    check('drawings too', await layout === 200);
    check('then it is ready', (await readingAt(url)).ready === true);
    child.kill('SIGINT');
    check('Ctrl-C ends it', (await ended).code !== null);
}
{
    const {child, url, ended} = await start([process.argv[2]]);
    const waiting = status(`${url}api/v1/capture`);
    const before = await readingAt(url);
    child.kill('SIGINT');
    const end = await ended;
    check('Ctrl-C while it reads ends it', before.ready === false && end.code === 130, JSON.stringify(end));
    check('and whoever waits is told', [0, 503].includes(await waiting));
}
for (const input of ['/nonexistent', process.argv[1]]) {
    const ended = spawnSync(process.env.MI_CLI, ['serve', '--no-open', input], {encoding: 'utf8'});
    check(`no link where there is nothing to read (${input})`, ended.status === 3 && ended.stdout === '', `${ended.status} ${ended.stdout}`);
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
