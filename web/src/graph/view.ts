// The structure view: a camera over a scene, and what hands do to it.
import {effect, untracked} from '@preact/signals';
import {isAborted, postFrame} from '../api/client';
import {graphActions, select, setSearch, showPath} from '../state/actions';
import {
    announcement, capture, failure, fold, follow, heatMap, hidden, hits, layer, links, opened, path, relatedNodes, selection,
    theme,
} from '../state/state';
import {t} from '../i18n/i18n';
import {GraphPainter, type Camera} from './draw';
import {boxAt, decodeScene, GROUP, OPEN, PORT, type Scene} from './scene';

const LEAST_SCALE = 0.0005;
const MOST_SCALE = 4;

export class GraphView {
    scene: Scene | null = null;
    camera: Camera = {x: 0, y: 0, scale: 1};
    private readonly painter: GraphPainter;
    private wide = 1;
    private high = 1;
    private ratio = 1;
    private hover = 0;
    private selectedBox = 0;
    private wanted = false;
    private drag: {x: number; y: number; moved: boolean} | null = null;
    private reveal: number = 0; // node to go to once the scene is there
    private anchor: {group: number; x: number; y: number} | null = null; // stays where it is while reflowing
    private fitted = false;
    private readonly held = new Set<string>();
    private readonly stops: (() => void)[] = [];
    lastDrawMs = 0;

    constructor(private readonly canvas: HTMLCanvasElement) {
        const context = canvas.getContext('2d', {alpha: false});
        if (!context) throw new Error('no canvas');
        this.painter = new GraphPainter(context);
        this.listen();
        const sizes = new ResizeObserver(() => this.resize());
        sizes.observe(canvas);
        this.stops.push(() => sizes.disconnect());
        this.stops.push(effect(() => {
            capture.value;
            layer.value;
            fold.value;
            opened.value;
            untracked(() => void this.load());
        }));
        this.stops.push(effect(() => {
            selection.value;
            links.value;
            path.value;
            hits.value;
            hidden.value;
            heatMap.value;
            theme.value;
            this.redraw();
        }));
        graphActions.current = {
            reveal: (groups, node) => this.revealNode(groups, node),
            fitAll: () => this.fitAll(),
            fitSelection: () => this.fitSelection(),
            openMore: () => this.openMore(),
            closeAll: () => this.closeAll(),
        };
    }

    destroy(): void {
        this.stops.forEach((stop) => stop());
        graphActions.current = null;
    }

    // --- data ---

    private async load(): Promise<void> {
        const known = capture.value;
        if (!known) return;
        const open = opened.value;
        const body: Record<string, unknown> = {layer: layer.value, fold: fold.value};
        if (open) body['open'] = [...open];
        try {
            const frame = await postFrame('layout', 'layout', body);
            const before = this.scene;
            this.scene = decodeScene(frame);
            if (this.scene.closed) announcement.value = t('closedGroups', {n: this.scene.closed});
            if (!open) this.rememberOpen();
            this.afterLoad(before !== null);
        } catch (error) {
            if (!isAborted(error)) failure.value = error instanceof Error ? error.message : String(error);
        }
    }

    // The groups that the server opened by itself, so that opening one more keeps them.
    private openNow(): Set<number> {
        const list = new Set<number>(opened.value ?? []);
        const scene = this.scene;
        for (let b = 1; scene && b < scene.count; b++)
            if (scene.flags[b]! & OPEN) list.add(scene.group[b]!);
        return list;
    }

    private rememberOpen(): void {
        this.fitted = false;
    }

    private afterLoad(had: boolean): void {
        const scene = this.scene;
        if (!scene) return;
        if (this.anchor && had) {
            for (let b = 1; b < scene.count; b++)
                if (scene.group[b] === this.anchor.group && !(scene.flags[b]! & PORT)) {
                    this.camera.x += scene.x[b]! - this.anchor.x;
                    this.camera.y += scene.y[b]! - this.anchor.y;
                }
        } else if (!this.fitted && !this.reveal) {
            this.fitAll();
        }
        this.anchor = null;
        this.fitted = true;
        if (this.reveal) this.goTo(this.reveal);
        this.redraw();
    }

    private revealNode(groups: readonly number[], node: number): void {
        const scene = this.scene;
        if (!follow.value) return;
        if (scene?.boxOfNode.has(node)) {
            this.goTo(node, true);
            return;
        }
        const open = this.openNow();
        groups.forEach((g) => open.add(g));
        this.reveal = node;
        this.fitted = true;
        opened.value = open;
    }

