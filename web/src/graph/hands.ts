// Pointer and keys of the structure view.
import {setSearch, showPath} from '../state/actions';
import {hits, path} from '../state/state';
import {calm} from './camera';
import {neighbours, OPEN, PORT, type Scene} from './scene';

const HELD = new Set(['KeyW', 'KeyS', 'KeyA', 'KeyD']);

// What hands move: the structure, or one side of a comparison.
export interface Steered {
    readonly canvas: HTMLCanvasElement;
    readonly wide: number;
    readonly high: number;
    readonly scene: Scene | null;
    readonly selectedBox: number;
    zoom(factor: number, x: number, y: number): void;
    pan(dx: number, dy: number): void;
    point(box: number): void;
    isBoxUnder(event: {clientX: number; clientY: number}): number;
    toggle(box: number): void;
    choose(box: number, adds?: boolean): void; // adds: to what is selected
    goTo(box: number, onlyIfOutside: boolean): void;
    fitSelection(): void;
    fitAll(): void;
    openMore(): void;
    closeAll(): void;
    redraw(): void;
}

export class GraphHands {
    private drag: {x: number; y: number; moved: boolean} | null = null;
    private pinch: {distance: number; x: number; y: number} | null = null;
    private readonly touches = new Map<number, {x: number; y: number}>();
    private readonly held = new Set<string>();
    private speed = 0; // eases in over 100 ms
    private frame = 0;
    private before = 0;
    private readonly stops: (() => void)[] = [];

    constructor(private readonly view: Steered) {
        const canvas = view.canvas;
        const on = <K extends keyof HTMLElementEventMap>(name: K, act: (e: HTMLElementEventMap[K]) => void, passive = true): void => {
            canvas.addEventListener(name, act, {passive});
            this.stops.push(() => canvas.removeEventListener(name, act));
        };
        on('wheel', (e) => this.wheel(e), false);
        on('pointerdown', (e) => this.down(e));
        on('pointermove', (e) => this.move(e));
        on('pointerup', (e) => this.up(e));
        on('pointercancel', (e) => this.touches.delete(e.pointerId));
        on('pointerleave', () => view.point(0));
        on('dblclick', (e) => view.toggle(view.isBoxUnder(e)));
        on('keydown', (e) => this.key(e), false);
        on('keyup', (e) => this.held.delete(e.code));
        on('blur', () => this.held.clear());
    }

    destroy(): void {
        this.stops.forEach((stop) => stop());
        cancelAnimationFrame(this.frame);
    }

    // --- pointer ---

