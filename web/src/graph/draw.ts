// One picture of a scene. Rectangles, wires and texts are gathered by colour, so that a frame costs a few
// strokes and not thousands. The coarser the scale, the less is drawn; text is in labels.ts.
import {DARK, heat, LIGHT, look, type Palette} from '../util/colours';
import type {Surface} from '../util/export';
import {Labels} from './labels';
import {
    CONSTANT, cornerOf, DTYPE, EDGE_BACK, EDGE_STUB, ENDS, FUSED, GROUP, HUB, INSERTED, NOT_EXECUTED, OPEN, PART, PORT, type Scene, type Window,
} from './scene';

export interface Camera {
    x: number; // world point in the middle of the canvas
    y: number;
    scale: number;
}

export interface Trace { // a path as boxes and wires of the scene
    boxes: ReadonlySet<number>;
    chain: ReadonlySet<number>;
    wires: Uint8Array; // 1 = of the path, 2 = of the critical chain
}

export interface OwnLook {
    fill: string;
    text: string;
    whole: boolean; // groups are filled, too, and not only striped
}

export interface Marks {
    lit: ReadonlySet<number> | null; // boxes that are not dimmed; null = all
    trace: Trace | null;
    chosen: number; // box whose wires stand out
    hidden: ReadonlySet<string>;
    byTime: boolean;
    dark: boolean;
    categories: readonly string[];
    lookOf?(scene: Scene, box: number): OwnLook | null; // instead of that of its category
    peek(group: number): {scene: Scene; alpha: number} | null; // what is inside of a closed group
}

export const LEAF = 48; // height of a node's box in the world
const MOST_BOXES = 5000;
const MOST_SEGMENTS = 10000;
const MOST_NESTING = 6; // peeks within peeks
const WIDTHS = [1, 1.5, 2.1, 2.9]; // of wires that stand for 1, 2 and 3, up to 15, more

export function roundedRect(c: Surface, x: number, y: number, w: number, h: number, radius: number): void {
    const r = Math.min(radius, w / 2, h / 2);
    c.moveTo(x + r, y);
    c.lineTo(x + w - r, y);
    c.quadraticCurveTo(x + w, y, x + w, y + r);
    c.lineTo(x + w, y + h - r);
    c.quadraticCurveTo(x + w, y + h, x + w - r, y + h);
    c.lineTo(x + r, y + h);
    c.quadraticCurveTo(x, y + h, x, y + h - r);
    c.lineTo(x, y + r);
    c.quadraticCurveTo(x, y, x + r, y);
    c.closePath();
}

export class GraphPainter {
    private readonly labels: Labels;
    private palette: Palette = LIGHT;

    constructor(private readonly context: Surface) {
        this.labels = new Labels(context);
    }

    draw(scene: Scene, camera: Camera, marks: Marks, wide: number, high: number, ratio: number): void {
        const c = this.context;
        this.palette = marks.dark ? DARK : LIGHT;
        c.setTransform(1, 0, 0, 1, 0, 0);
        c.globalAlpha = 1;
        c.fillStyle = this.palette.back;
        c.fillRect(0, 0, wide * ratio, high * ratio);
        const s = camera.scale * ratio;
        this.layer(scene, {s, x: (wide / 2) * ratio - camera.x * s, y: (high / 2) * ratio - camera.y * s},
            {left: 0, top: 0, right: wide * ratio, bottom: high * ratio}, marks, ratio, 1, 0);
    }

