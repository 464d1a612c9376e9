// What changes while the picture does not: the box under the pointer, the selection, what is related to it,
// and badges on closed groups that hold related nodes or hits. Drawn on a canvas of its own.
import {DARK, LIGHT, type Palette} from '../util/colours';
import type {Surface} from '../util/export';
import {count} from '../util/format';
import {roundedRect, type Camera} from './draw';
import {FAMILY} from './labels';
import {cornerOf, type Scene} from './scene';

export interface Overlay {
    hover: number;
    selected: number; // box
    related: ReadonlyMap<number, number>; // box -> how many related nodes it stands for
    hits: ReadonlyMap<number, number>;
    dark: boolean;
}

export function drawOverlay(c: Surface, scene: Scene, camera: Camera, marks: Overlay, wide: number, high: number, ratio: number): void {
    const palette = marks.dark ? DARK : LIGHT, s = camera.scale * ratio;
    const left = (b: number): number => (scene.x[b]! - camera.x) * s + (wide / 2) * ratio;
    const top = (b: number): number => (scene.y[b]! - camera.y) * s + (high / 2) * ratio;
    const seen = (b: number): boolean => left(b) < wide * ratio && top(b) < high * ratio && left(b) + scene.width[b]! * s > 0 && top(b) + scene.height[b]! * s > 0;
    const rim = (b: number, colour: string, width: number, gap: number): void => {
        const off = (gap + width / 2) * ratio, w = scene.width[b]! * s + 2 * off, h = scene.height[b]! * s + 2 * off;
        c.strokeStyle = colour;
        c.lineWidth = width * ratio;
        c.beginPath();
        roundedRect(c, left(b) - off, top(b) - off, w, h, cornerOf(scene.flags[b]!, 5 * s + off, h));
        c.stroke();
    };
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.globalAlpha = 1;
    for (const [b] of marks.hits) if (seen(b)) rim(b, palette.ink, 1.5, 1);
    for (const [b] of marks.related) if (b !== marks.selected && seen(b)) rim(b, palette.related, 2.5, 1);
    if (marks.hover && marks.hover !== marks.selected && seen(marks.hover)) rim(marks.hover, palette.ink, 1, 1);
    if (marks.selected && seen(marks.selected)) rim(marks.selected, palette.select, 3, 1);
    badges(c, scene, marks.hits, palette.ink, palette, ratio, seen, left, top, s, -1);
    badges(c, scene, marks.related, palette.related, palette, ratio, seen, left, top, s, 1);
}

// At the upper right corner of a group: how many of the nodes are inside. Hits stand at the left one.
function badges(
    c: Surface, scene: Scene, counts: ReadonlyMap<number, number>, colour: string, palette: Palette, ratio: number,
    seen: (b: number) => boolean, left: (b: number) => number, top: (b: number) => number, s: number, side: number,
): void {
    c.font = `600 ${10 * ratio}px ${FAMILY}`;
    c.textBaseline = 'middle';
    c.textAlign = 'center';
    for (const [b, n] of counts) {
        if (scene.node[b] || !seen(b)) continue;
        const text = count(n), wide = Math.max(16 * ratio, c.measureText(text).width + 8 * ratio), high = 15 * ratio;
        const x = side > 0 ? left(b) + scene.width[b]! * s - wide / 2 : left(b) - wide / 2, y = top(b) - high / 2;
        c.fillStyle = colour;
        c.beginPath();
        roundedRect(c, x, y, wide, high, high / 2);
        c.fill();
        c.fillStyle = palette.back;
        c.fillText(text, x + wide / 2, y + high / 2 + 0.5 * ratio);
    }
    c.textAlign = 'start';
}
