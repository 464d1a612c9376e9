// The timeline: one row per lane, as much detail as there are pixels. The picture is kept as two layers:
// the scene, and above it what follows the hand and the selection, which costs no new scene.
import {effect, untracked} from '@preact/signals';
import {categoryName, t} from '../i18n/i18n';
import {timeActions} from '../state/actions';
import {tellDrawn} from '../state/first';
import {announcement, follow, heatMap, hidden, hits, hitTasks, lang, path, theme} from '../state/state';
import {DARK, LIGHT, type Palette} from '../util/colours';
import type {Surface} from '../util/export';
import {count, duration} from '../util/format';
import {endOf, nameOf, startOf, type Lane, type Place, type Slices} from './data';
import {NAMES, TOP, type Picture} from './frame';
import {Hands} from './input';
import {tellTwin} from './keys';
import {Loads} from './loads';
import {allOf, around, between, withTask, zoomed} from './moves';
import type {Marker, Spot} from './overlay';
import {foldedAtFirst, HEAD, laneKey, layoutRows, ROW, type Extras, type Group, type Rows} from './rows';
import {Folds, NO_FOLDS, Scale} from './scale';
import {drawOverlay, drawScene} from './scene';
import type {TimeSource} from './source';
import {groupAt, spotAt, trackAt} from './spots';
import {closedGroups, dimOthers, foldIdle, rawTime, showFlows, timeText} from './state';

const MOST_ARROWS_SHOWN = 5000; // of so many none would be seen
const HOVER_MS = 120; // a hand that only passes asks for nothing

export class TimelineView {
    readonly loads: Loads;
    rows: Rows | null = null;
    folds: Folds = NO_FOLDS;
    wide = 1;
    high = 1;
    ratio = 0; // not known yet
    scroll = 0;
    lastDrawMs = 0;
    hover: Spot | null = null;
    range: {from: number; to: number} | null = null;
    pointer: {x: number; y: number} | null = null;
    markers: Marker[] = [];
    readonly screen: CanvasRenderingContext2D;
    private readonly sceneCanvas = document.createElement('canvas');
    private readonly scene: CanvasRenderingContext2D;
    private sceneIsOld = true;
    private wanted = false;
    private isReady = false;
    private timer = 0;
    private resting = 0;
    private readonly stops: (() => void)[] = [];

    constructor(readonly canvas: HTMLCanvasElement, readonly source: TimeSource) {
        this.loads = new Loads(source, () => this.arrived());
        const screen = canvas.getContext('2d', {alpha: false}), scene = this.sceneCanvas.getContext('2d', {alpha: false});
        if (!screen || !scene) throw new Error('no canvas');
        this.screen = screen;
        this.scene = scene;
        const hands = new Hands(this);
        const sizes = new ResizeObserver(() => this.resize());
        sizes.observe(canvas);
        this.stops.push(() => sizes.disconnect(), () => hands.stop());
        this.resize();
        this.watch();
        this.isReady = true;
        this.load(); // at once: the page waits for it
        if (source.isLeading) timeActions.current = {reveal: (a, b) => this.reveal(a, b), fitAll: () => this.fitAll()};
    }

    private watch(): void {
        const on = (act: () => void): void => void this.stops.push(effect(act));
        on(() => {
            const known = this.source.capture.value;
            hidden.value;
            rawTime.value;
            untracked(() => {
                this.loads.forget();
                if (known && this.source.window.value.duration === 1) this.fitAll();
                void this.loads.overview();
                this.moved();
            });
        });
        on(() => {
            void [timeText.value, dimOthers.value];
            untracked(() => {
                this.loads.forget();
                this.moved();
            });
        });
        on(() => {
            foldIdle.value;
            untracked(() => this.refold());
        });
        on(() => {
            this.source.window.value;
            showFlows.value;
            untracked(() => this.moved());
        });
        on(() => {
            void [closedGroups.value, this.source.hiddenTracks.value];
            untracked(() => this.layout());
        });
        on(() => {
            void [hits.value, hitTasks.value, path.value, theme.value, lang.value, heatMap.value, this.source.zero()];
            this.redraw();
        });
        on(() => {
            const task = this.source.task(), tasks = this.source.tasks(), at = task || (tasks[0] ?? 0);
            void [rawTime.value, timeText.value, dimOthers.value, hidden.value];
            untracked(() => {
                const {start} = this.source.window.value;
                void this.loads.flowsOf(task, 0, start);
                void this.loads.placesOf(task && !tasks.includes(task) ? [task, ...tasks] : tasks, start).then(() => this.showRow());
                void this.loads.neighboursOf(at, start);
            });
        });
        on(() => {
            lang.value;
            untracked(() => this.tell());
        });
    }

    destroy(): void {
        this.stops.forEach((stop) => stop());
        if (this.source.isLeading) timeActions.current = null;
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
        return new Scale(this.source.window.value, NAMES, Math.max(1, this.wide - NAMES), this.folds);
    }

