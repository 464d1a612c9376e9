// A drawing as the server sends it (route_layout.c), ready for a canvas.
import {f32, i64, texts, u16, u32, u8, type Frame} from '../api/frame';
import {clean} from '../util/clean';

export const GROUP = 1;
export const OPEN = 2;
export const PORT = 4;
export const HUB = 8;
export const NOT_EXECUTED = 16;
export const INSERTED = 32;
export const FUSED = 64;
export const DTYPE = 128;
export const INPUT = 256;
export const OUTPUT = 512;
export const PART = 1024;
export const DYNAMIC = 2048;
export const ABSENT = 4096; // of a comparison: this side has nothing there
export const CONSTANT = 8192;
export const ENDS = INPUT | OUTPUT | CONSTANT; // no operators: their look says nothing of types and times
export const EDGE_BACK = 1;
export const EDGE_STUB = 2;
const EDGE_ABSENT = 16;

// Corners tell what a box is: inputs and outputs are round, constants have none.
export const cornerOf = (flags: number, plain: number, high: number): number => (flags & CONSTANT ? 0 : flags & (INPUT | OUTPUT) ? high / 2 : plain);

// Neighbours of each box: edges first[b] .. first[b + 1] in list.
export interface Wiring {
    first: Uint32Array;
    list: Uint32Array;
}

export interface Scene {
    count: number; // boxes are 1 .. count - 1
    group: Uint32Array; // item of the outline
    parent: Uint32Array;
    x: Float32Array;
    y: Float32Array;
    width: Float32Array;
    height: Float32Array;
    flags: Uint16Array;
    category: Uint8Array;
    node: Uint32Array;
    nodes: Uint32Array;
    time: Float64Array;
    label: string[];
    op: string[];
    type: string[];
    change: string[];
    constants: Uint8Array;
    members: Uint16Array;
    differs: Uint16Array; // of a comparison, else empty: kinds of changes in it, a bit each
    changed: Uint32Array; // nodes in it that changed
    delta: Float64Array; // ns, what its time differs by
    edges: number;
    from: Uint32Array;
    to: Uint32Array;
    begin: Uint32Array; // like from and to, but ports in place of open groups
    end: Uint32Array;
    firstPoint: Uint32Array;
    edgeFlags: Uint8Array;
    weight: Uint32Array;
    points: Float32Array;
    boxGrid: Grid;
    edgeGrid: Grid;
    out: Wiring;
    in: Wiring;
    boxOfNode: Map<number, number>;
    boxOfItem: Map<number, number>;
    wide: number;
    high: number;
    closed: number;
    mostTime: number; // of a box that is no open group
    totalTime: number;
}

export interface Window {
    left: number;
    right: number;
    top: number;
    bottom: number;
}

const CELL = 512; // world units, more for worlds so large that there would be millions of cells

// Which rectangles touch a window, without looking at all of them: a uniform grid of cells, each with a list.
export class Grid {
    private readonly columns: number;
    private readonly rows: number;
    private readonly first: Uint32Array;
    private readonly list: Uint32Array;
    private readonly stamp: Uint32Array;
    private readonly cell: number;
    private turn = 0;

    constructor(private readonly bounds: Float32Array, wide: number, high: number) {
        this.cell = Math.max(CELL, wide / 1024, high / 4096);
        this.columns = Math.max(1, Math.ceil(wide / this.cell));
        this.rows = Math.max(1, Math.ceil(high / this.cell));
        this.first = new Uint32Array(this.columns * this.rows + 1);
        this.stamp = new Uint32Array(bounds.length / 4);
        this.visit((cell) => this.first[cell + 1]!++);
        for (let c = 0; c < this.first.length - 1; c++) this.first[c + 1]! += this.first[c]!;
        this.list = new Uint32Array(this.first[this.first.length - 1]!);
        const at = this.first.slice();
        this.visit((cell, i) => (this.list[at[cell]!++] = i));
    }

    private column(x: number): number {
        return Math.max(0, Math.min(this.columns - 1, Math.floor(x / this.cell)));
    }

    private row(y: number): number {
        return Math.max(0, Math.min(this.rows - 1, Math.floor(y / this.cell)));
    }

    private visit(each: (cell: number, i: number) => void): void {
        for (let i = 0; i < this.bounds.length / 4; i++) {
            if (!(this.bounds[4 * i]! <= this.bounds[4 * i + 2]!)) continue; // nothing there
            for (let r = this.row(this.bounds[4 * i + 1]!); r <= this.row(this.bounds[4 * i + 3]!); r++)
                for (let c = this.column(this.bounds[4 * i]!); c <= this.column(this.bounds[4 * i + 2]!); c++) each(r * this.columns + c, i);
        }
    }

