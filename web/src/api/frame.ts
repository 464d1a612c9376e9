// Binary replies: the other side of src/present/serve/frame.h. Every offset and count is checked;
// columns that are not known are left alone.

export type Column = Uint8Array | Uint16Array | Uint32Array | Float32Array | Float64Array | BigInt64Array;

export interface Frame {
    kind: number;
    rows: number;
    base: number; // ns of capture time; exact for 104 days
    step: number; // ns
    columns: Map<number, Column>;
}

const SIZES = [0, 1, 2, 4, 4, 8, 8];
const HEAD = 32;
const ENTRY = 16;

function view(buffer: ArrayBuffer, type: number, offset: number, count: number): Column {
    switch (type) {
        case 1: return new Uint8Array(buffer, offset, count);
        case 2: return new Uint16Array(buffer, offset, count);
        case 3: return new Uint32Array(buffer, offset, count);
        case 4: return new Float32Array(buffer, offset, count);
        case 5: return new Float64Array(buffer, offset, count);
        default: return new BigInt64Array(buffer, offset, count);
    }
}

export function decodeFrame(buffer: ArrayBuffer): Frame {
    if (buffer.byteLength < HEAD) throw new Error('a binary reply is too short');
    const data = new DataView(buffer);
    if (data.getUint32(0, true) !== 0x3142494d) throw new Error('not a binary reply');
    if (data.getUint16(4, true) !== 1) throw new Error('a binary reply of an unknown version');
    const columnCount = data.getUint32(8, true);
    if (HEAD + columnCount * ENTRY > buffer.byteLength) throw new Error('a binary reply is cut short');
    const columns = new Map<number, Column>();
    for (let i = 0; i < columnCount; i++) {
        const at = HEAD + i * ENTRY;
        const type = data.getUint8(at + 2);
        const count = data.getUint32(at + 4, true);
        const offset = Number(data.getBigUint64(at + 8, true));
        const size = SIZES[type];
        if (!size) continue;
        if (offset % 8 !== 0 || offset + count * size > buffer.byteLength)
            throw new Error('a column of a binary reply lies outside of it');
        columns.set(data.getUint16(at, true), view(buffer, type, offset, count));
    }
    return {
        kind: data.getUint16(6, true),
        rows: data.getUint32(12, true),
        base: Number(data.getBigInt64(16, true)),
        step: Number(data.getBigInt64(24, true)),
        columns,
    };
}

function column<T extends Column>(frame: Frame, id: number, make: new (n: number) => T): T {
    const found = frame.columns.get(id);
    return found instanceof make ? found : new make(0);
}

export const u8 = (f: Frame, id: number): Uint8Array => column(f, id, Uint8Array);
export const u16 = (f: Frame, id: number): Uint16Array => column(f, id, Uint16Array);
export const u32 = (f: Frame, id: number): Uint32Array => column(f, id, Uint32Array);
export const f32 = (f: Frame, id: number): Float32Array => column(f, id, Float32Array);
export const f64 = (f: Frame, id: number): Float64Array => column(f, id, Float64Array);
export const i64 = (f: Frame, id: number): BigInt64Array => column(f, id, BigInt64Array);

export type Numbers = Uint8Array | Uint16Array | Uint32Array;

// A column whose numbers take as few bytes as the largest needs.
export function numbers(frame: Frame, id: number): Numbers {
    const found = frame.columns.get(id);
    return found instanceof Uint8Array || found instanceof Uint16Array || found instanceof Uint32Array ? found : new Uint8Array(0);
}

// Texts as one block of UTF-8 and the end of each.
export function texts(ends: Uint32Array, bytes: Uint8Array): string[] {
    const decoder = new TextDecoder();
    const list: string[] = new Array(ends.length);
    const whole = decoder.decode(bytes);
    const isPlain = whole.length === bytes.length; // a byte each: cut instead of decoding them one by one
    let from = 0;
    for (let i = 0; i < ends.length; i++) {
        const end = Math.min(ends[i] ?? from, bytes.length);
        list[i] = end <= from ? '' : isPlain ? whole.slice(from, end) : decoder.decode(bytes.subarray(from, end));
        from = Math.max(from, end);
    }
    return list;
}
