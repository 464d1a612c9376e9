// The structure view: a camera over a scene. What hands do to it is in hands.ts, how it gets to a box in travel.ts.
import {effect, untracked} from '@preact/signals';
import {isAborted, postFrame} from '../api/client';
import {graphActions, select} from '../state/actions';
import {add} from '../state/also';
import {takeAhead, tellDrawn, whenShown} from '../state/first';
import {
    announcement, capture, failure, focus, graphMost, graphPlace, group, heatMap, hidden, hits, layer, opened, outline, path, relatedNodes, selection,
    shape, shapeKey, shapeWish, theme,
} from '../state/state';
import {t} from '../i18n/i18n';
import {blank, PICTURE_RATIO, SvgSurface, type Surface} from '../util/export';
import {between, calm, fitted, FLIGHT_MS, onTheWay, zoomed} from './camera';
import {GraphPainter, type Camera, type Marks, type Trace} from './draw';
import {GraphHands} from './hands';
import {countByBox, Outline} from './outline';
import {drawOverlay} from './overlay';
import {Peeks} from './peeks';
import {boxAt, CONSTANT, decodeScene, GROUP, OPEN, type Scene} from './scene';
import {traceOf} from './trace';
import {Travel} from './travel';
import {describeBox, focusOn} from './words';

const MOST_TWEENED = 3000; // boxes that move smoothly when groups open

export class GraphView {
    scene: Scene | null = null;
    outline: Outline | null = null;
    camera: Camera = {x: 0, y: 0, scale: 1};
    wide = 1;
    high = 1;
    selectedBox = 0;
    lastDrawMs = 0;
    private readonly painter: GraphPainter;
    private readonly top: CanvasRenderingContext2D;
    private readonly hands: GraphHands;
    private readonly travel = new Travel(this);
    private readonly peeks: Peeks;
    private ratio = 0; // not known yet
    private hover = 0;
    private wanted: '' | 'top' | 'all' = '';
    private anchor: {group: number; x: number; y: number} | null = null; // stays where it is while reflowing
    sceneOf = ''; // the shape of the scene
    private isFitted = false;
    private flight: {from: Camera; to: Camera; since: number} | null = null;
    private reflow: {from: Scene; x: number; y: number; since: number} | null = null;
    private trace: Trace | null = null;
    private litHits: ReadonlySet<number> | null = null;
    related: ReadonlyMap<number, number> = new Map();
    private found: ReadonlyMap<number, number> = new Map();
    private readonly stops: (() => void)[] = [];

    constructor(readonly canvas: HTMLCanvasElement, private readonly overlay: HTMLCanvasElement) {
        const context = canvas.getContext('2d', {alpha: false}), top = overlay.getContext('2d');
        if (!context || !top) throw new Error('no canvas');
        this.painter = new GraphPainter(context);
        this.top = top;
        this.hands = new GraphHands(this);
        this.peeks = new Peeks(() => this.redraw(), calm());
        const sizes = new ResizeObserver(() => this.resize());
        sizes.observe(canvas);
        this.stops.push(() => sizes.disconnect(), () => this.hands.destroy());
        this.resize();
        this.watch();
        graphActions.current = {
            reveal: (node, expand, going) => this.travel.reveal(node, expand, going),
            revealItem: (item) => this.travel.revealItem(item),
            toggle: (item) => this.toggle(this.scene?.boxOfItem.get(item) ?? 0),
            fitAll: () => this.fitAll(),
            fitSelection: () => this.fitSelection(),
            openMore: () => this.openMore(),
            closeAll: () => this.closeAll(),
            look: (place) => this.look(place),
            hold: () => this.hold(),
        };
    }

