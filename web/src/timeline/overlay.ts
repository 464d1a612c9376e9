// What lies above the scene: the selection, marks of what is outside, the tip at the hand.
import {t} from '../i18n/i18n';
import {duration} from '../util/format';
import {IS_CONTRADICTED, IS_OVERLAPPING, nameOf, startOf, type Lane, type Place, type Slices} from './data';
import {FONT, NAMES, TOP, top, type Picture} from './frame';
import {HEAD, laneKey, ROW, type Rows} from './rows';

// Tasks of the selection, wherever the scene shows others in their place.
export function outlineRelated(picture: Picture, rows: Rows, places: readonly Place[], chosen: number): void {
    const {paper, palette, scale} = picture;
    for (const place of places) {
        const lane = rows.laneAt.get(laneKey(false, place.track, place.depth));
        if (!lane) continue;
        const left = scale.x(place.start), right = scale.x(place.start + place.duration), y = top(picture, lane.y) + 1;
        if (right < NAMES || left > picture.wide || y + ROW < TOP || y > picture.high) continue;
        const x = Math.max(left, NAMES - 4), w = Math.max(2, Math.min(right, picture.wide + 4) - x), high = (lane.shown ? ROW : HEAD) - 2;
        paper.strokeStyle = palette.back;
        paper.lineWidth = 4;
        paper.strokeRect(x, y, w, high);
        paper.strokeStyle = place.task === chosen ? palette.select : palette.related;
        paper.lineWidth = 2;
        paper.strokeRect(x, y, w, high);
    }
}

export interface Marker {
    x: number;
    y: number;
    wide: number;
    high: number;
    place: Place; // where it leads
}

// How many tasks of the selection lie to either side, and the nearest of them.
export function findOutside(picture: Picture, places: readonly Place[]): {marker: Marker; text: string}[] {
    const {scale} = picture, from = scale.ns(NAMES), to = scale.ns(picture.wide);
    const left = places.filter((place) => place.start + place.duration < from), right = places.filter((place) => place.start > to);
    const found: {marker: Marker; text: string}[] = [];
    const y = TOP + 3, high = 18;
    if (left.length) {
        const text = `◀ ${left.length}`, wide = 16 + text.length * 7;
        found.push({text, marker: {x: NAMES + 4, y, wide, high, place: left.reduce((a, b) => (b.start > a.start ? b : a))}});
    }
    if (right.length) {
        const text = `${right.length} ▶`, wide = 16 + text.length * 7;
        found.push({text, marker: {x: picture.wide - wide - 4, y, wide, high, place: right.reduce((a, b) => (b.start < a.start ? b : a))}});
    }
    return found;
}

export function drawOutside(picture: Picture, found: readonly {marker: Marker; text: string}[]): void {
    const {paper, palette} = picture;
    for (const {marker, text} of found) {
        paper.fillStyle = palette.panel;
        paper.fillRect(marker.x, marker.y, marker.wide, marker.high);
        paper.strokeStyle = palette.select;
        paper.lineWidth = 1;
        paper.strokeRect(marker.x + 0.5, marker.y + 0.5, marker.wide - 1, marker.high - 1);
        paper.fillStyle = palette.select;
        paper.font = `600 12px ${FONT}`;
        paper.textBaseline = 'middle';
        paper.textAlign = 'center';
        paper.fillText(text, marker.x + marker.wide / 2, marker.y + marker.high / 2);
        paper.textAlign = 'left';
    }
}

// A stretch of time that the hand marks, and how long it is.
export function drawRange(picture: Picture, from: number, to: number): void {
    const {paper, palette, scale} = picture, left = scale.x(Math.min(from, to)), right = scale.x(Math.max(from, to));
    paper.fillStyle = palette.select;
    paper.globalAlpha = 0.14;
    paper.fillRect(left, TOP, right - left, picture.high - TOP);
    paper.globalAlpha = 1;
    paper.beginPath();
    for (const x of [left, right]) {
        paper.moveTo(x, TOP);
        paper.lineTo(x, picture.high);
    }
    paper.strokeStyle = palette.select;
    paper.lineWidth = 1;
    paper.stroke();
    const text = duration(Math.round(Math.abs(to - from)));
    paper.font = `600 12px ${FONT}`;
    const wide = paper.measureText(text).width + 10, x = Math.max(NAMES, Math.min((left + right - wide) / 2, picture.wide - wide));
    paper.fillStyle = palette.panel;
    paper.fillRect(x, picture.high - 22, wide, 18);
    paper.fillStyle = palette.select;
    paper.textBaseline = 'middle';
    paper.fillText(text, x + 5, picture.high - 13);
}

export interface Spot {
    lane: Lane;
    slice: number;
}

export function linesOf(data: Slices, spot: Spot, zero: number, categories: readonly string[], naming: (category: string) => string): string[] {
    const i = spot.slice, count = data.count[i]!, about = data.step > 1 ? '≈ ' : '', flags = spot.lane.host ? 0 : data.flags[i]!;
    const lines = [
        (nameOf(data, i) || t('tasksHere', {n: count})) + (count > 1 && nameOf(data, i) ? ` ×${count}` : ''),
        `${duration(Math.round(startOf(data, i) - zero))} · ${about}${duration(data.dur[i]! * data.step)}`,
    ];
    if (!spot.lane.host) lines[1] += ` · ${naming(categories[data.category[i]!] ?? 'other')}`;
    if (flags & IS_OVERLAPPING) lines.push(t('overlaps'));
    if (flags & IS_CONTRADICTED) lines.push(t('contradicted'));
    return lines;
}

export function drawTip(picture: Picture, lines: readonly string[], at: {x: number; y: number}): void {
    const {paper, palette} = picture;
    paper.font = `12px ${FONT}`;
    const wide = Math.max(...lines.map((text) => paper.measureText(text).width)) + 14, high = lines.length * 16 + 8;
    const x = Math.max(2, Math.min(at.x + 14, picture.wide - wide - 4));
    const y = at.y + 18 + high > picture.high ? Math.max(2, at.y - high - 8) : at.y + 18;
    paper.fillStyle = palette.panel;
    paper.fillRect(x, y, wide, high);
    paper.strokeStyle = palette.line;
    paper.lineWidth = 1;
    paper.strokeRect(x + 0.5, y + 0.5, wide - 1, high - 1);
    paper.fillStyle = palette.ink;
    paper.textBaseline = 'middle';
    lines.forEach((text, line) => paper.fillText(text, x + 7, y + 12 + line * 16));
}
