// Where the camera may stand, and how it moves there.
import type {Camera} from './draw';
import type {Scene} from './scene';

export const LEAST_SCALE = 0.0005;
export const MOST_SCALE = 12;
export const LEGIBLE_SCALE = 0.75; // letters of 9 pixels, and most names fit into their boxes
export const FLIGHT_MS = 200;

export const calm = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches;

// The whole, or the upper part at a size that can be read: a long chain fitted whole is a hair.
export function fitted(scene: Scene, wide: number, high: number): Camera {
    const room = 24;
    const all = Math.min(wide / (scene.wide + 2 * room), high / (scene.high + 2 * room), 1.25);
    const legible = Math.min(wide / (scene.wide + 2 * room), LEGIBLE_SCALE);
    const scale = Math.max(all, legible, LEAST_SCALE);
    const isWhole = scene.high * scale <= high;
    return {x: scene.wide / 2, y: isWhole ? scene.high / 2 : high / 2 / scale - room, scale};
}

export function zoomed(camera: Camera, factor: number, x: number, y: number, wide: number, high: number): Camera {
    const worldX = camera.x + (x - wide / 2) / camera.scale, worldY = camera.y + (y - high / 2) / camera.scale;
    const scale = Math.min(MOST_SCALE, Math.max(LEAST_SCALE, camera.scale * factor));
    return {x: worldX - (x - wide / 2) / scale, y: worldY - (y - high / 2) / scale, scale};
}

// Between two cameras; scales by their ratio, so that it looks even.
export function between(a: Camera, b: Camera, part: number): Camera {
    const eased = 1 - (1 - part) ** 3;
    return {
        x: a.x + (b.x - a.x) * eased, y: a.y + (b.y - a.y) * eased,
        scale: a.scale * (b.scale / a.scale) ** eased,
    };
}

// A scene on its way from an older one: boxes that both have move, new ones appear where they belong.
export function onTheWay(before: Scene, after: Scene, part: number, shiftX: number, shiftY: number): Scene {
    const eased = 1 - (1 - part) ** 3;
    const x = after.x.slice(), y = after.y.slice(), width = after.width.slice(), height = after.height.slice();
    for (let b = 1; b < after.count; b++) {
        const old = before.boxOfItem.get(after.group[b]!);
        if (!old || after.boxOfItem.get(after.group[b]!) !== b) continue;
        x[b] = (before.x[old]! + shiftX) * (1 - eased) + after.x[b]! * eased;
        y[b] = (before.y[old]! + shiftY) * (1 - eased) + after.y[b]! * eased;
        width[b] = before.width[old]! * (1 - eased) + after.width[b]! * eased;
        height[b] = before.height[old]! * (1 - eased) + after.height[b]! * eased;
    }
    return {...after, x, y, width, height, edges: 0};
}