    // --- data ---

    private moved(): void {
        this.redraw();
        if (!this.isReady) return;
        window.clearTimeout(this.timer);
        this.timer = window.setTimeout(() => this.load(), this.data ? 40 : 0);
    }

    private load(): void {
        const known = this.source.capture.value;
        if (!known?.has.includes('tasks') && !known?.has.includes('slices')) return;
        void this.loads.window(this.scale(), this.tracksInSight());
        void this.loads.flows(this.scale(), showFlows.value);
        if (known.has.includes('tasks')) void this.loads.busy(this.scale());
        if (known.counters.length) void this.loads.series(this.scale());
    }

    // Rows in sight and as many above and below; all before rows are known.
    private tracksInSight(): number[] | null {
        if (!this.rows) return null;
        const plot = this.high - TOP, from = this.scroll - plot / 2, to = this.scroll + plot * 1.5;
        return [...new Set(this.rows.lanes.filter((lane) => lane.y + ROW > from && lane.y < to).map((lane) => lane.track))];
    }

    private arrived(): void {
        const {total, list} = this.loads.arrows;
        this.source.arrowNote.value = {shown: total > MOST_ARROWS_SHOWN ? 0 : list.length, total};
        this.refold();
        this.layout();
        this.tell();
    }

    private layout(): void {
        const known = this.source.capture.value, {slices, bright, bands, counters} = this.loads;
        if (!known || !slices) return;
        const closed = this.closedNow();
        const extras: Extras = {bands: bands?.list ?? [], counters: new Set(counters.map((line) => line.counter))};
        this.rows = layoutRows(known, slices, closed, this.source.hiddenTracks.value, extras);
        if (bright) layoutRows(known, bright, closed, this.source.hiddenTracks.value, extras);
        for (const lane of bright?.lanes ?? []) lane.y = this.rows.laneAt.get(laneKey(lane.host, lane.track, lane.depth))?.y ?? lane.y;
        if (this.hover && this.pointer) this.hover = spotAt(this, this.pointer.x, this.pointer.y); // lanes are others now
        this.scrollBy(0);
        this.redraw();
        this.moved();
    }

    private closedNow(): ReadonlySet<string> {
        const known = this.source.capture.value;
        return closedGroups.value ?? (known ? foldedAtFirst(known) : new Set());
    }

    // Folded gaps keep a sliver of their time.
    private refold(): void {
        const {whole} = this.loads, folds = foldIdle.value && whole?.gaps.length ? new Folds(whole.gaps, whole.leastGap / 2) : NO_FOLDS;
        if (folds.gaps === this.folds.gaps || (!folds.gaps.length && !this.folds.gaps.length)) return;
        this.folds = folds;
        this.moved();
    }

    private tell(): void {
        const zero = this.source.zero(), categories = this.source.capture.value?.categories ?? [];
        tellTwin(this, (place) => t('twinItem', {
            name: place.name, type: categoryName(categories[place.category] ?? 'other'), start: duration(place.start - zero),
            duration: duration(place.duration), place: count(place.place + 1), places: count(place.places),
        }));
    }

    // --- window ---

    fitAll(): void {
        const known = this.source.capture.value;
        if (known && known.end_ns > known.first_ns) this.source.window.value = this.source.fit(known, this.loads.whole);
    }

    private reveal(first: number, end: number): void {
        const {start, duration: dur} = this.source.window.value;
        if (!follow.value || (end > start && first < start + dur && (end - first) / dur > 0.0005)) return;
        this.source.window.value = around(first, end);
    }

    zoomTo(spot: Spot | null): void {
        const data = this.data;
        if (spot && data) this.source.window.value = around(startOf(data, spot.slice), endOf(data, spot.slice));
    }

    zoomToChosen(): void {
        const {range} = this, task = this.source.task() || (this.source.tasks()[0] ?? 0);
        const own = this.loads.around.find((place) => place.task === task);
        if (range) this.source.window.value = between(range.from, range.to);
        else if (own) this.source.window.value = around(own.start, own.start + own.duration);
        this.range = null;
    }

    fitSelection(): void {
        const {related} = this.loads;
        if (related.length) this.source.window.value = allOf(related);
    }

    // Brings a task that was gone to by keys into sight, once its place is known.
    follow(task: number): void {
        void this.loads.neighboursOf(task, this.source.window.value.start).then(() => {
            const own = this.loads.around.find((place) => place.task === task);
            if (own) this.bringIntoSight(own);
        });
    }

    private bringIntoSight(place: Place): void {
        const lane = this.rows?.laneAt.get(laneKey(false, place.track, place.depth));
        this.source.window.value = withTask(this.source.window.value, place);
        if (!lane) return;
        const y = TOP + lane.y - this.scroll;
        if (y < TOP + HEAD) this.scrollBy(y - TOP - HEAD);
        else if (y + ROW > this.high) this.scrollBy(y + ROW + 8 - this.high);
    }

