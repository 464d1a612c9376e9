// The timeline: one row per lane, as much detail as there are pixels.
import {effect, untracked} from '@preact/signals';
import {isAborted, postFrame, type Track} from '../api/client';
import {texts, u16, u32, u8, type Frame} from '../api/frame';
import {select, showPath, timeActions} from '../state/actions';
import {capture, failure, follow, hidden, path, relatedTasks, selection, theme, timeWindow} from '../state/state';
import {clean, middle} from '../util/clean';
import {DARK, LIGHT, look, type Palette} from '../util/colours';
import {duration, niceStep} from '../util/format';

const ROW = 18;
const AXIS = 26;
const OVERVIEW = 34;
const GAP = 6; // between tracks
const NAMES = 150; // width of the column of names
const FONT = 'system-ui, "Noto Sans CJK SC", "Microsoft YaHei", sans-serif';

interface Lane {
    track: number;
    depth: number;
    host: boolean;
    from: number;
    end: number;
    y: number;
}

interface Data {
    base: number;
    step: number;
    until: number;
    lanes: Lane[];
    start: Uint32Array;
    dur: Uint32Array;
    id: Uint32Array;
    count: Uint16Array;
    category: Uint8Array;
    flags: Uint8Array;
    node: Uint32Array;
    name: Uint32Array;
    names: string[];
    height: number;
}

const IS_WAIT = 1;

function decode(frame: Frame, until: number): Data {
    const track = u32(frame, 1), depth = u32(frame, 2), host = u8(frame, 3), end = u32(frame, 4);
    const lanes: Lane[] = [];
    let y = 0, before = -1, from = 0;
    for (let i = 0; i < track.length; i++) {
        if (before !== track[i] && i) y += GAP;
        before = track[i]!;
        lanes.push({track: track[i]!, depth: depth[i]!, host: host[i] === 1, from, end: end[i]!, y});
        from = end[i]!;
        y += ROW;
    }
    return {
        base: frame.base, step: frame.step, until, lanes, start: u32(frame, 5), dur: u32(frame, 6), id: u32(frame, 7),
        count: u16(frame, 8), category: u8(frame, 9), flags: u8(frame, 10), node: u32(frame, 11), name: u32(frame, 12),
        names: texts(u32(frame, 13), u8(frame, 14)).map((x) => clean(x)), height: y,
    };
}

export class TimelineView {
    private data: Data | null = null;
    private overview: Data | null = null;
    private readonly context: CanvasRenderingContext2D;
    private wide = 1;
    private high = 1;
    private ratio = 1;
    private scroll = 0;
    private wanted = false;
    private loading = '';
    private drag: {x: number; y: number; moved: boolean; overview: boolean} | null = null;
    private hover = -1;
    private readonly stops: (() => void)[] = [];
    private timer = 0;
    lastDrawMs = 0;

    constructor(private readonly canvas: HTMLCanvasElement) {
        const context = canvas.getContext('2d', {alpha: false});
        if (!context) throw new Error('no canvas');
        this.context = context;
        this.listen();
        const sizes = new ResizeObserver(() => this.resize());
        sizes.observe(canvas);
        this.stops.push(() => sizes.disconnect());
        this.stops.push(effect(() => {
            const known = capture.value;
            hidden.value;
            untracked(() => {
                this.data = null;
                this.loading = '';
                if (known && timeWindow.value.duration === 1) this.fitAll();
                void this.loadOverview();
                this.load();
            });
        }));
        this.stops.push(effect(() => {
            timeWindow.value;
            untracked(() => this.load());
            this.redraw();
        }));
        this.stops.push(effect(() => {
            relatedTasks.value;
            selection.value;
            path.value;
            theme.value;
            this.redraw();
        }));
        timeActions.current = {reveal: (a, b) => this.reveal(a, b), fitAll: () => this.fitAll()};
    }

    destroy(): void {
        this.stops.forEach((stop) => stop());
        timeActions.current = null;
    }

    // --- data ---

    private plot(): number {
        return Math.max(1, this.wide - NAMES);
    }

    private filter(): Record<string, unknown> {
        const body: Record<string, unknown> = {};
        if (hidden.value.size) body['hidden'] = [...hidden.value];
        return body;
    }

    private load(): void {
        window.clearTimeout(this.timer);
        this.timer = window.setTimeout(() => void this.fetch(), this.data ? 40 : 0);
    }

