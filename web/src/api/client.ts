// The only place that talks to the server. Each view has one request under way at most: a newer one
// stops the older. In the one-file report another Transport answers (see transport).

import {decodeFrame, type Frame} from './frame';

export interface Capture {
    version: string;
    start_unix_ns: string | null;
    has: string[];
    categories: string[];
    first_ns: number;
    end_ns: number;
    tasks_first_ns: number;
    tasks_end_ns: number;
    runs: number;
    calibrated: boolean;
    graphs: {id: number; layer: string; kind: string; name: string; stage: string | null; nodes: number}[];
    tracks: Track[];
    sources: {path: string; records_in?: number; records_lost?: number}[];
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

export interface LinkedNode {
    node: number;
    name: string;
    op: string;
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
    first_ns: number;
    end_ns: number;
    groups: {framework: number[]; compiled: number[]};
}

export interface Hit {
    node: number;
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

const ROOT = 'api/v1/';
const running = new Map<string, AbortController>();

// Requests of one `slot` replace each other; an empty slot never stops anything.
async function ask(slot: string, path: string, body?: unknown): Promise<Response> {
    const controller = new AbortController();
    if (slot) {
        running.get(slot)?.abort();
        running.set(slot, controller);
    }
    const init: RequestInit = {signal: controller.signal};
    if (body !== undefined) {
        init.method = 'POST';
        init.body = JSON.stringify(body);
        init.headers = {'Content-Type': 'application/json'};
    }
    const response = await fetch(ROOT + path, init);
    if (!response.ok) {
        const text = await response.text();
        let reason = `${response.status}`;
        try {
            reason = (JSON.parse(text) as {error: {text: string}}).error.text;
        } catch {
            // Not one of ours: the number has to do.
        }
        throw new Error(reason);
    }
    return response;
}

export function isAborted(error: unknown): boolean {
    return error instanceof DOMException && error.name === 'AbortError';
}

export async function getJson<T>(slot: string, path: string): Promise<T> {
    return (await ask(slot, path)).json() as Promise<T>;
}

export async function postFrame(slot: string, path: string, body: unknown): Promise<Frame> {
    return decodeFrame(await (await ask(slot, path, body)).arrayBuffer());
}

export function report(slot: string, name: string, parameters: Record<string, string>): Promise<Report> {
    const query = new URLSearchParams(parameters).toString();
    return getJson<Report>(slot, `passes/${name}?${query}`);
}
