// Slices, their labels and marks.
import {heat, heatText, look} from '../util/colours';
import {middle} from '../util/clean';
import {endOf, IS_CONTRADICTED, IS_OVERLAPPING, IS_WAIT, nameOf, nodeOf, startOf, visible, type Lane, type Slices} from './data';
import {FONT, NAMES, TOP, top, type Picture} from './frame';
import {ROW} from './rows';

export const HOST = '#a9c4df';
const DENSE = 400; // slices of a row that are painted as pixels
const MOST_LABELS = 1500;
const SHADES = 32; // of heat

export interface Looks {
    categories: readonly string[];
    heat: boolean;
    chain: ReadonlySet<number> | undefined; // nodes of the critical chain
    onPath: ReadonlySet<number> | undefined;
    bright: {nodes: ReadonlySet<number>; tasks: ReadonlySet<number>} | null; // all others pale
    pale: boolean; // all of it
    blocked: ReadonlyMap<number, number>; // wait -> when what it waited for was there
}

interface Found {
    list: number[]; // slice, x, width
    longest: number; // steps, of work in view
}

const WIDE = 3;

function find(picture: Picture, data: Slices, lane: Lane): Found {
    const {scale} = picture, list: number[] = [];
    const [from, end] = visible(data, lane, scale.ns(NAMES), scale.ns(picture.wide));
    let longest = 0;
    for (let i = from; i < end; i++) {
        const left = Math.max(NAMES, scale.x(startOf(data, i))), right = Math.min(picture.wide, scale.x(endOf(data, i)));
        if (right < NAMES || left > picture.wide) continue;
        if (data.count[i] === 1 && !lane.host && !(data.flags[i]! & IS_WAIT)) longest = Math.max(longest, data.dur[i]!);
        list.push(i, left, Math.max(1, right - left));
    }
    return {list, longest};
}

// Work of devices is coloured by its time; calls and waits are no work.
const isHot = (data: Slices, lane: Lane, i: number, looks: Looks): boolean => looks.heat && !lane.host && !(data.flags[i]! & IS_WAIT);

function colourOf(data: Slices, lane: Lane, i: number, looks: Looks, longest: number): string {
    if (isHot(data, lane, i, looks)) return heat(data.dur[i]! / Math.max(1, longest));
    return lane.host ? HOST : look(looks.categories[data.category[i]!]).fill;
}

const isPale = (data: Slices, lane: Lane, i: number, looks: Looks): boolean =>
    looks.pale || (looks.bright !== null && (lane.host || !(looks.bright.nodes.has(nodeOf(data, i)) || looks.bright.tasks.has(data.id[i]!))));

const PALE = 0.22;

// "#rrggbb" or "rgb(r g b)".
function channels(colour: string): number[] {
    return colour.startsWith('#') ? [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)) : (colour.match(/\d+/g) ?? []).map(Number);
}

// A colour as a pixel, blended with what is behind it.
function pixel(colour: string, back: string, part: number): number {
    const front = channels(colour), behind = channels(back);
    const [r, g, b] = front.map((value, i) => Math.round(value * part + behind[i]! * (1 - part)));
    return ((255 << 24) | (b! << 16) | (g! << 8) | r!) >>> 0;
}

// Pixels of the slices of a lane, full and pale: per category, then the shades of heat.
function inksOf(picture: Picture, lane: Lane, looks: Looks): {full: Uint32Array; pale: Uint32Array} {
    const kinds = looks.categories.length, all = kinds + SHADES + 1, full = new Uint32Array(all), pale = new Uint32Array(all);
    for (let i = 0; i < all; i++) {
        const colour = i >= kinds ? heat((i - kinds) / SHADES) : lane.host ? HOST : look(looks.categories[i]).fill;
        full[i] = pixel(colour, picture.palette.back, 1);
        pale[i] = pixel(colour, picture.palette.back, PALE);
    }
    return {full, pale};
}

let kept: ImageData | null = null; // one for all rows of all frames: making them is what takes time

function roomFor(context: CanvasRenderingContext2D, width: number, height: number): ImageData {
    if (!kept || kept.width !== width || kept.height !== height) kept = context.createImageData(width, height);
    return kept;
}