    // Three times the visible width, on a grid of steps: small moves need no request.
    private async fetch(): Promise<void> {
        const known = capture.value;
        if (!known?.has.includes('tasks') && !known?.has.includes('slices')) return;
        const {start, duration: dur} = timeWindow.value;
        const step = Math.max(1, 2 ** Math.floor(Math.log2(Math.max(dur / this.plot(), 1))));
        const grid = step * 1024;
        const from = Math.floor((start - dur) / grid) * grid, to = Math.ceil((start + 2 * dur) / grid) * grid;
        const key = `${from}:${to}:${step}`;
        const fits = this.data && this.data.step === step && this.data.base <= start && this.data.until >= start + dur;
        if (fits || key === this.loading) return;
        this.loading = key;
        try {
            const frame = await postFrame('slices', 'slices', {from_ns: from, to_ns: to, step_ns: step, ...this.filter()});
            this.data = decode(frame, to);
            this.redraw();
        } catch (error) {
            this.loading = '';
            if (!isAborted(error)) failure.value = error instanceof Error ? error.message : String(error);
        }
    }

    private async loadOverview(): Promise<void> {
        const known = capture.value;
        if (!known || known.end_ns <= known.first_ns) return;
        const span = known.end_ns - known.first_ns;
        try {
            const frame = await postFrame('overview', 'slices', {
                from_ns: known.first_ns, to_ns: known.end_ns + 1, step_ns: Math.max(1, Math.ceil(span / 1000)), ...this.filter(),
            });
            this.overview = decode(frame, known.end_ns);
            this.redraw();
        } catch (error) {
            if (!isAborted(error)) failure.value = error instanceof Error ? error.message : String(error);
        }
    }

    // --- window ---

    fitAll(): void {
        const known = capture.value;
        if (!known || known.end_ns <= known.first_ns) return;
        // What the device did; calls of the host may have begun long before.
        const hasTasks = known.tasks_end_ns > known.tasks_first_ns;
        const first = hasTasks ? known.tasks_first_ns : known.first_ns, end = hasTasks ? known.tasks_end_ns : known.end_ns;
        timeWindow.value = {start: first - (end - first) * 0.01, duration: (end - first) * 1.02};
    }

    private reveal(first: number, end: number): void {
        if (!follow.value) return;
        const {start, duration: dur} = timeWindow.value;
        if (end > start && first < start + dur && (end - first) / dur > 0.0005) return;
        const width = Math.max((end - first) * 3, 1000);
        timeWindow.value = {start: (first + end) / 2 - width / 2, duration: width};
    }

    private zoom(factor: number, x: number): void {
        const {start, duration: dur} = timeWindow.value;
        const at = start + ((x - NAMES) / this.plot()) * dur;
        const known = capture.value;
        const most = known ? (known.end_ns - known.first_ns) * 4 + 1000 : 1e15;
        const next = Math.min(most, Math.max(20, dur * factor));
        timeWindow.value = {start: at - ((at - start) * next) / dur, duration: next};
    }

    private pan(part: number): void {
        const {start, duration: dur} = timeWindow.value;
        timeWindow.value = {start: start + dur * part, duration: dur};
    }

    // --- picture ---

    private resize(): void {
        const rect = this.canvas.getBoundingClientRect();
        this.ratio = Math.min(window.devicePixelRatio || 1, 2);
        this.wide = Math.max(1, rect.width);
        this.high = Math.max(1, rect.height);
        this.canvas.width = Math.round(this.wide * this.ratio);
        this.canvas.height = Math.round(this.high * this.ratio);
        this.load();
        this.redraw();
    }

    redraw(): void {
        if (this.wanted) return;
        this.wanted = true;
        requestAnimationFrame(() => {
            this.wanted = false;
            this.paint();
        });
    }

    private x(ns: number): number {
        const {start, duration: dur} = timeWindow.value;
        return NAMES + ((ns - start) / dur) * this.plot();
    }

    private laneTop(lane: Lane): number {
        return OVERVIEW + AXIS + lane.y - this.scroll;
    }

    paint(): void {
        const begin = performance.now();
        const palette = theme.value === 'dark' ? DARK : LIGHT;
        const c = this.context;
        c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
        c.fillStyle = palette.back;
        c.fillRect(0, 0, this.wide, this.high);
        if (this.data) this.lanes(this.data, palette);
        this.names(palette);
        this.axis(palette);
        this.strip(palette);
        this.lastDrawMs = performance.now() - begin;
    }

