/* The door is open before the files are read: the page is there, questions wait and are then answered, and
 * one tells how far it is. A pipe is read as well, and nothing is over before it ends.
 * usage: node serve_reading.mjs CAPTURE TRACE; MI_CLI names the program */
import {spawnSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {check, serve, sumUp} from './server_lib.mjs';

const [capture, trace] = process.argv.slice(2);
const start = () => serve([capture, '-'], {stdin: 'pipe'});
const status = async (url) => (await fetch(url).catch(() => ({status: 0}))).status;
const readingAt = async (url) => await (await fetch(`${url}api/v1/reading`)).json();

{
    const {child, url, ended} = await start();
    const before = await readingAt(url);
    check('the first to ask is told of the reading', before.ready === false && before.stage === 'read', JSON.stringify(before));
    /* More than there are threads: those who wait hold nobody up. */
    let answered = 0;
    const waiting = Array.from({length: 24}, () => fetch(`${url}api/v1/capture`).then(async (r) => ({status: r.status, text: await r.text()})).finally(() => answered++));
    const layout = fetch(`${url}api/v1/layout`, {method: 'POST', body: '{}', headers: {'Content-Type': 'application/json'}}).then((r) => r.status);
    check('the page is there', await status(url) === 200);
    check('what is not there is not waited for', await status(`${url}nothing`) === 404);
    check('nor is who is refused', (await fetch(`${url}api/v1/layout`, {method: 'POST', body: '{}', headers: {Origin: 'http://evil.example'}})).status === 403);
    const meanwhile = await readingAt(url);
    check('and still nobody was answered', answered === 0 && meanwhile.ready === false, `${answered} ${JSON.stringify(meanwhile)}`);
    child.stdin.end(readFileSync(trace));
    const seen = [];
    for (let now = meanwhile; !now.ready; now = await readingAt(url)) if (now.stage === 'read' && now.total_bytes) seen.push(now);
    check('the reading goes forward', seen.every((now, i) => now.done_bytes <= now.total_bytes && (i === 0 || now.done_bytes >= seen[i - 1].done_bytes)), JSON.stringify(seen.slice(-5)));
    const all = await Promise.all(waiting);
    check('all are answered, alike', all.every((r) => r.status === 200 && r.text === all[0].text && JSON.parse(r.text).has.includes('tasks')));
    check('the pipe is one of the sources', JSON.parse(all[0].text).sources.some((s) => s.path === '-'), all[0].text);
    check('drawings too', await layout === 200);
    check('then it is ready', (await readingAt(url)).ready === true);
    child.kill('SIGINT');
    check('Ctrl-C ends it', (await ended).code === 0);
}
{
    const {child, url, ended} = await start();
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
sumUp();
