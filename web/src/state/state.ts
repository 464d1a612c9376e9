// What the views share: they read these signals, actions (actions.ts) write them.
import {computed, signal} from '@preact/signals';
import type {Capture, Links} from '../api/client';
import type {Outline} from '../graph/outline';

export type View = 'graph' | 'timeline' | 'mapping' | 'panel' | 'link' | 'back';
export type Fold = 'scope' | 'group' | 'none';
export type LayerName = 'framework' | 'compiled';

// Which drawing of the graphs: what is drawn, folded by what, and whether constants are boxes of their own. Boxes that
// are no constants have the same items with and without them.
export interface Shape {
    layer: LayerName;
    fold: Fold;
    constants: boolean;
}

export const shapeKey = (of: Shape): string => `${of.layer}:${of.fold}:${of.constants ? 'constants' : ''}`;

// As requests have it.
export const shapeWish = (of: Shape): Record<string, unknown> => ({layer: of.layer, fold: of.fold, ...(of.constants ? {constants: true} : {})});

export interface Selection {
    node: number; // 0 = none
    task: number; // 0 = none
    origin: View;
}

export interface Path {
    node: number;
    nodes: Set<number>;
    note: string; // why there are none
    chain: Set<number>; // of these, the critical ones; empty if nothing tells them apart
}

// A box that stands for no node: a scope, a fusion group, a graph, its input or output, a constant without a node.
export interface Group extends Shape {
    item: number;
    label: string;
    isConstant: boolean;
}

// What has the focus within a canvas, and what is around it, in words.
export interface Focus {
    box: number;
    items: {id: number; text: string; place: number; of: number}[];
}

export interface Place {
    x: number;
    y: number;
    scale: number;
}

export const capture = signal<Capture | null>(null);
// From three runs on the first do not count (analyse/accounting.h).
export const hasWarmUp = (): boolean => (capture.value?.runs ?? 0) > 2;
export const failure = signal<string>('');
export const lang = signal<'en' | 'zh'>('en');
export const theme = signal<'light' | 'dark'>('light');
export const layer = signal<LayerName>('framework');
export const fold = signal<Fold>('scope');
export const constants = signal<boolean>(false); // are boxes
export const shape = computed<Shape>(() => ({layer: layer.value, fold: fold.value, constants: constants.value}));
export const opened = signal<ReadonlySet<number> | null>(null); // null: as the server thinks right
export const selection = signal<Selection>({node: 0, task: 0, origin: 'link'});
export const group = signal<Group | null>(null);
export const graphMost = signal<number>(0);                       // ns, the longest time of a box
export const outline = signal<Outline|null>(null);                // of the structure that is shown
export const panes = signal<Partial<Record<string, number>>>({}); // per cent, see split.tsx
export const focus = signal<Focus | null>(null); // of the structure
export const graphPlace = signal<Place | null>(null); // null: as it fits
export const links = signal<Links | null>(null); // of the selection
export const path = signal<Path | null>(null);
export const search = signal<string>('');
export const hits = signal<ReadonlySet<number>>(new Set());
export const hitTasks = signal<ReadonlySet<number>>(new Set());
export const hidden = signal<ReadonlySet<string>>(new Set()); // categories that are not shown
export const heatMap = signal<boolean>(false);
export const follow = signal<boolean>(true);
// Whether the address that was opened, or gone back to, says where to look: then nothing else moves the views.
export const told = {graph: false, time: false};
// Whether to go to a box: in any case, where it is out of sight, or only where it was not drawn.
export type Going = 'always' | 'outside' | 'hidden';
export const timeWindow = signal<{start: number; duration: number}>({start: 0, duration: 1});
export const panel = signal<string>('details');
export const announcement = signal<string>('');

// Selected before the last one and not let go of, see also.ts.
export interface Kept {
    node: number;
    task: number;
    links: Links | null; // not known yet
}

export const also = signal<readonly Kept[]>([]);

const allLinks = computed<readonly Links[]>(() => [links.value, ...also.value.map((kept) => kept.links)].filter((found) => found !== null));

// Nodes of each layer that belong to the selection.
export const relatedNodes = computed<ReadonlySet<number>>(
    () => new Set(allLinks.value.flatMap((found) => [...found.framework, ...found.compiled].map((n) => n.node))));

export const relatedTasks = computed<ReadonlySet<number>>(
    () => new Set([...allLinks.value.flatMap((found) => found.tasks), ...also.value.flatMap((kept) => kept.task || [])]));
