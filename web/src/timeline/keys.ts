// Keys of the timeline. Those that move are held: while they are down the picture glides.
import {showPath} from '../state/actions';
import {path} from '../state/state';
import {startOf, visible, type Lane} from './data';
import {NAMES} from './frame';
import {closedGroups} from './state';
import type {TimelineView} from './view';

const HELD: Record<string, readonly [zoom: number, pan: number]> = {KeyW: [-1, 0], KeyS: [1, 0], KeyA: [0, -1], KeyD: [0, 1]};

export class Keys {
    private readonly down = new Set<string>();
    private gliding = false;
    private lastFrame = 0;
    private speed = {zoom: 0, pan: 0};

    constructor(private readonly view: TimelineView) {}

    stop(): void {
        this.down.clear();
    }

    release(code: string): void {
        this.down.delete(code);
    }

    press(event: KeyboardEvent): void {
        if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
        const {view} = this;
        const actions: Record<string, () => void> = {
            Digit0: () => view.fitAll(),
            KeyF: () => view.fitSelection(),
            Enter: () => view.zoomToChosen(),
            ArrowLeft: () => this.neighbour(-1, event.shiftKey),
            ArrowRight: () => this.neighbour(1, event.shiftKey),
            ArrowUp: () => this.row(-1),
            ArrowDown: () => this.row(1),
            BracketLeft: () => this.ofNode(-1),
            BracketRight: () => this.ofNode(1),
            KeyE: () => (closedGroups.value = event.shiftKey ? new Set(view.rows?.groups.map((group) => group.key)) : new Set()),
            KeyP: () => (path.value ? (path.value = null) : void showPath()),
            Escape: () => view.stepBack(),
        };
        const act = HELD[event.code] ? () => this.hold(event.code) : actions[event.code];
        if (!act) return;
        event.preventDefault();
        event.stopPropagation();
        act();
    }

    // --- from task to task ---

    private go(task: number, adds = false): void {
        if (!task) return;
        this.view.source.select(task, adds);
        this.view.follow(task);
    }

    private at(): number {
        const {source} = this.view;
        return source.task() || (source.tasks()[0] ?? 0);
    }

    private neighbour(by: -1 | 1, adds: boolean): void {
        const {around} = this.view.loads, own = around.find((place) => place.task === this.at());
        if (own) this.go(by < 0 ? own.before : own.behind, adds);
        else if (!this.at()) this.first();
    }

    // Nothing is chosen: the first task in sight.
    private first(): void {
        const {view} = this, data = view.data, scale = view.scale();
        for (const lane of view.rows?.lanes ?? []) {
            if (lane.host || !data) continue;
            const [from, end] = visible(data, lane, scale.ns(NAMES), scale.ns(view.wide));
            if (end > from) return this.go(data.id[from]!);
        }
    }

    private nearest(lane: Lane, ns: number): number {
        const data = this.view.data;
        if (!data || lane.end <= lane.from) return 0;
        const [from] = visible(data, lane, ns, ns), next = Math.min(from + 1, lane.end - 1);
        return data.id[Math.abs(startOf(data, next) - ns) < Math.abs(startOf(data, from) - ns) ? next : from]!;
    }

    // The task nearest in time in the row above or below; without a task, the picture moves.
    private row(by: -1 | 1): void {
        const {view} = this, own = view.loads.around.find((place) => place.task === this.at());
        if (!own) {
            view.scrollBy(by * 18);
            return;
        }
        const lanes = view.rows?.lanes.filter((lane) => !lane.host) ?? [];
        const here = lanes.findIndex((lane) => lane.track === own.track && lane.depth === own.depth);
        for (let at = here + by; here >= 0 && at >= 0 && at < lanes.length; at += by) {
            const task = this.nearest(lanes[at]!, own.start);
            if (task) return this.go(task);
        }
    }

    // The same node's task before or behind in time.
    private ofNode(by: -1 | 1): void {
        const tasks = this.view.source.tasks(), here = tasks.indexOf(this.at());
        const next = tasks[here + by];
        if (here >= 0 && next) this.go(next);
    }

    // --- gliding ---

    // The first step at once, so that a tap is seen.
    private hold(code: string): void {
        if (this.down.has(code)) return;
        this.down.add(code);
        const [zoom, pan] = HELD[code]!;
        this.glide(zoom * 0.25, pan * 0.08);
        if (this.gliding) return;
        this.gliding = true;
        this.lastFrame = performance.now();
        requestAnimationFrame((now) => this.frame(now));
    }

    private glide(zoom: number, pan: number): void {
        if (zoom) this.view.zoom(Math.exp(zoom), NAMES + (this.view.wide - NAMES) / 2);
        if (pan) this.view.pan(pan);
    }

    // Speed follows the keys within 100 ms; at once where people asked for less motion.
    private frame(now: number): void {
        const past = Math.min(50, Math.max(0, now - this.lastFrame)), want = {zoom: 0, pan: 0};
        this.lastFrame = now;
        for (const code of this.down) {
            want.zoom += HELD[code]![0];
            want.pan += HELD[code]![1];
        }
        const ease = matchMedia('(prefers-reduced-motion: reduce)').matches ? 1 : Math.min(1, past / 60);
        this.speed.zoom += (want.zoom - this.speed.zoom) * ease;
        this.speed.pan += (want.pan - this.speed.pan) * ease;
        this.glide(this.speed.zoom * past * 0.0022, this.speed.pan * past * 0.0009);
        this.gliding = this.down.size > 0 || Math.abs(this.speed.zoom) + Math.abs(this.speed.pan) > 0.05;
        if (this.gliding) requestAnimationFrame((next) => this.frame(next));
        else this.speed = {zoom: 0, pan: 0};
    }
}

// What a screen reader is told: the task at hand and its neighbours.
export function tellTwin(view: TimelineView, describe: (place: TimelineView['loads']['around'][number]) => string): void {
    const {source} = view, chosen = source.task() || (source.tasks()[0] ?? 0), at = `timeline${source.name}-at`;
    source.twin.value = view.loads.around.map((place) => ({
        id: place.task === chosen ? at : `timeline${source.name}-near-${place.task}`, text: describe(place), chosen: place.task === chosen,
    }));
    if (source.twin.value.some((item) => item.chosen)) view.canvas.setAttribute('aria-activedescendant', at);
    else view.canvas.removeAttribute('aria-activedescendant');
}
