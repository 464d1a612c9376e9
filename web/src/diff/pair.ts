// Both sides of a comparison beside one another. They are one drawing, so a box has the same number and the same place
// on both; one camera looks at both.
import {effect, untracked} from '@preact/signals';
import {isAborted, postFrame} from '../api/client';
import {between, calm, fitted, FLIGHT_MS, zoomed} from '../graph/camera';
import type {Camera, Marks} from '../graph/draw';
import {countByBox, Outline} from '../graph/outline';
import {ABSENT, boxAt, CONSTANT, decodeScene, GROUP, OPEN, PART, PORT} from '../graph/scene';
import {t} from '../i18n/i18n';
import {graphActions, select} from '../state/actions';
import {
    announcement, capture, failure, focus, graphMost, graphPlace, group, hidden, hits, layer, opened, outline, relatedNodes, selection, shape, shapeKey,
    shapeWish, theme,
} from '../state/state';
import {duration} from '../util/format';
import {atSide, SIDES, type Side} from './api';
import {pairActions, selectBase} from './actions';
import {lookBy, mostDelta} from './looks';
import {Pane} from './pane';
import {baseLinks, baseSelection, colourBy, partner} from './state';
import {PairTravel} from './travel';

export interface Canvases {
    canvas: HTMLCanvasElement;
    overlay: HTMLCanvasElement;
}

export class PairView {
    camera: Camera = {x: 0, y: 0, scale: 1};
    selectedBox = 0;
    hover = 0;
    lastDrawMs = 0;
    found: ReadonlyMap<number, number> = new Map();
    readonly panes: Record<Side, Pane>;
    readonly travel = new PairTravel(this);
    private mostDelta = 0;
    private wanted: '' | 'top' | 'all' = '';
    private anchor: {group: number; x: number; y: number} | null = null;
    private sceneOf = '';
    private outlineOf = '';
    private isFitted = false;
    private flight: {from: Camera; to: Camera; since: number} | null = null;
    private readonly stops: (() => void)[] = [];

    constructor(canvases: Record<Side, Canvases>) {
        this.panes = {
            base: new Pane(this, 'base', canvases.base.canvas, canvases.base.overlay),
            new: new Pane(this, 'new', canvases.new.canvas, canvases.new.overlay),
        };
        this.watch();
        graphActions.current = {
            reveal: (node, expand, going) => this.travel.reveal('new', node, expand, going),
            revealItem: (item) => this.travel.goFor({side: 'new', node: 0, item, expand: true, going: 'always'}),
            toggle: (item) => this.toggle(this.panes.new.scene?.boxOfItem.get(item) ?? 0),
            fitAll: () => this.fitAll(),
            fitSelection: () => this.travel.fitSelection(),
            openMore: () => this.openMore(),
            closeAll: () => this.closeAll(),
            look: (place) => this.look(place),
            hold: () => this.hold(),
        };
        pairActions.current = {
            reveal: (side, node, expand) => this.travel.reveal(side, node, expand),
            chooseItem: (item) => this.travel.goFor({side: 'new', node: 0, item, expand: true, going: 'outside', isChoice: true}),
        };
    }

    private watch(): void {
        const on = (act: () => void): void => void this.stops.push(effect(act));
        on(() => {
            void [capture.value, shape.value, opened.value];
            untracked(() => void this.load());
        });
        on(() => {
            void [hits.value, relatedNodes.value, baseLinks.value, partner.value];
            untracked(() => this.relate());
        });
        on(() => {
            void [selection.value, baseSelection.value, group.value];
            untracked(() => this.findSelected());
        });
        on(() => {
            void [hidden.value, theme.value, colourBy.value];
            this.redraw();
        });
    }

    destroy(): void {
        this.stops.forEach((stop) => stop());
        SIDES.forEach((side) => this.panes[side].destroy());
        graphActions.current = null;
        pairActions.current = null;
    }

    get isDark(): boolean {
        return theme.value === 'dark';
    }

    // --- data ---

    private async load(): Promise<void> {
        if (!capture.value) return;
        const asked = shape.value, wanted = shapeKey(asked), body = shapeWish(asked);
        if (opened.value) body['open'] = [...opened.value];
        try {
            const frames = await Promise.all(SIDES.map((side) => postFrame(`layout-${side}`, atSide('diff/layout', side), body)));
            SIDES.forEach((side, i) => (this.panes[side].scene = decodeScene(frames[i]!)));
            this.sceneOf = wanted;
            if (this.outlineOf !== wanted) {
                const outlines = await Promise.all(SIDES.map((side) => Outline.load(asked, atSide('diff/outline', side))));
                SIDES.forEach((side, i) => (this.panes[side].outline = outlines[i]!));
                this.outlineOf = wanted;
                outline.value = outlines[1]!; // names what the base alone has, too
            }
            this.afterLoad();
        } catch (error) {
            if (!isAborted(error)) failure.value = error instanceof Error ? error.message : String(error);
        }
    }

