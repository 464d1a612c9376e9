// What stands above a side of a comparison: signs of what changed, rims of what is there on one side only.
import type {Camera} from '../graph/draw';
import {roundedRect} from '../graph/draw';
import {FAMILY} from '../graph/labels';
import {GROUP, OPEN, PORT, type Scene} from '../graph/scene';
import {DARK, LIGHT} from '../util/colours';
import type {Surface} from '../util/export';
import {count} from '../util/format';
import {firstKind, kindLook, kindsOf, SIGNS} from './looks';

const MOST = 1500;
const LEAST_HIGH = 13; // of a box that has room for a sign

export interface View {
    camera: Camera;
    wide: number;
    high: number;
    ratio: number;
    dark: boolean;
}

interface Spot {
    x: number;
    y: number;
    w: number;
    h: number;
}

export function onScreen(scene: Scene, box: number, {camera, wide, high, ratio}: View): Spot {
    const s = camera.scale * ratio;
    return {
        x: (scene.x[box]! - camera.x) * s + (wide / 2) * ratio, y: (scene.y[box]! - camera.y) * s + (high / 2) * ratio,
        w: scene.width[box]! * s, h: scene.height[box]! * s,
    };
}

// As high as half of its box, so that it never covers a name.
function pill(c: Surface, text: string, right: number, y: number, boxHigh: number, look: {fill: string; text: string}, edge: string, ratio: number): void {
    const high = Math.max(9 * ratio, Math.min(15 * ratio, boxHigh * 0.45));
    c.font = `600 ${Math.round(high * 0.74 * 10) / 10}px ${FAMILY}`;
    const wide = Math.max(high, c.measureText(text).width + high * 0.55);
    c.fillStyle = look.fill;
    c.strokeStyle = edge;
    c.lineWidth = ratio;
    c.beginPath();
    roundedRect(c, right - wide, y - high / 2, wide, high, high / 2);
    c.fill();
    c.stroke();
    c.fillStyle = look.text;
    c.fillText(text, right - wide / 2, y + 0.5 * ratio);
}

function rim(c: Surface, at: Spot, colour: string, isDashed: boolean, ratio: number): void {
    c.strokeStyle = colour;
    c.lineWidth = 2.5 * ratio;
    c.setLineDash(isDashed ? [5 * ratio, 4 * ratio] : []);
    c.beginPath();
    roundedRect(c, at.x - ratio, at.y - ratio, at.w + 2 * ratio, at.h + 2 * ratio, 6 * ratio);
    c.stroke();
    c.setLineDash([]);
}

export function drawChanges(c: Surface, scene: Scene, view: View): void {
    const {camera, wide, high, ratio} = view, palette = view.dark ? DARK : LIGHT;
    const halfX = wide / 2 / camera.scale, halfY = high / 2 / camera.scale;
    const seen = scene.boxGrid.within({left: camera.x - halfX, right: camera.x + halfX, top: camera.y - halfY, bottom: camera.y + halfY});
    let drawn = 0;
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.globalAlpha = 1;
    c.textBaseline = 'middle';
    c.textAlign = 'center';
    for (const b of seen) {
        const flags = scene.flags[b]!, bits = scene.differs[b] ?? 0, kind = firstKind(bits);
        if (!kind || flags & (OPEN | PORT)) continue;
        if (drawn++ > MOST) break;
        const at = onScreen(scene, b, view), isGroup = (flags & GROUP) !== 0;
        if (at.h < 6 * ratio) continue;
        const isAlone = !isGroup && (kind === 'appeared' || kind === 'vanished');
        if (isAlone) rim(c, at, kindLook(kind).fill, kind === 'vanished', ratio);
        if (at.h < LEAST_HIGH * ratio) continue;
        const kinds = kindsOf(bits).filter((k) => k !== 'renamed');
        const text = isGroup ? `Δ ${count(scene.changed[b] ?? 0)}` : kinds.slice(0, 4).map((k) => SIGNS[k]).join(' ');
        pill(c, text, at.x + at.w + 4 * ratio, at.y + (isGroup ? at.h : -2 * ratio), at.h, kindLook(kind), palette.ink, ratio);
    }
    c.textAlign = 'start';
}

// Where the partner of what is selected would stand.
export function drawEmptyPlace(c: Surface, scene: Scene, box: number, view: View): void {
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.globalAlpha = 1;
    rim(c, onScreen(scene, box, view), (view.dark ? DARK : LIGHT).select, true, view.ratio);
}