    private goTo(node: number, onlyIfOutside = false): void {
        const scene = this.scene, box = scene?.boxOfNode.get(node);
        this.reveal = 0;
        if (!scene || !box) return;
        const x = scene.x[box]! + scene.width[box]! / 2, y = scene.y[box]! + scene.height[box]! / 2;
        const inside = Math.abs(x - this.camera.x) * this.camera.scale < this.wide * 0.45 &&
            Math.abs(y - this.camera.y) * this.camera.scale < this.high * 0.45;
        if (!(onlyIfOutside && inside && this.camera.scale > 0.3)) {
            this.camera.x = x;
            this.camera.y = y;
            this.camera.scale = Math.max(this.camera.scale, 0.7);
        }
        this.redraw();
    }

    // --- camera ---

    fitAll(): void {
        const scene = this.scene;
        if (!scene || !scene.wide) return;
        const scale = Math.min(this.wide / (scene.wide + 40), this.high / (scene.high + 40), 1.5);
        // A long chain fitted whole is a hair: show its beginning at a size that can be read.
        const legible = Math.min(this.wide / (scene.wide + 40), 1);
        this.camera.scale = Math.max(scale, Math.min(legible, 0.25), LEAST_SCALE);
        this.camera.x = scene.wide / 2;
        const all = scene.high * this.camera.scale <= this.high;
        this.camera.y = all ? scene.high / 2 : this.high / 2 / this.camera.scale - 20;
        this.redraw();
    }

    fitSelection(): void {
        const scene = this.scene;
        if (!scene) return;
        const nodes = [selection.value.node, ...relatedNodes.value];
        for (const node of nodes)
            if (scene.boxOfNode.has(node)) {
                this.goTo(node);
                return;
            }
        const found = links.value;
        const node = found?.[layer.value][0]?.node;
        if (found && node) this.revealNode(found.groups[layer.value], node);
    }

    openMore(): void {
        const scene = this.scene;
        if (!scene) return;
        const open = this.openNow();
        for (let b = 1; b < scene.count; b++) if (scene.flags[b]! & GROUP) open.add(scene.group[b]!);
        opened.value = open;
    }

    closeAll(): void {
        this.fitted = false;
        opened.value = null;
    }

    zoom(factor: number, x: number, y: number): void {
        const worldX = this.camera.x + (x - this.wide / 2) / this.camera.scale;
        const worldY = this.camera.y + (y - this.high / 2) / this.camera.scale;
        this.camera.scale = Math.min(MOST_SCALE, Math.max(LEAST_SCALE, this.camera.scale * factor));
        this.camera.x = worldX - (x - this.wide / 2) / this.camera.scale;
        this.camera.y = worldY - (y - this.high / 2) / this.camera.scale;
        this.redraw();
    }

    // --- picture ---

