// From opening to the first picture. The drawing is asked for before anybody knows what there is to draw, and
// whatever is not part of that picture waits until it is there.
import {signal} from '@preact/signals';
import {postFrame} from '../api/client';
import type {Frame} from '../api/frame';
import {capture, type Fold, type LayerName, type Shape} from './state';

export const isShown = signal<boolean>(false);

const PATIENCE_MS = 5000; // a view that gets no answer must not hold up the others

interface Wish {
    layer?: LayerName | undefined; // none: the first that there is
    fold?: Fold | undefined;
    constants?: boolean | undefined;
    open?: readonly number[] | undefined;
}

let ahead: {wish: Wish; reply: Promise<Frame>} | null = null;

export function askAhead(wish: Wish): void {
    const body: Record<string, unknown> = {};
    if (wish.layer) body['layer'] = wish.layer;
    if (wish.fold) body['fold'] = wish.fold;
    if (wish.constants) body['constants'] = true;
    if (wish.open?.length) body['open'] = wish.open;
    const reply = postFrame('layout', 'layout', body);
    ahead = {wish, reply};
    // Files that take long to read are waited for by all; patience counts from the first answer. A failure is told by whoever takes it.
    reply.catch(() => {}).finally(() => window.setTimeout(() => (isShown.value = true), PATIENCE_MS));
}

// The answer that is on its way, once, if it is to this very question.
export function takeAhead({layer, fold, constants}: Shape, open: ReadonlySet<number> | null): Promise<Frame> | null {
    const asked = ahead, has = capture.value?.has ?? [];
    ahead = null;
    const first = !has.includes('framework') && has.includes('compiled') ? 'compiled' : 'framework'; // as route_layout.c has it
    if (!asked || (asked.wish.layer ?? first) !== layer || (asked.wish.fold ?? 'scope') !== fold ||
        (asked.wish.constants ?? false) !== constants) return null;
    const wanted = asked.wish.open ?? [];
    if (wanted.length !== (open?.size ?? 0) || !wanted.every((item) => open?.has(item))) return null;
    return asked.reply;
}

// Once the first picture is there.
export function whenShown(): Promise<void> {
    return new Promise((done) => {
        const stop = isShown.subscribe((is) => {
            if (is) queueMicrotask(() => {
                stop();
                done();
            });
        });
    });
}

const drawn = new Set<string>();

// A view has drawn what it was asked for. `all` are the views that the page has.
export function tellDrawn(view: 'graph' | 'timeline', all: readonly string[]): void {
    if (drawn.has(view)) return;
    drawn.add(view);
    if (!all.every((name) => drawn.has(name))) return;
    // The frame in which the canvases are shown is over when the next one begins.
    requestAnimationFrame(() => {
        performance.mark('first-picture');
        isShown.value = true;
    });
}
