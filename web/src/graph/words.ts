// Boxes in words, for the pointer's hint and for those who hear the page.
import {t} from '../i18n/i18n';
import type {Focus} from '../state/state';
import {duration} from '../util/format';
import {GROUP, PART, PORT, type Scene} from './scene';

export function describeBox(scene: Scene, box: number): string {
    if (!box) return '';
    const flags = scene.flags[box]!;
    const name = flags & PART ? t('part', {n: scene.label[box]!}) : scene.label[box]!;
    const more = [scene.op[box], scene.type[box], flags & GROUP ? t('nodes', {n: scene.nodes[box]!}) : '',
        scene.time[box] ? duration(scene.time[box]!) : ''].filter(Boolean);
    return more.length ? `${name} (${more.join(', ')})` : name;
}

// The box among its siblings, and those next to it.
export function focusOn(scene: Scene, box: number): Focus | null {
    if (!box) return null;
    const siblings: number[] = [];
    for (let b = 1; b < scene.count; b++) if (scene.parent[b] === scene.parent[box] && !(scene.flags[b]! & PORT)) siblings.push(b);
    siblings.sort((a, b) => scene.y[a]! - scene.y[b]! || scene.x[a]! - scene.x[b]!);
    const at = siblings.indexOf(box), shown = siblings.slice(Math.max(0, at - 3), at + 4);
    return {box, items: shown.map((b) => ({id: b, text: describeBox(scene, b), place: siblings.indexOf(b) + 1, of: siblings.length}))};
}
