/* serve --base: the report "diff" is there among the findings, in both languages, and with limits; without a
 * base there is none. A base that cannot be read is said before anything is served.
 * usage: node serve_diff.mjs BASE NEW; MI_CLI names the program */
import {spawn, spawnSync} from 'node:child_process';

const [base, capture] = process.argv.slice(2);
let passed = 0, failed = 0;

function check(what, is, more = '') {
    if (is) passed++;
    else {
        failed++;
        console.log(`FAILED: ${what} ${more}`);
    }
}

async function serve(options, use) {
    const child = spawn(process.env.MI_CLI, ['serve', '--no-open', capture, ...options], {stdio: ['ignore', 'pipe', 'inherit']});
    const url = await new Promise((resolve) => child.stdout.once('data', (d) => resolve(d.toString().trim())));
    const get = async (path) => {
        const reply = await fetch(`${url}api/v1/${path}`);
        return {status: reply.status, body: await reply.json()};
    };
    await use(get);
    child.kill('SIGINT');
    await new Promise((resolve) => child.once('exit', resolve));
}

await serve(['--base', base], async (get) => {
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
    check('many at once get the same', both.every((r) => JSON.stringify(r.body) === JSON.stringify(body)));
});
await serve([], async (get) => {
    check('without a base there is none', (await get('passes/diff')).status === 404);
    check('and it is not listed', !(await get('capture')).body.passes.some((p) => p.name === 'diff'));
});
const missing = spawnSync(process.env.MI_CLI, ['serve', '--no-open', capture, '--base', '/nonexistent'], {encoding: 'utf8'});
check('a base that is not there', missing.status === 3 && missing.stdout === '', `${missing.status} ${missing.stdout}`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