    private wheel(event: WheelEvent): void {
        event.preventDefault();
        const rect = this.view.canvas.getBoundingClientRect();
        this.view.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.03 : 0.0015)), event.clientX - rect.left, event.clientY - rect.top);
    }

    private down(event: PointerEvent): void {
        this.view.canvas.setPointerCapture(event.pointerId);
        this.touches.set(event.pointerId, {x: event.clientX, y: event.clientY});
        this.drag = {x: event.clientX, y: event.clientY, moved: this.touches.size > 1};
        this.pinch = this.touches.size === 2 ? this.spread() : null;
    }

    private spread(): {distance: number; x: number; y: number} {
        const [a, b] = [...this.touches.values()] as [{x: number; y: number}, {x: number; y: number}];
        return {distance: Math.max(1, Math.hypot(a.x - b.x, a.y - b.y)), x: (a.x + b.x) / 2, y: (a.y + b.y) / 2};
    }

    private move(event: PointerEvent): void {
        if (this.touches.has(event.pointerId)) this.touches.set(event.pointerId, {x: event.clientX, y: event.clientY});
        if (this.pinch && this.touches.size === 2) {
            const now = this.spread(), rect = this.view.canvas.getBoundingClientRect();
            this.view.zoom(now.distance / this.pinch.distance, now.x - rect.left, now.y - rect.top);
            this.view.pan(this.pinch.x - now.x, this.pinch.y - now.y);
            this.pinch = now;
            return;
        }
        if (!this.drag) {
            this.view.point(this.view.isBoxUnder(event));
            return;
        }
        const dx = event.clientX - this.drag.x, dy = event.clientY - this.drag.y;
        if (!this.drag.moved && Math.abs(dx) + Math.abs(dy) < 4) return;
        this.drag = {x: event.clientX, y: event.clientY, moved: true};
        this.view.pan(-dx, -dy);
    }

    private up(event: PointerEvent): void {
        this.touches.delete(event.pointerId);
        this.pinch = null;
        if (this.drag && !this.drag.moved) this.view.choose(this.view.isBoxUnder(event), event.ctrlKey || event.metaKey);
        this.drag = null;
    }

    // --- keys ---

    private key(event: KeyboardEvent): void {
        if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
        const view = this.view;
        const actions: Record<string, () => void> = {
            KeyF: () => view.fitSelection(),
            Digit0: () => view.fitAll(),
            KeyE: () => (event.shiftKey ? view.closeAll() : view.openMore()),
            KeyP: () => void showPath(),
            Enter: () => view.toggle(view.selectedBox),
            ArrowDown: () => this.along(true, event.shiftKey),
            ArrowUp: () => this.along(false, event.shiftKey),
            ArrowLeft: () => this.sideways(-1, event.shiftKey),
            ArrowRight: () => this.sideways(1, event.shiftKey),
            BracketLeft: () => this.inside(false),
            BracketRight: () => this.inside(true),
            Escape: () => this.back(),
        };
        const act = HELD.has(event.code) ? () => this.hold(event.code, event.repeat) : actions[event.code];
        if (!act) return;
        event.preventDefault();
        event.stopPropagation();
        act();
        view.redraw();
    }

    // A tap moves a step at once; while the key is down the camera glides.
    private hold(code: string, isRepeat: boolean): void {
        if (isRepeat) return;
        this.glide(code, 0.11);
        this.held.add(code);
        if (calm() || this.frame) return;
        this.speed = 0;
        this.before = performance.now();
        const tick = (now: number): void => {
            const seconds = Math.min(0.05, (now - this.before) / 1000);
            this.before = now;
            this.speed = Math.min(1, this.speed + seconds * 10);
            this.held.forEach((held) => this.glide(held, seconds * this.speed));
            this.frame = this.held.size ? requestAnimationFrame(tick) : 0;
        };
        this.frame = requestAnimationFrame(tick);
    }

    private glide(code: string, seconds: number): void {
        const view = this.view;
        if (code === 'KeyW') view.zoom(Math.exp(2 * seconds), view.wide / 2, view.high / 2);
        else if (code === 'KeyS') view.zoom(Math.exp(-2 * seconds), view.wide / 2, view.high / 2);
        else view.pan((code === 'KeyA' ? -700 : 700) * seconds, 0);
    }

    private choose(box: number | undefined, adds = false): void {
        if (!box) return;
        this.view.choose(box, adds);
        this.view.goTo(box, true);
    }

    // To a consumer or a producer, the one that is nearest.
    private along(down: boolean, adds: boolean): void {
        const {scene, selectedBox} = this.view;
        if (!scene) return;
        if (!selectedBox) {
            this.choose(this.entry());
            return;
        }
        const middle = scene.x[selectedBox]! + scene.width[selectedBox]! / 2;
        const off = (b: number): number => Math.abs(scene.x[b]! + scene.width[b]! / 2 - middle) + Math.abs(scene.y[b]! - scene.y[selectedBox]!) / 4;
        this.choose(neighbours(scene, selectedBox, down).sort((a, b) => off(a) - off(b))[0], adds);
    }

    // Where to begin: the uppermost box that is no open group.
    private entry(): number {
        const scene = this.view.scene;
        let best = 0;
        for (let b = 1; scene && b < scene.count; b++)
            if (!(scene.flags[b]! & (OPEN | PORT)) && (!best || scene.y[b]! < scene.y[best]!)) best = b;
        return best;
    }

    // The box beside it: at about the same height within the same group.
    private sideways(step: number, adds: boolean): void {
        const {scene, selectedBox: box} = this.view;
        if (!scene || !box) return;
        const middle = scene.y[box]! + scene.height[box]! / 2;
        let best = 0;
        for (let b = 1; b < scene.count; b++) {
            if (b === box || scene.parent[b] !== scene.parent[box] || scene.flags[b]! & PORT) continue;
            if (scene.y[b]! > middle || scene.y[b]! + scene.height[b]! < middle || (scene.x[b]! - scene.x[box]!) * step <= 0) continue;
            if (!best || Math.abs(scene.x[b]! - scene.x[box]!) < Math.abs(scene.x[best]! - scene.x[box]!)) best = b;
        }
        this.choose(best, adds);
    }

    private inside(down: boolean): void {
        const {scene, selectedBox: box} = this.view;
        if (!scene || !box) return;
        if (!down) {
            this.choose(scene.parent[box]);
            return;
        }
        let best = 0;
        for (let b = 1; b < scene.count; b++)
            if (scene.parent[b] === box && !(scene.flags[b]! & PORT) && (!best || scene.y[b]! < scene.y[best]!)) best = b;
        this.choose(best);
    }

    private back(): void {
        if (path.value) path.value = null;
        else if (hits.value.size) setSearch('');
        else this.view.choose(0);
    }
}
