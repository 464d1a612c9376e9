/* serve --base: the report "diff" is there among the findings, in both languages, and with limits; each side
 * answers for itself, both are drawn at the same places, and changes come by cost; without a base there is none. A base that cannot be read is said before anything is served.
 * usage: node serve_diff.mjs BASE NEW; MI_CLI names the program */
import {spawnSync} from 'node:child_process';
import {check, serve, sumUp} from './server_lib.mjs';

const [base, capture] = process.argv.slice(2);

/* The columns of a binary reply: see src/present/serve/frame.h. */
function columns(buffer) {
    const data = new DataView(buffer), found = new Map();
    const kinds = [null, Uint8Array, Uint16Array, Uint32Array, Float32Array, Float64Array, BigInt64Array];
    for (let i = 0; i < data.getUint32(8, true); i++) {
        const at = 32 + 16 * i, kind = kinds[data.getUint8(at + 2)];
        found.set(data.getUint16(at, true), new kind(buffer, Number(data.getBigUint64(at + 8, true)), data.getUint32(at + 4, true)));
    }
    return found;
}

const FLAGS = 7, NODE = 9, EDGE_FROM = 14, EDGE_FLAGS = 17, DIFFERS = 30, CHANGED = 31, ABSENT = 4096, CONSTANT = 8192, EDGE_ABSENT = 16;

/* Constants as boxes: on each side its own, with its own wires. */
async function constants(post) {
    const body = {layer: 'framework', fold: 'scope', depth: 9, constants: true};
    const [old, now] = [await post('diff/layout?side=base', body), await post('diff/layout', body)];
    check('with constants, too, both sides have the same boxes at the same places', [1, 2, 3, 4, 5, 6].every((id) => old.get(id).join() === now.get(id).join()));
    for (const [side, drawn] of [['base', old], ['new', now]]) {
        const own = await post(`layout?side=${side}`, body), boxes = (scene) => [...scene.get(FLAGS)].filter((f) => f & CONSTANT && !(f & ABSENT)).length;
        check(`${side}: all constants of the side are boxes`, boxes(drawn) === boxes(own) && boxes(own) > 0, `${boxes(drawn)} of ${boxes(own)}`);
        const wires = [...drawn.get(EDGE_FLAGS)].filter((f) => !(f & EDGE_ABSENT)).length;
        check(`${side}: with its own wires, all of them`, wires === own.get(EDGE_FROM).length, `${wires} of ${own.get(EDGE_FROM).length}`);
    }
}

async function joint(get, post) {
    const body = {layer: 'compiled', fold: 'none'};
    const [old, now] = [await post('diff/layout?side=base', body), await post('diff/layout', body)];
    check('both sides have the same boxes at the same places', [1, 2, 3, 4, 5, 6].every((id) => old.get(id).join() === now.get(id).join()));
    const absent = (side) => [...side.get(FLAGS)].filter((f) => f & ABSENT).length;
    check('what a side does not have is marked', absent(old) === 4 && absent(now) === 1, `${absent(old)} ${absent(now)}`);
    check('and has no node', [...old.get(FLAGS)].every((f, b) => !(f & ABSENT) || old.get(NODE)[b] === 0));
    const own = async (side) => (await post(`layout?side=${side}`, body)).get(EDGE_FROM).length;
    const wires = (side) => [...side.get(EDGE_FLAGS)].filter((f) => !(f & EDGE_ABSENT)).length;
    check('each side has its own wires, all of them', wires(old) === await own('base') && wires(now) === await own('new'), `${wires(old)} ${wires(now)}`);
    check('changes are counted', now.get(CHANGED)[1] === 7 && now.get(DIFFERS)[1] > 0, `${now.get(CHANGED)[1]}`);
    const tree = await post('diff/outline?side=base', body);
    check('nodes of a side find their boxes', tree.get(4).length > 1 && [...tree.get(4)].slice(1).every((item) => item > 0));
    const list = (await get('diff/changes')).body;
    const costs = list.changes.map((c) => c.cost_ns ?? 0);
    check('changes come by cost', list.total === 7 && costs.every((c, i) => i === 0 || costs[i - 1] >= c), costs.join());
    check('the first is what was planted', list.changes[0].name === 'filter' && list.changes[0].changes[0].kind === 'stream');
    check('they name nodes of both sides', list.changes[0].base > 0 && list.changes[0].new > 0);
    check('runs can be aligned', list.first_ns.every((ns) => Number.isInteger(ns)) && list.names[0] === base);
    const one = (await get(`diff/partner?side=base&node=${list.changes[0].base}`)).body;
    check('a node of the base finds its partner', one.new === list.changes[0].new && one.evidence !== '' && one.confidence === 'certain');
    const fused = list.changes.find((c) => c.new === null);
    const stretch = (await get(`diff/partner?side=base&node=${fused.base}`)).body.stretch;
    check('what was fused otherwise names what it became', stretch?.base.length === 1 && stretch.new.length === 3, JSON.stringify(stretch));
    const task = (await get(`links?side=base&node=${one.base}`)).body.tasks[0];
    check('a task as well', (await get(`diff/partner?side=base&task=${task}`)).body.new === one.new);
    check('unknown ones are refused', (await get('diff/partner?node=99999999')).status === 404 && (await get('diff/partner')).status === 400);
    check('sides have models of their own', (await get('capture?side=base')).body.sources[0].path.startsWith(base));
}

