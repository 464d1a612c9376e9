// What hands do to the timeline: wheel, pointer, keys. Keys that move are held: while they are down the
// picture glides.
import {select, showPath} from '../state/actions';
import {relatedTasks, selection, timeWindow} from '../state/state';
import {endOf, startOf} from './data';
import {NAMES} from './frame';
import {ROW} from './rows';
import type {TimelineView} from './view';

interface Drag {
    x: number;
    y: number;
    moved: boolean;
    overview: boolean;
}

const HELD: Record<string, readonly [zoom: number, pan: number]> = {KeyW: [-1, 0], KeyS: [1, 0], KeyA: [0, -1], KeyD: [0, 1]};

export class Hands {
    private drag: Drag | null = null;
    private readonly down = new Set<string>();
    private gliding = false;
    private lastFrame = 0;
    private speed = {zoom: 0, pan: 0};
    private readonly stops: (() => void)[] = [];
    private readonly canvas: HTMLCanvasElement;

    constructor(private readonly view: TimelineView) {
        this.canvas = view.canvas;
        const on = <K extends keyof HTMLElementEventMap>(name: K, act: (e: HTMLElementEventMap[K]) => void, passive = true): void => {
            this.canvas.addEventListener(name, act, {passive});
            this.stops.push(() => this.canvas.removeEventListener(name, act));
        };
        on('wheel', (e) => this.wheel(e), false);
        on('pointerdown', (e) => this.press(e));
        on('pointermove', (e) => this.move(e));
        on('pointerup', (e) => this.release(e));
        on('pointerleave', () => view.setHover(null));
        on('dblclick', (e) => this.zoomToTask(view.spotAt(...this.at(e))));
        on('keydown', (e) => this.key(e), false);
        on('keyup', (e) => void this.down.delete(e.code));
        on('blur', () => this.down.clear());
    }

    stop(): void {
        this.stops.forEach((stop) => stop());
        this.down.clear();
    }

    private at(event: {clientX: number; clientY: number}): [number, number] {
        const rect = this.canvas.getBoundingClientRect();
        return [event.clientX - rect.left, event.clientY - rect.top];
    }

    // --- pointer ---

    private wheel(event: WheelEvent): void {
        event.preventDefault();
        const {view} = this, plot = Math.max(1, view.wide - NAMES);
        if (event.ctrlKey || event.metaKey) view.zoom(Math.exp(event.deltaY * 0.003), this.at(event)[0]);
        else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) view.pan((event.deltaX || event.deltaY) / plot);
        else view.scrollBy(event.deltaY);
    }

    private press(event: PointerEvent): void {
        const [x, y] = this.at(event);
        this.canvas.setPointerCapture(event.pointerId);
        this.drag = {x, y, moved: false, overview: this.view.isOverview(y) && x >= NAMES};
    }

    private move(event: PointerEvent): void {
        const [x, y] = this.at(event), {view, drag} = this;
        view.pointer = {x, y};
        if (!drag) {
            view.setHover(view.spotAt(x, y));
            return;
        }
        if (!drag.moved && Math.abs(x - drag.x) + Math.abs(y - drag.y) < 4) return;
        drag.moved = true;
        if (drag.overview) {
            const a = view.overviewTime(drag.x), b = view.overviewTime(x);
            timeWindow.value = {start: Math.min(a, b), duration: Math.max(20, Math.abs(b - a))};
            return;
        }
        view.pan((drag.x - x) / Math.max(1, view.wide - NAMES));
        view.scrollBy(drag.y - y);
        drag.x = x;
        drag.y = y;
    }

    private release(event: PointerEvent): void {
        const [x, y] = this.at(event), {view, drag} = this;
        this.drag = null;
        if (!drag || drag.moved) return;
        if (drag.overview) {
            const {duration} = timeWindow.value;
            timeWindow.value = {start: view.overviewTime(x) - duration / 2, duration};
            return;
        }
        const group = view.groupAt(x, y);
        if (group) view.toggle(group);
        else if (x >= NAMES) view.choose(view.spotAt(x, y));
    }

    private zoomToTask(spot: ReturnType<TimelineView['spotAt']>): void {
        const data = this.view.data;
        if (spot && data) this.view.show(startOf(data, spot.slice), endOf(data, spot.slice));
    }

    // --- keys ---

    // The task before or behind the selected one in its lane.
    private step(by: number): void {
        const data = this.view.data, task = selection.value.task || [...relatedTasks.value][0];
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
            Digit0: () => this.view.fitAll(),
            ArrowLeft: () => this.step(-1),
            ArrowRight: () => this.step(1),
            ArrowUp: () => this.view.scrollBy(-ROW),
            ArrowDown: () => this.view.scrollBy(ROW),
            KeyP: () => void showPath(),
            Escape: () => select(0, 0, 'timeline'),
        };
        const act = HELD[event.code] ? () => this.hold(event.code) : actions[event.code];
        if (!act) return;
        event.preventDefault();
        event.stopPropagation();
        act();
    }

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

    // Speed follows the keys within 100 ms; without easing where people asked for less motion.
    private frame(now: number): void {
        const past = Math.min(50, Math.max(0, now - this.lastFrame)), want = {zoom: 0, pan: 0};
        this.lastFrame = now;
        for (const code of this.down) {
            want.zoom += HELD[code]![0];
            want.pan += HELD[code]![1];
        }
        const ease = matchMedia('(prefers-reduced-motion: reduce)').matches ? 1 : Math.min(1, past / 100);
        this.speed.zoom += (want.zoom - this.speed.zoom) * ease;
        this.speed.pan += (want.pan - this.speed.pan) * ease;
        this.glide(this.speed.zoom * past * 0.0022, this.speed.pan * past * 0.0009);
        this.gliding = this.down.size > 0 || Math.abs(this.speed.zoom) + Math.abs(this.speed.pan) > 0.03;
        if (this.gliding) requestAnimationFrame((next) => this.frame(next));
        else this.speed = {zoom: 0, pan: 0};
    }
}
