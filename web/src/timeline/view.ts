// The timeline: one row per lane, as much detail as there are pixels. The picture is kept as two layers:
// the scene, and above it what follows the hand and the selection, which costs no new scene.
import {effect, untracked} from '@preact/signals';
import {isAborted} from '../api/client';
import {t} from '../i18n/i18n';
import {select, timeActions} from '../state/actions';
import {announcement, capture, failure, follow, heatMap, hidden, hits, lang, path, relatedTasks, selection, theme, timeWindow} from '../state/state';
import {DARK, LIGHT, type Palette} from '../util/colours';
import {savePng, saveSvg, SvgSurface, type Surface} from '../util/export';
import {duration} from '../util/format';
import {drawArrows} from './arrows';
import {drawAxis, drawHeads, drawNames, drawOverview, zeroOf} from './axis';
import {endOf, nameOf, SIGNAL, startOf, visible, type Lane, type Slices} from './data';
import {drawSlices, type Looks} from './draw';
import {FONT, inPlot, NAMES, OVERVIEW, TOP, top, type Picture} from './frame';
import {Hands} from './input';
import {Loads, wholeTrace} from './loads';
import {HEAD, layoutRows, ROW, type Extras, type Group, type Rows} from './rows';
import {NO_FOLDS, Scale, type Folds} from './scale';
import {arrowNote, closedGroups, rawTime, showFlows} from './state';

export interface Spot {
    lane: Lane;
    slice: number;
}

const MOST_ARROWS_SHOWN = 5000; // of so many none would be seen
const LEAST_NS = 20;

export class TimelineView {
    readonly loads = new Loads(() => this.arrived());
    rows: Rows | null = null;
    folds: Folds = NO_FOLDS;
    wide = 1;
    high = 1;
    ratio = 1;
    scroll = 0;
    lastDrawMs = 0;
    hover: Spot | null = null;
    pointer = {x: 0, y: 0};
    private overview: Slices | null = null;
    private extras: Extras = {bands: [], counters: []};
    private readonly screen: CanvasRenderingContext2D;
    private readonly sceneCanvas = document.createElement('canvas');
    private readonly scene: CanvasRenderingContext2D;
    private sceneIsOld = true;
    private wanted = false;
    private timer = 0;
    private readonly stops: (() => void)[] = [];

    constructor(readonly canvas: HTMLCanvasElement) {
        const screen = canvas.getContext('2d', {alpha: false}), scene = this.sceneCanvas.getContext('2d', {alpha: false});
        if (!screen || !scene) throw new Error('no canvas');
        this.screen = screen;
        this.scene = scene;
        const hands = new Hands(this);
        const sizes = new ResizeObserver(() => this.resize());
        sizes.observe(canvas);
        this.stops.push(() => sizes.disconnect(), () => hands.stop());
        this.watch();
        timeActions.current = {reveal: (a, b) => this.reveal(a, b), fitAll: () => this.fitAll()};
    }

    private watch(): void {
        const on = (act: () => void): void => void this.stops.push(effect(act));
        on(() => {
            const known = capture.value;
            hidden.value;
            rawTime.value;
            untracked(() => {
                this.loads.forget();
                if (known && timeWindow.value.duration === 1) this.fitAll();
                void this.loadOverview();
                this.moved();
            });
        });
        on(() => {
            timeWindow.value;
            showFlows.value;
            untracked(() => this.moved());
        });
        on(() => {
            closedGroups.value;
            untracked(() => this.layout());
        });
        on(() => {
            void [hits.value, path.value, theme.value, lang.value, heatMap.value];
            this.redraw();
        });
        on(() => {
            const {task} = selection.value;
            rawTime.value;
            untracked(() => void this.loads.flowsOf(task, 0, timeWindow.value.start));
        });
        on(() => {
            relatedTasks.value;
            this.redraw(false);
        });
    }

    destroy(): void {
        this.stops.forEach((stop) => stop());
        timeActions.current = null;
    }