    // A scene within a clip of the canvas: the whole, or what is seen inside of a closed group.
    private layer(scene: Scene, at: {s: number; x: number; y: number}, clip: Window, marks: Marks, ratio: number, alpha: number, depth: number): void {
        const c = this.context, scale = at.s / ratio;
        const win: Window = {
            left: (clip.left - at.x) / at.s, right: (clip.right - at.x) / at.s,
            top: (clip.top - at.y) / at.s, bottom: (clip.bottom - at.y) / at.s,
        };
        c.setTransform(at.s, 0, 0, at.s, at.x, at.y);
        c.globalAlpha = alpha;
        let visible = [...scene.boxGrid.within(win)].filter((b) => !(scene.flags[b]! & PORT));
        const leaf = visible.length > MOST_BOXES ? Math.min(LEAF * scale, 8) : LEAF * scale;
        if (leaf < 3 && visible.length > MOST_BOXES) visible = visible.slice(0, 4 * MOST_BOXES);
        this.openGroups(scene, visible, scale, leaf);
        this.wires(scene, win, marks, scale, leaf);
        this.boxes(scene, visible, marks, scale, leaf, alpha);
        if (leaf >= 9) this.labels.draw(scene, visible, marks, this.palette, scale, alpha);
        if (marks.trace) this.pathRims(scene, visible, marks.trace, scale, leaf);
        if (leaf >= 12) this.changes(scene, visible, marks, scale);
        if (depth < MOST_NESTING) this.peeks(scene, visible, at, clip, marks, ratio, alpha, depth);
        c.setTransform(at.s, 0, 0, at.s, at.x, at.y);
        c.globalAlpha = 1;
    }

    // Scopes are dashed, fusion groups have a firm line, bodies and graphs a thin one.
    private openGroups(scene: Scene, visible: number[], scale: number, leaf: number): void {
        const c = this.context, line = 1 / scale;
        for (const b of visible) {
            const flags = scene.flags[b]!;
            if (!(flags & OPEN)) continue;
            const isFused = flags & FUSED, isPlain = flags & PART || !scene.parent[b];
            c.fillStyle = this.palette.groupOpen;
            c.strokeStyle = isFused ? this.palette.ink : this.palette.line;
            c.lineWidth = isFused ? 2 * line : line;
            c.setLineDash(isFused || isPlain || leaf < 6 ? [] : [5 * line, 3 * line]);
            c.beginPath();
            roundedRect(c, scene.x[b]!, scene.y[b]!, scene.width[b]!, scene.height[b]!, 6);
            c.fill();
            c.stroke();
        }
        c.setLineDash([]);
    }

    // --- wires ---

    private wires(scene: Scene, win: Window, marks: Marks, scale: number, leaf: number): void {
        const found = scene.edgeGrid.within(win);
        const classes: number[][] = WIDTHS.map(() => []), path: number[] = [], chain: number[] = [], own: number[] = [];
        let segments = 0;
        for (const e of found) {
            if (scene.edgeFlags[e]! & EDGE_STUB || !scene.from[e]) continue;
            const onPath = marks.trace?.wires[e] ?? 0;
            const isOwn = marks.chosen !== 0 && (scene.from[e] === marks.chosen || scene.to[e] === marks.chosen);
            // Far away only wires between groups can be told apart.
            if (leaf < 3 && !onPath && !((scene.flags[scene.from[e]!]! | scene.flags[scene.to[e]!]!) & GROUP)) continue;
            if (leaf < 3 && !onPath && !isOwn && this.isSpeck(scene, e, scale)) continue;
            segments += scene.firstPoint[e + 1]! - scene.firstPoint[e]!;
            if (segments > MOST_SEGMENTS && !onPath && !isOwn) continue;
            if (onPath === 2) chain.push(e);
            else if (onPath) path.push(e);
            else if (isOwn) own.push(e);
            else classes[Math.min(3, Math.floor(Math.log2(scene.weight[e]! + 0.5) / 1.34 + 0.5))]!.push(e);
        }
        const c = this.context, alpha = c.globalAlpha;
        if (marks.lit) c.globalAlpha = alpha * 0.25;
        classes.forEach((list, i) => this.strokeWires(scene, list, this.palette.wire, WIDTHS[i]! / scale, leaf));
        c.globalAlpha = alpha;
        this.strokeWires(scene, own, this.palette.select, 1.8 / scale, leaf);
        this.strokeWires(scene, path, this.palette.path, 1.6 / scale, leaf);
        this.halo(scene, chain, 7 / scale, leaf);
        this.strokeWires(scene, chain, this.palette.path, 3 / scale, leaf);
        if (marks.chosen && leaf >= 3) this.stubs(scene, marks.chosen, scale);
    }

