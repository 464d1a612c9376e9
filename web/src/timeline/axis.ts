// What frames the rows: time axis, column of names, overview of the whole.
import type {Capture, Track} from '../api/client';
import {clean, middle} from '../util/clean';
import {duration, niceStep} from '../util/format';
import {t} from '../i18n/i18n';
import {BAND_NAMES} from './bands';
import type {Whole} from './data';
import {AXIS, FONT, NAMES, OVERVIEW, TOP, top, type Picture} from './frame';
import {BAND, COUNTER, HEAD, ROW, type Group, type Rows} from './rows';

const BUSY = '#1f6fb2';

// Times are told from the start of the first task, as in the reports.
export function zeroOf(known: Capture | null): number {
    if (!known) return 0;
    return known.tasks_end_ns > known.tasks_first_ns ? known.tasks_first_ns : known.first_ns;
}

// What the overview spans.
export function extent(known: Capture, whole: Whole | null): [number, number] {
    return whole && whole.end > whole.first && whole.tracks.length ? [whole.first, whole.end] : [known.first_ns, known.end_ns];
}

export function drawAxis(picture: Picture, zero: number): void {
    const {paper, palette, scale} = picture;
    const step = niceStep(scale.nsPerPixel * 110), marks: number[] = [];
    paper.fillStyle = palette.panel;
    paper.fillRect(NAMES, OVERVIEW, picture.wide - NAMES, AXIS);
    let last = -Infinity;
    const first = Math.ceil((scale.ns(NAMES) - zero) / step) * step, end = scale.ns(picture.wide) - zero;
    for (let at = first, n = 0; at < end && n < 2000; at += step, n++) {
        const x = scale.x(zero + at);
        if (x - last < 90) continue; // in a folded stretch
        marks.push(at, x);
        last = x;
    }
    paper.font = `11px ${FONT}`;
    paper.textBaseline = 'middle';
    paper.fillStyle = palette.faint;
    paper.beginPath();
    for (let i = 0; i < marks.length; i += 2) {
        const x = Math.round(marks[i + 1]!) + 0.5;
        paper.moveTo(x, TOP - 6);
        paper.lineTo(x, picture.high);
        if (x + 64 < picture.wide) paper.fillText(duration(marks[i]! || 0), x + 3, OVERVIEW + 10);
    }
    paper.strokeStyle = palette.line;
    paper.lineWidth = 1;
    paper.globalAlpha = 0.5;
    paper.stroke();
    paper.globalAlpha = 1;
}

export function groupName(group: Group): string {
    const rank = group.rank !== null ? `${t('rank', {n: group.rank})} · ` : '';
    if (group.kind === 'host') return rank + t('host');
    const device = group.device !== null ? t('device', {n: group.device}) : t('tasks');
    if (group.kind === 'device') return rank + device;
    return rank + (group.device !== null ? `${device} · ` : '') + t('counters');
}

function trackName(track: Track): string {
    return clean(track.name, 60);
}

function write(picture: Picture, text: string, x: number, y: number, letters: number): void {
    if (y > TOP - ROW && y < picture.high + ROW) picture.paper.fillText(middle(text, letters), x, y);
}

export function drawNames(picture: Picture, rows: Rows): void {
    const {paper, palette} = picture;
    paper.fillStyle = palette.panel;
    paper.fillRect(0, TOP, NAMES, picture.high - TOP);
    paper.textBaseline = 'middle';
    for (const group of rows.groups) {
        const y = top(picture, group.y);
        if (y < TOP - HEAD || y > picture.high) continue;
        paper.font = `600 11px ${FONT}`;
        paper.fillStyle = palette.ink;
        paper.fillText(`${group.open ? '▾' : '▸'} ${middle(groupName(group), 21)}`, 6, y + HEAD / 2 + 1);
    }
    paper.font = `11px ${FONT}`;
    paper.fillStyle = palette.faint;
    for (const {track, y, end} of rows.tracks) {
        const stays = Math.min(Math.max(top(picture, y), TOP), top(picture, end) - ROW); // while any of its rows is in sight
        write(picture, trackName(track), 20, stays + ROW / 2 + 0.5, 22);
    }
    for (const row of rows.counters) {
        write(picture, clean(row.counter.name, 60), 20, top(picture, row.y) + COUNTER / 2 - 6, 22);
        write(picture, row.counter.unit ? `[${clean(row.counter.unit, 20)}]` : '', 20, top(picture, row.y) + COUNTER / 2 + 8, 22);
    }
    paper.font = `italic 10px ${FONT}`;
    for (const row of rows.bands) write(picture, t(BAND_NAMES[row.kind] ?? 'compute'), 20, top(picture, row.y) + BAND / 2, 24);
    paper.fillStyle = palette.panel;
    paper.fillRect(0, 0, NAMES, TOP);
    paper.beginPath();
    paper.moveTo(NAMES - 0.5, 0);
    paper.lineTo(NAMES - 0.5, picture.high);
    paper.strokeStyle = palette.line;
    paper.lineWidth = 1;
    paper.stroke();
}

