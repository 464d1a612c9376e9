// The wires of a scene: one stroke for all of a kind.
import type {Palette} from '../util/colours';
import type {Surface} from '../util/export';
import type {Marks} from './draw';
import {EDGE_BACK, EDGE_STUB, GROUP, PORT, type Scene, type Window} from './scene';

const MOST_SEGMENTS = 10000;
const WIDTHS = [1, 1.5, 2.1, 2.9]; // of wires that stand for 1, 2 and 3, up to 15, more

// What a picture is drawn with, and how large: pixels of the screen per unit of the world, and of a node's box.
export interface Pen {
    c: Surface;
    palette: Palette;
    scale: number;
    leaf: number;
}

export function drawWires(pen: Pen, scene: Scene, win: Window, marks: Marks): void {
    const {c, palette, scale, leaf} = pen;
    const found = scene.edgeGrid.within(win);
    const classes: number[][] = WIDTHS.map(() => []), path: number[] = [], chain: number[] = [], own: number[] = [];
    let segments = 0;
    for (const e of found) {
        if (scene.edgeFlags[e]! & EDGE_STUB || !scene.from[e]) continue;
        const onPath = marks.trace?.wires[e] ?? 0;
        const isOwn = marks.chosen !== 0 && (scene.from[e] === marks.chosen || scene.to[e] === marks.chosen);
        // Far away only wires between groups can be told apart.
        if (leaf < 3 && !onPath && !((scene.flags[scene.from[e]!]! | scene.flags[scene.to[e]!]!) & GROUP)) continue;
        if (leaf < 3 && !onPath && !isOwn && isSpeck(scene, e, scale)) continue;
        segments += scene.firstPoint[e + 1]! - scene.firstPoint[e]!;
        if (segments > MOST_SEGMENTS && !onPath && !isOwn) continue;
        if (onPath === 2) chain.push(e);
        else if (onPath) path.push(e);
        else if (isOwn) own.push(e);
        else classes[Math.min(3, Math.floor(Math.log2(scene.weight[e]! + 0.5) / 1.34 + 0.5))]!.push(e);
    }
    const alpha = c.globalAlpha;
    if (marks.lit) c.globalAlpha = alpha * 0.25;
    classes.forEach((list, i) => strokeWires(pen, scene, list, palette.wire, WIDTHS[i]! / scale));
    c.globalAlpha = alpha;
    strokeWires(pen, scene, own, palette.select, 1.8 / scale);
    strokeWires(pen, scene, path, palette.path, 1.6 / scale);
    halo(pen, scene, chain, 7 / scale);
    strokeWires(pen, scene, chain, palette.path, 3 / scale);
    if (marks.chosen && leaf >= 3) stubs(pen, scene, marks.chosen);
}

// Shorter than a pixel: thousands of these would take the time of a picture and show nothing.
function isSpeck(scene: Scene, e: number, scale: number): boolean {
    const a = scene.firstPoint[e]!, b = scene.firstPoint[e + 1]! - 1, {points} = scene;
    return Math.abs(points[2 * a]! - points[2 * b]!) + Math.abs(points[2 * a + 1]! - points[2 * b + 1]!) < 1 / scale;
}

function halo(pen: Pen, scene: Scene, edges: number[], width: number): void {
    const {c} = pen, alpha = c.globalAlpha;
    c.globalAlpha = alpha * 0.22;
    strokeWires(pen, scene, edges, pen.palette.path, width, false);
    c.globalAlpha = alpha;
}

function strokeWires({c, leaf}: Pen, scene: Scene, edges: number[], colour: string, width: number, hasArrows = true): void {
    const points = scene.points;
    if (!edges.length) return;
    c.strokeStyle = colour;
    c.fillStyle = colour;
    c.lineWidth = width;
    c.lineJoin = 'round';
    c.beginPath();
    for (const e of edges) {
        const begin = scene.firstPoint[e]!, end = scene.firstPoint[e + 1]!;
        for (let p = begin; p < end; p++) {
            const x = points[2 * p]!, y = points[2 * p + 1]!;
            if (p === begin) {
                c.moveTo(x, y);
                continue;
            }
            const before = points[2 * p - 2]!, above = points[2 * p - 1]!;
            if (leaf > 9 && Math.abs(before - x) > 0.5) {
                const middle = (above + y) / 2;
                c.bezierCurveTo(before, middle, x, middle, x, y);
            } else c.lineTo(x, y);
        }
    }
    c.stroke();
    if (leaf <= 9 || !hasArrows) return;
    c.beginPath();
    for (const e of edges) {
        if (scene.flags[scene.to[e]!]! & PORT) continue;
        const p = scene.firstPoint[e + 1]! - 1;
        const x = points[2 * p]!, y = points[2 * p + 1]!;
        const up = scene.edgeFlags[e]! & EDGE_BACK ? -1 : 1, half = 3 + width;
        c.moveTo(x, y);
        c.lineTo(x - half, y - 2 * half * up);
        c.lineTo(x + half, y - 2 * half * up);
        c.closePath();
    }
    c.fill();
}

// Wires of hubs are drawn only while one of their ends is chosen.
function stubs({c, palette, scale}: Pen, scene: Scene, box: number): void {
    c.strokeStyle = palette.select;
    c.lineWidth = 1.2 / scale;
    c.setLineDash([6 / scale, 4 / scale]);
    c.beginPath();
    for (const side of [scene.out, scene.in])
        for (let k = side.first[box]!; k < side.first[box + 1]!; k++) {
            const e = side.list[k]!, a = scene.from[e]!, b = scene.to[e]!;
            if (!(scene.edgeFlags[e]! & EDGE_STUB)) continue;
            const x = scene.x[a]! + scene.width[a]! / 2, y = scene.y[a]! + scene.height[a]!;
            const tx = scene.x[b]! + scene.width[b]! / 2, ty = scene.y[b]!;
            c.moveTo(x, y);
            c.bezierCurveTo(x, y + (ty - y) / 3, tx, ty - (ty - y) / 3, tx, ty);
        }
    c.stroke();
    c.setLineDash([]);
}