    private afterLoad(): void {
        const {scene, wide, high} = this.panes.new;
        if (!scene) return;
        if (scene.closed) announcement.value = t('closedGroups', {n: scene.closed});
        this.mostDelta = mostDelta(scene, (b) => (scene.flags[b]! & (OPEN | PORT)) !== 0);
        graphMost.value = this.mostDelta;
        const box = this.anchor ? scene.boxOfItem.get(this.anchor.group) : undefined;
        if (box && this.anchor) {
            const dx = scene.x[box]! - this.anchor.x, dy = scene.y[box]! - this.anchor.y;
            this.camera = {...this.camera, x: this.camera.x + dx, y: this.camera.y + dy};
        } else if (graphPlace.value && !this.isFitted) this.camera = {...graphPlace.value};
        else if (!this.isFitted && !this.travel.goal) this.camera = fitted(scene, wide, high);
        this.anchor = null;
        this.isFitted = true;
        this.hover = 0;
        this.relate();
        this.findSelected();
        this.travel.goOn();
    }

    isReady(): boolean {
        const now = shapeKey(shape.value);
        return this.sceneOf === now && this.outlineOf === now && this.panes.new.wide > 1;
    }

    private relate(): void {
        const also: Record<Side, readonly number[]> = {base: partner.value?.stretch?.base ?? [], new: partner.value?.stretch?.new ?? []};
        const linked = baseLinks.value, ofBase = linked ? [...linked.framework, ...linked.compiled].map((n) => n.node) : [];
        for (const side of SIDES) {
            const {scene, outline} = this.panes[side];
            if (!scene || !outline || !this.isReady()) continue;
            const nodes = side === 'base' ? [...ofBase, baseSelection.value.node] : [...relatedNodes.value];
            this.panes[side].related = countByBox(outline, scene, new Set([...nodes, ...also[side]].filter((n) => n)));
            if (side === 'new') this.found = countByBox(outline, scene, hits.value);
        }
        this.redraw();
    }

    // The box of what is selected on either side; where it is in a closed group, that of the group.
    private findSelected(): void {
        const scene = this.panes.new.scene, item = this.selectedItem();
        this.selectedBox = (scene && item && scene.boxOfItem.get(item)) || 0;
        this.redraw();
    }

    private selectedItem(): number {
        if (group.value) return group.value.item;
        const own: Record<Side, number> = {base: baseSelection.value.node, new: selection.value.node};
        for (const side of ['new', 'base'] as const) {
            const pane = this.panes[side], box = own[side] ? pane.scene?.boxOfNode.get(own[side]) : 0;
            if (box) return pane.scene!.group[box]!;
        }
        return 0;
    }

    openNow(): Set<number> {
        const list = new Set<number>(opened.value ?? []), scene = this.panes.new.scene;
        for (let b = 1; scene && b < scene.count; b++) if (scene.flags[b]! & OPEN) list.add(scene.group[b]!);
        return list;
    }

    // --- moving ---

    fitAll(): void {
        const {scene, wide, high} = this.panes.new;
        if (scene?.wide) this.fly(fitted(scene, wide, high));
    }

    openMore(): void {
        const scene = this.panes.new.scene;
        if (!scene) return;
        const open = this.openNow();
        for (let b = 1; b < scene.count; b++) if (scene.flags[b]! & GROUP) open.add(scene.group[b]!);
        this.hold();
        opened.value = open;
    }

    private look(place: Camera): void {
        this.anchor = null;
        this.travel.goal = null;
        this.isFitted = false;
        this.fly(place);
    }

    hold(): void {
        const scene = this.panes.new.scene;
        if (scene) this.keepInPlace(this.selectedBox || boxAt(scene, this.camera.x, this.camera.y));
    }

    closeAll(): void {
        this.isFitted = false;
        graphPlace.value = null;
        opened.value = null;
    }

    toggle(box: number): void {
        const scene = this.panes.new.scene;
        if (!scene || !box || !(scene.flags[box]! & GROUP)) return;
        const open = this.openNow(), item = scene.group[box]!;
        if (scene.flags[box]! & OPEN) open.delete(item);
        else open.add(item);
        this.keepInPlace(box);
        opened.value = open;
    }

    private keepInPlace(box: number): void {
        const scene = this.panes.new.scene;
        if (scene && box) this.anchor = {group: scene.group[box]!, x: scene.x[box]!, y: scene.y[box]!};
    }

    fly(to: Camera): void {
        if (calm()) this.camera = to;
        else this.flight = {from: this.camera, to, since: performance.now()};
        this.moved();
    }

