// A one-file report: the same API, answered by the program's own code in the page (WebAssembly, see
// src/present/offline/core.c) over the data that came with it. Nothing is ever requested.

import type {Transport} from './client';

// What the program says of the file, see src/present/offline/offline.c.
export interface LeftOut {
    table: string;
    kept: number;
    of: number;
}

export interface About {
    version: string;
    anonymised: boolean;
    metrics: number; // tasks whose counters are not here
    left_out: LeftOut[];
    base_left_out?: LeftOut[];
    names?: [string, string]; // of the base and of the rest, if they are compared
}

interface Core {
    memory: WebAssembly.Memory;
    _initialize(): void;
    mi_core_room(bytes: number): number;
    mi_core_give_back(room: number): void;
    mi_core_open(bytes: number, length: number): number;
    mi_core_compare(bytes: number, length: number, names: number): number;
    mi_core_ask(text: number, length: number, bodyLength: number): number;
    mi_core_reply(): number;
    mi_core_reply_length(): number;
}

function embedded(id: string): string | null {
    return document.querySelector(`script#${id}`)?.textContent ?? null;
}

export function isReport(): boolean {
    return embedded('snapshot') !== null;
}

export function about(): About | null {
    const text = embedded('about');
    return text === null ? null : (JSON.parse(text) as About);
}

// Base64 of gzip. In pieces: a string of many megabytes is not copied as a whole.
async function unpack(id: string): Promise<ArrayBuffer> {
    const text = embedded(id) ?? '';
    const piece = 1 << 20;
    const parts: Uint8Array<ArrayBuffer>[] = [];
    for (let at = 0; at < text.length; at += piece) {
        const raw = atob(text.slice(at, at + piece));
        const bytes = new Uint8Array(raw.length);
        for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
        parts.push(bytes);
    }
    const stream = new Blob(parts).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Response(stream).arrayBuffer();
}

// The module has no files, no clock and no arguments; what its C library asks for does not exist here.
const NOT_SUPPORTED = 52;

// Into room that is never given back: the core reads it to its end.
function put(core: Core, data: Uint8Array): number {
    const room = core.mi_core_room(data.byteLength);
    if (!room) throw new Error('out of memory');
    new Uint8Array(core.memory.buffer, room, data.byteLength).set(data);
    return room;
}

async function load(): Promise<Core> {
    const names = about()?.names;
    const [code, data, base] = await Promise.all([unpack('core'), unpack('snapshot'), names && unpack('base')]);
    const module = await WebAssembly.compile(code);
    const missing: Record<string, Record<string, () => number>> = {};
    for (const {module: from, name} of WebAssembly.Module.imports(module)) (missing[from] ??= {})[name] = () => NOT_SUPPORTED;
    const core = (await WebAssembly.instantiate(module, missing)).exports as unknown as Core;
    core._initialize();
    let status = core.mi_core_open(put(core, new Uint8Array(data)), data.byteLength);
    if (!status && names && base) {
        const called = put(core, new TextEncoder().encode(names.map((name) => `${name}\0`).join('')));
        status = core.mi_core_compare(put(core, new Uint8Array(base)), base.byteLength, called);
    }
    if (status) throw new Error(new TextDecoder().decode(replyOf(core)));
    return core;
}

function replyOf(core: Core): ArrayBuffer {
    const at = core.mi_core_reply();
    return core.memory.buffer.slice(at, at + core.mi_core_reply_length());
}

let loading: Promise<Core> | null = null;

export const report: Transport = async (path, body, signal) => {
    const core = await (loading ??= load());
    signal.throwIfAborted();
    const text = `${body === undefined ? 'GET' : 'POST'} /api/v1/${path}`;
    const head = new TextEncoder().encode(text), rest = new TextEncoder().encode(body ?? '');
    const room = core.mi_core_room(head.length + 1 + rest.length);
    if (!room) throw new Error('out of memory');
    const memory = new Uint8Array(core.memory.buffer, room, head.length + 1 + rest.length);
    memory.set(head);
    memory[head.length] = 0;
    memory.set(rest, head.length + 1);
    const status = core.mi_core_ask(room, head.length, rest.length);
    core.mi_core_give_back(room);
    return {status, body: replyOf(core)};
};
