// Replies of the server as columns: slices of a window (src/present/serve/route_slices.c), arrows
// (route_flows.c), places of tasks (route_places.c).
import {f64, numbers, texts, u32, u8, type Frame, type Numbers} from '../api/frame';
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
    const track = u32(frame, 1), depth = u32(frame, 2), host = u8(frame, 3), end = u32(frame, 4);
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
        id: u32(frame, first)[i] ?? 0, host: u8(frame, first + 1)[i] === 1, track: u32(frame, first + 2)[i] ?? 0,
        depth: u32(frame, first + 3)[i] ?? 0, at: frame.base + (f64(frame, first + 4)[i] ?? 0),
    });
    const list: Arrow[] = [];
    for (let i = 0; i < kind.length; i++) list.push({kind: kind[i]!, sure: sure[i] ?? 0, from: end(4, i), to: end(9, i)});
    return {total: u32(frame, 3)[0] ?? list.length, list};
}