// A crowded row: one line of pixels, repeated.
function paintPixels(picture: Picture, data: Slices, lane: Lane, found: Found, looks: Looks, longest: number): void {
    const {ratio, palette} = picture, context = picture.pixels!;
    const left = Math.round(NAMES * ratio), width = Math.round(picture.wide * ratio) - left;
    const y = Math.round((top(picture, lane.y) + 1) * ratio), height = Math.round((ROW - 2) * ratio);
    const first = Math.max(0, Math.round(TOP * ratio) - y);
    if (width < 1 || first >= height) return;
    const image = roomFor(context, width, height), line = new Uint32Array(image.data.buffer, 0, width);
    const inks = inksOf(picture, lane, looks);
    line.fill(pixel(palette.back, palette.back, 1));
    for (let k = 0; k < found.list.length; k += WIDE) {
        const i = found.list[k]!, x = Math.round(found.list[k + 1]! * ratio) - left;
        const shade = Math.min(SHADES, Math.round((SHADES * data.dur[i]!) / Math.max(1, longest)));
        const ink = isHot(data, lane, i, looks) ? looks.categories.length + shade : Math.min(data.category[i]!, looks.categories.length - 1);
        const colour = (isPale(data, lane, i, looks) ? inks.pale : inks.full)[ink]!;
        for (let at = x, end = Math.max(x + 1, x + Math.round(found.list[k + 2]! * ratio)); at < end && at < width; at++) line[at] = colour;
    }
    const all = new Uint32Array(image.data.buffer);
    for (let row = 1; row < height; row++) all.copyWithin(row * width, 0, width);
    context.putImageData(image, left, y, 0, first, width, height - first);
}

function paintShapes(picture: Picture, data: Slices, lane: Lane, found: Found, looks: Looks, longest: number): void {
    const {paper} = picture, y = top(picture, lane.y) + 1;
    for (let k = 0; k < found.list.length; k += WIDE) {
        const i = found.list[k]!, w = found.list[k + 2]!;
        paper.globalAlpha = isPale(data, lane, i, looks) ? PALE : 1;
        paper.fillStyle = colourOf(data, lane, i, looks, longest);
        paper.fillRect(found.list[k + 1]!, y, w > 4 ? w - 0.6 : w, ROW - 2);
    }
    paper.globalAlpha = 1;
}

// Several tasks in one step: a dotted line below.
function markMany(picture: Picture, data: Slices, lane: Lane, found: Found): void {
    const {paper} = picture, y = top(picture, lane.y) + ROW - 2.5;
    paper.beginPath();
    for (let k = 0; k < found.list.length; k += WIDE)
        if (data.count[found.list[k]!]! > 1 && found.list[k + 2]! >= 5) {
            paper.moveTo(found.list[k + 1]! + 1, y);
            paper.lineTo(found.list[k + 1]! + found.list[k + 2]! - 1, y);
        }
    paper.strokeStyle = 'rgba(0,0,0,.6)';
    paper.lineWidth = 1;
    paper.setLineDash([1, 2]);
    paper.stroke();
    paper.setLineDash([]);
}

// The part of a wait in which it was blocked; all of it where that is not known.
function hatchWaits(picture: Picture, data: Slices, lane: Lane, found: Found, looks: Looks): void {
    const {paper, scale} = picture, y = top(picture, lane.y) + 1, high = ROW - 2;
    paper.beginPath();
    for (let k = 0; k < found.list.length; k += WIDE) {
        const i = found.list[k]!, x = found.list[k + 1]!, w = found.list[k + 2]!;
        if (lane.host || !(data.flags[i]! & IS_WAIT) || w < 4) continue;
        const until = looks.blocked.get(data.id[i]!);
        const end = until === undefined ? x + w : Math.max(x, Math.min(x + w, scale.x(until)));
        for (let at = x - ((x + high) % 5); at < end; at += 5) {
            const from = Math.max(x, at), to = Math.min(end, at + high);
            if (to <= from) continue;
            paper.moveTo(from, y + high - (from - at));
            paper.lineTo(to, y + high - (to - at));
        }
    }
    paper.strokeStyle = 'rgba(0,0,0,.5)';
    paper.lineWidth = 1;
    paper.stroke();
}

