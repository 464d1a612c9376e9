// Replies of the server as columns: slices of a window (src/present/serve/route_slices.c), arrows
// (route_flows.c), places of tasks (route_places.c), how busy devices were (route_busy.c),
// counters (route_counters.c).
import {f32, f64, numbers, texts, u32, u8, type Frame, type Numbers} from '../api/frame';
import {clean} from '../util/clean';

export interface Lane {
    track: number;
    depth: number;
    host: boolean;
    from: number; // its slices
    end: number;
    y: number; // in the picture, once rows are laid out; hidden: that of its group
    shown: boolean;
}

export interface Slices {
    base: number;
    step: number;
    until: number;
    lanes: Lane[];
    start: Numbers; // in steps from base
    dur: Numbers;
    id: Numbers;
    count: Numbers;
    category: Uint8Array;
    flags: Uint8Array;
    node: Numbers; // number + 1 into nodes
    nodes: Uint32Array;
    name: Numbers; // number + 1 into names
    names: string[];
}

export const IS_WAIT = 1, IS_RECORD = 2, IS_OVERLAPPING = 32, IS_CONTRADICTED = 64;

export function decodeSlices(frame: Frame, until: number): Slices {
    const track = numbers(frame, 1), depth = numbers(frame, 2), host = u8(frame, 3), end = numbers(frame, 4);
    const lanes: Lane[] = [];
    for (let i = 0, from = 0; i < track.length; from = end[i++]!)
        lanes.push({track: track[i]!, depth: depth[i]!, host: host[i] === 1, from, end: end[i]!, y: 0, shown: false});
    return {
        base: frame.base, step: frame.step, until, lanes, start: numbers(frame, 5), dur: numbers(frame, 6),
        id: numbers(frame, 7), count: numbers(frame, 8), category: u8(frame, 9), flags: u8(frame, 10),
        node: numbers(frame, 11), nodes: u32(frame, 15), name: numbers(frame, 12),
        names: texts(u32(frame, 13), u8(frame, 14)).map((text) => clean(text)),
    };
}

export const startOf = (data: Slices, i: number): number => data.base + data.start[i]! * data.step;
export const endOf = (data: Slices, i: number): number => data.base + (data.start[i]! + data.dur[i]!) * data.step;
export const nodeOf = (data: Slices, i: number): number => (data.node[i] ? data.nodes[data.node[i]! - 1] ?? 0 : 0);
export const nameOf = (data: Slices, i: number): string => (data.name[i] ? data.names[data.name[i]! - 1] ?? '' : '');

// The slices of a lane that touch [from, to): they are in order and apart from each other.
export function visible(data: Slices, lane: Lane, from: number, to: number): [number, number] {
    const below = (ns: number): number => {
        const steps = (ns - data.base) / data.step;
        let low = lane.from, high = lane.end;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (data.start[middle]! < steps) low = middle + 1;
            else high = middle;
        }
        return low;
    };
    return [Math.max(lane.from, below(from) - 1), below(to)];
}

export const LAUNCH = 0, SIGNAL = 1, TRACE = 2;

export interface End {
    id: number;
    host: boolean;
    track: number;
    depth: number;
    at: number;
}

export interface Arrow {
    kind: number;
    sure: number; // as model/enums.def: 1 guess, 2 likely, 3 certain
    from: End;
    to: End;
}

export interface Arrows {
    total: number;
    list: Arrow[];
}

export function decodeArrows(frame: Frame): Arrows {
    const kind = u8(frame, 1), sure = u8(frame, 2);
    const end = (first: number, i: number): End => ({
        id: u32(frame, first)[i] ?? 0, host: u8(frame, first + 1)[i] === 1, track: numbers(frame, first + 2)[i] ?? 0,
        depth: numbers(frame, first + 3)[i] ?? 0, at: frame.base + (f64(frame, first + 4)[i] ?? 0),
    });
    const list: Arrow[] = [];
    for (let i = 0; i < kind.length; i++) list.push({kind: kind[i]!, sure: sure[i] ?? 0, from: end(4, i), to: end(9, i)});
    return {total: u32(frame, 3)[0] ?? list.length, list};
}

export interface Bands {
    base: number;
    step: number;
    steps: number;
    list: {rank: number; device: number; kind: number}[];
    share: Uint8Array; // of 255: steps of the first band, of the next ...
}

export function decodeBands(frame: Frame): Bands {
    const rank = f64(frame, 1), device = f64(frame, 2), kind = u8(frame, 3);
    return {
        base: frame.base, step: frame.step, steps: u32(frame, 4)[0] ?? 0, share: u8(frame, 5),
        list: [...kind].map((k, i) => ({rank: rank[i] ?? -1, device: device[i] ?? -1, kind: k})),
    };
}

export interface Whole {
    first: number;
    end: number;
    step: number;
    steps: number;
    tracks: Uint32Array;
    share: Uint8Array;
    gaps: {from: number; to: number}[];
    leastGap: number;
}

export function decodeWhole(frame: Frame): Whole {
    const from = f64(frame, 7), to = f64(frame, 8);
    return {
        first: frame.base, end: frame.base + (f64(frame, 10)[0] ?? 0), step: frame.step, steps: u32(frame, 4)[0] ?? 0,
        tracks: u32(frame, 6), share: u8(frame, 5), leastGap: f64(frame, 9)[0] ?? 1,
        gaps: [...from].map((at, i) => ({from: frame.base + at, to: frame.base + (to[i] ?? at)})),
    };
}

export interface Place {
    task: number;
    track: number;
    depth: number;
    start: number;
    duration: number;
    place: number; // in its lane, from 0
    places: number;
    before: number; // neighbours there; 0 = none
    behind: number;
    category: number;
    name: string;
}

export function decodePlaces(frame: Frame): Place[] {
    const names = texts(u32(frame, 11), u8(frame, 12)), task = u32(frame, 1), category = u8(frame, 10);
    const start = f64(frame, 4), duration = f64(frame, 5), at = (id: number, i: number): number => u32(frame, id)[i] ?? 0;
    return [...task].map((id, i) => ({
        task: id, track: at(2, i), depth: at(3, i), start: frame.base + (start[i] ?? 0), duration: duration[i] ?? 0,
        place: at(6, i), places: at(7, i), before: at(8, i), behind: at(9, i), category: category[i] ?? 0, name: clean(names[i] ?? ''),
    }));
}

export interface CounterLine {
    counter: number;
    least: number;
    greatest: number;
    at: Float64Array; // ns
    low: Float32Array;
    high: Float32Array;
    last: Float32Array;
}

export function decodeCounters(frame: Frame): CounterLine[] {
    const counter = u32(frame, 1), least = f64(frame, 2), greatest = f64(frame, 3), end = u32(frame, 4);
    const at = f64(frame, 5).map((ns) => ns + frame.base), low = f32(frame, 6), high = f32(frame, 7), last = f32(frame, 8);
    return [...counter].map((id, i) => {
        const from = i ? end[i - 1]! : 0, to = end[i] ?? from;
        return {
            counter: id, least: least[i] ?? 0, greatest: greatest[i] ?? 0, at: at.subarray(from, to), low: low.subarray(from, to),
            high: high.subarray(from, to), last: last.subarray(from, to),
        };
    });
}
