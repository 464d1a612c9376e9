// What is at a point of the canvas of a timeline.
import {extent} from './axis';
import {endOf, startOf, visible} from './data';
import {NAMES, OVERVIEW, TOP} from './frame';
import type {Spot} from './overlay';
import {HEAD, ROW, type Group} from './rows';
import type {TimelineView} from './view';

// The task or call, of several the one that is drawn last.
export function spotAt(view: TimelineView, px: number, py: number): Spot | null {
    const {data, rows} = view, scale = view.scale();
    if (!data || !rows || px < NAMES || py < TOP) return null;
    const lane = rows.lanes.find((l) => py >= view.laneTop(l) && py < view.laneTop(l) + ROW);
    if (!lane) return null;
    const [from, end] = visible(data, lane, scale.ns(px - 2), scale.ns(px + 2));
    for (let i = end - 1; i >= from; i--)
        if (px >= scale.x(startOf(data, i)) - 1 && px <= Math.max(scale.x(endOf(data, i)), scale.x(startOf(data, i)) + 1) + 1) return {lane, slice: i};
    return null;
}

// Among the names: the track of a row, 0 = none.
export function trackAt(view: TimelineView, px: number, py: number): number {
    if (px >= NAMES || py < TOP) return 0;
    return view.rows?.lanes.find((lane) => py >= view.laneTop(lane) && py < view.laneTop(lane) + ROW)?.track ?? 0;
}

// Among the names: the head of a group.
export function groupAt(view: TimelineView, px: number, py: number): Group | null {
    if (px >= NAMES || py < TOP) return null;
    return view.rows?.groups.find((group) => py >= TOP + group.y - view.scroll && py < TOP + group.y - view.scroll + HEAD) ?? null;
}

export function isOverview(py: number): boolean {
    return py < OVERVIEW;
}

// In ns, of a point of the overview.
export function overviewTime(view: TimelineView, px: number): number {
    const known = view.source.capture.value;
    if (!known) return 0;
    const [first, end] = extent(known, view.loads.whole);
    return first + ((px - NAMES) / Math.max(1, view.wide - NAMES)) * (end - first);
}