    private watch(): void {
        this.stops.push(effect(() => {
            capture.value;
            shape.value;
            opened.value;
            untracked(() => void this.load());
        }));
        this.stops.push(effect(() => {
            path.value;
            hits.value;
            relatedNodes.value;
            untracked(() => this.relate());
        }));
        this.stops.push(effect(() => {
            hidden.value;
            heatMap.value;
            theme.value;
            this.redraw();
        }));
        this.stops.push(effect(() => {
            const {node} = selection.value, item = group.value?.item ?? 0;
            untracked(() => {
                if (node && this.scene && this.scene.node[this.selectedBox] !== node) this.selectedBox = this.scene.boxOfNode.get(node) ?? 0;
                else if (!node) this.selectedBox = (item && this.scene?.boxOfItem.get(item)) || 0;
                this.redraw();
            });
        }));
    }

    destroy(): void {
        this.stops.forEach((stop) => stop());
        graphActions.current = null;
    }

    // --- data ---

    private async load(): Promise<void> {
        const known = capture.value;
        if (!known) return;
        const open = opened.value, wanted = shape.value;
        const body = shapeWish(wanted);
        if (open) body['open'] = [...open];
        try {
            const scene = decodeScene(await (takeAhead(wanted, open) ?? postFrame('layout', 'layout', body)));
            const before = this.scene;
            this.scene = scene;
            graphMost.value = scene.mostTime;
            this.sceneOf = shapeKey(wanted);
            if (scene.closed) announcement.value = t('closedGroups', {n: scene.closed});
            this.afterLoad(before);
            await whenShown();
            if (this.scene !== scene) return; // another one has come
            if (!this.outline?.isOf(shape.value)) await this.loadOutline();
            else this.relate();
        } catch (error) {
            if (!isAborted(error)) failure.value = error instanceof Error ? error.message : String(error);
        }
    }

    private async loadOutline(): Promise<void> {
        this.outline = null;
        this.outline = await Outline.load(shape.value);
        outline.value = this.outline;
        this.relate();
        this.travel.goOn();
    }

    private afterLoad(before: Scene | null): void {
        const scene = this.scene;
        if (!scene) return;
        const box = this.anchor && before ? scene.boxOfItem.get(this.anchor.group) : undefined;
        this.reflow = null;
        if (box && this.anchor && before) {
            const dx = scene.x[box]! - this.anchor.x, dy = scene.y[box]! - this.anchor.y;
            this.camera = {...this.camera, x: this.camera.x + dx, y: this.camera.y + dy};
            if (scene.count < MOST_TWEENED && !calm()) this.reflow = {from: before, x: dx, y: dy, since: performance.now()};
        } else if (graphPlace.value && !this.isFitted) {
            this.camera = {...graphPlace.value};
        } else if (!this.isFitted && !this.travel.goal) {
            this.camera = fitted(scene, this.wide, this.high);
        }
        this.anchor = null;
        this.isFitted = true;
        this.hover = 0;
        const {node} = selection.value;
        this.selectedBox = (node ? scene.boxOfNode.get(node) : group.value ? scene.boxOfItem.get(group.value.item) : 0) ?? 0;
        this.travel.goOn();
        this.redraw();
    }

    // Which boxes the selection, the hits and the path are, in this scene.
    private relate(): void {
        const {scene, outline} = this;
        if (!scene || !outline) {
            this.redraw();
            return;
        }
        this.related = countByBox(outline, scene, relatedNodes.value);
        this.found = countByBox(outline, scene, hits.value);
        this.litHits = hits.value.size ? new Set(this.found.keys()) : null;
        this.trace = traceOf(path.value, scene, outline);
        this.redraw();
    }

    // --- going places ---

    goTo(box: number, onlyIfOutside = false): void {
        this.travel.goTo(box, onlyIfOutside);
    }

    fitAll(): void {
        if (this.scene?.wide) this.fly(fitted(this.scene, this.wide, this.high));
    }

    fitSelection(): void {
        this.travel.toSelection();
    }