    // Shorter than a pixel: thousands of these would take the time of a picture and show nothing.
    private isSpeck(scene: Scene, e: number, scale: number): boolean {
        const a = scene.firstPoint[e]!, b = scene.firstPoint[e + 1]! - 1, {points} = scene;
        return Math.abs(points[2 * a]! - points[2 * b]!) + Math.abs(points[2 * a + 1]! - points[2 * b + 1]!) < 1 / scale;
    }

    private halo(scene: Scene, edges: number[], width: number, leaf: number): void {
        const c = this.context, alpha = c.globalAlpha;
        c.globalAlpha = alpha * 0.22;
        this.strokeWires(scene, edges, this.palette.path, width, leaf, false);
        c.globalAlpha = alpha;
    }

    private strokeWires(scene: Scene, edges: number[], colour: string, width: number, leaf: number, hasArrows = true): void {
        const c = this.context, points = scene.points;
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
    private stubs(scene: Scene, box: number, scale: number): void {
        const c = this.context;
        c.strokeStyle = this.palette.select;
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

    // --- boxes ---

    private fill(scene: Scene, b: number, marks: Marks, leaf: number): string {
        const category = marks.categories[scene.category[b]!] ?? 'other', flags = scene.flags[b]!;
        const own = flags & ENDS ? null : marks.lookOf?.(scene, b);
        if (own) return flags & GROUP && leaf >= 9 && !own.whole ? this.palette.group : own.fill;
        if (marks.byTime && scene.mostTime && !(flags & ENDS)) return heat(scene.time[b]! / scene.mostTime);
        if (flags & ENDS) return this.palette.panel;
        if (marks.hidden.has(category)) return this.palette.group;
        if (flags & GROUP && leaf >= 9) return this.palette.group; // its category is a stripe
        return look(category).fill;
    }

    private boxes(scene: Scene, visible: number[], marks: Marks, scale: number, leaf: number, alpha: number): void {
        const c = this.context;
        const byColour = new Map<string, number[]>();
        for (const b of visible) {
            if (scene.flags[b]! & OPEN) continue;
            const dim = marks.lit && !marks.lit.has(b);
            const key = `${dim ? '-' : '+'}${scene.flags[b]! & NOT_EXECUTED ? 'n' : 'y'}${this.fill(scene, b, marks, leaf)}`;
            const list = byColour.get(key);
            if (list) list.push(b);
            else byColour.set(key, [b]);
        }
        for (const [key, list] of byColour) {
            // What did not run is paler, what is not meant paler still.
            c.globalAlpha = alpha * (key[0] === '-' ? 0.22 : 1) * (key[1] === 'n' && leaf >= 3 ? 0.55 : 1);
            c.fillStyle = key.slice(2);
            c.beginPath();
            for (const b of list) {
                const flags = scene.flags[b]!, x = scene.x[b]!, y = scene.y[b]!, w = scene.width[b]!, h = scene.height[b]!;
                if (leaf < 9) c.fillRect(x, y, w, h);
                else roundedRect(c, x, y, w, h, cornerOf(flags, 5, h));
            }
            if (leaf >= 9) c.fill();
        }
        c.globalAlpha = alpha;
        if (leaf >= 6) this.decorate(scene, visible, marks, scale, leaf, alpha);
    }

    // What a box is, told by its border and marks: see the legend.
    private decorate(scene: Scene, visible: number[], marks: Marks, scale: number, leaf: number, alpha: number): void {
        const c = this.context, line = 1 / scale;
        for (const b of visible) {
            const flags = scene.flags[b]!;
            if (flags & OPEN) continue;
            const x = scene.x[b]!, y = scene.y[b]!, w = scene.width[b]!, h = scene.height[b]!;
            c.globalAlpha = alpha * (marks.lit && !marks.lit.has(b) ? 0.3 : 1);
            if (flags & GROUP && leaf >= 9) this.groupMarks(scene, b, marks, scale);
            else if (leaf >= 9 && scene.time[b] && scene.totalTime) this.timeBar(scene, b);
            if (flags & NOT_EXECUTED) this.hatch(x, y, w, h, line);
            c.strokeStyle = flags & FUSED ? this.palette.ink : this.palette.border;
            c.lineWidth = flags & FUSED ? 2 * line : line;
            c.setLineDash(flags & NOT_EXECUTED ? [4 * line, 3 * line] : flags & CONSTANT ? [1.5 * line, 2.5 * line] : []);
            c.beginPath();
            roundedRect(c, x, y, w, h, cornerOf(flags, 5, h));
            c.stroke();
            if (leaf < 12) continue;
            if (flags & INSERTED) this.plus(x, y);
            if (scene.constants[b]) this.dots(x + 10, y, scene.constants[b]!);
        }
        c.setLineDash([]);
        c.globalAlpha = alpha;
    }

    private pathRims(scene: Scene, visible: number[], trace: Trace, scale: number, leaf: number): void {
        const c = this.context;
        c.strokeStyle = this.palette.path;
        for (const b of visible) {
            if (!trace.boxes.has(b) || scene.flags[b]! & OPEN) continue;
            const width = (trace.chain.has(b) ? 3 : 1.5) / scale;
            c.lineWidth = width;
            c.beginPath();
            roundedRect(c, scene.x[b]! - width / 2, scene.y[b]! - width / 2, scene.width[b]! + width, scene.height[b]! + width,
                leaf < 9 ? 0 : cornerOf(scene.flags[b]!, 6, scene.height[b]! + width));
            c.stroke();
        }
    }

    // The stripe of a closed group, a second line behind it as of a pile, and its share of the time.
    private groupMarks(scene: Scene, b: number, marks: Marks, scale: number): void {
        const c = this.context, x = scene.x[b]!, y = scene.y[b]!, w = scene.width[b]!, h = scene.height[b]!;
        c.setLineDash([]);
        c.strokeStyle = this.palette.border;
        c.lineWidth = 1 / scale;
        c.beginPath();
        c.moveTo(x + 6, y + h + 3);
        c.lineTo(x + w - 2, y + h + 3);
        c.quadraticCurveTo(x + w + 3, y + h + 3, x + w + 3, y + h - 2);
        c.lineTo(x + w + 3, y + 6);
        c.stroke();
        const category = marks.categories[scene.category[b]!] ?? 'other';
        const own = marks.lookOf?.(scene, b);
        if (own ? !own.whole : !marks.byTime && !marks.hidden.has(category)) {
            c.fillStyle = own?.fill ?? look(category).fill;
            c.beginPath();
            c.moveTo(x + 7, y);
            c.lineTo(x + 5, y);
            c.quadraticCurveTo(x, y, x, y + 5);
            c.lineTo(x, y + h - 5);
            c.quadraticCurveTo(x, y + h, x + 5, y + h);
            c.lineTo(x + 7, y + h);
            c.closePath();
            c.fill();
        }
        if (scene.time[b] && scene.totalTime) this.timeBar(scene, b);
    }

    private timeBar(scene: Scene, b: number): void {
        const c = this.context, left = scene.x[b]! + 11, wide = scene.width[b]! - 17, y = scene.y[b]! + scene.height[b]! - 5;
        const alpha = c.globalAlpha;
        c.fillStyle = this.palette.ink;
        c.globalAlpha = alpha * 0.15;
        c.fillRect(left, y, wide, 2.5);
        c.globalAlpha = alpha * 0.75;
        c.fillRect(left, y, wide * Math.min(1, scene.time[b]! / scene.totalTime), 2.5);
        c.globalAlpha = alpha;
    }

    private hatch(x: number, y: number, w: number, h: number, line: number): void {
        const c = this.context;
        c.save();
        c.beginPath();
        c.rect(x, y, w, h);
        c.clip();
        c.setLineDash([]);
        c.beginPath();
        for (let at = -h; at < w; at += 8) {
            c.moveTo(x + at, y + h);
            c.lineTo(x + at + h, y);
        }
        c.strokeStyle = this.palette.ink;
        c.lineWidth = line;
        c.globalAlpha *= 0.28;
        c.stroke();
        c.restore();
    }

    private plus(x: number, y: number): void {
        const c = this.context;
        c.setLineDash([]);
        c.fillStyle = this.palette.ink;
        c.beginPath();
        c.arc(x + 1, y + 1, 6.5, 0, 2 * Math.PI);
        c.fill();
        c.strokeStyle = this.palette.back;
        c.lineWidth = 1.8;
        c.beginPath();
        c.moveTo(x - 2.5, y + 1);
        c.lineTo(x + 4.5, y + 1);
        c.moveTo(x + 1, y - 2.5);
        c.lineTo(x + 1, y + 4.5);
        c.stroke();
    }

    // Constants that are no boxes: a dot on the upper side for each that goes in, at most four.
    private dots(x: number, y: number, count: number): void {
        const c = this.context;
        c.fillStyle = this.palette.ink;
        c.beginPath();
        for (let i = 0; i < Math.min(count, 4); i++) {
            c.moveTo(x + 8 * i + 2.5, y);
            c.arc(x + 8 * i, y, 2.5, 0, 2 * Math.PI);
        }
        c.fill();
    }

    // Diamonds where the element type changes, on the wire that carries the new one.
    private changes(scene: Scene, visible: number[], marks: Marks, scale: number): void {
        const c = this.context, alpha = c.globalAlpha;
        c.fillStyle = this.palette.bad;
        for (const b of visible) {
            if (!(scene.flags[b]! & DTYPE) || scene.flags[b]! & (OPEN | HUB) || !scene.change[b]) continue;
            const first = scene.out.first[b]!;
            if (first === scene.out.first[b + 1]!) continue;
            const p = scene.firstPoint[scene.out.list[first]!]!;
            const x = scene.points[2 * p] ?? scene.x[b]! + scene.width[b]! / 2, y = scene.y[b]! + scene.height[b]! + 9;
            c.globalAlpha = alpha * (marks.lit && !marks.lit.has(b) ? 0.3 : 1);
            c.fillStyle = this.palette.bad;
            c.beginPath();
            c.moveTo(x, y - 5);
            c.lineTo(x + 5, y);
            c.lineTo(x, y + 5);
            c.lineTo(x - 5, y);
            c.closePath();
            c.fill();
            if (LEAF * scale > 26) this.labels.small(scene.change[b]!, x + 8, y, this.palette.bad);
        }
        c.globalAlpha = alpha;
    }

    // Closed groups that are large on the screen show what is in them, without moving anything.
    private peeks(scene: Scene, visible: number[], at: {s: number; x: number; y: number}, clip: Window, marks: Marks, ratio: number, alpha: number, depth: number): void {
        const c = this.context;
        for (const b of visible) {
            if (!(scene.flags[b]! & GROUP) || scene.flags[b]! & OPEN || scene.width[b]! * at.s < 240 * ratio) continue;
            const inside = marks.peek(scene.group[b]!);
            if (!inside?.scene.wide) continue;
            const box: Window = {
                left: (scene.x[b]! + 9) * at.s + at.x, top: (scene.y[b]! + 18) * at.s + at.y,
                right: (scene.x[b]! + scene.width[b]! - 4) * at.s + at.x, bottom: (scene.y[b]! + scene.height[b]! - 7) * at.s + at.y,
            };
            const s = Math.min((box.right - box.left) / inside.scene.wide, (box.bottom - box.top) / inside.scene.high);
            const part: Window = {
                left: Math.max(box.left, clip.left), top: Math.max(box.top, clip.top),
                right: Math.min(box.right, clip.right), bottom: Math.min(box.bottom, clip.bottom),
            };
            if (part.left >= part.right || part.top >= part.bottom) continue;
            c.setTransform(1, 0, 0, 1, 0, 0);
            c.save();
            c.globalAlpha = alpha * inside.alpha;
            c.fillStyle = this.palette.groupOpen;
            c.fillRect(box.left, box.top, box.right - box.left, box.bottom - box.top);
            c.beginPath();
            c.rect(box.left, box.top, box.right - box.left, box.bottom - box.top);
            c.clip();
            this.layer(inside.scene, {
                s, x: (box.left + box.right - inside.scene.wide * s) / 2, y: (box.top + box.bottom - inside.scene.high * s) / 2,
            }, part, {...marks, lit: null, trace: null, chosen: 0}, ratio, alpha * inside.alpha, depth + 1);
            c.setTransform(1, 0, 0, 1, 0, 0);
            c.restore();
        }
    }
}
