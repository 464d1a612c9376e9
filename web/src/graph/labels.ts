// Texts of boxes: as many lines as can be read at the scale. Sizes are of the world, chosen so that letters
// on the screen are neither hairs nor posters.
import {t} from '../i18n/i18n';
import {middle} from '../util/clean';
import {heatText, look, type Palette} from '../util/colours';
import type {Surface} from '../util/export';
import {count, share} from '../util/format';
import type {Marks} from './draw';
import {EDGE_STUB, ENDS, FUSED, GROUP, HUB, OPEN, PART, type Scene} from './scene';

export const FAMILY = 'system-ui, "Noto Sans CJK SC", "Microsoft YaHei", sans-serif';
const BASE = 12; // size that widths are measured at
const MOST_LABELS = 1500;

interface Line {
    text: string;
    x: number;
    y: number;
}

export class Labels {
    private readonly widths = new Map<string, number>();
    private readonly pending = new Map<string, Line[]>(); // by font and colour

    constructor(private readonly context: Surface) {}

    // --- measuring ---

    width(text: string, bold: boolean, size: number): number {
        const key = (bold ? 'b' : 'p') + text;
        let wide = this.widths.get(key);
        if (wide === undefined) {
            this.context.font = `${bold ? '600 ' : ''}${BASE}px ${FAMILY}`;
            wide = this.context.measureText(text).width;
            if (this.widths.size > 20000) this.widths.clear();
            this.widths.set(key, wide);
        }
        return (wide * size) / BASE;
    }

    // Names differ at their ends and are cut in the middle; of operator types the beginning tells most.
    private cut(text: string, room: number, bold: boolean, size: number, isOp: boolean): string {
        const full = this.width(text, bold, size);
        if (full <= room || !text) return text;
        // Letters are not equally wide: what is left may still be too wide for the box.
        for (let letters = Math.min(text.length - 1, Math.floor((text.length * room) / full) + 1); letters >= 2; letters--) {
            const shown = isOp || letters < 8 ? `${text.slice(0, letters - 1)}…` : middle(text, letters);
            if (this.width(shown, bold, size) <= room) return shown;
        }
        return '';
    }

    // --- gathering ---

    private put(text: string, x: number, y: number, room: number, bold: boolean, size: number, colour: string, alpha: number, isOp = false): void {
        const shown = this.cut(text, room, bold, size, isOp);
        if (!shown) return;
        const key = `${alpha}|${colour}|${bold ? '600 ' : ''}${Math.round(size * 10) / 10}`;
        const list = this.pending.get(key);
        if (list) list.push({text: shown, x, y});
        else this.pending.set(key, [{text: shown, x, y}]);
    }

    private flush(): void {
        const c = this.context;
        c.textBaseline = 'middle';
        c.textAlign = 'start';
        for (const [key, lines] of this.pending) {
            const [alpha, colour, font] = key.split('|');
            c.globalAlpha = Number(alpha);
            c.fillStyle = colour!;
            c.font = `${font}px ${FAMILY}`;
            for (const line of lines) c.fillText(line.text, line.x, line.y);
        }
        this.pending.clear();
    }

    small(text: string, x: number, y: number, colour: string): void {
        const c = this.context;
        c.textBaseline = 'middle';
        c.fillStyle = colour;
        c.font = `9.5px ${FAMILY}`;
        c.fillText(text, x, y);
    }

    draw(scene: Scene, visible: number[], marks: Marks, palette: Palette, scale: number, alpha: number): void {
        let drawn = 0;
        for (const b of visible) {
            if (drawn++ > MOST_LABELS) break;
            const flags = scene.flags[b]!;
            const bright = alpha * (marks.lit && !marks.lit.has(b) ? 0.35 : 1);
            if (flags & OPEN) this.header(scene, b, palette, scale, bright);
            else if (flags & ENDS && !(flags & GROUP)) this.end(scene, b, palette, scale, bright);
            else if (flags & GROUP) this.group(scene, b, marks, palette, scale, bright);
            else this.leaf(scene, b, marks, palette, scale, bright);
            if (!(flags & OPEN) && scale > 0.5) this.stubs(scene, b, palette, bright);
        }
        this.flush();
        this.context.globalAlpha = alpha;
    }

    // --- kinds of boxes ---

    private ink(scene: Scene, b: number, marks: Marks, palette: Palette): string {
        const category = marks.categories[scene.category[b]!] ?? 'other', own = marks.lookOf?.(scene, b);
        if (own) return scene.flags[b]! & GROUP && !own.whole ? palette.ink : own.text;
        if (marks.byTime && scene.mostTime) return heatText(scene.time[b]! / scene.mostTime);
        return marks.hidden.has(category) || scene.flags[b]! & GROUP ? palette.ink : look(category).text;
    }