    // For tests: the slices, and where they are.
    get data(): Slices | null {
        return this.loads.slices;
    }

    x(ns: number): number {
        return this.scale().x(ns);
    }

    laneTop(lane: Lane): number {
        return TOP + lane.y - this.scroll;
    }

    scale(): Scale {
        return new Scale(timeWindow.value, NAMES, Math.max(1, this.wide - NAMES), this.folds);
    }

    // --- data ---

    private moved(): void {
        this.redraw();
        window.clearTimeout(this.timer);
        this.timer = window.setTimeout(() => this.load(), this.data ? 40 : 0);
    }

    private load(): void {
        const known = capture.value;
        if (!known?.has.includes('tasks') && !known?.has.includes('slices')) return;
        void this.loads.window(this.scale(), this.tracksInSight());
        void this.loads.flows(this.scale(), showFlows.value);
    }

    // Rows in sight and as many above and below; all before rows are known.
    private tracksInSight(): number[] | null {
        if (!this.rows) return null;
        const plot = this.high - TOP, from = this.scroll - plot / 2, to = this.scroll + plot * 1.5;
        return [...new Set(this.rows.lanes.filter((lane) => lane.y + ROW > from && lane.y < to).map((lane) => lane.track))];
    }

    private arrived(): void {
        const {total, list} = this.loads.arrows;
        arrowNote.value = {shown: total > MOST_ARROWS_SHOWN ? 0 : list.length, total};
        this.layout();
    }

    private layout(): void {
        const known = capture.value, data = this.data;
        if (known && data) this.rows = layoutRows(known, data, closedGroups.value, this.extras);
        this.scrollBy(0);
        this.redraw();
        this.moved();
    }

