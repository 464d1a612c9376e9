// Rows of the mapping: framework op, compiled node, tasks. Made of the reports `map` (ops, and nodes without an
// origin) and `tasks` (those of no node); nothing that has no link is left out.
import type {Cell, Report, ReportTable} from '../api/client';

export interface Party {
    id: number;
    name: string;
    op: string;
}

export interface MapRow {
    framework: Party | null;
    compiled: Party | null;
    task: Party | null; // of a task without a node
    state: string; // fate of the op, or origin of the node, in the language of the page
    why: string; // reason, or what the node serves
    confidence: string;
    evidence: string;
    conflict: string;
    tasks: number;
    time: number; // ns
    bytes: number | null; // of the tensors of the node; null: not all are known
    flops: number | null; // of its product or convolution; null: not known
    isMapped: boolean;
}

function reader(table: ReportTable): (row: Cell[], name: string) => Cell {
    const at = new Map(table.columns.map((c, i) => [c.name, i]));
    return (row, name) => row[at.get(name) ?? -1] ?? null;
}

// Without the domain: "com.microsoft.Gelu" is Gelu to whoever looks down a column.
export const brief = (op: string): string => (/^[\w.]+$/.test(op) ? op.slice(op.lastIndexOf('.') + 1) || op : op);

const text = (cell: Cell): string => (cell === null ? '' : String(cell));
// A word of ours, not a name.
const word = (cell: Cell): string => text(cell).replaceAll('_', ' ');

function party(id: Cell, name: Cell, op: Cell): Party | null {
    return typeof id === 'number' ? {id, name: text(name), op: text(op)} : null;
}

const known = (cell: Cell): number | null => (typeof cell === 'number' ? cell : null);

export function mapRows(map: Report, unlinked: Report | null, noNode: string): MapRow[] {
    const rows: MapRow[] = [];
    const main = map.tables.find((x) => x.name === 'map'), rest = map.tables.find((x) => x.name === 'without_origin');
    if (main) {
        const get = reader(main);
        for (const r of main.rows) {
            const compiled = party(get(r, 'compiled'), get(r, 'compiled_name'), get(r, 'compiled_type'));
            rows.push({
                framework: party(get(r, 'framework'), get(r, 'framework_name'), get(r, 'framework_type')), compiled, task: null,
                state: word(get(r, 'fate')), why: word(get(r, 'reason')), confidence: text(get(r, 'confidence')),
                evidence: [get(r, 'rule'), get(r, 'evidence')].map(text).filter(Boolean).join(': '), conflict: text(get(r, 'conflict')),
                tasks: Number(get(r, 'tasks') ?? 0), time: Number(get(r, 'total_ns') ?? 0),
                bytes: known(get(r, 'bytes')), flops: known(get(r, 'flops')),
                isMapped: compiled !== null || get(r, 'tasks') !== null,
            });
        }
    }
    if (rest) {
        const get = reader(rest);
        for (const r of rest.rows)
            rows.push({
                framework: null, compiled: party(get(r, 'compiled'), get(r, 'compiled_name'), get(r, 'compiled_type')), task: null,
                state: word(get(r, 'origin')), why: text(get(r, 'serves')), confidence: '', evidence: text(get(r, 'evidence')), conflict: '',
                tasks: Number(get(r, 'tasks') ?? 0), time: Number(get(r, 'total_ns') ?? 0),
                bytes: known(get(r, 'bytes')), flops: known(get(r, 'flops')), isMapped: false,
            });
    }
    const loose = unlinked?.tables.find((x) => x.columns.some((c) => c.kind === 'task'));
    if (loose) {
        const get = reader(loose), taskAt = loose.columns.find((c) => c.kind === 'task')!.name;
        for (const r of loose.rows)
            rows.push({
                framework: null, compiled: null, task: party(get(r, taskAt), get(r, 'node_name'), get(r, 'op_type')), state: noNode, why: '',
                confidence: '', evidence: '', conflict: '', tasks: 1, time: Number(get(r, 'dur_ns') ?? 0), bytes: null, flops: null, isMapped: false,
            });
    }
    return rows;
}