    private lanes(data: Data, palette: Palette): void {
        const c = this.context;
        const categories = capture.value?.categories ?? [];
        const byColour = new Map<number, number[]>();
        const related = relatedTasks.value, chain = path.value?.chain;
        const lit: number[] = [], onPath: number[] = [], waits: number[] = [], labelled: number[] = [];
        for (const lane of data.lanes) {
            const y = this.laneTop(lane);
            if (y + ROW < OVERVIEW + AXIS || y > this.high) continue;
            for (let i = lane.from; i < lane.end; i++) {
                const left = this.x(data.base + data.start[i]! * data.step);
                const right = this.x(data.base + (data.start[i]! + data.dur[i]!) * data.step);
                if (right < NAMES || left > this.wide) continue;
                const x = Math.max(left, NAMES), w = Math.max(1, Math.min(right, this.wide) - x);
                const key = lane.host ? 100 : data.category[i]!;
                let list = byColour.get(key);
                if (!list) byColour.set(key, (list = []));
                list.push(x, y + 1, w);
                if (data.flags[i]! & IS_WAIT) waits.push(x, y + 1, w);
                if (!lane.host && (related.has(data.id[i]!) || (selection.value.task === data.id[i] && data.id[i]))) lit.push(x, y, w);
                if (!lane.host && data.node[i] && chain?.has(data.node[i]!)) onPath.push(x, y, w);
                if (w > 30 && data.name.length) labelled.push(i, x, y, w, key);
            }
        }
        for (const [key, list] of byColour) {
            c.fillStyle = key === 100 ? '#a9c4df' : look(categories[key]).fill;
            for (let i = 0; i < list.length; i += 3) c.fillRect(list[i]!, list[i + 1]!, Math.max(list[i + 2]! - 0.4, 0.6), ROW - 2);
        }
        this.markWaits(waits);
        this.labels(data, labelled, categories);
        c.fillStyle = palette.path;
        for (let i = 0; i < onPath.length; i += 3) c.fillRect(onPath[i]!, onPath[i + 1]! + ROW - 4, Math.max(1, onPath[i + 2]!), 4);
        c.strokeStyle = palette.select;
        c.lineWidth = 2;
        for (let i = 0; i < lit.length; i += 3) c.strokeRect(lit[i]!, lit[i + 1]!, Math.max(2, lit[i + 2]!), ROW);
        this.outside(data, palette);
    }

    private markWaits(waits: number[]): void {
        const c = this.context;
        c.strokeStyle = 'rgba(0,0,0,.45)';
        c.lineWidth = 1;
        c.beginPath();
        for (let i = 0; i < waits.length; i += 3) {
            const x = waits[i]!, y = waits[i + 1]!, w = waits[i + 2]!;
            for (let at = 4; at < Math.min(w, 2000); at += 6) {
                c.moveTo(x + at, y + ROW - 2);
                c.lineTo(x + at + 4, y);
            }
        }
        c.stroke();
    }

    private labels(data: Data, list: number[], categories: string[]): void {
        const c = this.context;
        c.font = `11px ${FONT}`;
        c.textBaseline = 'middle';
        for (let k = 0; k < Math.min(list.length, 5 * 1500); k += 5) {
            const i = list[k]!, x = list[k + 1]!, y = list[k + 2]!, w = list[k + 3]!, key = list[k + 4]!;
            const text = data.names[data.name[i]!] ?? '';
            c.fillStyle = key === 100 ? '#000' : look(categories[key]).text;
            const tail = data.count[i]! > 1 ? ` ×${data.count[i]!}` : '';
            c.fillText(middle(text + tail, Math.floor((w - 6) / 6)), x + 3, y + ROW / 2);
        }
    }

    // How many tasks of the selection lie to either side.
    private outside(data: Data, palette: Palette): void {
        const related = relatedTasks.value;
        if (!related.size) return;
        let left = 0, right = 0;
        for (const lane of data.lanes)
            for (let i = lane.from; !lane.host && i < lane.end; i++) {
                if (!related.has(data.id[i]!)) continue;
                const x = this.x(data.base + data.start[i]! * data.step);
                if (x < NAMES) left++;
                else if (x > this.wide) right++;
            }
        const c = this.context;
        c.font = `12px ${FONT}`;
        c.fillStyle = palette.select;
        if (left) c.fillText(`◀ ${left}`, NAMES + 4, OVERVIEW + AXIS + 10);
        if (right) c.fillText(`${right} ▶`, this.wide - 44, OVERVIEW + AXIS + 10);
    }