// Whose times these are, where there are two.
export function drawTitle(picture: Picture, title: string): void {
    const {paper, palette} = picture;
    if (!title) return;
    paper.font = `600 12px ${FONT}`;
    paper.textBaseline = 'middle';
    paper.fillStyle = palette.ink;
    paper.fillText(middle(title, 20), 8, TOP / 2);
}

// Bars behind the heads of groups.
export function drawHeads(picture: Picture, rows: Rows): void {
    const {paper, palette} = picture;
    paper.fillStyle = palette.groupOpen;
    for (const group of rows.groups) {
        const y = top(picture, group.y);
        if (y > TOP - HEAD && y < picture.high) paper.fillRect(0, y, picture.wide, HEAD - 1);
    }
}

const SHADES = 8;

// "#rrggbb" between two colours.
function between(from: string, to: string, part: number): string {
    const mix = (at: number): string => {
        const a = parseInt(from.slice(at, at + 2), 16), b = parseInt(to.slice(at, at + 2), 16);
        return Math.round(a + (b - a) * part).toString(16).padStart(2, '0');
    };
    return `#${mix(1)}${mix(3)}${mix(5)}`;
}

// The whole of it: how busy each stream was, and the window drawn in.
export function drawOverview(picture: Picture, known: Capture, whole: Whole | null, window: {start: number; duration: number}): void {
    const {paper, palette} = picture, plot = picture.wide - NAMES, [first, end] = extent(known, whole);
    const x = (ns: number): number => NAMES + ((ns - first) / Math.max(1, end - first)) * plot;
    paper.fillStyle = palette.groupOpen;
    paper.fillRect(NAMES, 0, plot, OVERVIEW - 3);
    const count = whole?.tracks.length ?? 0, high = (OVERVIEW - 6) / Math.max(1, count);
    for (let row = 0; whole && row < count; row++)
        for (let at = 0; at < whole.steps;) {
            const shade = (step: number): number => Math.ceil((whole.share[row * whole.steps + step]! / 255) * SHADES), from = at, now = shade(at);
            while (at < whole.steps && shade(at) === now) at++;
            if (!now) continue;
            paper.fillStyle = between(palette.groupOpen, BUSY, 0.25 + (0.75 * now) / SHADES);
            const left = x(first + from * whole.step), right = Math.min(picture.wide, x(first + at * whole.step));
            paper.fillRect(left, 1.5 + row * high, Math.max(0.6, right - left), Math.max(0.8, high > 3 ? high - 1 : high));
        }
    drawWindow(picture, x(window.start), x(window.start + window.duration));
}

function drawWindow(picture: Picture, from: number, to: number): void {
    const {paper, palette} = picture, left = Math.max(NAMES, from), right = Math.min(picture.wide - 1, Math.max(to, left + 3));
    paper.fillStyle = palette.back;
    paper.globalAlpha = 0.6;
    paper.fillRect(NAMES, 0, Math.max(0, left - NAMES), OVERVIEW - 3);
    paper.fillRect(right, 0, Math.max(0, picture.wide - right), OVERVIEW - 3);
    paper.globalAlpha = 1;
    paper.strokeStyle = palette.select;
    paper.lineWidth = 1.5;
    paper.strokeRect(left, 1, right - left, OVERVIEW - 5);
}
