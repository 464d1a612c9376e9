// What a comparison of two captures adds to the shared state (state/state.ts): what is selected there is of the new
// side; here is its partner at the base.
import {signal} from '@preact/signals';
import type {Capture, Links} from '../api/client';
import type {Changes, Subject} from './api';

export type ColourBy = 'change' | 'time' | 'type';

export const changes = signal<Changes | null>(null); // null: nothing is compared
export const comparing = signal<boolean>(false); // both sides are shown
export const baseCapture = signal<Capture | null>(null);
export const colourBy = signal<ColourBy>('change');
export const baseSelection = signal<{node: number; task: number}>({node: 0, task: 0});
export const baseLinks = signal<Links | null>(null); // of the selection of the base
export const partner = signal<Subject | null>(null); // what is known of the selection on both sides
