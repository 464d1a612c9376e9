// The only place that asks for anything. Each view has one request under way at most: a newer one stops
// the older. Who answers is the server, or in a one-file report what lies in the page itself.

import {decodeFrame, type Frame} from './frame';
import {server} from './server';
import {isReport, report as ownReport} from './report';

export interface Reply {
    status: number;
    body: ArrayBuffer;
}

// Below api/v1/; `body` is that of a POST.
export type Transport = (path: string, body: string | undefined, signal: AbortSignal) => Promise<Reply>;

export interface Capture {
    version: string;
    start_unix_ns: string | null;
    has: string[];
    categories: string[];
    used_categories: string[];
    first_ns: number;
    end_ns: number;
    tasks_first_ns: number;
    tasks_end_ns: number;
    runs: number;
    calibrated: boolean;
    graphs: {id: number; layer: string; kind: string; name: string; stage: string | null; nodes: number}[];
    tracks: Track[];
    counters: Counter[];
    sources: {path: string; records_in?: number; records_lost?: number}[];
    passes: {name: string; verdicts: boolean; can_run: boolean}[];
    diagnostics: {severity: string; text: string; source?: string | null}[];
}

export interface Track {
    id: number;
    kind: string;
    name: string;
    device: number | null;
    rank: number | null;
    native_id: number | string | null;
    tasks: number;
    slices: number;
}

export interface Counter {
    id: number;
    name: string;
    unit: string;
    device: number | null;
    rank: number | null;
}

export interface LinkedNode {
    node: number;
    name: string;
    op: string;
    others: number; // framework ops that it stands for
    rule?: string;
    confidence?: string;
    evidence?: string | null;
}

export interface Links {
    node: number | null;
    task: number | null;
    name: string;
    layer: string;
    framework: LinkedNode[];
    compiled: LinkedNode[];
    tasks: number[];
    task_total: number;
    task_counted: number; // without warm-up and waiting
    runs: number; // that these tasks are of
    streams: number;
    first_ns: number;
    end_ns: number;
    groups: {framework: number[]; compiled: number[]};
}

// Nodes, tasks that belong to none, and constants without a node, with the node that reads them first.
export interface Hit {
    node: number | null;
    task: number | null;
    value: number | null; // of a constant
    name: string;
    op: string;
    layer: string;
    tasks: number;
}

export type Cell = string | number | boolean | null;

export interface Report {
    facts: {name: string; title: string | null; kind: string; unit: string; value: Cell}[];
    tables: ReportTable[];
    findings: Finding[];
}

export interface ReportTable {
    name: string;
    title: string;
    total: number;
    columns: {name: string; title: string | null; kind: string; unit: string; meaning: string | null}[];
    rows: Cell[][];
}

export interface Finding {
    rule: string;
    severity: string;
    node: number | null;
    task: number | null;
    sentence: string;
    cost_ns: number | null;
    // of findings that give advice
    cost_share?: number | null;
    cost_from?: string | null;
    nodes?: number[];
    tasks?: number[];
    is_experimental?: boolean;
    advice?: string;
}

export interface GroupInfo {
    item: number;
    label: string;
    kind: 'graph' | 'scope' | 'fusion' | 'part' | 'input' | 'output' | 'node' | 'constant';
    nodes: number;
    tasks: number;
    total_ns: number;
    value_type: string;
    data_bytes?: number; // of a constant; -1 = not known
    readers?: number;
    types: {op: string; category: string; nodes: number; tasks: number; total_ns: number}[];
    other_types: number;
}

// How far the reading of the files is.
export interface Reading {
    ready: boolean;
    stage: string; // read, correlate
    done_bytes: number;
    total_bytes: number | null;
}

let transport: Transport | null = null;
let underWay = 0;

// How many answers are awaited.
export const waiting = (): number => underWay;

const running = new Map<string, AbortController>();

// Requests of one `slot` replace each other; an empty slot never stops anything.
async function ask(slot: string, path: string, body?: unknown): Promise<ArrayBuffer> {
    const controller = new AbortController();
    if (slot) {
        running.get(slot)?.abort();
        running.set(slot, controller);
    }
    transport ??= isReport() ? ownReport : server;
    underWay++;
    const reply = await transport(path, body === undefined ? undefined : JSON.stringify(body), controller.signal).finally(() => underWay--);
    if (reply.status !== 200) {
        let reason = `${reply.status}`;
        try {
            reason = (JSON.parse(new TextDecoder().decode(reply.body)) as {error: {text: string}}).error.text;
        } catch {
            // Not one of ours: the number has to do.
        }
        throw new Error(reason);
    }
    return reply.body;
}

export function isAborted(error: unknown): boolean {
    return error instanceof DOMException && error.name === 'AbortError';
}

export async function getJson<T>(slot: string, path: string): Promise<T> {
    return JSON.parse(new TextDecoder().decode(await ask(slot, path))) as T;
}

// Asked beside everything else, and counted with nothing that is awaited. A report has been read when it opens.
export async function readingNow(): Promise<Reading> {
    if (isReport()) return {ready: true, stage: 'read', done_bytes: 0, total_bytes: null};
    const reply = await server('reading', undefined, AbortSignal.timeout(5000));
    return JSON.parse(new TextDecoder().decode(reply.body)) as Reading;
}

export async function postFrame(slot: string, path: string, body: unknown): Promise<Frame> {
    return decodeFrame(await ask(slot, path, body));
}

export function report(slot: string, name: string, parameters: Record<string, string>): Promise<Report> {
    const query = new URLSearchParams(parameters).toString();
    return getJson<Report>(slot, `passes/${name}?${query}`);
}