    private resize(): void {
        const rect = this.canvas.getBoundingClientRect();
        const first = this.wide === 1;
        this.ratio = Math.min(window.devicePixelRatio || 1, 2);
        this.wide = Math.max(1, rect.width);
        this.high = Math.max(1, rect.height);
        this.canvas.width = Math.round(this.wide * this.ratio);
        this.canvas.height = Math.round(this.high * this.ratio);
        if (first) this.fitAll();
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

    paint(): void {
        const scene = this.scene;
        if (!scene) return;
        const begin = performance.now();
        const shown = path.value;
        this.painter.draw(scene, this.camera, {
            selected: new Set(selection.value.node ? [selection.value.node] : []),
            related: relatedNodes.value, hits: hits.value,
            path: shown ? {nodes: shown.nodes, chain: shown.chain} : null,
            hidden: hidden.value, byTime: heatMap.value, dark: theme.value === 'dark',
            categories: capture.value?.categories ?? [], hover: this.hover, selectedBox: this.selectedBox,
        }, this.wide, this.high, this.ratio);
        this.lastDrawMs = performance.now() - begin;
    }

    toPicture(): HTMLCanvasElement {
        this.paint();
        return this.canvas;
    }

    // --- hands ---

    private boxUnder(event: {clientX: number; clientY: number}): number {
        const scene = this.scene;
        if (!scene) return 0;
        const rect = this.canvas.getBoundingClientRect();
        return boxAt(scene, this.camera.x + (event.clientX - rect.left - this.wide / 2) / this.camera.scale,
            this.camera.y + (event.clientY - rect.top - this.high / 2) / this.camera.scale);
    }

    private choose(box: number): void {
        const scene = this.scene;
        if (!scene) return;
        const node = box ? scene.node[box]! : 0;
        this.selectedBox = box;
        if (box && !node) announcement.value = t('selected', {name: scene.label[box] ?? ''});
        select(node, 0, 'graph');
        this.redraw();
    }

    private toggle(box: number): void {
        const scene = this.scene;
        if (!scene || !box || !(scene.flags[box]! & GROUP)) return;
        const open = this.openNow(), group = scene.group[box]!;
        if (scene.flags[box]! & OPEN) open.delete(group);
        else open.add(group);
        this.anchor = {group, x: scene.x[box]!, y: scene.y[box]!};
        opened.value = open;
    }

    // The nearest box that a wire of this one leads to (down) or comes from (up).
    private neighbour(down: boolean): number {
        const scene = this.scene;
        if (!scene || !this.selectedBox) return 0;
        let at = this.selectedBox;
        for (let hop = 0; hop < 64; hop++) {
            let next = 0;
            for (let e = 0; e < scene.edges && !next; e++)
                if ((down ? scene.from[e] : scene.to[e]) === at) next = (down ? scene.to[e] : scene.from[e]) ?? 0;
            if (!next) {
                // A port hands over to the group that it belongs to.
                if (!(scene.flags[at]! & PORT)) return 0;
                next = scene.parent[at]!;
            }
            if (!(scene.flags[next]! & PORT)) return next;
            at = next;
        }
        return 0;
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
            this.zoom(Math.exp(-e.deltaY * (e.deltaMode ? 0.03 : 0.0015)), e.clientX - rect.left, e.clientY - rect.top);
        }, false);
        on('pointerdown', (e) => {
            canvas.setPointerCapture(e.pointerId);
            this.drag = {x: e.clientX, y: e.clientY, moved: false};
        });
        on('pointermove', (e) => this.pointer(e));
        on('pointerup', (e) => {
            if (this.drag && !this.drag.moved) this.choose(this.boxUnder(e));
            this.drag = null;
        });
        on('dblclick', (e) => this.toggle(this.boxUnder(e)));
        on('keydown', (e) => this.key(e), false);
        on('keyup', (e) => this.held.delete(e.code));
        on('blur', () => this.held.clear());
    }

    private pointer(event: PointerEvent): void {
        if (this.drag) {
            const dx = event.clientX - this.drag.x, dy = event.clientY - this.drag.y;
            if (!this.drag.moved && Math.abs(dx) + Math.abs(dy) < 4) return;
            this.drag = {x: event.clientX, y: event.clientY, moved: true};
            this.camera.x -= dx / this.camera.scale;
            this.camera.y -= dy / this.camera.scale;
            this.redraw();
            return;
        }
        const box = this.boxUnder(event);
        if (box === this.hover) return;
        this.hover = box;
        this.canvas.title = box ? this.scene?.label[box] ?? '' : '';
        this.redraw();
    }

    private key(event: KeyboardEvent): void {
        if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
        const step = 60 / this.camera.scale;
        const actions: Record<string, () => void> = {
            KeyW: () => this.zoom(1.25, this.wide / 2, this.high / 2),
            KeyS: () => this.zoom(0.8, this.wide / 2, this.high / 2),
            KeyA: () => { this.camera.x -= step; },
            KeyD: () => { this.camera.x += step; },
            KeyF: () => this.fitSelection(),
            Digit0: () => this.fitAll(),
            KeyE: () => (event.shiftKey ? this.closeAll() : this.openMore()),
            KeyP: () => void showPath(),
            Enter: () => this.toggle(this.selectedBox),
            ArrowDown: () => this.step(true),
            ArrowUp: () => this.step(false),
            BracketLeft: () => { if (this.scene) this.choose(this.scene.parent[this.selectedBox] ?? 0); },
            Escape: () => this.back(),
        };
        const act = actions[event.code];
        if (!act) return;
        event.preventDefault();
        event.stopPropagation();
        act();
        this.redraw();
    }

    private step(down: boolean): void {
        const next = this.neighbour(down) || (this.selectedBox ? 0 : 1);
        if (!next || !this.scene) return;
        this.choose(next);
        const node = this.scene.node[next]!;
        if (node) this.goTo(node, true);
    }

    private back(): void {
        if (path.value) path.value = null;
        else if (hits.value.size) setSearch('');
        else this.choose(0);
    }
}
