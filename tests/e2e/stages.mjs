/* The stage that did it: for builds whose every stage is known, `passes` must name the right stage for
 * every node that was inserted, removed, re-typed, fused, or got another element type, and no other.
 * usage: stages.mjs CASE...   each with ge_dump/ and truth.json; MI_CLI names the program */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const cli = process.env.MI_CLI;
const appears = ['inserted', 'fused', 'split'];
const goes = ['removed', 'fused_into', 'split_into'];

/* stage -> kind -> set of names, from the report */
function reported(dir) {
    const json = execFileSync(cli, ['passes', '--json', `${dir}/ge_dump`],
        { maxBuffer: 1 << 30, encoding: 'utf8' });
    const stages = new Map();
    for (const row of JSON.parse(json).tables.changes) {
        if (!stages.has(row.stage)) stages.set(row.stage, new Map());
        const kinds = stages.get(row.stage);
        const add = (kind, name) => {
            if (!kinds.has(kind)) kinds.set(kind, new Set());
            kinds.get(kind).add(name);
        };
        add(row.change, row.name);
        /* Under a new name a node is a new one for the truth. */
        if (row.change === 'renamed') {
            kinds.get('renamed').add(row.after);
            add('inserted', row.after);
            add('removed', row.before);
        }
    }
    return stages;
}

const union = (kinds, names) => new Set(names.flatMap((name) => [...(kinds.get(name) ?? [])]));
let wrong = 0, changes = 0;

function compare(what, truth, found) {
    changes += truth.size;
    const missing = [...truth].filter((name) => !found.has(name));
    const extra = [...found].filter((name) => !truth.has(name));
    if (!missing.length && !extra.length) return;
    wrong += missing.length + extra.length;
    console.error(`${what}: missing ${missing.slice(0, 5)} (${missing.length}), ` +
        `too many ${extra.slice(0, 5)} (${extra.length})`);
}

for (const dir of process.argv.slice(2).filter((path) => existsSync(`${path}/truth.json`))) {
    const { stages } = JSON.parse(readFileSync(`${dir}/truth.json`, 'utf8'));
    const found = reported(dir);
    for (const stage of stages.slice(1)) {
        const kinds = found.get(stage.stage) ?? new Map();
        const where = `${dir}: ${stage.stage}`;
        compare(`${where}: appear`, new Set(stage.inserted), union(kinds, appears));
        compare(`${where}: go`, new Set(stage.removed), union(kinds, goes));
        compare(`${where}: re-typed`, new Set(stage.retyped), union(kinds, ['retyped']));
        compare(`${where}: element type`, new Set(stage.dtype_changed), union(kinds, ['dtype']));
        /* The truth knows nodes by name: one that was fused earlier and only renamed here is new to it. */
        const renamed = union(kinds, ['renamed']);
        const fused = new Set(stage.fused.map(([name]) => name).filter((name) => !renamed.has(name)));
        compare(`${where}: fused`, fused, union(kinds, ['fused', 'absorbed']));
    }
    const last = stages.at(-1).stage;
    if (!found.has(last) && stages.at(-1).inserted.length) wrong++;
}
console.log(`${changes} changes compared, ${wrong} wrong`);
process.exit(wrong || !changes ? 1 : 0);
