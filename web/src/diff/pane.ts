// One side of a comparison: a canvas over the side's part of the joint drawing. Where the camera stands and what is
// selected is the same for both sides; the pair (pair.ts) knows.
import {calm} from '../graph/camera';
import {GraphPainter, type Marks} from '../graph/draw';
import {GraphHands, type Steered} from '../graph/hands';
import type {Outline} from '../graph/outline';
import {drawOverlay} from '../graph/overlay';
import {Peeks} from '../graph/peeks';
import {ABSENT, boxAt, type Scene} from '../graph/scene';
import {blank, PICTURE_RATIO, SvgSurface, type Surface} from '../util/export';
import {atSide, type Side} from './api';
import {drawChanges, drawEmptyPlace, type View} from './marks';
import type {PairView} from './pair';

export class Pane implements Steered {
    scene: Scene | null = null;
    outline: Outline | null = null;
    wide = 1;
    high = 1;
    ratio = 1;
    related: ReadonlyMap<number, number> = new Map();
    readonly peeks: Peeks;
    private readonly painter: GraphPainter;
    private readonly top: CanvasRenderingContext2D;
    private readonly stops: (() => void)[] = [];

    constructor(private readonly pair: PairView, readonly side: Side, readonly canvas: HTMLCanvasElement, private readonly overlay: HTMLCanvasElement) {
        const context = canvas.getContext('2d', {alpha: false}), top = overlay.getContext('2d');
        if (!context || !top) throw new Error('no canvas');
        this.painter = new GraphPainter(context);
        this.top = top;
        this.peeks = new Peeks(() => pair.redraw(), calm(), atSide('diff/layout', side));
        const hands = new GraphHands(this), sizes = new ResizeObserver(() => this.resize());
        sizes.observe(canvas);
        this.stops.push(() => sizes.disconnect(), () => hands.destroy());
    }

    destroy(): void {
        this.stops.forEach((stop) => stop());
    }

    private resize(): void {
        const rect = this.canvas.getBoundingClientRect(), isFirst = this.wide === 1;
        this.ratio = Math.min(window.devicePixelRatio || 1, 2);
        this.wide = Math.max(1, rect.width);
        this.high = Math.max(1, rect.height);
        for (const canvas of [this.canvas, this.overlay]) {
            canvas.width = Math.round(this.wide * this.ratio);
            canvas.height = Math.round(this.high * this.ratio);
        }
        this.pair.resized(isFirst);
    }

    // --- steered by hands ---

    get selectedBox(): number {
        return this.pair.selectedBox;
    }

    zoom(factor: number, x: number, y: number): void {
        this.pair.zoom(factor, x, y, this);
    }

    pan(dx: number, dy: number): void {
        this.pair.pan(dx, dy);
    }

    isBoxUnder(event: {clientX: number; clientY: number}): number {
        const rect = this.canvas.getBoundingClientRect(), {camera} = this.pair;
        return this.scene ? boxAt(this.scene, camera.x + (event.clientX - rect.left - this.wide / 2) / camera.scale,
            camera.y + (event.clientY - rect.top - this.high / 2) / camera.scale) : 0;
    }

    point(box: number): void {
        if (!this.pair.point(box)) return;
        this.canvas.title = box ? this.pair.describe(this, box) : '';
    }

    choose(box: number): void {
        this.pair.choose(this, box);
    }

    toggle(box: number): void {
        this.pair.toggle(box);
    }

    goTo(box: number, onlyIfOutside = false): void {
        this.pair.travel.goTo(box, onlyIfOutside);
    }

    fitSelection(): void {
        this.pair.travel.fitSelection();
    }

    fitAll(): void {
        this.pair.fitAll();
    }

    openMore(): void {
        this.pair.openMore();
    }

    closeAll(): void {
        this.pair.closeAll();
    }

    redraw(): void {
        this.pair.redraw();
    }

    // --- picture ---

    private view(ratio = this.ratio): View {
        return {camera: this.pair.camera, wide: this.wide, high: this.high, ratio, dark: this.pair.isDark};
    }

    paint(marks: Marks): void {
        if (!this.scene) return;
        this.painter.draw(this.scene, this.pair.camera, {...marks, peek: (item) => this.pair.peek(this, item)}, this.wide, this.high, this.ratio);
        this.paintTop();
    }

    paintTop(): void {
        this.top.setTransform(1, 0, 0, 1, 0, 0);
        this.top.clearRect(0, 0, this.overlay.width, this.overlay.height);
        this.drawTop(this.top, this.view());
    }

    private drawTop(c: Surface, view: View): void {
        const scene = this.scene, {pair} = this;
        if (!scene) return;
        const isThere = (box: number): boolean => !((scene.flags[box] ?? 0) & ABSENT);
        drawOverlay(c, scene, view.camera, {
            hover: isThere(pair.hover) ? pair.hover : 0, selected: isThere(pair.selectedBox) ? pair.selectedBox : 0, related: this.related,
            hits: new Map([...pair.found].filter(([box]) => isThere(box))), dark: view.dark,
        }, view.wide, view.high, view.ratio);
        drawChanges(c, scene, view);
        if (pair.selectedBox && !isThere(pair.selectedBox)) drawEmptyPlace(c, scene, pair.selectedBox, view);
    }

    toPicture(marks: Marks): HTMLCanvasElement {
        const picture = blank(this.wide, this.high);
        if (picture.context) this.drawOn(picture.context, marks, PICTURE_RATIO);
        return picture.canvas;
    }

    private drawOn(surface: Surface, marks: Marks, ratio: number): void {
        if (!this.scene) return;
        const view = this.view(ratio);
        new GraphPainter(surface).draw(this.scene, view.camera, {...marks, peek: (item) => this.pair.peek(this, item)}, this.wide, this.high, ratio);
        this.drawTop(surface, view);
    }

    toSvg(marks: Marks, title: string): string {
        if (!this.scene) return '';
        const surface = new SvgSurface(this.wide, this.high, this.top);
        this.drawOn(surface, marks, 1);
        return surface.text(title);
    }
}
