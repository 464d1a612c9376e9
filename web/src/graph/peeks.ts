// Drawings of closed groups for a look inside; fetched when a group is large on the screen, the last few kept.
import {isAborted, postFrame} from '../api/client';
import {shapeKey, shapeWish, type Shape} from '../state/state';
import {decodeScene, type Scene} from './scene';

const MOST = 48;
const FADE_MS = 150;

interface Peek {
    scene: Scene | null; // null: under way
    since: number;
}

export class Peeks {
    private readonly known = new Map<string, Peek>();
    private asking = 0;

    constructor(private readonly arrived: () => void, private readonly calm: boolean, private readonly path = 'layout') {}

    // What is known of the group; asks for it if nothing is.
    get(shape: Shape, group: number): {scene: Scene; alpha: number} | null {
        const key = `${shapeKey(shape)}:${group}`, found = this.known.get(key);
        if (!found) {
            if (this.asking < 3) void this.ask(key, shape, group);
            return null;
        }
        if (!found.scene) return null;
        this.known.delete(key);
        this.known.set(key, found);
        const alpha = this.calm ? 1 : Math.min(1, (performance.now() - found.since) / FADE_MS);
        if (alpha < 1) this.arrived();
        return {scene: found.scene, alpha: Math.max(alpha, 0.02)};
    }

    private async ask(key: string, shape: Shape, group: number): Promise<void> {
        const peek: Peek = {scene: null, since: 0};
        this.known.set(key, peek);
        this.asking++;
        try {
            peek.scene = decodeScene(await postFrame('', this.path, {...shapeWish(shape), root: group, open: []}));
            peek.since = performance.now();
        } catch (error) {
            // A look inside is a nicety; without an answer the group stays as it is.
            if (isAborted(error)) this.known.delete(key);
        }
        this.asking--;
        for (const old of this.known.keys()) {
            if (this.known.size <= MOST) break;
            this.known.delete(old);
        }
        this.arrived();
    }
}