    private async loadOverview(): Promise<void> {
        const known = capture.value;
        if (!known || known.end_ns <= known.first_ns) return;
        try {
            this.overview = await wholeTrace(known.first_ns, known.end_ns, rawTime.value);
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
        this.show(first, end);
    }

    show(first: number, end: number): void {
        const width = Math.max((end - first) * 3, 1000);
        timeWindow.value = {start: (first + end) / 2 - width / 2, duration: width};
    }

    zoom(factor: number, x: number): void {
        const known = capture.value, scale = this.scale(), at = (x - NAMES) / scale.width;
        const most = known ? (known.end_ns - known.first_ns) * 4 + 1000 : 1e15;
        const size = Math.min(most, Math.max(LEAST_NS, scale.length * factor)) / scale.length;
        timeWindow.value = scale.part(at - at * size, size);
    }

    pan(part: number): void {
        timeWindow.value = this.scale().part(part, 1);
    }

    scrollBy(pixels: number): void {
        const most = Math.max(0, (this.rows?.height ?? 0) + TOP + 12 - this.high), next = Math.min(most, Math.max(0, this.scroll + pixels));
        if (next === this.scroll) return;
        this.scroll = next;
        this.moved();
    }

    // --- picture ---

    private resize(): void {
        const rect = this.canvas.getBoundingClientRect();
        this.ratio = Math.min(window.devicePixelRatio || 1, 2);
        this.wide = Math.max(1, rect.width);
        this.high = Math.max(1, rect.height);
        for (const canvas of [this.canvas, this.sceneCanvas]) {
            canvas.width = Math.round(this.wide * this.ratio);
            canvas.height = Math.round(this.high * this.ratio);
        }
        this.moved();
    }

    redraw(scene = true): void {
        this.sceneIsOld ||= scene;
        if (this.wanted) return;
        this.wanted = true;
        requestAnimationFrame(() => {
            this.wanted = false;
            this.paint();
        });
    }

    private picture(paper: Surface, pixels: CanvasRenderingContext2D | null): Picture {
        const palette: Palette = theme.value === 'dark' ? DARK : LIGHT;
        return {paper, pixels, ratio: this.ratio, wide: this.wide, high: this.high, scroll: this.scroll, scale: this.scale(), palette};
    }

    paint(): void {
        const begin = performance.now();
        if (this.sceneIsOld) {
            this.scene.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
            this.drawScene(this.picture(this.scene, this.scene));
            this.sceneIsOld = false;
        }
        this.screen.setTransform(1, 0, 0, 1, 0, 0);
        this.screen.drawImage(this.sceneCanvas, 0, 0);
        this.screen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
        this.drawOverlay(this.picture(this.screen, this.screen));
        this.lastDrawMs = performance.now() - begin;
    }

    private looks(pale: boolean): Looks {
        const blocked = new Map<number, number>();
        for (const arrow of this.loads.arrows.list)
            if (arrow.kind === SIGNAL) blocked.set(arrow.to.id, Math.max(blocked.get(arrow.to.id) ?? -Infinity, arrow.from.at));
        return {
            categories: capture.value?.categories ?? [], heat: heatMap.value, chain: path.value?.chain, onPath: path.value?.nodes,
            bright: hits.value.size ? hits.value : null, pale, blocked,
        };
    }

    private drawScene(picture: Picture): void {
        const {paper, palette} = picture, known = capture.value, data = this.data, rows = this.rows;
        paper.fillStyle = palette.back;
        paper.fillRect(0, 0, this.wide, this.high);
        if (known && data && rows) {
            inPlot(picture, TOP, () => {
                drawHeads(picture, rows);
                drawSlices(picture, data, rows.lanes, this.looks(false));
                if (showFlows.value && arrowNote.value.shown) drawArrows(picture, rows, this.loads.arrows.list, false);
            });
            drawNames(picture, rows);
        }
        drawAxis(picture, zeroOf(known));
        if (known && known.end_ns > known.first_ns) drawOverview(picture, known, this.overview, timeWindow.value);
    }

    private drawOverlay(picture: Picture): void {
        const rows = this.rows, data = this.data;
        if (!rows || !data) return;
        inPlot(picture, TOP, () => {
            this.outlineRelated(picture, data, rows);
            drawArrows(picture, rows, this.loads.ofSelection.list, true);
        });
        this.drawOutside(picture, data);
        if (this.hover) this.drawTip(picture, this.hover, data);
    }

    private outlineRelated(picture: Picture, data: Slices, rows: Rows): void {
        const {paper, palette, scale} = picture, related = relatedTasks.value, chosen = selection.value.task;
        if (!related.size && !chosen) return;
        for (const lane of rows.lanes) {
            if (lane.host || top(picture, lane.y) < TOP - ROW || top(picture, lane.y) > this.high) continue;
            const [from, end] = visible(data, lane, scale.ns(NAMES), scale.ns(this.wide));
            for (let i = from; i < end; i++) {
                if (!related.has(data.id[i]!) && chosen !== data.id[i]) continue;
                const x = scale.x(startOf(data, i)), w = Math.max(2, scale.x(endOf(data, i)) - x);
                paper.strokeStyle = palette.back;
                paper.lineWidth = 4;
                paper.strokeRect(x, top(picture, lane.y) + 1, w, ROW - 2);
                paper.strokeStyle = chosen === data.id[i] ? palette.select : palette.related;
                paper.lineWidth = 2;
                paper.strokeRect(x, top(picture, lane.y) + 1, w, ROW - 2);
            }
        }
    }

    // How many tasks of the selection lie to either side.
    private drawOutside(picture: Picture, data: Slices): void {
        const related = relatedTasks.value, {paper, palette, scale} = picture;
        let left = 0, right = 0;
        if (related.size)
            for (const lane of data.lanes)
                for (let i = lane.from; !lane.host && i < lane.end; i++) {
                    if (!related.has(data.id[i]!)) continue;
                    const x = scale.x(startOf(data, i));
                    if (x < NAMES) left++;
                    else if (x > this.wide) right++;
                }
        paper.font = `12px ${FONT}`;
        paper.fillStyle = palette.select;
        paper.textBaseline = 'middle';
        if (left) paper.fillText(`◀ ${left}`, NAMES + 4, TOP + 10);
        if (right) paper.fillText(`${right} ▶`, this.wide - 44, TOP + 10);
    }

    private drawTip(picture: Picture, spot: Spot, data: Slices): void {
        const {paper, palette} = picture, i = spot.slice, count = data.count[i]!, name = nameOf(data, i);
        const zero = zeroOf(capture.value), long = `${data.step > 1 ? '≈ ' : ''}${duration(data.dur[i]! * data.step)}`;
        const lines = [name + (count > 1 ? ` ×${count}` : ''), `${duration(startOf(data, i) - zero)} · ${long}`].filter((text) => text);
        paper.font = `12px ${FONT}`;
        const width = Math.max(...lines.map((text) => paper.measureText(text).width)) + 14, height = lines.length * 16 + 8;
        const x = Math.max(2, Math.min(this.pointer.x + 14, this.wide - width - 4));
        const below = this.pointer.y + 18, y = below + height > this.high ? this.pointer.y - height - 8 : below;
        paper.fillStyle = palette.panel;
        paper.fillRect(x, y, width, height);
        paper.strokeStyle = palette.line;
        paper.lineWidth = 1;
        paper.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1);
        paper.fillStyle = palette.ink;
        paper.textBaseline = 'middle';
        lines.forEach((text, line) => paper.fillText(text, x + 7, y + 12 + line * 16));
    }

