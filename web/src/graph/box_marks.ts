// Marks of single boxes: see the legend.
import {look} from '../util/colours';
import type {Marks} from './draw';
import type {Scene} from './scene';
import type {Pen} from './wires';

// The stripe of a closed group, a second line behind it as of a pile, and its share of the time.
export function groupMarks(pen: Pen, scene: Scene, b: number, marks: Marks): void {
    const {c, palette, scale} = pen, x = scene.x[b]!, y = scene.y[b]!, w = scene.width[b]!, h = scene.height[b]!;
    c.setLineDash([]);
    c.strokeStyle = palette.border;
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
    if (scene.time[b] && scene.totalTime) timeBar(pen, scene, b);
}

export function timeBar({c, palette}: Pen, scene: Scene, b: number): void {
    const left = scene.x[b]! + 11, wide = scene.width[b]! - 17, y = scene.y[b]! + scene.height[b]! - 5;
    const alpha = c.globalAlpha;
    c.fillStyle = palette.ink;
    c.globalAlpha = alpha * 0.15;
    c.fillRect(left, y, wide, 2.5);
    c.globalAlpha = alpha * 0.75;
    c.fillRect(left, y, wide * Math.min(1, scene.time[b]! / scene.totalTime), 2.5);
    c.globalAlpha = alpha;
}

export function hatch({c, palette, scale}: Pen, x: number, y: number, w: number, h: number): void {
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
    c.strokeStyle = palette.ink;
    c.lineWidth = 1 / scale;
    c.globalAlpha *= 0.28;
    c.stroke();
    c.restore();
}

export function plus({c, palette}: Pen, x: number, y: number): void {
    c.setLineDash([]);
    c.fillStyle = palette.ink;
    c.beginPath();
    c.arc(x + 1, y + 1, 6.5, 0, 2 * Math.PI);
    c.fill();
    c.strokeStyle = palette.back;
    c.lineWidth = 1.8;
    c.beginPath();
    c.moveTo(x - 2.5, y + 1);
    c.lineTo(x + 4.5, y + 1);
    c.moveTo(x + 1, y - 2.5);
    c.lineTo(x + 1, y + 4.5);
    c.stroke();
}

// Constants that are no boxes: a dot on the upper side for each that goes in, at most four.
export function dots({c, palette}: Pen, x: number, y: number, count: number): void {
    c.fillStyle = palette.ink;
    c.beginPath();
    for (let i = 0; i < Math.min(count, 4); i++) {
        c.moveTo(x + 8 * i + 2.5, y);
        c.arc(x + 8 * i, y, 2.5, 0, 2 * Math.PI);
    }
    c.fill();
}