    private leaf(scene: Scene, b: number, marks: Marks, palette: Palette, scale: number, alpha: number): void {
        const x = scene.x[b]! + 9, y = scene.y[b]!, h = scene.height[b]!, colour = this.ink(scene, b, marks, palette);
        const tag = scene.members[b] ? `⊕${scene.members[b]}` : '';
        const room = scene.width[b]! - 18;
        const put = (text: string, line: number, bold: boolean, size: number, less = 0): void => this.put(text, x, y + line, room - less, bold, size, colour, alpha, bold);
        const head = scene.op[b] || scene.label[b]!;
        if (scale < 0.36) {
            const size = Math.min(26, 8.5 / scale);
            if (size * scale >= 6) put(head, h / 2, true, size);
            return;
        }
        const size = scale >= 0.8 ? 12 : Math.min(17, 8.8 / scale), tagWide = tag ? this.width(tag, true, size) + 6 : 0;
        const three = scale >= 0.8 && scene.type[b] !== '';
        put(head, three ? 12 : h / 2 - size * 0.62, true, size, tagWide);
        if (tag) this.put(tag, x + room - tagWide + 6, y + (three ? 12 : h / 2 - size * 0.62), tagWide, true, size, colour, alpha);
        put(scene.label[b]!, three ? 25 : h / 2 + size * 0.62, false, three ? 11 : size * 0.92);
        if (three) put(scene.type[b]!, 37, false, 9.5);
    }

    private group(scene: Scene, b: number, marks: Marks, palette: Palette, scale: number, alpha: number): void {
        const x = scene.x[b]! + 13, y = scene.y[b]!, h = scene.height[b]!, room = scene.width[b]! - 20;
        const colour = this.ink(scene, b, marks, palette);
        const label = scene.flags[b]! & PART ? t('part', {n: scene.label[b]!}) : scene.op[b] || scene.label[b]!;
        if (scale < 0.36) {
            const size = Math.min(22, 8.5 / scale);
            if (size * scale >= 6) this.put(label, x, y + h / 2, room, true, size, colour, alpha);
            return;
        }
        const size = scale >= 0.8 ? 12 : Math.min(15, 8.8 / scale);
        const tag = scene.flags[b]! & FUSED && scene.members[b] ? `⊕${scene.members[b]}` : '', tagWide = tag ? this.width(tag, true, size) + 6 : 0;
        this.put(label, x, y + 12, room - tagWide, true, size, colour, alpha);
        if (tag) this.put(tag, x + room - tagWide + 6, y + 12, tagWide, true, size, colour, alpha);
        if (scene.width[b]! * scale >= 240 && marks.peek(scene.group[b]!)) return;
        const part = scene.time[b] && scene.totalTime ? ` · ${share((1e6 * scene.time[b]!) / scene.totalTime)}` : '';
        const number = count(scene.nodes[b]!), long = `${scene.op[b] ? scene.label[b]! : `▸ ${t('nodes', {n: number})}`}${part}`;
        // Better a number without its word than half of both.
        const isShort = !scene.op[b] && this.width(long, false, size * 0.88) > room;
        this.put(isShort ? `▸ ${number}${part}` : long, x, y + 12 + size * 1.16, room, false, size * 0.88, marks.byTime ? colour : palette.faint, alpha);
    }

    private header(scene: Scene, b: number, palette: Palette, scale: number, alpha: number): void {
        const size = Math.min(18, Math.max(12, 10 / scale));
        const label = scene.flags[b]! & PART ? t('part', {n: scene.label[b]!}) : scene.label[b]!;
        if (size * scale >= 6) this.put(label, scene.x[b]! + 10, scene.y[b]! + 13, scene.width[b]! - 20, true, size, palette.faint, alpha);
    }

    private end(scene: Scene, b: number, palette: Palette, scale: number, alpha: number): void {
        const x = scene.x[b]! + 12, y = scene.y[b]!, h = scene.height[b]!, room = scene.width[b]! - 24;
        const two = scale >= 0.6 && scene.type[b] !== '';
        const size = two ? 11 : Math.min(16, Math.max(11, 9 / scale));
        if (size * scale >= 6) this.put(scene.label[b]!, x, two ? y + 11 : y + h / 2, room, true, size, palette.ink, alpha);
        if (two) this.put(scene.type[b]!, x, y + 22, room, false, 9.5, palette.faint, alpha);
    }

    // What many read has no wires: its name stands at each reader, and beside itself how many there are.
    private stubs(scene: Scene, b: number, palette: Palette, alpha: number): void {
        const names: string[] = [];
        for (let k = scene.in.first[b]!; k < scene.in.first[b + 1]!; k++) {
            const e = scene.in.list[k]!;
            if (scene.edgeFlags[e]! & EDGE_STUB) names.push(scene.label[scene.from[e]!]!);
        }
        const right = scene.x[b]! + scene.width[b]!;
        if (names.length) {
            const text = `⤷ ${names.length > 1 ? `${names[0]} +${names.length - 1}` : names[0]}`;
            this.put(text, scene.x[b]! + scene.width[b]! / 2 + 8, scene.y[b]! - 8, scene.width[b]! / 2 + 8, false, 9.5, palette.faint, alpha);
        }
        if (scene.flags[b]! & HUB) {
            let readers = 0;
            for (let k = scene.out.first[b]!; k < scene.out.first[b + 1]!; k++) readers += scene.edgeFlags[scene.out.list[k]!]! & EDGE_STUB ? 1 : 0;
            this.put(`⤷ ${count(readers)}`, right - 30, scene.y[b]! + scene.height[b]! + 8, 40, true, 10, palette.faint, alpha);
        }
    }
}
