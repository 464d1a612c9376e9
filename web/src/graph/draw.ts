// One picture of a scene. Rectangles, wires and texts are gathered by colour, so that a frame costs a few
// strokes and not thousands. The coarser the scale, the less is drawn; text is in labels.ts.
import {DARK, heat, LIGHT, look, type Palette} from '../util/colours';
import type {Surface} from '../util/export';
import {dots, groupMarks, hatch, plus, timeBar} from './box_marks';
import {Labels} from './labels';
import {
    CONSTANT, cornerOf, DTYPE, ENDS, FUSED, GROUP, HUB, INSERTED, NOT_EXECUTED, OPEN, PART, PORT, type Scene, type Window,
} from './scene';
import {drawWires, type Pen} from './wires';

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
const MOST_NESTING = 6; // peeks within peeks

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
        drawWires({c, palette: this.palette, scale, leaf}, scene, win, marks);
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
        const c = this.context, line = 1 / scale, pen: Pen = {c, palette: this.palette, scale, leaf};
        for (const b of visible) {
            const flags = scene.flags[b]!;
            if (flags & OPEN) continue;
            const x = scene.x[b]!, y = scene.y[b]!, w = scene.width[b]!, h = scene.height[b]!;
            c.globalAlpha = alpha * (marks.lit && !marks.lit.has(b) ? 0.3 : 1);
            if (flags & GROUP && leaf >= 9) groupMarks(pen, scene, b, marks);
            else if (leaf >= 9 && scene.time[b] && scene.totalTime) timeBar(pen, scene, b);
            if (flags & NOT_EXECUTED) hatch(pen, x, y, w, h);
            c.strokeStyle = flags & FUSED ? this.palette.ink : this.palette.border;
            c.lineWidth = flags & FUSED ? 2 * line : line;
            c.setLineDash(flags & NOT_EXECUTED ? [4 * line, 3 * line] : flags & CONSTANT ? [1.5 * line, 2.5 * line] : []);
            c.beginPath();
            roundedRect(c, x, y, w, h, cornerOf(flags, 5, h));
            c.stroke();
            if (leaf < 12) continue;
            if (flags & INSERTED) plus(pen, x, y);
            if (scene.constants[b]) dots(pen, x + 10, y, scene.constants[b]!);
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
