// What frames the rows: time axis, column of names, overview of the whole.
import type {Capture, Track} from '../api/client';
import {clean, middle} from '../util/clean';
import {look} from '../util/colours';
import {duration, niceStep} from '../util/format';
import {t} from '../i18n/i18n';
import {endOf, startOf, type Slices} from './data';
import {HOST} from './draw';
import {AXIS, FONT, NAMES, OVERVIEW, TOP, top, type Picture} from './frame';
import {HEAD, ROW, type Group, type Rows} from './rows';

// Times are told from the start of the first task, as in the reports.
export function zeroOf(known: Capture | null): number {
    if (!known) return 0;
    return known.tasks_end_ns > known.tasks_first_ns ? known.tasks_first_ns : known.first_ns;
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
        paper.fillText(duration(marks[i]! || 0), x + 3, OVERVIEW + 10);
    }
    paper.strokeStyle = palette.line;
    paper.lineWidth = 1;
    paper.globalAlpha = 0.5;
    paper.stroke();
    paper.globalAlpha = 1;
}

export function groupName(group: Group): string {
    const rank = group.rank !== null ? `${t('rank', {n: group.rank})} · ` : '';
    if (group.host) return rank + t('host');
    return rank + (group.device !== null ? t('device', {n: group.device}) : t('tasks'));
}

function trackName(track: Track): string {
    return clean(track.name, 60);
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
        paper.fillText(`${group.open ? '▾' : '▸'} ${middle(groupName(group), 24)}`, 6, y + HEAD / 2 + 1);
    }
    paper.font = `11px ${FONT}`;
    paper.fillStyle = palette.faint;
    for (const [lane, track] of rows.trackStart) {
        const y = top(picture, lane.y);
        if (y < TOP - ROW || y > picture.high) continue;
        paper.fillText(middle(trackName(track), 22), 20, y + ROW / 2 + 0.5);
    }
    paper.fillStyle = palette.panel;
    paper.fillRect(0, 0, NAMES, TOP);
    paper.beginPath();
    paper.moveTo(NAMES - 0.5, 0);
    paper.lineTo(NAMES - 0.5, picture.high);
    paper.strokeStyle = palette.line;
    paper.lineWidth = 1;
    paper.stroke();
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

// The whole of it, with the window drawn in.
export function drawOverview(picture: Picture, known: Capture, all: Slices | null, window: {start: number; duration: number}): void {
    const {paper, palette} = picture, plot = picture.wide - NAMES;
    const span = Math.max(1, known.end_ns - known.first_ns), x = (ns: number): number => NAMES + ((ns - known.first_ns) / span) * plot;
    paper.fillStyle = palette.groupOpen;
    paper.fillRect(NAMES, 0, plot, OVERVIEW - 3);
    const lanes = all?.lanes.filter((lane) => lane.end > lane.from) ?? [], high = (OVERVIEW - 6) / Math.max(1, lanes.length);
    lanes.forEach((lane, row) => {
        for (let i = lane.from; all && i < lane.end; i++) {
            paper.fillStyle = lane.host ? HOST : look(known.categories[all.category[i]!]).fill;
            const left = x(startOf(all, i));
            paper.fillRect(left, 1 + row * high, Math.max(0.6, x(endOf(all, i)) - left), Math.max(0.8, high - 0.5));
        }
    });
    drawWindow(picture, x(window.start), x(window.start + window.duration));
}

export function drawWindow(picture: Picture, from: number, to: number): void {
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
