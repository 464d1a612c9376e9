// What the view asks the server for, and when: a window twice as wide as the screen, so that small moves
// need no request, and only for rows in sight.
import {isAborted, postFrame} from '../api/client';
import type {Frame} from '../api/frame';
import {failure, hidden} from '../state/state';
import {
    decodeArrows, decodeBands, decodeCounters, decodePlaces, decodeSlices, decodeWhole, type Arrows, type Bands, type CounterLine,
    type Place, type Slices, type Whole,
} from './data';
import type {Scale} from './scale';
import type {TimeSource} from './source';
import {dimOthers, rawTime, timeText} from './state';

const MOST_LANES = 400; // of more, an answer for all may leave some out
const FAR = 4e18; // further than any time of a capture, and still a 64-bit number
const GRID = 256; // windows begin and end at so many steps, so that steps stay where they are

export interface Wanted {
    from: number;
    to: number;
    step: number;
    tracks: number[] | null; // null: all
}

// Steps of about a pixel, in powers of two.
export function windowOf(scale: Scale, tracks: number[] | null): Wanted {
    const step = Math.max(1, 2 ** Math.round(Math.log2(Math.max(scale.nsPerPixel, 1)))), grid = step * GRID;
    const around = scale.part(-0.5, 2);
    const bounded = (ns: number): number => Math.max(-FAR, Math.min(FAR, ns));
    const from = bounded(Math.floor(around.start / grid) * grid), to = bounded(Math.ceil((around.start + around.duration) / grid) * grid);
    return {from, to: Math.max(to, from + 1), step, tracks};
}

export class Loads {
    slices: Slices | null = null;
    bright: Slices | null = null; // those that the text leaves, while the others pale
    arrows: Arrows = {total: 0, list: []};
    ofSelection: Arrows = {total: 0, list: []};
    atHand: Arrows = {total: 0, list: []}; // of what the hand is on
    bands: Bands | null = null;
    counters: CounterLine[] = [];
    whole: Whole | null = null;
    related: Place[] = []; // tasks of the selection
    around: Place[] = []; // the one at hand and its neighbours
    private has: Wanted | null = null;
    private readonly asked = new Map<string, string>(); // per kind, what is there or on its way

    constructor(private readonly source: TimeSource, private readonly changed: () => void) {}

    // Requests of one slot replace each other; those of another source never.
    private ask(slot: string, path: string, body: unknown): Promise<Frame> {
        return postFrame(slot + this.source.name, this.source.path(path), body);
    }

    forget(): void {
        this.has = null;
        this.asked.clear();
    }

    private covers(scale: Scale, wanted: Wanted): boolean {
        const has = this.has;
        if (!has || has.step !== wanted.step || has.from > scale.ns(scale.left) || has.to < scale.ns(scale.right)) return false;
        if (!has.tracks) return this.slices!.lanes.length <= MOST_LANES;
        return (wanted.tracks !== null && wanted.tracks.every((track) => has.tracks!.includes(track)));
    }

    private async once(kind: string, key: string, work: () => Promise<void>): Promise<void> {
        if (this.asked.get(kind) === key) return;
        this.asked.set(kind, key);
        try {
            await work();
            this.changed();
        } catch (error) {
            if (this.asked.get(kind) === key) this.asked.delete(kind);
            if (!isAborted(error)) failure.value = error instanceof Error ? error.message : String(error);
        }
    }

    private filter(withText = !dimOthers.value): Record<string, unknown> {
        const body: Record<string, unknown> = {raw: rawTime.value};
        if (hidden.value.size) body['hidden'] = [...hidden.value];
        if (withText && timeText.value) body['text'] = timeText.value;
        return body;
    }

