// Windows of time to go to. They read no view: each is made of what it shows.
import type {Capture} from '../api/client';
import type {Place, Whole} from './data';
import type {Scale, Span} from './scale';

const LEAST_NS = 20;

// What the devices did; calls of the host may have begun long before. Times as exported lie elsewhere.
export function fitted(known: Capture, whole: Whole | null): Span {
    const hasTasks = known.tasks_end_ns > known.tasks_first_ns, {first_ns, end_ns, tasks_first_ns, tasks_end_ns} = known;
    const [first, end] = whole && whole.end > whole.first ? [whole.first, whole.end] : hasTasks ? [tasks_first_ns, tasks_end_ns] : [first_ns, end_ns];
    return {start: first - (end - first) * 0.01, duration: Math.max(LEAST_NS, (end - first) * 1.02)};
}

export const between = (a: number, b: number): Span => ({start: Math.min(a, b), duration: Math.max(LEAST_NS, Math.abs(b - a))});

// With as much before and behind.
export function around(first: number, end: number): Span {
    const width = Math.max((end - first) * 3, 1000);
    return {start: (first + end) / 2 - width / 2, duration: width};
}

export function allOf(places: readonly Place[]): Span {
    const first = places.reduce((least, place) => Math.min(least, place.start), Infinity);
    const end = places.reduce((most, place) => Math.max(most, place.start + place.duration), -Infinity);
    const margin = Math.max((end - first) * 0.05, LEAST_NS);
    return {start: first - margin, duration: end - first + 2 * margin};
}

// Around what lies at pixel `x`.
export function zoomed(scale: Scale, known: Capture | null, factor: number, x: number): Span {
    const most = known ? (known.end_ns - known.first_ns) * 4 + 1000 : 1e15, at = (x - scale.left) / scale.width;
    const size = Math.min(most, Math.max(LEAST_NS, scale.length * factor)) / scale.length;
    return scale.part(at - at * size, size);
}

// As long as it is, but with the task in it.
export function withTask(span: Span, place: Place): Span {
    const isIn = place.start >= span.start && place.start + Math.min(place.duration, span.duration) <= span.start + span.duration;
    return isIn ? span : {start: place.start + place.duration / 2 - span.duration / 2, duration: span.duration};
}
