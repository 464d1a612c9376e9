// Measurements of the page, in bundles for benches only (tests/bench/bench_page.mjs): how long its own code
// works on each frame along a path of the camera. Frames alone say little where nothing else is done, so
// each is also timed with the pixel that is read back once it is painted.
import {views} from './app/app';
import {links, timeWindow} from './state/state';
import {select} from './state/actions';

export interface Frames {
    frames: number;
    median: number; // ms of the page's code
    least: number; // what is left of it on a machine that does nothing else
    p95: number;
    painted: number; // p95 with a pixel read back
    shapes: number; // slices, or boxes, that were there to draw
}

const FRAMES = 60;

const pause = (ms: number): Promise<void> => new Promise((done) => window.setTimeout(done, ms));

function quantile(list: number[], part: number): number {
    const sorted = [...list].sort((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

function measure(canvas: HTMLCanvasElement, move: (frame: number) => void, draw: () => void, shapes: number): Frames {
    const context = canvas.getContext('2d'), code: number[] = [], painted: number[] = [];
    for (let frame = 0; frame < FRAMES; frame++) {
        const begin = performance.now();
        move(frame);
        draw();
        code.push(performance.now() - begin);
        context?.getImageData(200, 100, 1, 1);
        painted.push(performance.now() - begin);
    }
    return {frames: FRAMES, median: quantile(code, 0.5), least: Math.min(...code), p95: quantile(code, 0.95), painted: quantile(painted, 0.95), shapes};
}

// `part` of the whole trace in sight; the camera moves by a pixel or two, and waits for what it needs before.
async function timeline(part: number): Promise<Frames> {
    const view = views.timeline;
    if (!view?.data) throw new Error('no timeline');
    view.fitAll();
    const {start, duration} = timeWindow.value, size = duration * part, first = start + (duration - size) / 2;
    timeWindow.value = {start: first, duration: size};
    await pause(1500);
    return measure(view.canvas, (frame) => (timeWindow.value = {start: first + (size / 1000) * frame, duration: size}),
        () => view.paintAll(), view.data.id.length);
}

async function graph(scale: number): Promise<Frames> {
    const view = views.graph;
    if (!view?.scene) throw new Error('no graph');
    view.fitAll();
    await pause(600);
    const fit = view.camera;
    const at = {...fit, scale: scale ? Math.max(scale, fit.scale) : fit.scale};
    view.camera = at;
    view.redraw();
    await pause(800);
    const canvas = document.getElementById('graph') as HTMLCanvasElement;
    return measure(canvas, (frame) => (view.camera = {...at, x: at.x + frame / at.scale}), () => view.paint(), view.scene.count);
}

// From a selection to its marks in the other views.
async function jump(nodes: readonly number[]): Promise<number[]> {
    const times: number[] = [];
    for (const node of nodes) {
        const begin = performance.now(), before = links.value;
        select(node, 0, 'graph');
        while (links.value === before && performance.now() - begin < 5000) await new Promise((done) => window.setTimeout(done, 0));
        views.timeline?.paintAll();
        views.graph?.paint();
        times.push(performance.now() - begin);
        await pause(200);
    }
    return times;
}

// How much slower than at its best this machine works: the same loop again and again.
function slowdown(): number {
    const times: number[] = [];
    for (let turn = 0, sum = 0; turn < 100; turn++) {
        const begin = performance.now();
        for (let i = 0; i < 3_000_000; i++) sum = (sum * 31 + i) | 0;
        times.push(performance.now() - begin + (sum === 7 ? 1e-9 : 0));
    }
    return times.reduce((a, b) => a + b, 0) / times.length / Math.min(...times);
}

export const bench = {timeline, graph, jump, slowdown};