    async window(scale: Scale, tracks: number[] | null): Promise<void> {
        const wanted = windowOf(scale, tracks);
        if (this.covers(scale, wanted)) return;
        await this.once('slices', JSON.stringify(wanted), async () => {
            const body = {from_ns: wanted.from, to_ns: wanted.to, step_ns: wanted.step, ...(tracks ? {tracks} : {})};
            const dims = dimOthers.value && timeText.value !== '', half = dims ? {most_bytes: 80000} : {};
            const [all, bright] = await Promise.all([
                this.ask('slices', 'slices', {...body, ...this.filter(), ...half}),
                dims ? this.ask('bright', 'slices', {...body, ...this.filter(true), ...half}) : null,
            ]);
            this.slices = decodeSlices(all, wanted.to);
            this.bright = bright && decodeSlices(bright, wanted.to);
            this.has = wanted;
        });
    }

    // Signals are always asked for: they tell how long waits were blocked.
    async flows(scale: Scale, all: boolean): Promise<void> {
        const {from, to} = windowOf(scale, null), kinds = all ? ['signal', 'launch'] : ['signal'];
        await this.once('flows', `${from}:${to}:${all}`, async () => {
            this.arrows = decodeArrows(await this.ask('flows', 'flows', {from_ns: from, to_ns: to, kinds, ...this.filter()}));
        });
    }

    async busy(scale: Scale): Promise<void> {
        const {from, to, step} = windowOf(scale, null);
        await this.once('busy', `${from}:${to}:${step}`, async () => {
            this.bands = decodeBands(await this.ask('busy', 'busy', {from_ns: from, to_ns: to, step_ns: step, raw: rawTime.value}));
        });
    }

    async series(scale: Scale): Promise<void> {
        const {from, to, step} = windowOf(scale, null);
        await this.once('counters', `${from}:${to}:${step}`, async () => {
            this.counters = decodeCounters(await this.ask('counters', 'counters', {from_ns: from, to_ns: to, step_ns: step * 2}));
        });
    }

    async overview(): Promise<void> {
        await this.once('overview', String(rawTime.value), async () => {
            this.whole = decodeWhole(await this.ask('overview', 'overview', {raw: rawTime.value}));
        });
    }

    async flowsOf(task: number, slice: number, base: number): Promise<void> {
        await this.once('flowsOf', `${task}:${slice}:${rawTime.value}`, async () => {
            const body = {from_ns: Math.floor(base), ...(task ? {task} : {slice}), ...this.filter()};
            this.ofSelection = task || slice ? decodeArrows(await this.ask('flowsOf', 'flows', body)) : {total: 0, list: []};
        });
    }

    async flowsAtHand(task: number, slice: number, base: number): Promise<void> {
        await this.once('hover', `${task}:${slice}:${rawTime.value}`, async () => {
            const body = {from_ns: Math.floor(base), ...(task ? {task} : {slice}), ...this.filter()};
            this.atHand = task || slice ? decodeArrows(await this.ask('hover', 'flows', body)) : {total: 0, list: []};
        });
    }

    private async places(slot: string, tasks: readonly number[], base: number): Promise<Place[]> {
        if (!tasks.length) return [];
        return decodePlaces(await this.ask(slot, 'places', {from_ns: Math.floor(base), tasks: tasks.slice(0, 2000), ...this.filter()}));
    }

    async placesOf(tasks: readonly number[], base: number): Promise<void> {
        await this.once('related', `${tasks.length}:${tasks[0] ?? 0}:${tasks[tasks.length - 1] ?? 0}:${rawTime.value}`, async () => {
            this.related = await this.places('related', tasks, base);
        });
    }

    async neighboursOf(task: number, base: number): Promise<void> {
        await this.once('around', `${task}:${rawTime.value}`, async () => {
            const own = task ? await this.places('around', [task], base) : [], at = own[0];
            const others = at ? await this.places('around', [at.before, at.behind].filter((id) => id > 0), base) : [];
            const find = (id: number | undefined): Place[] => others.filter((place) => place.task === id);
            this.around = at ? [...find(at.before), at, ...find(at.behind)] : [];
        });
    }
}