    // In ascending order, so that parents are drawn before their children.
    within(win: Window): Uint32Array {
        const found: number[] = [];
        this.turn++;
        for (let r = this.row(win.top); r <= this.row(win.bottom); r++)
            for (let c = this.column(win.left); c <= this.column(win.right); c++) {
                const cell = r * this.columns + c;
                for (let k = this.first[cell]!; k < this.first[cell + 1]!; k++) {
                    const i = this.list[k]!;
                    if (this.stamp[i] === this.turn) continue;
                    this.stamp[i] = this.turn;
                    if (this.bounds[4 * i]! <= win.right && this.bounds[4 * i + 2]! >= win.left && this.bounds[4 * i + 1]! <= win.bottom &&
                        this.bounds[4 * i + 3]! >= win.top) found.push(i);
                }
            }
        return Uint32Array.from(found).sort();
    }
}

function boxBounds(scene: Scene): Float32Array {
    const bounds = new Float32Array(4 * scene.count);
    bounds.fill(NaN, 0, 4);
    for (let b = 1; b < scene.count; b++) {
        if (scene.flags[b]! & ABSENT) {
            bounds.fill(NaN, 4 * b, 4 * b + 4);
            continue;
        }
        bounds[4 * b] = scene.x[b]!;
        bounds[4 * b + 1] = scene.y[b]!;
        bounds[4 * b + 2] = scene.x[b]! + scene.width[b]!;
        bounds[4 * b + 3] = scene.y[b]! + scene.height[b]!;
    }
    return bounds;
}

function edgeBounds(scene: Scene): Float32Array {
    const bounds = new Float32Array(4 * scene.edges);
    for (let e = 0; e < scene.edges; e++) {
        let left = Infinity, right = -Infinity, top = Infinity, bottom = -Infinity;
        for (let p = scene.firstPoint[e]!; scene.from[e] && p < scene.firstPoint[e + 1]!; p++) {
            const x = scene.points[2 * p]!, y = scene.points[2 * p + 1]!;
            left = Math.min(left, x);
            right = Math.max(right, x);
            top = Math.min(top, y);
            bottom = Math.max(bottom, y);
        }
        bounds.set([left, top, right, bottom], 4 * e);
    }
    return bounds;
}

// A wire that ends at an open group goes on at one of its ports: the one that stands where the wire ends.
function throughPorts(scene: Scene, ends: Uint32Array, last: boolean): Uint32Array {
    const ports = new Map<number, number[]>();
    for (let b = 1; b < scene.count; b++) {
        if (!(scene.flags[b]! & PORT)) continue;
        const list = ports.get(scene.parent[b]!);
        if (list) list.push(b);
        else ports.set(scene.parent[b]!, [b]);
    }
    return ends.map((box, e) => {
        if (!(scene.flags[box]! & OPEN)) return box;
        const p = last ? scene.firstPoint[e + 1]! - 1 : scene.firstPoint[e]!, x = scene.points[2 * p]!, y = scene.points[2 * p + 1]!;
        let best = box, least = 2;
        for (const port of ports.get(box) ?? []) {
            const isIn = scene.y[port]! < scene.y[box]! + scene.height[box]! / 2;
            const off = Math.abs(scene.x[port]! + scene.width[port]! / 2 - x);
            if (isIn === y < scene.y[box]! + scene.height[box]! / 2 && off < least) {
                best = port;
                least = off;
            }
        }
        return best;
    });
}

export function wiring(count: number, ends: Uint32Array): Wiring {
    const first = new Uint32Array(count + 1), list = new Uint32Array(ends.length);
    for (const b of ends) first[b + 1]!++;
    for (let b = 0; b < count; b++) first[b + 1]! += first[b]!;
    const at = first.slice();
    ends.forEach((b, e) => (list[at[b]!++] = e));
    return {first, list};
}

// Wires that a side of a comparison does not have lead from nowhere to nowhere.
const present = (ends: Uint32Array, flags: Uint8Array): Uint32Array =>
    flags.some((f) => f & EDGE_ABSENT) ? ends.map((b, e) => (flags[e]! & EDGE_ABSENT ? 0 : b)) : ends;