    private trackName(track: Track | undefined): string {
        if (!track) return '';
        const device = track.device !== null ? `${track.device} · ` : '';
        const rank = track.rank !== null ? `r${track.rank} ` : '';
        return clean(rank + device + track.name, 60);
    }

    private names(palette: Palette): void {
        const c = this.context;
        c.fillStyle = palette.panel;
        c.fillRect(0, 0, NAMES, this.high);
        c.fillStyle = palette.ink;
        c.font = `11px ${FONT}`;
        c.textBaseline = 'middle';
        const tracks = new Map(capture.value?.tracks.map((x) => [x.id, x]));
        for (const lane of this.data?.lanes ?? []) {
            const y = this.laneTop(lane);
            if (y < OVERVIEW + AXIS - ROW || y > this.high || lane.depth) continue;
            c.fillText(middle(this.trackName(tracks.get(lane.track)), 24), 6, y + ROW / 2);
        }
        c.strokeStyle = palette.line;
        c.lineWidth = 1;
        c.strokeRect(NAMES - 0.5, 0, 0.5, this.high);
    }

    private axis(palette: Palette): void {
        const c = this.context;
        const {start, duration: dur} = timeWindow.value;
        const step = niceStep((dur * 110) / this.plot());
        c.fillStyle = palette.panel;
        c.fillRect(NAMES, OVERVIEW, this.wide, AXIS);
        c.fillStyle = palette.faint;
        c.font = `11px ${FONT}`;
        c.textBaseline = 'middle';
        c.strokeStyle = palette.line;
        c.beginPath();
        for (let at = Math.ceil(start / step) * step; at < start + dur; at += step) {
            const x = Math.round(this.x(at)) + 0.5;
            c.moveTo(x, OVERVIEW + AXIS - 6);
            c.lineTo(x, this.high);
            c.fillText(duration(at), x + 3, OVERVIEW + 11);
        }
        c.globalAlpha = 0.5;
        c.stroke();
        c.globalAlpha = 1;
    }

    // The whole of it, with the window drawn in.
    private strip(palette: Palette): void {
        const c = this.context, known = capture.value, all = this.overview;
        if (!known || known.end_ns <= known.first_ns) return;
        const span = known.end_ns - known.first_ns, plot = this.plot();
        const categories = known.categories;
        c.fillStyle = palette.groupOpen;
        c.fillRect(NAMES, 0, plot, OVERVIEW - 4);
        const rows = Math.max(1, all?.lanes.length ?? 1), high = (OVERVIEW - 6) / rows;
        all?.lanes.forEach((lane, row) => {
            for (let i = lane.from; i < lane.end; i++) {
                c.fillStyle = lane.host ? '#a9c4df' : look(categories[all.category[i]!]).fill;
                const x = NAMES + ((all.base - known.first_ns + all.start[i]! * all.step) / span) * plot;
                c.fillRect(x, 1 + row * high, Math.max(0.6, ((all.dur[i]! * all.step) / span) * plot), Math.max(0.8, high - 0.5));
            }
        });
        const {start, duration: dur} = timeWindow.value;
        c.strokeStyle = palette.select;
        c.lineWidth = 1.5;
        c.strokeRect(NAMES + ((start - known.first_ns) / span) * plot, 1, Math.max(3, (dur / span) * plot), OVERVIEW - 6);
    }

    toPicture(): HTMLCanvasElement {
        this.paint();
        return this.canvas;
    }

    // --- hands ---

    private at(event: {clientX: number; clientY: number}): number {
        const data = this.data;
        const rect = this.canvas.getBoundingClientRect();
        const px = event.clientX - rect.left, py = event.clientY - rect.top;
        if (!data || px < NAMES || py < OVERVIEW + AXIS) return -1;
        for (const lane of data.lanes) {
            const y = this.laneTop(lane);
            if (py < y || py >= y + ROW || lane.host) continue;
            let best = -1;
            for (let i = lane.from; i < lane.end; i++) {
                const left = this.x(data.base + data.start[i]! * data.step);
                const right = this.x(data.base + (data.start[i]! + data.dur[i]!) * data.step);
                if (px >= left - 1 && px <= Math.max(right, left + 1) + 1) best = i;
            }
            return best;
        }
        return -1;
    }

