// What the view asks the server for, and when: a window twice as wide as the screen, so that small moves
// need no request, and only for rows in sight.
import {isAborted, postFrame} from '../api/client';
import {failure, hidden} from '../state/state';
import {decodeArrows, decodeSlices, type Arrows, type Slices} from './data';
import type {Scale} from './scale';
import {rawTime} from './state';

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
    return {from: Math.floor(around.start / grid) * grid, to: Math.ceil((around.start + around.duration) / grid) * grid, step, tracks};
}

export class Loads {
    slices: Slices | null = null;
    bright: Slices | null = null; // those that a text leaves, where the others pale
    arrows: Arrows = {total: 0, list: []};
    ofSelection: Arrows = {total: 0, list: []};
    private has: Wanted | null = null;
    private asked = '';
    private askedArrows = '';

    constructor(private readonly changed: () => void) {}

    forget(): void {
        this.has = null;
        this.asked = this.askedArrows = '';
    }

    private covers(scale: Scale, wanted: Wanted): boolean {
        const has = this.has;
        if (!has || has.step !== wanted.step || has.from > scale.ns(scale.left) || has.to < scale.ns(scale.right)) return false;
        return !has.tracks || (wanted.tracks !== null && wanted.tracks.every((track) => has.tracks!.includes(track)));
    }

    private async guard(work: () => Promise<void>, failed: () => void): Promise<void> {
        try {
            await work();
            this.changed();
        } catch (error) {
            failed();
            if (!isAborted(error)) failure.value = error instanceof Error ? error.message : String(error);
        }
    }

    private filter(): Record<string, unknown> {
        return {raw: rawTime.value, ...(hidden.value.size ? {hidden: [...hidden.value]} : {})};
    }

    async window(scale: Scale, tracks: number[] | null): Promise<void> {
        const wanted = windowOf(scale, tracks), key = JSON.stringify(wanted);
        if (this.covers(scale, wanted) || key === this.asked) return;
        this.asked = key;
        await this.guard(async () => {
            const body = {from_ns: wanted.from, to_ns: wanted.to, step_ns: wanted.step, ...this.filter(), ...(tracks ? {tracks} : {})};
            this.slices = decodeSlices(await postFrame('slices', 'slices', body), wanted.to);
            this.has = wanted;
        }, () => (this.asked = ''));
    }

    // Signals are always asked for: they tell how long waits were blocked.
    async flows(scale: Scale, all: boolean): Promise<void> {
        const {from, to} = windowOf(scale, null), kinds = all ? ['signal', 'launch'] : ['signal'];
        const key = `${from}:${to}:${all}`;
        if (key === this.askedArrows) return;
        this.askedArrows = key;
        await this.guard(async () => {
            this.arrows = decodeArrows(await postFrame('flows', 'flows', {from_ns: from, to_ns: to, kinds, ...this.filter()}));
        }, () => (this.askedArrows = ''));
    }

    async flowsOf(task: number, slice: number, base: number): Promise<void> {
        if (!task && !slice) {
            this.ofSelection = {total: 0, list: []};
            this.changed();
            return;
        }
        await this.guard(async () => {
            const body = {from_ns: Math.floor(base), ...(task ? {task} : {slice}), ...this.filter()};
            this.ofSelection = decodeArrows(await postFrame('flowsOf', 'flows', body));
        }, () => undefined);
    }
}

export async function wholeTrace(first: number, end: number, raw: boolean): Promise<Slices> {
    const step = Math.max(1, Math.ceil((end - first) / 1000));
    return decodeSlices(await postFrame('overview', 'slices', {from_ns: first, to_ns: end + 1, step_ns: step, raw}), end);
}
