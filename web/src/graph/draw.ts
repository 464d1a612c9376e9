// One picture of a scene. Rectangles, wires and texts are gathered by colour, so that a frame costs a
// few strokes and not thousands.
import {DARK, heat, LIGHT, look, type Palette} from '../util/colours';
import {middle} from '../util/clean';
import {DTYPE, EDGE_BACK, EDGE_STUB, FUSED, GROUP, INSERTED, NOT_EXECUTED, OPEN, PORT, type Scene} from './scene';

export interface Camera {
    x: number; // world point in the middle of the canvas
    y: number;
    scale: number;
}

export interface Marks {
    selected: ReadonlySet<number>; // nodes
    related: ReadonlySet<number>;
    hits: ReadonlySet<number>;
    path: {nodes: ReadonlySet<number>; chain: ReadonlySet<number>} | null;
    hidden: ReadonlySet<string>;
    byTime: boolean;
    dark: boolean;
    categories: readonly string[];
    hover: number; // box
    selectedBox: number; // a closed group that was clicked
}

const FONT = 'system-ui, "Noto Sans CJK SC", "Microsoft YaHei", sans-serif';
const MOST_LABELS = 1500;
const MOST_SEGMENTS = 10000;

interface Window {
    left: number;
    right: number;
    top: number;
    bottom: number;
}

export class GraphPainter {
    private readonly widths = new Map<string, number>();

    constructor(private readonly context: CanvasRenderingContext2D) {}

    draw(scene: Scene, camera: Camera, marks: Marks, wide: number, high: number, ratio: number): void {
        const c = this.context;
        const palette = marks.dark ? DARK : LIGHT;
        const win: Window = {
            left: camera.x - wide / 2 / camera.scale, right: camera.x + wide / 2 / camera.scale,
            top: camera.y - high / 2 / camera.scale, bottom: camera.y + high / 2 / camera.scale,
        };
        c.setTransform(1, 0, 0, 1, 0, 0);
        c.fillStyle = palette.back;
        c.fillRect(0, 0, wide * ratio, high * ratio);
        const s = camera.scale * ratio;
        c.setTransform(s, 0, 0, s, (wide / 2) * ratio - camera.x * s, (high / 2) * ratio - camera.y * s);
        const visible = this.visible(scene, win);
        this.openGroups(scene, visible, palette, camera.scale);
        this.wires(scene, win, marks, palette, camera.scale);
        this.boxes(scene, visible, marks, palette, camera.scale);
        if (camera.scale * 36 >= 9) this.labels(scene, visible, marks, palette, camera.scale);
        this.outlines(scene, visible, marks, palette, camera.scale);
    }

    private visible(scene: Scene, win: Window): number[] {
        const list: number[] = [];
        for (let b = 1; b < scene.count; b++) {
            const x = scene.x[b]!, y = scene.y[b]!;
            if (x > win.right || y > win.bottom || x + scene.width[b]! < win.left || y + scene.height[b]! < win.top) continue;
            if (!(scene.flags[b]! & PORT)) list.push(b);
        }
        return list;
    }

    private openGroups(scene: Scene, visible: number[], palette: Palette, scale: number): void {
        const c = this.context;
        c.lineWidth = 1 / scale;
        c.strokeStyle = palette.line;
        for (const b of visible) {
            if (!(scene.flags[b]! & OPEN)) continue;
            c.fillStyle = palette.groupOpen;
            c.fillRect(scene.x[b]!, scene.y[b]!, scene.width[b]!, scene.height[b]!);
            c.strokeRect(scene.x[b]!, scene.y[b]!, scene.width[b]!, scene.height[b]!);
        }
    }