export interface Totals {
    framework: number;
    compiled: number;
    tasks: number;
    time: number;
    nodes: number; // compiled ones, and ops that ran as they are
    bytes: number;
    flops: number;
    bytesOf: number; // so many of the nodes the sums are of: the rest is not known
    flopsOf: number;
}

// A node of several ops stands in several rows; its tasks, bytes and FLOPs count once.
export function totals(rows: readonly MapRow[]): Totals {
    const framework = new Set<number>(), compiled = new Set<number>();
    const sum = {tasks: 0, time: 0, nodes: 0, bytes: 0, flops: 0, bytesOf: 0, flopsOf: 0};
    for (const row of rows) {
        if (row.framework) framework.add(row.framework.id);
        if (row.compiled && compiled.has(row.compiled.id)) continue;
        if (row.compiled) compiled.add(row.compiled.id);
        sum.tasks += row.tasks;
        sum.time += row.time;
        sum.nodes += row.compiled || (row.framework && row.isMapped) ? 1 : 0;
        sum.bytes += row.bytes ?? 0;
        sum.flops += row.flops ?? 0;
        sum.bytesOf += row.bytes === null ? 0 : 1;
        sum.flopsOf += row.flops === null ? 0 : 1;
    }
    return {framework: framework.size, compiled: compiled.size, ...sum};
}

export type SortKey = 'order' | 'framework' | 'compiled' | 'state' | 'tasks' | 'time' | 'bytes' | 'flops';

function key(row: MapRow, by: SortKey): string | number | null {
    switch (by) {
        case 'framework': return row.framework?.name ?? '\uffff';
        case 'compiled': return row.compiled?.name ?? row.task?.name ?? '\uffff';
        case 'state': return row.state;
        case 'tasks': return row.tasks;
        case 'time': return row.time;
        case 'bytes': return row.bytes;
        case 'flops': return row.flops;
        case 'order': return 0;
    }
}

export interface Filter {
    framework: string;
    compiled: string;
    task: string;
    state: string; // '' = all, UNMAPPED = those without a link
}

export const UNMAPPED = '\u0000unmapped';

const holds = (party: Party | null, wanted: string): boolean =>
    party !== null && `${party.op}\u0000${party.name}`.toLowerCase().includes(wanted);

export function select(rows: readonly MapRow[], filter: Filter, sort: {by: SortKey; up: boolean}): MapRow[] {
    const framework = filter.framework.toLowerCase(), compiled = filter.compiled.toLowerCase(), task = filter.task.toLowerCase();
    const list = rows.filter((row) => (!framework || holds(row.framework, framework)) && (!compiled || holds(row.compiled, compiled)) &&
        (!task || holds(row.task ?? row.compiled, task)) &&
        (!filter.state || (filter.state === UNMAPPED ? !row.isMapped : row.state === filter.state)));
    if (sort.by === 'order') return sort.up ? list : list.reverse();
    const keys = new Map(list.map((row) => [row, key(row, sort.by)]));
    return list.sort((a, b) => {
        const x = keys.get(a) ?? null, y = keys.get(b) ?? null;
        if (x === null || y === null) return Number(x === null) - Number(y === null); // not known: last either way
        return x === y ? 0 : (x < y ? -1 : 1) * (sort.up ? 1 : -1);
    });
}

// Paths without the folder that all of them are in: what tells them apart is at their ends.
export function below(table: ReportTable): {folder: string; table: ReportTable} {
    const at = table.columns.findIndex((c) => c.name === 'path'), paths = table.rows.map((row) => text(row[at] ?? null));
    if (at < 0 || paths.length < 2) return {folder: '', table};
    let end = paths[0]!.lastIndexOf('/') + 1;
    while (end > 0 && !paths.every((path) => path.startsWith(paths[0]!.slice(0, end)))) end = paths[0]!.lastIndexOf('/', end - 2) + 1;
    if (end < 2) return {folder: '', table};
    const rows = table.rows.map((row) => row.map((cell, i) => (i === at ? text(cell).slice(end) : cell)));
    return {folder: paths[0]!.slice(0, end), table: {...table, rows}};
}
