// Which row of the picture shows what: groups of a device, of a host's threads, of counters. Groups fold;
// of a folded device its bands remain.
import type {Capture, Counter, Track} from '../api/client';
import type {Lane, Slices} from './data';

export const ROW = 18, HEAD = 20, BAND = 13, COUNTER = 36, GAP = 4;

export interface Group {
    key: string;
    kind: 'device' | 'host' | 'counters';
    rank: number | null;
    device: number | null;
    tracks: Track[];
    counters: Counter[];
    open: boolean;
    y: number; // of its head
}

export interface BandRow {
    band: number; // place in the reply
    kind: number;
    y: number;
}

export interface CounterRow {
    counter: Counter;
    y: number;
}

export interface Rows {
    groups: Group[];
    lanes: Lane[]; // shown ones, from the top
    bands: BandRow[];
    counters: CounterRow[];
    height: number;
    laneAt: Map<string, Lane>; // also of folded groups, whose lanes lie at the head
    tracks: {track: Track; y: number; end: number}[]; // shown ones
}

export interface Extras {
    bands: readonly {kind: number; rank: number; device: number}[];
    counters: ReadonlySet<number>; // those that have samples
}

export const laneKey = (host: boolean, track: number, depth: number): string => `${host ? 'h' : 't'}${track}:${depth}`;

const KINDS = ['device', 'host', 'counters'] as const;

// By rank: devices, the host that feeds them, counters.
function groupsOf(known: Capture, closed: ReadonlySet<string>, extras: Extras): Group[] {
    const groups = new Map<string, Group>();
    const at = (kind: Group['kind'], rank: number | null, device: number | null): Group => {
        const key = `${kind}.${rank ?? ''}.${device ?? ''}`;
        let group = groups.get(key);
        if (!group) groups.set(key, (group = {key, kind, rank, device, tracks: [], counters: [], open: !closed.has(key), y: 0}));
        return group;
    };
    for (const track of known.tracks) {
        if (track.tasks) at('device', track.rank, track.device).tracks.push(track);
        if (track.slices) at('host', track.rank, null).tracks.push(track);
    }
    for (const counter of known.counters)
        if (extras.counters.has(counter.id)) at('counters', counter.rank, counter.device).counters.push(counter);
    return [...groups.values()].sort((a, b) => (a.rank ?? -1) - (b.rank ?? -1) || KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) ||
        (a.device ?? -1) - (b.device ?? -1));
}

// With several ranks the calls of their hosts, often dozens of rows, would keep the devices apart.
export function foldedAtFirst(known: Capture): Set<string> {
    const hosts = known.tracks.filter((track) => track.slices).map((track) => `host.${track.rank ?? ''}.`);
    return new Set(new Set(hosts).size > 1 ? hosts : []);
}

// Keys of groups in an address: a letter of the kind, the rank, the device.
export function packGroups(keys: readonly string[]): string {
    return keys.map((key) => {
        const [kind, rank, device] = key.split('.');
        return `${kind?.[0]}${rank}${device ? `-${device}` : ''}`;
    }).join('.');
}

export function unpackGroups(text: string): string[] {
    return text.split('.').flatMap((part) => {
        const found = /^([dhc])(\d{0,9})(?:-(\d{1,9}))?$/.exec(part), kind = KINDS.find((name) => name[0] === found?.[1]);
        return found && kind ? [`${kind}.${found[2]}.${found[3] ?? ''}`] : [];
    });
}

function addBands(rows: Rows, group: Group, extras: Extras, y: number): number {
    extras.bands.forEach((band, place) => {
        if (group.kind !== 'device' || band.rank !== (group.rank ?? -1) || band.device !== (group.device ?? -1)) return;
        rows.bands.push({band: place, kind: band.kind, y});
        y += BAND;
    });
    return y;
}

function addTrack(rows: Rows, group: Group, track: Track, lanes: readonly Lane[], isShown: boolean, y: number): number {
    const from = y;
    for (const lane of lanes) {
        rows.laneAt.set(laneKey(lane.host, lane.track, lane.depth), lane);
        lane.shown = isShown;
        lane.y = isShown ? y : group.y;
        if (!isShown) continue;
        rows.lanes.push(lane);
        y += ROW;
    }
    if (y === from) return y;
    rows.tracks.push({track, y: from, end: y});
    return y + 2;
}

function lanesByTrack(data: Slices): Map<string, Lane[]> {
    const found = new Map<string, Lane[]>();
    for (const lane of data.lanes) {
        const key = `${lane.host}${lane.track}`, list = found.get(key);
        if (list) list.push(lane);
        else found.set(key, [lane]);
    }
    return found;
}

export function layoutRows(known: Capture, data: Slices, closed: ReadonlySet<string>, hiddenTracks: ReadonlySet<number>,
    extras: Extras): Rows {
    const rows: Rows = {groups: groupsOf(known, closed, extras), lanes: [], bands: [], counters: [], height: 0, laneAt: new Map(), tracks: []};
    const lanes = lanesByTrack(data);
    let y = 0;
    for (const group of rows.groups) {
        group.y = y;
        y = addBands(rows, group, extras, y + HEAD);
        for (const track of group.tracks)
            y = addTrack(rows, group, track, lanes.get(`${group.kind === 'host'}${track.id}`) ?? [], group.open && !hiddenTracks.has(track.id), y);
        for (const counter of group.open ? group.counters : []) {
            rows.counters.push({counter, y});
            y += COUNTER;
        }
        y += GAP;
    }
    rows.height = y;
    return rows;
}
