// How changes look: a sign each, and a few colours that eyes which do not tell red from green tell apart.
import type {Key} from '../i18n/i18n';
import type {OwnLook} from '../graph/draw';
import type {Scene} from '../graph/scene';
import {DARK, LIGHT} from '../util/colours';
import {KINDS, type Kind} from './api';
import type {ColourBy} from './state';

export const SIGNS: Record<Kind, string> = {
    fused_otherwise: '⊕', another_type: 'T', dtype: 'D', shape: 'S', layout: 'L', kernel: 'K', stream: '≈', appeared: '+', vanished: '−',
    renamed: 'N', slower: '▲', faster: '▼',
};

export const NAMES: Record<Kind, Key> = {
    fused_otherwise: 'diffFused', another_type: 'diffType', dtype: 'diffDtype', shape: 'diffShape', layout: 'diffLayout', kernel: 'diffKernel',
    stream: 'diffStream', appeared: 'diffAppeared', vanished: 'diffVanished', renamed: 'diffRenamed', slower: 'diffSlower', faster: 'diffFaster',
};

const LOOKS: Record<Kind, {fill: string; text: string}> = {
    appeared: {fill: '#0072b2', text: '#ffffff'}, vanished: {fill: '#d55e00', text: '#000000'}, fused_otherwise: {fill: '#cc79a7', text: '#000000'},
    another_type: {fill: '#f0e442', text: '#000000'}, dtype: {fill: '#f0e442', text: '#000000'}, shape: {fill: '#f0e442', text: '#000000'},
    layout: {fill: '#f0e442', text: '#000000'}, kernel: {fill: '#f0e442', text: '#000000'}, stream: {fill: '#f0e442', text: '#000000'},
    slower: {fill: '#e69f00', text: '#000000'}, faster: {fill: '#56b4e9', text: '#000000'}, renamed: {fill: '#d9d4c7', text: '#000000'},
};

// What speaks for a box in which several things changed.
const ORDER: readonly Kind[] = ['appeared', 'vanished', 'fused_otherwise', 'another_type', 'dtype', 'shape', 'layout', 'kernel', 'stream', 'slower', 'faster'];

export const kindLook = (kind: Kind): {fill: string; text: string} => LOOKS[kind];

export function kindsOf(bits: number): Kind[] {
    return KINDS.filter((_, bit) => bits & (1 << bit));
}

export function firstKind(bits: number): Kind | undefined {
    return bits ? ORDER.find((kind) => bits & (1 << KINDS.indexOf(kind))) : undefined;
}

// Slower is orange, faster blue; the paler, the less.
const SLOWER = [230, 97, 1], FASTER = [33, 102, 172];

export function deltaColour(part: number, dark: boolean): string {
    const neutral = dark ? [47, 53, 61] : [241, 244, 248], end = part < 0 ? FASTER : SLOWER;
    const mix = Math.sqrt(Math.min(1, Math.abs(part)));
    return `rgb(${end.map((v, i) => Math.round(neutral[i]! + (v - neutral[i]!) * mix)).join(' ')})`;
}

function deltaText(part: number, dark: boolean): string {
    const mix = Math.sqrt(Math.min(1, Math.abs(part)));
    if (part < 0) return dark || mix > 0.45 ? '#ffffff' : '#000000';
    return dark && mix < 0.45 ? '#ffffff' : '#000000';
}

// The box whose time differs most gives the scale.
export function mostDelta(scene: Scene, isOpen: (box: number) => boolean): number {
    let most = 0;
    for (let b = 1; b < scene.count; b++) if (!isOpen(b)) most = Math.max(most, Math.abs(scene.delta[b] ?? 0));
    return most;
}

const SHADES = 32; // of either direction

// Looks are made once for a frame: thousands of boxes ask for them.
export function lookBy(by: ColourBy, dark: boolean, most: number): (scene: Scene, box: number) => OwnLook | null {
    const palette = dark ? DARK : LIGHT, quiet: OwnLook = {fill: palette.group, text: palette.ink, whole: false};
    if (by === 'type') return () => null;
    if (by === 'time') {
        const shades = Array.from({length: 2 * SHADES + 1}, (_, i): OwnLook => {
            const part = (i - SHADES) / SHADES;
            return {fill: deltaColour(part, dark), text: deltaText(part, dark), whole: true};
        });
        return (scene, b) => shades[SHADES + Math.round(SHADES * (most ? Math.max(-1, Math.min(1, (scene.delta[b] ?? 0) / most)) : 0))] ?? quiet;
    }
    const known = new Map<number, OwnLook>();
    return (scene, b) => {
        const bits = scene.differs[b] ?? 0;
        let look = known.get(bits);
        if (!look) {
            const kind = firstKind(bits);
            known.set(bits, (look = kind ? {...LOOKS[kind], whole: false} : quiet));
        }
        return look;
    };
}
