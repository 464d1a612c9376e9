// A path through the graph as boxes and wires of a scene.
import type {Path} from '../state/state';
import type {Trace} from './draw';
import {countByBox, type Outline} from './outline';
import {ENDS, neighbours, OUTPUT, wiresAmong, type Scene} from './scene';

export function traceOf(path: Path | null, scene: Scene, outline: Outline): Trace | null {
    if (!path?.nodes.size) return null;
    const boxes = new Set(countByBox(outline, scene, path.nodes).keys());
    const chain = new Set(countByBox(outline, scene, path.chain).keys());
    // What is no operator stands for no step of it: it is on it if what it feeds is.
    for (let b = 1; b < scene.count; b++)
        if (scene.flags[b]! & ENDS && neighbours(scene, b, !(scene.flags[b]! & OUTPUT)).some((n) => boxes.has(n))) boxes.add(b);
    const wires = wiresAmong(scene, boxes), firm = wiresAmong(scene, chain);
    firm.forEach((is, e) => is && (wires[e] = 2));
    return {boxes, chain, wires};
}
