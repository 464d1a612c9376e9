// What only the timeline wants to know; everything shared is in state/state.ts.
import {signal} from '@preact/signals';

export const rawTime = signal(false); // times as exported, not calibrated
export const showFlows = signal(false); // all arrows in view, not only those of the selection
export const foldIdle = signal(false); // long times without any task take little room
export const closedGroups = signal<ReadonlySet<string> | null>(null); // groups of rows that are folded; null: as at first
export const hiddenTracks = signal<ReadonlySet<number>>(new Set());
export const timeText = signal(''); // only tasks with this in name or type ...
export const dimOthers = signal(true); // ... the others pale, or else gone
export const arrowNote = signal<{shown: number; total: number}>({shown: 0, total: 0});

export const timeMost = signal(0); // ns, where colours say times: what is hottest

// What a screen reader is told of the task at hand and its neighbours.
export interface TwinItem {
    id: string;
    text: string;
    chosen: boolean;
}
export const twin = signal<readonly TwinItem[]>([]);