    private wires(scene: Scene, win: Window, marks: Marks, palette: Palette, scale: number): void {
        if (scale * 36 < 1.2) return;
        const normal: number[] = [], lit: number[] = [];
        for (let e = 0; e < scene.edges; e++) {
            if (scene.edgeFlags[e]! & EDGE_STUB) continue;
            if (scene.edgeTop[e]! > win.bottom || scene.edgeBottom[e]! < win.top || scene.edgeLeft[e]! > win.right ||
                scene.edgeRight[e]! < win.left) continue;
            const from = scene.node[scene.from[e]!]!, to = scene.node[scene.to[e]!]!;
            const onPath = marks.path !== null && marks.path.nodes.has(from) && marks.path.nodes.has(to);
            (onPath ? lit : normal).push(e);
        }
        this.strokeWires(scene, normal.slice(0, MOST_SEGMENTS), palette.wire, 1 / scale, scale);
        this.strokeWires(scene, lit.slice(0, MOST_SEGMENTS), palette.path, 3 / scale, scale);
    }

    private strokeWires(scene: Scene, edges: number[], colour: string, width: number, scale: number): void {
        const c = this.context;
        const arrows = scale * 36 > 9;
        c.strokeStyle = colour;
        c.fillStyle = colour;
        c.lineWidth = width;
        c.beginPath();
        for (const e of edges) {
            const end = scene.firstPoint[e + 1]!;
            for (let p = scene.firstPoint[e]!; p < end; p++) {
                const x = scene.points[2 * p]!, y = scene.points[2 * p + 1]!;
                if (p === scene.firstPoint[e]) c.moveTo(x, y);
                else c.lineTo(x, y);
            }
        }
        c.stroke();
        if (!arrows) return;
        c.beginPath();
        for (const e of edges) {
            if (scene.flags[scene.to[e]!]! & PORT) continue;
            const p = scene.firstPoint[e + 1]! - 1;
            const x = scene.points[2 * p]!, y = scene.points[2 * p + 1]!;
            const up = scene.edgeFlags[e]! & EDGE_BACK ? -1 : 1;
            c.moveTo(x, y);
            c.lineTo(x - 3.5, y - 7 * up);
            c.lineTo(x + 3.5, y - 7 * up);
        }
        c.fill();
    }

    private isHidden(scene: Scene, b: number, marks: Marks): boolean {
        return marks.hidden.has(marks.categories[scene.category[b]!] ?? 'other');
    }

    private fill(scene: Scene, b: number, marks: Marks, palette: Palette): string {
        if (marks.byTime) return scene.mostTime ? heat(scene.time[b]! / scene.mostTime) : palette.group;
        if (this.isHidden(scene, b, marks)) return palette.group;
        return look(marks.categories[scene.category[b]!]).fill;
    }

    private boxes(scene: Scene, visible: number[], marks: Marks, palette: Palette, scale: number): void {
        const c = this.context;
        const byColour = new Map<string, number[]>();
        const dimmed = marks.hits.size > 0 || marks.path !== null;
        for (const b of visible) {
            if (scene.flags[b]! & OPEN) continue;
            const colour = this.fill(scene, b, marks, palette);
            const list = byColour.get(colour);
            if (list) list.push(b);
            else byColour.set(colour, [b]);
        }
        for (const [colour, list] of byColour) {
            c.fillStyle = colour;
            for (const b of list) {
                const node = scene.node[b]!;
                const lit = !dimmed || marks.hits.has(node) || marks.path?.nodes.has(node) || scene.flags[b]! & GROUP;
                c.globalAlpha = lit ? 1 : 0.25;
                c.fillRect(scene.x[b]!, scene.y[b]!, scene.width[b]!, scene.height[b]!);
            }
        }
        c.globalAlpha = 1;
        if (scale * 36 < 3) return;
        this.decorate(scene, visible, palette, scale);
    }