    zoom(factor: number, x: number, y: number, {wide, high}: Pane): void {
        this.flight = null;
        this.camera = zoomed(this.camera, factor, x, y, wide, high);
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

    choose(pane: Pane, box: number): void {
        const {scene} = pane;
        if (!scene) return;
        const there = scene.flags[box]! & ABSENT ? this.panes[pane.side === 'base' ? 'new' : 'base'] : pane; // by keys one gets to empty places
        const node = box ? there.scene!.node[box]! : 0;
        if (box && !node) {
            select(0, 0, 'graph');
            group.value = {...shape.value, item: scene.group[box]!, label: there.scene!.label[box]!, isConstant: (scene.flags[box]! & CONSTANT) > 0};
            announcement.value = t('selected', {name: this.describe(there, box)});
        } else if (there.side === 'base') void selectBase(node, 0, 'graph');
        else {
            group.value = null;
            if (!node) void selectBase(0, 0, 'graph');
            else select(node, 0, 'graph');
        }
        this.selectedBox = box;
        this.tellFocus(there);
        this.redraw();
    }

    describe(pane: Pane, box: number): string {
        const scene = pane.scene;
        if (!scene || !box || scene.flags[box]! & ABSENT) return '';
        const flags = scene.flags[box]!, delta = scene.delta[box] ?? 0;
        const name = flags & PART ? t('part', {n: scene.label[box]!}) : scene.label[box]!;
        const more = [scene.op[box], scene.type[box], flags & GROUP ? t('nodes', {n: scene.nodes[box]!}) : '',
            scene.changed[box] ? t('diffChanged', {n: scene.changed[box]!}) : '', delta ? `${delta > 0 ? '+' : ''}${duration(delta)}` : ''].filter(Boolean);
        return `${t(pane.side === 'base' ? 'baseSide' : 'newSide')}: ${name}${more.length ? ` (${more.join(', ')})` : ''}`;
    }

    private tellFocus(pane: Pane): void {
        const scene = pane.scene, box = this.selectedBox;
        if (!scene || !box) {
            focus.value = null;
            return;
        }
        const siblings: number[] = [];
        for (let b = 1; b < scene.count; b++) if (scene.parent[b] === scene.parent[box] && !(scene.flags[b]! & (PORT | ABSENT))) siblings.push(b);
        siblings.sort((a, b) => scene.y[a]! - scene.y[b]! || scene.x[a]! - scene.x[b]!);
        const at = siblings.indexOf(box), shown = siblings.slice(Math.max(0, at - 3), at + 4);
        focus.value = {box, items: shown.map((b) => ({id: b, text: this.describe(pane, b), place: siblings.indexOf(b) + 1, of: siblings.length}))};
    }

    // What the pointer is on lights up on both sides. True: it is something else than before.
    point(box: number): boolean {
        if (box === this.hover) return false;
        this.hover = box;
        this.redraw('top');
        return true;
    }

    // --- picture ---

    resized(isFirst: boolean): void {
        const {scene, wide, high} = this.panes.new;
        if (isFirst && scene && wide > 1 && !graphPlace.value) this.camera = fitted(scene, wide, high);
        if (isFirst) this.travel.goOn();
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
            else SIDES.forEach((side) => this.panes[side].paintTop());
        });
    }

    peek(pane: Pane, item: number): ReturnType<Marks['peek']> {
        return pane.peeks.get(shape.value, item);
    }

    private marks(): Marks {
        return {
            lit: hits.value.size ? new Set(this.found.keys()) : null, trace: null, chosen: this.selectedBox, hidden: hidden.value, byTime: false,
            dark: this.isDark, categories: capture.value?.categories ?? [], lookOf: lookBy(colourBy.value, this.isDark, this.mostDelta), peek: () => null,
        };
    }

    paint(): void {
        const begin = performance.now();
        if (this.flight) {
            const part = Math.min(1, (begin - this.flight.since) / FLIGHT_MS);
            this.camera = part < 1 ? between(this.flight.from, this.flight.to, part) : this.flight.to;
            if (part === 1) this.flight = null;
        }
        const marks = this.marks();
        SIDES.forEach((side) => this.panes[side].paint(marks));
        this.lastDrawMs = performance.now() - begin;
        if (this.flight) this.redraw();
    }

    // --- files ---

    // Both sides in one picture, the base at the left.
    toPicture(): HTMLCanvasElement {
        const parts = SIDES.map((side) => this.panes[side].toPicture(this.marks())), whole = document.createElement('canvas');
        whole.width = parts[0]!.width + parts[1]!.width + 4;
        whole.height = Math.max(parts[0]!.height, parts[1]!.height);
        const context = whole.getContext('2d');
        context?.drawImage(parts[0]!, 0, 0);
        context?.drawImage(parts[1]!, parts[0]!.width + 4, 0);
        return whole;
    }

    toSvg(side: Side): string {
        return this.panes[side].toSvg(this.marks(), `${t('structure')} – ${t(layer.value)} – ${t(side === 'base' ? 'baseSide' : 'newSide')}`);
    }
}
