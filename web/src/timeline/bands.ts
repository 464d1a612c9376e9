// Rows without slices: how busy a device was, counters, and the stretches that are folded.
import {t} from '../i18n/i18n';
import {clean} from '../util/clean';
import {look} from '../util/colours';
import {bytes, count, duration} from '../util/format';
import {countBelow} from './scale';
import type {Bands, CounterLine} from './data';
import {FONT, NAMES, TOP, top, type Picture} from './frame';
import {BAND, COUNTER, type CounterRow, type Rows} from './rows';

export const BAND_NAMES = ['compute', 'transfer', 'communication'] as const;
export const BAND_COLOURS = ['fully_connected', 'data_movement', 'communication'].map((name) => look(name).fill);

const FULL = 255;

// One bar per step, as high as the device was busy.
export function drawBands(picture: Picture, rows: Rows, bands: Bands): void {
    const {paper, scale} = picture;
    for (const row of rows.bands) {
        const bottom = top(picture, row.y) + BAND - 2, high = BAND - 3;
        if (bottom < TOP || bottom - BAND > picture.high) continue;
        const first = Math.max(0, Math.floor((scale.ns(NAMES) - bands.base) / bands.step));
        const end = Math.min(bands.steps, Math.ceil((scale.ns(picture.wide) - bands.base) / bands.step));
        paper.fillStyle = BAND_COLOURS[row.kind] ?? BAND_COLOURS[0]!;
        for (let at = first; at < end;) {
            const share = bands.share[row.band * bands.steps + at]!, from = at;
            while (at < end && bands.share[row.band * bands.steps + at] === share) at++;
            if (!share) continue;
            const left = scale.x(bands.base + from * bands.step), right = scale.x(bands.base + at * bands.step);
            const size = Math.max(1, (share / FULL) * high);
            paper.fillRect(left, bottom - size, Math.max(0.7, right - left), size);
        }
    }
}

export const amount = (value: number, unit: string): string =>
    unit === 'B' ? bytes(value) : `${Math.abs(value) < 100 && value % 1 ? value.toFixed(2) : count(value)} ${unit}`.trim();

function drawCounter(picture: Picture, row: CounterRow, line: CounterLine): void {
    const {paper, palette, scale} = picture, bottom = top(picture, row.y) + COUNTER - 4, high = COUNTER - 8;
    const floor = Math.min(0, line.least), range = Math.max(line.greatest - floor, 1e-12);
    const y = (value: number): number => bottom - ((value - floor) / range) * high;
    const first = Math.max(0, countBelow(line.at, scale.ns(NAMES)) - 1), end = countBelow(line.at, scale.ns(picture.wide));
    if (end <= first) return;
    paper.beginPath();
    paper.moveTo(Math.max(NAMES, scale.x(line.at[first]!)), bottom);
    for (let i = first; i < end; i++) {
        const x = Math.max(NAMES, scale.x(line.at[i]!));
        if (i > first) paper.lineTo(x, y(line.last[i - 1]!));
        paper.lineTo(x, y(line.high[i]!));
        if (line.low[i] !== line.high[i]) paper.lineTo(x, y(line.low[i]!));
        paper.lineTo(x, y(line.last[i]!));
    }
    paper.lineTo(picture.wide, y(line.last[end - 1]!));
    paper.lineTo(picture.wide, bottom);
    paper.closePath();
    paper.fillStyle = palette.related;
    paper.globalAlpha = 0.28;
    paper.fill();
    paper.globalAlpha = 1;
    paper.strokeStyle = palette.related;
    paper.lineWidth = 1;
    paper.stroke();
    paper.fillStyle = palette.faint;
    paper.font = `10px ${FONT}`;
    paper.textAlign = 'right';
    paper.fillText(amount(line.greatest, row.counter.unit), picture.wide - 6, bottom - high + 4);
    paper.textAlign = 'left';
}

export function drawCounters(picture: Picture, rows: Rows, lines: readonly CounterLine[]): void {
    const byId = new Map(lines.map((line) => [line.counter, line]));
    for (const row of rows.counters) {
        const line = byId.get(row.counter.id), y = top(picture, row.y);
        if (line && y + COUNTER > TOP && y < picture.high) drawCounter(picture, row, line);
    }
}

// What a band or a counter says at one point.
export function rowLines(picture: Picture, rows: Rows, bands: Bands | null, lines: readonly CounterLine[], at: {x: number; y: number}): string[] {
    const ns = picture.scale.ns(at.x), isOn = (y: number, high: number): boolean => at.y >= top(picture, y) && at.y < top(picture, y) + high;
    if (at.x < NAMES || at.y < TOP) return [];
    const row = rows.bands.find(({y}) => isOn(y, BAND)), step = bands ? Math.floor((ns - bands.base) / bands.step) : -1;
    if (row && bands && step >= 0 && step < bands.steps) {
        const part = bands.share[row.band * bands.steps + step]! / FULL;
        return [`${t(BAND_NAMES[row.kind] ?? 'compute')} · ${(part * 100).toFixed(0)} %`];
    }
    const counter = rows.counters.find(({y}) => isOn(y, COUNTER))?.counter, line = lines.find((l) => l.counter === counter?.id);
    const place = line ? countBelow(line.at, ns) - 1 : -1;
    return counter && line && place >= 0 ? [clean(counter.name, 80), amount(line.last[place]!, clean(counter.unit, 20))] : [];
}

// Folded stretches: a torn strip that says how long it is.
export function drawFolds(picture: Picture): void {
    const {paper, palette, scale} = picture, {gaps} = scale.folds;
    const first = Math.max(0, countBelow(gaps.map((gap) => gap.from), scale.ns(NAMES)) - 1);
    for (let i = first; i < gaps.length; i++) {
        const gap = gaps[i]!, left = scale.x(gap.from), right = scale.x(gap.to);
        if (left > picture.wide) break;
        if (right < NAMES || right - left < 2) continue;
        paper.fillStyle = palette.group;
        paper.fillRect(left, TOP, right - left, picture.high - TOP);
        paper.beginPath();
        for (const x of [left, right])
            for (let y = TOP; y < picture.high; y += 8) {
                paper.moveTo(x, y);
                paper.lineTo(x + (x === left ? 2 : -2), y + 4);
                paper.lineTo(x, y + 8);
            }
        paper.strokeStyle = palette.faint;
        paper.lineWidth = 1;
        paper.stroke();
        const text = duration(Math.round(gap.to - gap.from));
        if (right - left < text.length * 6) continue;
        paper.fillStyle = palette.faint;
        paper.font = `10px ${FONT}`;
        paper.textAlign = 'center';
        paper.fillText(text, (left + right) / 2, picture.high - 10);
        paper.textAlign = 'left';
    }
}