    private listen(): void {
        const canvas = this.canvas;
        const on = <K extends keyof HTMLElementEventMap>(name: K, act: (e: HTMLElementEventMap[K]) => void, passive = true): void => {
            canvas.addEventListener(name, act, {passive});
            this.stops.push(() => canvas.removeEventListener(name, act));
        };
        on('wheel', (e) => {
            e.preventDefault();
            const rect = canvas.getBoundingClientRect();
            if (e.ctrlKey || e.metaKey) this.zoom(Math.exp(e.deltaY * 0.003), e.clientX - rect.left);
            else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) this.pan((e.deltaX || e.deltaY) / this.plot());
            else this.scrollBy(e.deltaY);
        }, false);
        on('pointerdown', (e) => {
            const rect = canvas.getBoundingClientRect();
            canvas.setPointerCapture(e.pointerId);
            this.drag = {x: e.clientX, y: e.clientY, moved: false, overview: e.clientY - rect.top < OVERVIEW};
            if (this.drag.overview) this.jump(e);
        });
        on('pointermove', (e) => this.pointer(e));
        on('pointerup', (e) => {
            if (this.drag && !this.drag.moved && !this.drag.overview) this.choose(this.at(e));
            this.drag = null;
        });
        on('dblclick', (e) => {
            const i = this.at(e), data = this.data;
            if (i < 0 || !data) return;
            const start = data.base + data.start[i]! * data.step, dur = data.dur[i]! * data.step;
            timeWindow.value = {start: start - dur, duration: dur * 3};
        });
        on('keydown', (e) => this.key(e), false);
    }

    private scrollBy(pixels: number): void {
        const most = Math.max(0, (this.data?.height ?? 0) + OVERVIEW + AXIS + 20 - this.high);
        this.scroll = Math.min(most, Math.max(0, this.scroll + pixels));
        this.redraw();
    }

    private jump(event: PointerEvent): void {
        const known = capture.value;
        if (!known) return;
        const rect = this.canvas.getBoundingClientRect();
        const at = known.first_ns + ((event.clientX - rect.left - NAMES) / this.plot()) * (known.end_ns - known.first_ns);
        const dur = timeWindow.value.duration;
        timeWindow.value = {start: at - dur / 2, duration: dur};
    }

    private pointer(event: PointerEvent): void {
        if (this.drag?.overview) {
            this.jump(event);
            return;
        }
        if (this.drag) {
            const dx = event.clientX - this.drag.x, dy = event.clientY - this.drag.y;
            if (!this.drag.moved && Math.abs(dx) + Math.abs(dy) < 4) return;
            this.drag = {x: event.clientX, y: event.clientY, moved: true, overview: false};
            this.pan(-dx / this.plot());
            this.scrollBy(-dy);
            return;
        }
        const i = this.at(event), data = this.data;
        if (i === this.hover) return;
        this.hover = i;
        this.canvas.title = i >= 0 && data
            ? `${data.names[data.name[i] ?? -1] ?? ''} ${duration(data.dur[i]! * data.step)}${data.count[i]! > 1 ? ` ×${data.count[i]!}` : ''}`
            : '';
    }

    private choose(i: number): void {
        const data = this.data;
        select(0, i >= 0 && data ? data.id[i]! : 0, 'timeline');
    }

    // The task before or behind the selected one in its lane.
    private step(by: number): void {
        const data = this.data, task = selection.value.task || [...relatedTasks.value][0];
        if (!data || !task) return;
        for (const lane of data.lanes)
            for (let i = lane.from; !lane.host && i < lane.end; i++)
                if (data.id[i] === task && i + by >= lane.from && i + by < lane.end) {
                    select(0, data.id[i + by]!, 'timeline');
                    return;
                }
    }

    private key(event: KeyboardEvent): void {
        if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
        const actions: Record<string, () => void> = {
            KeyW: () => this.zoom(0.75, NAMES + this.plot() / 2),
            KeyS: () => this.zoom(1.33, NAMES + this.plot() / 2),
            KeyA: () => this.pan(-0.15),
            KeyD: () => this.pan(0.15),
            Digit0: () => this.fitAll(),
            ArrowLeft: () => this.step(-1),
            ArrowRight: () => this.step(1),
            ArrowUp: () => this.scrollBy(-ROW),
            ArrowDown: () => this.scrollBy(ROW),
            KeyP: () => void showPath(),
            Escape: () => select(0, 0, 'timeline'),
        };
        const act = actions[event.code];
        if (!act) return;
        event.preventDefault();
        event.stopPropagation();
        act();
    }
}
