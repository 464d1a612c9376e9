/* The server against what must not work: foreign names (DNS rebinding), pages of other origins, paths that
 * climb, methods that write, bodies that are too large or are no JSON, requests that never end, and many
 * clients at once. Whatever comes, the next honest request is answered.
 * usage: node serve.mjs CAPTURE; MI_CLI names the program */
import {request} from 'node:http';
import {connect} from 'node:net';
import {check, serve, sumUp} from './server_lib.mjs';

const {child, url: link, ended} = await serve([process.argv[2]]), url = new URL(link);

function ask(path, {method = 'GET', headers = {}, body} = {}) {
    return new Promise((resolve, reject) => {
        const r = request({host: url.hostname, port: url.port, path, method, headers: {Host: url.host, ...headers}}, (reply) => {
            const parts = [];
            reply.on('data', (part) => parts.push(part));
            reply.on('end', () => resolve({status: reply.statusCode, headers: reply.headers, body: Buffer.concat(parts)}));
        });
        r.on('error', reject);
        if (body !== undefined) r.write(body);
        r.end();
    });
}

/* Bytes as they are; `reply` becomes what came back until either side closed. */
function raw(bytes) {
    const socket = connect(Number(url.port), url.hostname);
    let text = '';
    const written = new Promise((resolve) => socket.write(bytes, resolve));
    const reply = new Promise((resolve) => {
        socket.on('data', (d) => (text += d.toString('latin1')));
        socket.on('close', () => resolve(text));
        socket.on('error', () => resolve(text));
    });
    return {socket, written, reply};
}

const alive = async (after) => check(`an honest request is answered ${after}`, (await ask('/api/v1/capture')).status === 200);

const page = await ask('/');
check('the page is there', page.status === 200 && /<!doctype html>/i.test(page.body.toString()));
check('with a strict policy', /default-src 'none'/.test(page.headers['content-security-policy']) &&
    /require-trusted-types-for 'script'/.test(page.headers['content-security-policy']));
check('and no sniffing', page.headers['x-content-type-options'] === 'nosniff');
check('an unchanged page is not sent again',
    (await ask('/', {headers: {'If-None-Match': page.headers.etag}})).status === 304);
const script = page.body.toString().match(/src="(app-[^"]+)"/)?.[1];
if (script) {
    const packed = await ask(`/${script}`, {headers: {'Accept-Encoding': 'gzip'}});
    const plain = await ask(`/${script}`);
    check('scripts are packed and kept', packed.headers['content-encoding'] === 'gzip' && /immutable/.test(packed.headers['cache-control']));
    check('and unpacked for who cannot read that', plain.headers['content-encoding'] === undefined && plain.body.length > packed.body.length);
}

for (const host of ['evil.example', 'evil.example:80', `evil.example:${url.port}`, 'localhost.evil.example', '127.0.0.1'])
    check(`the name "${host}" is refused`, [400, 421].includes((await ask('/api/v1/capture', {headers: {Host: host}})).status));
check('localhost is a name of ours', (await ask('/api/v1/capture', {headers: {Host: `localhost:${url.port}`}})).status === 200);
for (const head of ['', 'Host:\r\n'])
    check('no name at all is refused', /^HTTP\/1.1 4/.test(await raw(`GET /api/v1/capture HTTP/1.1\r\nConnection: close\r\n${head}\r\n`).reply));
for (const origin of ['http://evil.example', 'null', `https://${url.host}`, `http://${url.host}.evil.example`])
    check(`the origin ${origin} is refused`, (await ask('/api/v1/layout', {method: 'POST', body: '{}', headers: {Origin: origin}})).status === 403);
check('our own origin is not', (await ask('/api/v1/layout', {method: 'POST', body: '{}', headers: {Origin: `http://${url.host}`}})).status === 200);

for (const path of ['/../../etc/passwd', '/%2e%2e/%2e%2e/etc/passwd', '/..%2f..%2fetc/passwd', '/api/v1/../../etc/passwd', '//etc/passwd',
    '/api/v1/passes/../../../etc/passwd', '/api/v1/passes/%00summary', `/${'a'.repeat(2000)}`])
    check(`${path.slice(0, 40)} leads nowhere`, [400, 404, 414].includes((await ask(path)).status));
await alive('after paths');

for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE'])
    check(`${method} is not answered`, [400, 405, 501].includes((await ask('/api/v1/capture', {method})).status));
check('a GET of what wants a POST', (await ask('/api/v1/layout')).status === 405);
check('a POST of what wants a GET', (await ask('/api/v1/capture', {method: 'POST', body: '{}'})).status === 405);

for (const body of ['', '{', '[]', '"x"', '{"open":[[[[', '{"open":[-1,99999999999,1.5,"x"]}', '{"layer":7,"fold":null}', '\x00\xff'])
    check(`a body ${JSON.stringify(body)} is refused or answered`,
        [200, 400, 422].includes((await ask('/api/v1/layout', {method: 'POST', body: Buffer.from(body, 'latin1')})).status));
for (const body of ['{"from_ns":5,"to_ns":1}', '{"from_ns":0,"to_ns":10,"step_ns":0}', '{"from_ns":-9223372036854775808,"to_ns":9223372036854775807,"step_ns":1}'])
    check(`slices ${body} is refused or answered`, [200, 400].includes((await ask('/api/v1/slices', {method: 'POST', body})).status));
for (const query of ['node=-1', 'node=999999999999', 'node=x', 'task=0', '', 'node=1&fold=evil'])
    check(`links ${query} is refused or answered`, [200, 400, 404].includes((await ask(`/api/v1/links?${query}`)).status));
for (const path of ['passes/none', 'passes/', 'passes/show?name=' + '%22%00'.repeat(100), 'passes/graph?depth=-5', 'passes/summary?lang=xx', 'search?q=%ff%fe'])
    check(`${path.slice(0, 30)} is refused or answered`, (await ask(`/api/v1/${path}`)).status < 500);
const large = Buffer.alloc((1 << 20) + 1, 32);
check('a body above 1 MiB is refused', await ask('/api/v1/layout', {method: 'POST', body: large}).then((r) => r.status === 413, () => true));
await alive('after bodies');

/* Half a request holds a connection, not the server. */
const half = () => raw('POST /api/v1/layout HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
const slow = Array.from({length: 40}, half);
await Promise.all(slow.map((one) => one.written));
await alive('beside forty that never end');
for (const one of slow) one.socket.destroy();
const nonsense = raw('\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n');
check('nonsense is no request', !/^HTTP\/1.1 2/.test(await nonsense.reply));
await alive('after nonsense');

const parallel = await Promise.all(Array.from({length: 64}, (_, i) => i % 2
    ? ask('/api/v1/layout', {method: 'POST', body: '{"layer":"framework"}'}) : ask('/api/v1/passes/summary')));
check('64 clients at once are answered', parallel.every((r) => r.status === 200));
check('all alike', new Set(parallel.map((r) => r.headers.etag)).size === 2);

await half().written;
child.kill('SIGINT');
const {code} = await ended;
check('Ctrl-C ends it well, whoever is still speaking', code === 0, `${code}`);
sumUp();
