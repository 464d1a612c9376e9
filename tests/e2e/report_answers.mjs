/* What answers in a report answers as the server does, byte for byte: every report in both languages, drawings,
 * windows of time, links of many nodes and tasks, searches, wrong questions; of two sides, if there are two.
 * usage: node report_answers.mjs CLI REPORT.html INPUT... */
import {readFileSync} from 'node:fs';
import {gunzipSync} from 'node:zlib';
import {serve} from './server_lib.mjs';

const [cli, file, ...inputs] = process.argv.slice(2);
const text = readFileSync(file, 'latin1');
const part = (id) => gunzipSync(Buffer.from(text.match(new RegExp(`id="${id}">([^<]*)<`))[1], 'base64'));

/* As web/src/api/report.ts does it. */
const module = new WebAssembly.Module(part('core'));
const missing = {};
for (const {module: from, name} of WebAssembly.Module.imports(module)) (missing[from] ??= {})[name] = () => 52;
const core = new WebAssembly.Instance(module, missing).exports;
core._initialize();

function put(...parts) {
    const bytes = Buffer.concat(parts), room = core.mi_core_room(bytes.length);
    new Uint8Array(core.memory.buffer, room, bytes.length).set(bytes);
    return [room, bytes.length];
}

const reply = () => Buffer.from(core.memory.buffer.slice(core.mi_core_reply(), core.mi_core_reply() + core.mi_core_reply_length()));
if (core.mi_core_open(...put(part('snapshot')))) throw new Error(reply().toString());
const names = JSON.parse(text.match(/id="about">([^<]*)</)[1]).names;
if (names) {
    const [called] = put(Buffer.from(names.map((name) => `${name}\0`).join('')));
    if (core.mi_core_compare(...put(part('base')), called)) throw new Error(reply().toString());
}

function ofTheReport(path, body) {
    const head = Buffer.from(`${body === undefined ? 'GET' : 'POST'} /api/v1/${path}`), rest = Buffer.from(body ?? '');
    const [room] = put(head, Buffer.alloc(1), rest);
    const status = core.mi_core_ask(room, head.length, rest.length);
    core.mi_core_give_back(room);
    return {status, bytes: reply()};
}

process.env.MI_CLI = cli;
const {child, url} = await serve(inputs);

async function ofTheServer(path, body) {
    const response = await fetch(`${url}api/v1/${path}`, body === undefined ? {} : {method: 'POST', body, headers: {'Content-Type': 'application/json'}});
    return {status: response.status, bytes: Buffer.from(await response.arrayBuffer())};
}

let same = 0, different = 0;
async function compare(path, body) {
    const [report, server] = [ofTheReport(path, body), await ofTheServer(path, body)];
    if (report.status === server.status && report.bytes.equals(server.bytes)) {
        same++;
        return server;
    }
    let at = 0;
    while (report.bytes[at] === server.bytes[at]) at++;
    console.log(`FAILED: ${path} ${body ?? ''}: ${report.status} ${report.bytes.length} B, server ${server.status} ${server.bytes.length} B\n` +
        `  ${report.bytes.subarray(Math.max(0, at - 40), at + 60)}\n  ${server.bytes.subarray(Math.max(0, at - 40), at + 60)}`);
    different++;
    return server;
}

try {
    const capture = JSON.parse((await compare('capture')).bytes);
    const passes = readFileSync(new URL('../../src/analyse/passes.def', import.meta.url), 'utf8').matchAll(/^MI_PASS\((\w+)\)/gm);
    for (const [, name] of passes)
        for (const lang of ['en', 'zh']) await compare(`passes/${name.replaceAll('_', '-')}?lang=${lang}&max=500`);
    for (const layer of ['framework', 'compiled'])
        for (const fold of ['scope', 'group', 'none'])
            for (const depth of [1, 2, 9]) for (const constants of [false, true]) await compare('layout', JSON.stringify({layer, fold, depth, constants}));
    for (const path of names ? ['diff/changes?max=2000', 'passes/summary?side=base', 'diff/partner?node=9', 'diff/partner?task=9&side=base'] : [])
        await compare(path);
    for (const side of names ? ['base', 'new'] : [])
        for (const path of ['layout', 'diff/layout', 'diff/outline'])
            for (const constants of [false, true])
                await compare(`${path}?side=${side}`, JSON.stringify({layer: 'compiled', fold: 'scope', depth: 9, constants}));
    const length = Math.max(1, capture.end_ns - capture.first_ns);
    for (const part of [1, 7, 100, 5000]) {
        const to = capture.first_ns + Math.ceil(length / part), step = Math.max(1, Math.ceil(length / part / 1000));
        const window = {from_ns: capture.first_ns, to_ns: to, step_ns: step};
        await compare('slices', JSON.stringify(window));
        await compare('slices', JSON.stringify({...window, hidden: ['data_movement'], text: 'mat'}));
    }
    for (let id = 0; id < 60; id++) {
        for (const kind of ['node', 'task']) await compare(`links?${kind}=${id * 7}&fold=scope`);
        await compare(`passes/show?name=node%3A${id * 5}&lang=zh`);
        await compare(`passes/path?name=node:${id * 5}`);
    }
    for (const q of ['conv', 'op:Add', 'layer:compiled+m', '%E4%B8%AD', 'x%00y', '', '%', 'a%20b', 'dur>1ms'])
        await compare(`search?max=50&q=${q}`);
    for (const wrong of ['nothing', 'passes/', 'passes/none', 'links', 'links?node=-1', 'links?node=4294967296', 'layout', 'passes/summary?max=x', 'search?max=1e9&q=a'])
        await compare(wrong);
    for (const wrong of ['', '{', '[]', '{"from_ns":5,"to_ns":1,"step_ns":1}', '{"open":[99999999]}', '\u0000'])
        for (const path of ['layout', 'slices']) await compare(path, wrong);
} finally {
    child.kill();
}
console.log(`${same} answers are the same, ${different} differ`);
process.exit(different || same < 300 ? 1 : 0);
