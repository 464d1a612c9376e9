// Going to boxes: a jump opens what hides its goal, and goes on as what it needs is loaded; a selection that merely
// follows stays with the group around it.
import {follow, opened, relatedNodes, selection, shape, shapeKey, type Going} from '../state/state';
import {LEGIBLE_SCALE} from './camera';
import type {Camera} from './draw';
import type {Outline} from './outline';
import {OPEN, type Scene} from './scene';

// What it needs of the view.
export interface Traveller {
    readonly scene: Scene | null;
    readonly sceneOf: string; // the shape of the scene
    readonly outline: Outline | null;
    readonly camera: Camera;
    readonly wide: number;
    readonly high: number;
    readonly related: ReadonlyMap<number, number>;
    selectedBox: number;
    fly(to: Camera): void;
}

export class Travel {
    goal: {node: number; item: number; expand: boolean; going: Going} | null = null; // to go to once the scene is there

    constructor(private readonly view: Traveller) {}

    // The groups that are open now, so that opening one more keeps them.
    openNow(): Set<number> {
        const list = new Set<number>(opened.value ?? []), {scene} = this.view;
        for (let b = 1; scene && b < scene.count; b++) if (scene.flags[b]! & OPEN) list.add(scene.group[b]!);
        return list;
    }

    reveal(node: number, expand: boolean, going: Going = 'always'): void {
        if (!follow.value && !expand) return;
        this.goal = {node, item: 0, expand, going};
        this.goOn();
    }

    revealItem(item: number): void {
        this.goal = {node: 0, item, expand: true, going: 'always'};
        this.goOn();
    }

    // As far as what is loaded allows; what loads next calls again.
    goOn(): void {
        const {goal, view} = this, {scene, outline} = view;
        if (!scene || !goal || view.wide === 1 || view.sceneOf !== shapeKey(shape.value)) return;
        const exact = goal.item ? scene.boxOfItem.get(goal.item) : scene.boxOfNode.get(goal.node);
        if (!goal.expand && [...view.related.keys()].some((box) => this.isInSight(box))) {
            this.goal = null;
        } else if (exact) {
            this.goal = null;
            if (goal.going !== 'hidden') this.goTo(exact, !goal.expand || goal.going === 'outside');
            if (goal.expand) view.selectedBox = exact;
        } else if (!outline?.isOf(shape.value)) {
            return;
        } else if (goal.expand) {
            const item = goal.item || (outline.ofNode[goal.node] ?? 0), open = this.openNow();
            for (let at = outline.above[item] ?? 0; at; at = outline.above[at] ?? 0) open.add(at);
            this.goal = {...goal, expand: false, going: 'outside'};
            if (item) opened.value = open;
        } else {
            const box = outline.visible(scene, goal.node);
            this.goal = null;
            if (box && goal.going !== 'hidden') this.goTo(box, true);
        }
    }

    // Where to look at a box: its middle, or the upper part of one that is higher than the canvas.
    private spot(scene: Scene, box: number): {x: number; y: number} {
        return {
            x: scene.x[box]! + scene.width[box]! / 2,
            y: scene.y[box]! + Math.min(scene.height[box]!, this.view.high / this.view.camera.scale) / 2,
        };
    }

    private isInSight(box: number): boolean {
        const {scene, camera, wide, high} = this.view;
        if (!scene) return false;
        const {x, y} = this.spot(scene, box), {scale} = camera;
        return Math.abs(x - camera.x) * scale < wide * 0.46 && Math.abs(y - camera.y) * scale < high * 0.46;
    }

    goTo(box: number, onlyIfOutside = false): void {
        const {scene, camera, wide} = this.view;
        if (!scene || (onlyIfOutside && this.isInSight(box))) return;
        const {x, y} = this.spot(scene, box);
        const small = scene.flags[box]! & OPEN ? Math.min(1, wide / (scene.width[box]! + 40)) : LEGIBLE_SCALE;
        this.view.fly({x, y, scale: Math.max(Math.min(camera.scale, 2.5), small)});
    }

    // The selection in this layer, opening what hides it; else the group or box that was chosen.
    toSelection(): void {
        const {scene, outline, selectedBox} = this.view;
        if (!scene) return;
        const nodes = [selection.value.node, ...relatedNodes.value].filter((n) => n && (scene.boxOfNode.has(n) || (outline?.ofNode[n] ?? 0)));
        const node = nodes.find((n) => scene.boxOfNode.has(n)) ?? nodes[0];
        if (node) this.reveal(node, true);
        else if (selectedBox) this.goTo(selectedBox);
    }
}