// Red corners: what cannot be right.
function markFaults(picture: Picture, data: Slices, lane: Lane, found: Found): void {
    const {paper} = picture, y = top(picture, lane.y) + 1;
    paper.beginPath();
    for (let k = 0; k < found.list.length; k += WIDE) {
        if (lane.host || !(data.flags[found.list[k]!]! & (IS_OVERLAPPING | IS_CONTRADICTED))) continue;
        const right = found.list[k + 1]! + found.list[k + 2]!, size = Math.min(6, found.list[k + 2]!);
        paper.moveTo(right - size, y);
        paper.lineTo(right, y);
        paper.lineTo(right, y + size);
        paper.closePath();
    }
    paper.fillStyle = '#d40000';
    paper.fill();
}

function markPath(picture: Picture, data: Slices, lane: Lane, found: Found, looks: Looks): void {
    const {paper, palette} = picture, y = top(picture, lane.y);
    if (lane.host || !looks.onPath) return;
    for (let k = 0; k < found.list.length; k += WIDE) {
        const node = nodeOf(data, found.list[k]!), critical = looks.chain?.has(node);
        if (!node || !(critical || looks.onPath.has(node))) continue;
        const x = found.list[k + 1]!, w = found.list[k + 2]!;
        paper.fillStyle = palette.back;
        paper.fillRect(x, y + ROW - (critical ? 6 : 4), w, critical ? 6 : 4);
        paper.fillStyle = palette.path;
        paper.fillRect(x, y + ROW - (critical ? 5 : 3), w, critical ? 5 : 3);
    }
}

const widths = new Map<string, number>();

// Cut in the middle so that it is no wider.
function fitted(picture: Picture, text: string, wide: number): string {
    let width = widths.get(text);
    if (width === undefined) {
        if (widths.size > 20000) widths.clear();
        widths.set(text, (width = picture.paper.measureText(text).width));
    }
    return width <= wide ? text : middle(text, Math.floor((text.length * wide) / width) - 1);
}

function writeLabels(picture: Picture, data: Slices, lane: Lane, found: Found, looks: Looks, longest: number, room: {labels: number}): void {
    const {paper} = picture, y = top(picture, lane.y) + ROW / 2 + 0.5;
    paper.font = `11px ${FONT}`;
    paper.textBaseline = 'middle';
    for (let k = 0; k < found.list.length && room.labels > 0; k += WIDE) {
        const i = found.list[k]!, w = found.list[k + 2]!;
        if (w < 30) continue;
        const count = data.count[i]!, text = nameOf(data, i) + (count > 1 ? ` ×${count}` : '');
        if (!text) continue;
        paper.globalAlpha = isPale(data, lane, i, looks) ? 0.4 : 1;
        paper.fillStyle = isPale(data, lane, i, looks) ? picture.palette.ink
            : isHot(data, lane, i, looks) ? heatText(data.dur[i]! / Math.max(1, longest)) : lane.host ? '#000' : look(looks.categories[data.category[i]!]).text;
        paper.fillText(fitted(picture, text, w - 6), found.list[k + 1]! + 3, y);
        room.labels--;
    }
    paper.globalAlpha = 1;
}

// All lanes that are in sight. Returns the time of the longest work among them, which is the hottest.
export function drawSlices(picture: Picture, data: Slices, lanes: readonly Lane[], looks: Looks): number {
    const room = {labels: MOST_LABELS};
    const seen = lanes.filter((lane) => top(picture, lane.y) + ROW > TOP && top(picture, lane.y) < picture.high);
    const found = seen.map((lane) => find(picture, data, lane));
    const longest = found.reduce((most, f) => Math.max(most, f.longest), 0);
    seen.forEach((lane, n) => {
        const f = found[n]!;
        if (f.list.length > DENSE * WIDE && picture.pixels) paintPixels(picture, data, lane, f, looks, longest);
        else paintShapes(picture, data, lane, f, looks, longest);
        markMany(picture, data, lane, f);
        hatchWaits(picture, data, lane, f, looks);
        writeLabels(picture, data, lane, f, looks, longest, room);
        markFaults(picture, data, lane, f);
        markPath(picture, data, lane, f, looks);
    });
    return longest * data.step;
}
