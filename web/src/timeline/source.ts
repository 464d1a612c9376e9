// Whose times a timeline shows: those of the capture, or of one side of a comparison (diff/times.ts).
import type {ReadonlySignal, Signal} from '@preact/signals';
import type {Capture} from '../api/client';
import {select} from '../state/actions';
import {add} from '../state/also';
import {also, capture, hits, hitTasks, links, path, relatedTasks, selection, timeWindow, type Path} from '../state/state';
import {zeroOf} from './axis';
import type {Whole} from './data';
import {fitted} from './moves';
import type {Span} from './scale';
import {arrowNote, hiddenTracks, twin, type TwinItem} from './state';

export interface TimeSource {
    readonly name: string; // of its canvas and requests; '' of the only one
    readonly isLeading: boolean; // other views send it to where a selection is
    title(): string; // above the names of rows
    path(path: string): string; // of a request
    readonly capture: Pick<ReadonlySignal<Capture | null>, 'value'>;
    readonly window: {value: Span};
    readonly hiddenTracks: Signal<ReadonlySet<number>>;
    readonly arrowNote: Signal<{shown: number; total: number}>;
    readonly twin: Signal<readonly TwinItem[]>;
    zero(): number; // ns, what times are told from
    fit(known: Capture, whole: Whole | null): Span; // the window that shows all
    task(): number; // that is selected, and ...
    tasks(): readonly number[]; // ... what belongs to the selection
    found(): {nodes: ReadonlySet<number>; tasks: ReadonlySet<number>} | null; // by a search: all else is pale
    shownPath(): Path | null;
    select(task: number, adds?: boolean): void; // adds: to what is selected
}

export const own: TimeSource = {
    name: '', isLeading: true, title: () => '', path: (text) => text, capture, window: timeWindow, hiddenTracks, arrowNote, twin,
    zero: () => zeroOf(capture.value), fit: fitted, task: () => selection.value.task,
    tasks: () => (also.value.length ? [...relatedTasks.value] : links.value?.tasks ?? []),
    found: () => (hits.value.size || hitTasks.value.size ? {nodes: hits.value, tasks: hitTasks.value} : null), shownPath: () => path.value,
    select: (task, adds) => (adds ? add : select)(0, task, 'timeline'),
};
