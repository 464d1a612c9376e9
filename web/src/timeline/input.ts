// What hands do to the timeline: wheel and pointer; keys are in keys.ts.
import {NAMES} from './frame';
import {Keys} from './keys';
import {isOverview, overviewTime, spotAt} from './spots';
import type {TimelineView} from './view';

interface Drag {
    x: number;
    y: number;
    moved: boolean;
    kind: 'pan' | 'overview' | 'range';
}

export class Hands {
    private drag: Drag | null = null;
    private readonly keys: Keys;
    private readonly stops: (() => void)[] = [];
    private readonly canvas: HTMLCanvasElement;

    constructor(private readonly view: TimelineView) {
        this.canvas = view.canvas;
        this.keys = new Keys(view);
        const on = <K extends keyof HTMLElementEventMap>(name: K, act: (e: HTMLElementEventMap[K]) => void, passive = true): void => {
            this.canvas.addEventListener(name, act, {passive});
            this.stops.push(() => this.canvas.removeEventListener(name, act));
        };
        on('wheel', (e) => this.wheel(e), false);
        on('pointerdown', (e) => this.press(e));
        on('pointermove', (e) => this.move(e));
        on('pointerup', (e) => this.release(e));
        on('pointercancel', () => (this.drag = null));
        on('pointerleave', () => view.point(null));
        on('dblclick', (e) => view.zoomTo(spotAt(view, ...this.at(e))));
        on('keydown', (e) => this.keys.press(e), false);
        on('keyup', (e) => this.keys.release(e.code));
        on('blur', () => this.keys.stop());
    }

    stop(): void {
        this.stops.forEach((stop) => stop());
        this.keys.stop();
    }

    private at(event: {clientX: number; clientY: number}): [number, number] {
        const rect = this.canvas.getBoundingClientRect();
        return [event.clientX - rect.left, event.clientY - rect.top];
    }

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
        this.view.range = null;
        this.drag = {x, y, moved: false, kind: isOverview(y) && x >= NAMES ? 'overview' : event.shiftKey ? 'range' : 'pan'};
    }

    private move(event: PointerEvent): void {
        const [x, y] = this.at(event), {view, drag} = this;
        if (!drag) {
            view.point({x, y});
            return;
        }
        if (!drag.moved && Math.abs(x - drag.x) + Math.abs(y - drag.y) < 4) return;
        drag.moved = true;
        if (drag.kind === 'overview') {
            const a = overviewTime(view, drag.x), b = overviewTime(view, x);
            view.source.window.value = {start: Math.min(a, b), duration: Math.max(20, Math.abs(b - a))};
        } else if (drag.kind === 'range') {
            const scale = view.scale();
            view.range = {from: scale.ns(drag.x), to: scale.ns(x)};
            view.redraw(false);
        } else {
            view.pan((drag.x - x) / Math.max(1, view.wide - NAMES));
            view.scrollBy(drag.y - y);
            drag.x = x;
            drag.y = y;
        }
    }

    private release(event: PointerEvent): void {
        const [x, y] = this.at(event), {view, drag} = this;
        this.drag = null;
        if (!drag || drag.moved) return;
        if (drag.kind === 'overview') {
            const {duration} = view.source.window.value;
            view.source.window.value = {start: overviewTime(view, x) - duration / 2, duration};
            return;
        }
        view.click(x, y, event.ctrlKey || event.metaKey);
    }
}
