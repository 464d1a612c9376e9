// Which row of the picture shows what: groups of a device or of a process's threads, with their bands and
// lanes, and counters. Groups fold.
import type {Capture, Track} from '../api/client';
import type {Lane, Slices} from './data';

export const ROW = 18, HEAD = 20, BAND = 9, COUNTER = 34, GAP = 5;

export interface Group {
    key: string;
    host: boolean;
    rank: number | null;
    device: number | null;
    tracks: Track[];
    open: boolean;
    y: number; // of its head
}

export interface BandRow {
    band: number; // place in the reply
    kind: number;
    y: number;
}

export interface CounterRow {
    counter: number;
    y: number;
}

export interface Rows {
    groups: Group[];
    lanes: Lane[]; // shown ones, from the top
    bands: BandRow[];
    counters: CounterRow[];
    height: number;
    laneAt: Map<string, Lane>; // also of folded groups, whose lanes lie at the head
    trackStart: Map<Lane, Track>; // first lane of a track
}

export const laneKey = (host: boolean, track: number, depth: number): string => `${host ? 'h' : 't'}${track}:${depth}`;

function keyOf(track: Track, host: boolean): string {
    return host ? `host.${track.rank ?? ''}` : `device.${track.rank ?? ''}.${track.device ?? ''}`;
}

// Devices by rank and number, then the hosts.
export function groupsOf(known: Capture, closed: ReadonlySet<string>): Group[] {
    const groups = new Map<string, Group>();
    for (const host of [false, true])
        for (const track of known.tracks) {
            if (!(host ? track.slices : track.tasks)) continue;
            const key = keyOf(track, host);
            let group = groups.get(key);
            if (!group) {
                group = {key, host, rank: track.rank, device: host ? null : track.device, tracks: [], open: !closed.has(key), y: 0};
                groups.set(key, group);
            }
            group.tracks.push(track);
        }
    return [...groups.values()].sort((a, b) => Number(a.host) - Number(b.host) || (a.rank ?? -1) - (b.rank ?? -1) ||
        (a.device ?? -1) - (b.device ?? -1));
}

export interface Extras {
    bands: {kind: number; rank: number; device: number}[];
    counters: {id: number; rank: number | null; device: number | null}[];
}

function addBands(rows: Rows, group: Group, extras: Extras, y: number): number {
    extras.bands.forEach((band, place) => {
        if (group.host || band.rank !== (group.rank ?? -1) || band.device !== (group.device ?? -1)) return;
        rows.bands.push({band: place, kind: band.kind, y});
        y += BAND;
    });
    return y;
}

function addCounters(rows: Rows, group: Group, extras: Extras, y: number): number {
    for (const counter of extras.counters) {
        if ((counter.rank ?? null) !== group.rank || (counter.device ?? null) !== group.device) continue;
        rows.counters.push({counter: counter.id, y});
        y += COUNTER;
    }
    return y;
}

function addLanes(rows: Rows, group: Group, data: Slices, y: number): number {
    for (const track of group.tracks) {
        let first = true;
        for (const lane of data.lanes) {
            if (lane.track !== track.id || lane.host !== group.host) continue;
            rows.laneAt.set(laneKey(lane.host, lane.track, lane.depth), lane);
            lane.shown = group.open;
            lane.y = group.open ? y : group.y;
            if (!group.open) continue;
            if (first) rows.trackStart.set(lane, track);
            first = false;
            rows.lanes.push(lane);
            y += ROW;
        }
        if (group.open && !first) y += 2;
    }
    return y;
}

// A single group without bands needs no head that folds it.
export function layoutRows(known: Capture, data: Slices, closed: ReadonlySet<string>, extras: Extras): Rows {
    const rows: Rows = {groups: groupsOf(known, closed), lanes: [], bands: [], counters: [], height: 0, laneAt: new Map(), trackStart: new Map()};
    let y = 0;
    for (const group of rows.groups) {
        group.y = y;
        y = addBands(rows, group, extras, y + HEAD);
        y = addLanes(rows, group, data, y);
        if (group.open) y = addCounters(rows, group, extras, y);
        y += GAP;
    }
    rows.height = y;
    return rows;
}
