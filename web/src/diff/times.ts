// The timelines of both sides: one scale, and their first counted runs begin at the same place.
import {computed, signal} from '@preact/signals';
import type {Capture} from '../api/client';
import {t} from '../i18n/i18n';
import {timeActions} from '../state/actions';
import {capture, timeWindow} from '../state/state';
import {zeroOf} from '../timeline/axis';
import type {Whole} from '../timeline/data';
import {fitted} from '../timeline/moves';
import type {Span} from '../timeline/scale';
import {own, type TimeSource} from '../timeline/source';
import type {TwinItem} from '../timeline/state';
import {atBase} from './api';
import {selectBase, whenKnown} from './actions';
import {baseCapture, baseLinks, baseSelection, changes} from './state';

// Without counted runs the first tasks are put below each other.
const zeroOfBase = computed(() => changes.value?.first_ns[0] ?? zeroOf(baseCapture.value));
const zeroOfNew = computed(() => changes.value?.first_ns[1] ?? zeroOf(capture.value));
const shift = computed(() => zeroOfBase.value - zeroOfNew.value); // from new to base

const shifted = (span: Span, by: number): Span => ({start: span.start + by, duration: span.duration});

function both(a: Span, b: Span): Span {
    const start = Math.min(a.start, b.start);
    return {start, duration: Math.max(a.start + a.duration, b.start + b.duration) - start};
}

const hasTimes = (known: Capture | null): known is Capture => known !== null && known.end_ns > known.first_ns;

let lastFit: Span | null = null;

export const newTimes: TimeSource = {
    ...own, title: () => t('newSide'), zero: () => zeroOfNew.value,
    fit: (known, whole) => {
        const mine = fitted(known, whole), base = baseCapture.value;
        return (lastFit = hasTimes(base) ? both(mine, shifted(fitted(base, null), -shift.value)) : mine);
    },
};

export const baseTimes: TimeSource = {
    name: '-base', isLeading: false, title: () => t('baseSide'), path: atBase, capture: baseCapture,
    window: {
        get value(): Span {
            return shifted(timeWindow.value, shift.value);
        },
        set value(span: Span) {
            timeWindow.value = shifted(span, -shift.value);
        },
    },
    hiddenTracks: signal<ReadonlySet<number>>(new Set()), arrowNote: signal({shown: 0, total: 0}), twin: signal<readonly TwinItem[]>([]),
    zero: () => zeroOfBase.value,
    fit: (known: Capture, whole: Whole | null) => {
        const mine = fitted(known, whole), other = capture.value;
        return hasTimes(other) ? both(mine, shifted(fitted(other, null), shift.value)) : mine;
    },
    task: () => baseSelection.value.task, tasks: () => baseLinks.value?.tasks ?? [], found: () => null, shownPath: () => null,
    select: (task) => void selectBase(0, task, 'timeline'),
};

// Once the base is known the window shows both, unless somebody went elsewhere.
whenKnown.push(() => {
    const {start, duration} = timeWindow.value;
    if (!lastFit || (lastFit.start === start && lastFit.duration === duration)) timeActions.current?.fitAll();
});
