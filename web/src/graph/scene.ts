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
export const EDGE_BACK = 1;
export const EDGE_STUB = 2;

export interface Scene {
    count: number; // boxes are 1 .. count - 1
    group: Uint32Array;
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
    edges: number;
    from: Uint32Array;
    to: Uint32Array;
    firstPoint: Uint32Array;
    edgeFlags: Uint8Array;
    weight: Uint32Array;
    points: Float32Array;
    edgeTop: Float32Array; // bounding boxes, for culling
    edgeBottom: Float32Array;
    edgeLeft: Float32Array;
    edgeRight: Float32Array;
    boxOfNode: Map<number, number>;
    wide: number;
    high: number;
    closed: number;
    mostTime: number; // of a box that is no open group
}

function bounds(scene: Scene): void {
    for (let e = 0; e < scene.edges; e++) {
        let left = Infinity, right = -Infinity, top = Infinity, bottom = -Infinity;
        const end = scene.firstPoint[e + 1] ?? 0;
        for (let p = scene.firstPoint[e] ?? 0; p < end; p++) {
            const x = scene.points[2 * p] ?? 0, y = scene.points[2 * p + 1] ?? 0;
            left = Math.min(left, x);
            right = Math.max(right, x);
            top = Math.min(top, y);
            bottom = Math.max(bottom, y);
        }
        scene.edgeLeft[e] = left;
        scene.edgeRight[e] = right;
        scene.edgeTop[e] = top;
        scene.edgeBottom[e] = bottom;
    }
}

export function decodeScene(frame: Frame): Scene {
    const group = u32(frame, 1), from = u32(frame, 14), whole = f32(frame, 20), time = i64(frame, 11);
    const scene: Scene = {
        count: group.length, group, parent: u32(frame, 2), x: f32(frame, 3), y: f32(frame, 4), width: f32(frame, 5),
        height: f32(frame, 6), flags: u16(frame, 7), category: u8(frame, 8), node: u32(frame, 9), nodes: u32(frame, 10),
        time: Float64Array.from(time, Number),
        label: texts(u32(frame, 12), u8(frame, 13)).map((x) => clean(x)),
        edges: from.length, from, to: u32(frame, 15), firstPoint: u32(frame, 16), edgeFlags: u8(frame, 17),
        weight: u32(frame, 18), points: f32(frame, 19),
        edgeTop: new Float32Array(from.length), edgeBottom: new Float32Array(from.length),
        edgeLeft: new Float32Array(from.length), edgeRight: new Float32Array(from.length),
        boxOfNode: new Map(), wide: whole[0] ?? 0, high: whole[1] ?? 0, closed: whole[2] ?? 0, mostTime: 0,
    };
    bounds(scene);
    for (let b = 1; b < scene.count; b++) {
        const node = scene.node[b] ?? 0, flags = scene.flags[b] ?? 0;
        if (node) scene.boxOfNode.set(node, b);
        if (!(flags & OPEN)) scene.mostTime = Math.max(scene.mostTime, scene.time[b] ?? 0);
    }
    return scene;
}

// The innermost box at a point of the world; 0 = none. Boxes of children stand behind their parents'.
export function boxAt(scene: Scene, x: number, y: number): number {
    for (let b = scene.count - 1; b > 0; b--) {
        if ((scene.flags[b] ?? 0) & PORT) continue;
        const left = scene.x[b] ?? 0, top = scene.y[b] ?? 0;
        if (x >= left && y >= top && x <= left + (scene.width[b] ?? 0) && y <= top + (scene.height[b] ?? 0)) return b;
    }
    return 0;
}