async function whileServed(options, use, served = capture) {
    const {child, url, ended} = await serve([served, ...options]);
    const get = async (path) => {
        const reply = await fetch(`${url}api/v1/${path}`);
        return {status: reply.status, body: await reply.json()};
    };
    const post = async (path, body) => columns(await (await fetch(`${url}api/v1/${path}`, {method: 'POST', body: JSON.stringify(body)})).arrayBuffer());
    await use(get, post);
    child.kill('SIGINT');
    await ended;
}

await whileServed(['--base', base], async (get, post) => {
    const {passes} = (await get('capture')).body;
    check('it is listed as one that judges', passes.some((p) => p.name === 'diff' && p.verdicts && p.can_run));
    const {status, body} = await get('passes/diff');
    check('it is answered', status === 200);
    const rules = body.findings.map((f) => f.rule);
    check('with the causes, the costliest first', rules[0] === 'parallel_to_serial' && rules.includes('fusion_changed'), rules.join());
    check('which name nodes of what is served', body.findings[0].node > 0);
    check('all of them', body.findings.find((f) => f.rule === 'fusion_changed').nodes.length === 3);
    check('sides are called as they were named', body.facts.find((f) => f.name === 'base')?.value === base &&
        body.facts.find((f) => f.name === 'new')?.value === capture);
    const few = (await get('passes/diff?top=1&lang=zh_CN')).body;
    check('parameters count', few.tables.find((x) => x.name === 'causes').rows.length === 1);
    check('words are translated', few.tables.find((x) => x.name === 'causes').title !== body.tables.find((x) => x.name === 'causes').title);
    check('wrong ones are refused', (await get('passes/diff?top=many')).status >= 400);
    const both = await Promise.all(Array.from({length: 8}, () => get('passes/diff')));
    await joint(get, post);
    check('many at once get the same', both.every((r) => JSON.stringify(r.body) === JSON.stringify(body)));
});
const small = `${base}/../../capture/small`; /* has constants */
await whileServed(['--base', small], async (get, post) => await constants(post), small);
await whileServed([], async (get) => {
    check('without a base there is none', (await get('passes/diff')).status === 404);
    check('nor a side', (await get('capture?side=base')).status === 404 && (await get('diff/changes')).status === 404);
    check('and it is not listed', !(await get('capture')).body.passes.some((p) => p.name === 'diff'));
});
const missing = spawnSync(process.env.MI_CLI, ['serve', '--no-open', capture, '--base', '/nonexistent'], {encoding: 'utf8'});
check('a base that is not there', missing.status === 3 && missing.stdout === '', `${missing.status} ${missing.stdout}`);
sumUp();