    openMore(): void {
        const scene = this.scene;
        if (!scene) return;
        const open = this.travel.openNow();
        for (let b = 1; b < scene.count; b++) if (scene.flags[b]! & GROUP) open.add(scene.group[b]!);
        this.hold();
        opened.value = open;
    }

    // To a place, in this drawing and in one that is on its way.
    private look(place: Camera): void {
        this.anchor = null;
        this.travel.goal = null;
        this.isFitted = false;
        this.fly(place);
    }

    // What one looks at stays where it is in the next drawing.
    hold(): void {
        const scene = this.scene, box = scene ? this.selectedBox || boxAt(scene, this.camera.x, this.camera.y) : 0;
        if (scene && box) this.anchor = {group: scene.group[box]!, x: scene.x[box]!, y: scene.y[box]!};
    }

    closeAll(): void {
        this.isFitted = false;
        graphPlace.value = null;
        opened.value = null;
    }

    toggle(box: number): void {
        const scene = this.scene;
        if (!scene || !box || !(scene.flags[box]! & GROUP)) return;
        const open = this.travel.openNow(), item = scene.group[box]!;
        if (scene.flags[box]! & OPEN) open.delete(item);
        else open.add(item);
        this.anchor = {group: item, x: scene.x[box]!, y: scene.y[box]!};
        opened.value = open;
    }

    fly(to: Camera): void {
        if (calm()) this.camera = to;
        else this.flight = {from: this.camera, to, since: performance.now()};
        this.moved();
    }

    zoom(factor: number, x: number, y: number): void {
        this.flight = null;
        this.camera = zoomed(this.camera, factor, x, y, this.wide, this.high);
        this.moved();
    }

    pan(dx: number, dy: number): void {
        this.flight = null;
        this.camera = {...this.camera, x: this.camera.x + dx / this.camera.scale, y: this.camera.y + dy / this.camera.scale};
        this.moved();
    }

    private moved(): void {
        graphPlace.value = this.flight?.to ?? this.camera;
        this.redraw();
    }

    // --- choosing ---

    choose(box: number, adds = false): void {
        const scene = this.scene;
        if (!scene) return;
        const node = box ? scene.node[box]! : 0;
        if (adds) {
            if (node) add(node, 0, 'graph');
            this.tellFocus();
            return;
        }
        this.selectedBox = box;
        group.value = box && !node ? {...shape.value, item: scene.group[box]!, label: scene.label[box]!, isConstant: (scene.flags[box]! & CONSTANT) > 0} : null;
        if (group.value) announcement.value = t('selected', {name: this.describe(box)});
        select(node, 0, 'graph');
        this.tellFocus();
        this.redraw();
    }

    private describe(box: number): string {
        return this.scene ? describeBox(this.scene, box) : '';
    }

    private tellFocus(): void {
        focus.value = this.scene && focusOn(this.scene, this.selectedBox);
    }

    isBoxUnder(event: {clientX: number; clientY: number}): number {
        const scene = this.scene;
        if (!scene) return 0;
        const rect = this.canvas.getBoundingClientRect();
        return boxAt(scene, this.camera.x + (event.clientX - rect.left - this.wide / 2) / this.camera.scale,
            this.camera.y + (event.clientY - rect.top - this.high / 2) / this.camera.scale);
    }

    point(box: number): void {
        if (box === this.hover) return;
        this.hover = box;
        this.canvas.title = box ? this.describe(box) : '';
        this.redraw('top');
    }

    // --- picture ---

    private resize(): void {
        const rect = this.canvas.getBoundingClientRect(), isFirst = this.wide === 1, ratio = Math.min(window.devicePixelRatio || 1, 2);
        // The observer tells at first what is known already; a canvas that is set to its own size is wiped.
        if (rect.width === this.wide && rect.height === this.high && ratio === this.ratio) return;
        this.ratio = ratio;
        this.wide = Math.max(1, rect.width);
        this.high = Math.max(1, rect.height);
        for (const canvas of [this.canvas, this.overlay]) {
            canvas.width = Math.round(this.wide * this.ratio);
            canvas.height = Math.round(this.high * this.ratio);
        }
        if (isFirst && this.scene && !graphPlace.value) this.camera = fitted(this.scene, this.wide, this.high);
        if (isFirst) this.travel.goOn(); // what is in sight was not known before
        this.redraw();
    }

