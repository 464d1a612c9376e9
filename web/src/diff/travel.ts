// Going to boxes that others name in a comparison, opening what hides them.
import {follow, opened, relatedNodes, selection, type Going} from '../state/state';
import {OPEN} from '../graph/scene';
import type {Side} from './api';
import type {PairView} from './pair';
import {baseSelection} from './state';

export interface Goal {
    side: Side;
    node: number;
    item: number; // instead of a node
    expand: boolean; // open what hides it
    going: Going;
    isOpened?: boolean; // has been done
    isChoice?: boolean; // and it is chosen there
}

export class PairTravel {
    goal: Goal | null = null;

    constructor(private readonly view: PairView) {}

    reveal(side: Side, node: number, expand: boolean, going: Going = 'always'): void {
        if (follow.value || expand) this.goFor({side, node, item: 0, expand, going});
    }

    goFor(goal: Goal): void {
        this.goal = goal;
        this.goOn();
    }

    // As far as what is loaded allows; what loads next calls again.
    goOn(): void {
        const {goal, view} = this;
        if (!goal || !view.isReady()) return;
        const pane = view.panes[goal.side], scene = pane.scene!, outline = pane.outline!;
        const item = goal.item || (outline.ofNode[goal.node] ?? 0);
        const exact = goal.item ? scene.boxOfItem.get(item) : scene.boxOfNode.get(goal.node);
        if (!goal.expand && [...pane.related.keys()].some((box) => this.isInSight(box))) this.goal = null;
        else if (exact) {
            this.goal = null;
            if (goal.going !== 'hidden') this.goTo(exact, !(goal.expand || goal.isOpened) || goal.going === 'outside');
            if (goal.isChoice) view.choose(view.panes.new, exact);
        } else if (goal.expand) {
            const open = view.openNow();
            for (let at = outline.above[item] ?? 0; at; at = outline.above[at] ?? 0) open.add(at);
            this.goal = {...goal, expand: false, isOpened: true, going: goal.going === 'always' ? 'always' : 'outside'};
            if (item) opened.value = open;
        } else {
            const box = outline.visible(scene, goal.node);
            this.goal = null;
            if (box && goal.going !== 'hidden') this.goTo(box, true);
        }
    }

    private spot(box: number): {x: number; y: number} {
        const {panes, camera} = this.view, {scene, high} = panes.new;
        return {x: scene!.x[box]! + scene!.width[box]! / 2, y: scene!.y[box]! + Math.min(scene!.height[box]!, high / camera.scale) / 2};
    }

    private isInSight(box: number): boolean {
        const {panes, camera} = this.view, {wide, high} = panes.new, {x, y} = this.spot(box), {scale} = camera;
        return Math.abs(x - camera.x) * scale < wide * 0.46 && Math.abs(y - camera.y) * scale < high * 0.46;
    }

    goTo(box: number, onlyIfOutside = false): void {
        const {panes, camera} = this.view, {scene, wide} = panes.new;
        if (!scene || (onlyIfOutside && this.isInSight(box))) return;
        const small = scene.flags[box]! & OPEN ? Math.min(1, wide / (scene.width[box]! + 40)) : 0.75;
        this.view.fly({...this.spot(box), scale: Math.max(Math.min(camera.scale, 2.5), small)});
    }

    // Whatever is selected, on the new side if it is there.
    fitSelection(): void {
        const own: Record<Side, number> = {base: baseSelection.value.node, new: selection.value.node || ([...relatedNodes.value][0] ?? 0)};
        const side = (['new', 'base'] as const).find((s) => own[s] && (this.view.panes[s].outline?.ofNode[own[s]] ?? 0));
        if (side) this.reveal(side, own[side], true);
        else if (this.view.selectedBox) this.goTo(this.view.selectedBox);
    }
}