    // --- for hands ---

    spotAt(px: number, py: number): Spot | null {
        const data = this.data, rows = this.rows, scale = this.scale();
        if (!data || !rows || px < NAMES || py < TOP) return null;
        const lane = rows.lanes.find((l) => py >= this.laneTop(l) && py < this.laneTop(l) + ROW);
        if (!lane) return null;
        const [from, end] = visible(data, lane, scale.ns(px - 2), scale.ns(px + 2));
        for (let i = end - 1; i >= from; i--)
            if (px >= scale.x(startOf(data, i)) - 1 && px <= Math.max(scale.x(endOf(data, i)), scale.x(startOf(data, i)) + 1) + 1) return {lane, slice: i};
        return null;
    }

    groupAt(px: number, py: number): Group | null {
        if (px >= NAMES || py < TOP) return null;
        return this.rows?.groups.find((group) => py >= TOP + group.y - this.scroll && py < TOP + group.y - this.scroll + HEAD) ?? null;
    }

    toggle(group: Group): void {
        const next = new Set(closedGroups.value);
        if (!next.delete(group.key)) next.add(group.key);
        closedGroups.value = next;
    }

    setHover(spot: Spot | null): void {
        if (spot?.slice === this.hover?.slice && !spot) return;
        this.hover = spot;
        this.redraw(false);
    }

    // A task is selected; a call of the host says what it launched.
    choose(spot: Spot | null): void {
        const data = this.data;
        if (!data || !spot) select(0, 0, 'timeline');
        else if (!spot.lane.host) select(0, data.id[spot.slice]!, 'timeline');
        else {
            announcement.value = t('selected', {name: nameOf(data, spot.slice)});
            void this.loads.flowsOf(0, data.id[spot.slice]!, timeWindow.value.start);
        }
    }

    overviewTime(px: number): number {
        const known = capture.value;
        if (!known) return 0;
        return known.first_ns + ((px - NAMES) / Math.max(1, this.wide - NAMES)) * (known.end_ns - known.first_ns);
    }

    isOverview(py: number): boolean {
        return py < OVERVIEW;
    }

    // --- pictures for files ---

    savePicture(kind: 'png' | 'svg'): void {
        if (kind === 'png') {
            this.paint();
            savePng(this.canvas, t('timeline'));
            return;
        }
        const svg = new SvgSurface(this.wide, this.high, this.screen), picture = this.picture(svg, null);
        this.drawScene(picture);
        this.drawOverlay(picture);
        saveSvg(svg.text(t('timeline')), t('timeline'));
    }
}