export function decodeScene(frame: Frame): Scene {
    const group = u32(frame, 1), edgeFlags = u8(frame, 17), whole = f32(frame, 20);
    const from = present(u32(frame, 14), edgeFlags), to = present(u32(frame, 15), edgeFlags);
    const words = (id: number): string[] => texts(u32(frame, id), u8(frame, id + 1)).map((x) => clean(x));
    const none = new Grid(new Float32Array(0), 0, 0);
    const scene: Scene = {
        count: group.length, group, parent: u32(frame, 2), x: f32(frame, 3), y: f32(frame, 4), width: f32(frame, 5),
        height: f32(frame, 6), flags: u16(frame, 7), category: u8(frame, 8), node: u32(frame, 9), nodes: u32(frame, 10),
        time: Float64Array.from(i64(frame, 11), Number), label: words(12), op: words(23), type: words(25), change: words(27),
        constants: u8(frame, 21), members: u16(frame, 22),
        differs: u16(frame, 30), changed: u32(frame, 31), delta: Float64Array.from(i64(frame, 32), Number),
        edges: from.length, from, to, firstPoint: u32(frame, 16), edgeFlags, weight: u32(frame, 18),
        points: f32(frame, 19), boxGrid: none, edgeGrid: none, begin: from, end: to, out: wiring(0, new Uint32Array(0)),
        in: wiring(0, new Uint32Array(0)),
        boxOfNode: new Map(), boxOfItem: new Map(), wide: whole[0] ?? 0, high: whole[1] ?? 0, closed: whole[2] ?? 0, mostTime: 0,
        totalTime: Number(i64(frame, 29)[0] ?? 0n),
    };
    scene.begin = throughPorts(scene, from, false);
    scene.end = throughPorts(scene, to, true);
    scene.out = wiring(scene.count, scene.begin);
    scene.in = wiring(scene.count, scene.end);
    scene.boxGrid = new Grid(boxBounds(scene), scene.wide, scene.high);
    scene.edgeGrid = new Grid(edgeBounds(scene), scene.wide, scene.high);
    for (let b = 1; b < scene.count; b++) {
        const node = scene.node[b]!, flags = scene.flags[b]!;
        if (flags & PORT) continue;
        if (node) scene.boxOfNode.set(node, b);
        scene.boxOfItem.set(scene.group[b]!, b);
        if (!(flags & OPEN)) scene.mostTime = Math.max(scene.mostTime, scene.time[b]!);
    }
    return scene;
}

// The innermost box at a point of the world; 0 = none. Boxes of children stand behind their parents'.
export function boxAt(scene: Scene, x: number, y: number): number {
    const found = scene.boxGrid.within({left: x, right: x, top: y, bottom: y});
    for (let i = found.length - 1; i >= 0; i--) if (!(scene.flags[found[i]!]! & PORT)) return found[i]!;
    return 0;
}

// Boxes that wires of this one lead to (down) or come from, through the ports of open groups.
export function neighbours(scene: Scene, box: number, down: boolean): number[] {
    const side = down ? scene.out : scene.in, far = down ? scene.end : scene.begin;
    const found = new Set<number>(), seen = new Set<number>([box]), waiting = [box];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop())
        for (let k = side.first[at]!; k < side.first[at + 1]!; k++) {
            const next = far[side.list[k]!]!;
            if (seen.has(next)) continue;
            seen.add(next);
            if (scene.flags[next]! & PORT) waiting.push(next);
            else found.add(next);
        }
    return [...found].sort((a, b) => scene.x[a]! - scene.x[b]!);
}

// Wires between boxes of a set, and the pieces of them on both sides of ports.
export function wiresAmong(scene: Scene, boxes: ReadonlySet<number>): Uint8Array {
    const reach = (down: boolean): Uint8Array => {
        const side = down ? scene.out : scene.in, far = down ? scene.end : scene.begin;
        const marks = new Uint8Array(scene.count), waiting = [...boxes];
        for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
            marks[at] = 1;
            for (let k = side.first[at]!; k < side.first[at + 1]!; k++) {
                const next = far[side.list[k]!]!;
                if (!marks[next] && scene.flags[next]! & PORT) waiting.push(next);
            }
        }
        return marks;
    };
    const fromAbove = reach(true), toBelow = reach(false), lit = new Uint8Array(scene.edges);
    for (let e = 0; e < scene.edges; e++) lit[e] = fromAbove[scene.begin[e]!]! & toBelow[scene.end[e]!]!;
    return lit;
}