    redraw(what: 'top' | 'all' = 'all'): void {
        const isPending = this.wanted !== '';
        if (this.wanted !== 'all') this.wanted = what;
        if (isPending) return;
        requestAnimationFrame(() => {
            const now = this.wanted;
            this.wanted = '';
            if (now === 'all') this.paint();
            else this.paintTop();
        });
    }

    // One step of what is moving; true while there is more to come.
    private step(): boolean {
        const now = performance.now();
        if (this.flight) {
            const part = Math.min(1, (now - this.flight.since) / FLIGHT_MS);
            this.camera = part < 1 ? between(this.flight.from, this.flight.to, part) : this.flight.to;
            if (part === 1) this.flight = null;
        }
        if (this.reflow && now - this.reflow.since >= FLIGHT_MS) this.reflow = null;
        return this.flight !== null || this.reflow !== null;
    }

    private marks(): Marks {
        const shown = this.trace;
        return {
            lit: shown ? shown.boxes : this.litHits, trace: shown, chosen: this.selectedBox, hidden: hidden.value,
            byTime: heatMap.value, dark: theme.value === 'dark', categories: capture.value?.categories ?? [],
            peek: (item) => this.peeks.get(shape.value, item),
        };
    }

    paint(): void {
        const scene = this.scene;
        if (!scene) return;
        const begin = performance.now(), isMoving = this.step();
        const reflow = this.reflow;
        const drawn = reflow ? onTheWay(reflow.from, scene, (begin - reflow.since) / FLIGHT_MS, reflow.x, reflow.y) : scene;
        this.painter.draw(drawn, this.camera, this.marks(), this.wide, this.high, this.ratio);
        this.paintTop();
        this.lastDrawMs = performance.now() - begin;
        const has = capture.value?.has ?? [];
        tellDrawn('graph', has.includes('tasks') || has.includes('slices') ? ['graph', 'timeline'] : ['graph']);
        if (isMoving) this.redraw();
    }

    private paintTop(): void {
        const scene = this.scene;
        if (!scene) return;
        this.top.setTransform(1, 0, 0, 1, 0, 0);
        this.top.clearRect(0, 0, this.overlay.width, this.overlay.height);
        if (!this.reflow) drawOverlay(this.top, scene, this.camera, this.overlayMarks(), this.wide, this.high, this.ratio);
    }

    private overlayMarks(): {hover: number; selected: number; related: ReadonlyMap<number, number>; hits: ReadonlyMap<number, number>; dark: boolean} {
        return {hover: this.hover, selected: this.selectedBox, related: this.related, hits: this.found, dark: theme.value === 'dark'};
    }

    // --- files ---

    toPicture(): HTMLCanvasElement {
        const picture = blank(this.wide, this.high);
        if (this.scene && picture.context) this.drawOn(picture.context, PICTURE_RATIO);
        return picture.canvas;
    }

    // The window that is seen, as it is drawn, without the pointer.
    private drawOn(surface: Surface, ratio: number): void {
        new GraphPainter(surface).draw(this.scene!, this.camera, this.marks(), this.wide, this.high, ratio);
        drawOverlay(surface, this.scene!, this.camera, {...this.overlayMarks(), hover: 0}, this.wide, this.high, ratio);
    }

    toSvg(): string {
        if (!this.scene) return '';
        const surface = new SvgSurface(this.wide, this.high, this.top);
        this.drawOn(surface, 1);
        return surface.text(`${t('structure')} – ${t(layer.value)}`);
    }
}