    // Of two timelines each is low: a row of the selection comes into sight if none of them is.
    private showRow(): void {
        const lanes = this.loads.related.flatMap((place) => this.rows?.laneAt.get(laneKey(false, place.track, place.depth)) ?? []).filter((lane) => lane.shown);
        const y = (lane: Lane): number => TOP + lane.y - this.scroll;
        if (!this.source.title() || !lanes[0] || lanes.some((lane) => y(lane) >= TOP && y(lane) + ROW <= this.high)) return;
        this.scrollBy(y(lanes[0]) + ROW + 8 - this.high);
    }

    // Esc takes one thing back.
    stepBack(): void {
        if (this.range) {
            this.range = null;
            this.redraw(false);
        } else if (path.value) path.value = null;
        else this.source.select(0);
    }

    zoom(factor: number, x: number): void {
        this.source.window.value = zoomed(this.scale(), this.source.capture.value, factor, x);
    }

    pan(part: number): void {
        this.source.window.value = this.scale().part(part, 1);
    }

    scrollBy(pixels: number): void {
        const most = Math.max(0, (this.rows?.height ?? 0) + TOP + 12 - this.high), next = Math.min(most, Math.max(0, this.scroll + pixels));
        if (next === this.scroll) return;
        this.scroll = next;
        this.moved();
    }

    // --- picture ---

    private resize(): void {
        const rect = this.canvas.getBoundingClientRect(), ratio = Math.min(window.devicePixelRatio || 1, 2);
        // The observer tells at first what is known already; a canvas that is set to its own size is wiped.
        if (rect.width === this.wide && rect.height === this.high && ratio === this.ratio) return;
        this.ratio = ratio;
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

    picture(paper: Surface, pixels: CanvasRenderingContext2D | null): Picture {
        const palette: Palette = theme.value === 'dark' ? DARK : LIGHT;
        return {paper, pixels, ratio: this.ratio, wide: this.wide, high: this.high, scroll: this.scroll, scale: this.scale(), palette};
    }

    // All of it, now.
    paintAll(): void {
        this.sceneIsOld = true;
        this.paint();
    }

    paint(): void {
        const begin = performance.now();
        if (this.sceneIsOld) {
            this.scene.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
            drawScene(this.picture(this.scene, this.scene), this);
            this.sceneIsOld = false;
        }
        this.screen.setTransform(1, 0, 0, 1, 0, 0);
        this.screen.drawImage(this.sceneCanvas, 0, 0);
        this.screen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
        this.markers = drawOverlay(this.picture(this.screen, this.screen), this);
        this.lastDrawMs = performance.now() - begin;
        if (this.data && this.rows) tellDrawn('timeline', ['graph', 'timeline']);
    }

    // --- for hands ---

    click(px: number, py: number, adds = false): void {
        const marker = this.markers.find((m) => px >= m.x && px <= m.x + m.wide && py >= m.y && py <= m.y + m.high);
        const group = groupAt(this, px, py), track = trackAt(this, px, py);
        if (marker) this.bringIntoSight(marker.place);
        else if (group) this.toggle(group);
        else if (track) this.source.hiddenTracks.value = new Set([...this.source.hiddenTracks.value, track]);
        else if (px >= NAMES && py >= TOP) this.choose(spotAt(this, px, py), adds);
    }

    private toggle(group: Group): void {
        const next = new Set(this.closedNow());
        if (!next.delete(group.key)) next.add(group.key);
        closedGroups.value = next;
    }

    // The hand is at a point of the canvas, or away.
    point(pointer: {x: number; y: number} | null): void {
        this.pointer = pointer;
        this.setHover(pointer && spotAt(this, pointer.x, pointer.y));
    }

    private setHover(spot: Spot | null): void {
        const data = this.data, changed = spot?.slice !== this.hover?.slice;
        this.hover = spot;
        this.redraw(false);
        if (!changed) return;
        window.clearTimeout(this.resting);
        const id = spot && data && data.count[spot.slice] === 1 ? data.id[spot.slice]! : 0, isHost = spot?.lane.host ?? false;
        this.resting = window.setTimeout(() => void this.loads.flowsAtHand(isHost ? 0 : id, isHost ? id : 0, this.source.window.value.start), id ? HOVER_MS : 0);
    }

    // A task is selected; a call of the host says what it launched.
    private choose(spot: Spot | null, adds: boolean): void {
        const data = this.data;
        if (!data || !spot) {
            if (!adds) this.source.select(0);
        } else if (!spot.lane.host) this.source.select(data.id[spot.slice]!, adds);
        else {
            announcement.value = t('selected', {name: nameOf(data, spot.slice)});
            void this.loads.flowsOf(0, data.id[spot.slice]!, this.source.window.value.start);
        }
    }
}
