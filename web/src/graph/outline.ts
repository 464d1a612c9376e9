// The tree that the drawing folds by (route_outline.c): which box shows a node, and which groups hide it.
import {postFrame} from '../api/client';
import {i64, texts, u16, u32, u8} from '../api/frame';
import {clean} from '../util/clean';
import {shapeKey, shapeWish, type Shape} from '../state/state';
import {OPEN, type Scene} from './scene';

export interface Item {
    item: number;
    label: string;
    op: string;
    node: number;
    nodes: number;
    time: number;
    flags: number;
    category: number;
}

export class Outline {
    private readonly known = new Map<number, Item>();

    constructor(
        readonly shape: Shape, readonly above: Uint32Array, readonly first: Uint32Array,
        readonly next: Uint32Array, readonly ofNode: Uint32Array, private readonly path: string,
    ) {}

    // `path`: who tells of items; the outline of a layer, or of both sides of a comparison.
    static async load(shape: Shape, path = 'outline'): Promise<Outline> {
        const frame = await postFrame(path, path, shapeWish(shape));
        return new Outline(shape, u32(frame, 1), u32(frame, 2), u32(frame, 3), u32(frame, 4), path);
    }

    isOf(shape: Shape): boolean {
        return shapeKey(this.shape) === shapeKey(shape);
    }

    // The box of the node, or of the innermost group around it that has one; 0 = none.
    visible(scene: Scene, node: number): number {
        for (let item = this.ofNode[node] ?? 0; item; item = this.above[item] ?? 0) {
            const box = scene.boxOfItem.get(item);
            if (box) return box;
        }
        return 0;
    }

    // From the outside in.
    groupsOf(node: number): number[] {
        const list: number[] = [];
        for (let item = this.above[this.ofNode[node] ?? 0] ?? 0; item; item = this.above[item] ?? 0) list.push(item);
        return list.reverse();
    }

    children(item: number): number[] {
        const list: number[] = [];
        for (let c = this.first[item] ?? 0; c; c = this.next[c] ?? 0) list.push(c);
        return list;
    }

    item(item: number): Item | undefined {
        return this.known.get(item);
    }

    // What is to be said about these; at most 4096 in one request.
    async describe(items: readonly number[]): Promise<void> {
        const list = items.filter((i) => !this.known.has(i)).slice(0, 4096);
        if (!list.length) return;
        const frame = await postFrame('', this.path, {...shapeWish(this.shape), items: list});
        const label = texts(u32(frame, 5), u8(frame, 6)), op = texts(u32(frame, 7), u8(frame, 8));
        const node = u32(frame, 9), nodes = u32(frame, 10), time = i64(frame, 11), flags = u16(frame, 12), category = u8(frame, 13);
        if (this.known.size > 50000) this.known.clear();
        list.forEach((item, i) => this.known.set(item, {
            item, label: clean(label[i] ?? ''), op: clean(op[i] ?? ''), node: node[i] ?? 0, nodes: nodes[i] ?? 0,
            time: Number(time[i] ?? 0n), flags: flags[i] ?? 0, category: category[i] ?? 0,
        }));
    }
}

// How many of the nodes each box stands for.
export function countByBox(outline: Outline, scene: Scene, nodes: Iterable<number>): Map<number, number> {
    const counts = new Map<number, number>();
    for (const node of nodes) {
        const box = outline.visible(scene, node);
        // Constants may be no boxes; the open group around them does not stand for them.
        if (box && (!(scene.flags[box]! & OPEN) || scene.node[box] === node)) counts.set(box, (counts.get(box) ?? 0) + 1);
    }
    return counts;
}