    // What a box is, by its border: hatched = did not run, dashed = put in, doubled = several ops.
    private decorate(scene: Scene, visible: number[], palette: Palette, scale: number): void {
        const c = this.context;
        const line = 1 / scale;
        c.strokeStyle = palette.ink;
        c.lineWidth = line;
        for (const b of visible) {
            const flags = scene.flags[b]!;
            if (flags & OPEN) continue;
            const x = scene.x[b]!, y = scene.y[b]!, w = scene.width[b]!, h = scene.height[b]!;
            c.setLineDash(flags & INSERTED ? [4 * line, 3 * line] : []);
            c.strokeRect(x, y, w, h);
            if (flags & (FUSED | GROUP)) c.strokeRect(x + 2.5 * line, y + 2.5 * line, w - 5 * line, h - 5 * line);
            if (flags & NOT_EXECUTED) this.hatch(x, y, w, h);
            if (flags & DTYPE) {
                c.fillStyle = palette.bad;
                c.beginPath();
                c.moveTo(x + w, y);
                c.lineTo(x + w - 10, y);
                c.lineTo(x + w, y + 10);
                c.fill();
            }
        }
        c.setLineDash([]);
    }

    private hatch(x: number, y: number, w: number, h: number): void {
        const c = this.context;
        c.save();
        c.beginPath();
        c.rect(x, y, w, h);
        c.clip();
        c.beginPath();
        for (let at = -h; at < w; at += 8) {
            c.moveTo(x + at, y + h);
            c.lineTo(x + at + h, y);
        }
        c.globalAlpha = 0.45;
        c.stroke();
        c.restore();
    }

    private cut(text: string, width: number): string {
        const key = text;
        let full = this.widths.get(key);
        if (full === undefined) {
            full = this.context.measureText(text).width;
            if (this.widths.size > 20000) this.widths.clear();
            this.widths.set(key, full);
        }
        return full <= width ? text : middle(text, Math.max(1, Math.floor((text.length * width) / full)));
    }

    private labels(scene: Scene, visible: number[], marks: Marks, palette: Palette, scale: number): void {
        const c = this.context;
        c.font = `12px ${FONT}`;
        c.textBaseline = 'middle';
        let drawn = 0;
        for (const b of visible) {
            if (drawn++ > MOST_LABELS) break;
            const flags = scene.flags[b]!;
            const x = scene.x[b]!, y = scene.y[b]!, w = scene.width[b]!;
            if (flags & OPEN) {
                c.fillStyle = palette.faint;
                c.fillText(this.cut(scene.label[b]!, w - 16), x + 8, y + 12);
                continue;
            }
            const plain = marks.byTime || this.isHidden(scene, b, marks);
            c.fillStyle = plain ? (marks.byTime ? '#000000' : palette.ink) : look(marks.categories[scene.category[b]!]).text;
            if (flags & GROUP && scale * 36 > 18) {
                c.fillText(this.cut(scene.label[b]!, w - 14), x + 7, y + 12);
                c.fillText(this.cut(`▸ ${scene.nodes[b]!}`, w - 14), x + 7, y + 26);
            } else {
                c.fillText(this.cut(scene.label[b]!, w - 14), x + 7, y + scene.height[b]! / 2);
            }
        }
    }

    private outlines(scene: Scene, visible: number[], marks: Marks, palette: Palette, scale: number): void {
        const c = this.context;
        const rim = (b: number, colour: string, width: number): void => {
            c.strokeStyle = colour;
            c.lineWidth = width / scale;
            c.strokeRect(scene.x[b]! - width / scale, scene.y[b]! - width / scale,
                scene.width[b]! + (2 * width) / scale, scene.height[b]! + (2 * width) / scale);
        };
        for (const b of visible) {
            const node = scene.node[b]!;
            if (marks.path?.chain.has(node) && node) rim(b, palette.path, 6);
            if (marks.related.has(node) && node) rim(b, palette.related, 3);
            if ((marks.selected.has(node) && node) || b === marks.selectedBox) rim(b, palette.select, 3);
            if (b === marks.hover) rim(b, palette.ink, 1.5);
        }
    }
}
