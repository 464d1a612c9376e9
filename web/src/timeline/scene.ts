// The order in which a picture of the timeline is drawn.
import {categoryName} from '../i18n/i18n';
import {capture, heatMap, hits, hitTasks, path, selection, timeWindow} from '../state/state';
import {drawArrows, drawWaits} from './arrows';
import {drawAxis, drawHeads, drawNames, drawOverview, zeroOf} from './axis';
import {drawBands, drawCounters, drawFolds, rowLines} from './bands';
import {SIGNAL, type Arrows} from './data';
import {drawSlices, type Looks} from './draw';
import {inPlot, TOP, type Picture} from './frame';
import type {Loads} from './loads';
import {drawOutside, drawRange, drawTip, findOutside, linesOf, outlineRelated, type Marker, type Spot} from './overlay';
import {laneKey, type Rows} from './rows';
import {arrowNote, showFlows, timeMost} from './state';

export interface Subject {
    readonly loads: Loads;
    readonly rows: Rows | null;
    readonly hover: Spot | null;
    readonly range: {from: number; to: number} | null;
    readonly pointer: {x: number; y: number} | null;
}

const blockedBy = new WeakMap<Arrows, Map<number, number>>();

// Until when waits were blocked.
function blockedOf(arrows: Arrows): Map<number, number> {
    const known = blockedBy.get(arrows), blocked = known ?? new Map<number, number>();
    if (known) return known;
    for (const {kind, from, to} of arrows.list)
        if (kind === SIGNAL) blocked.set(to.id, Math.max(blocked.get(to.id) ?? -Infinity, from.at));
    blockedBy.set(arrows, blocked);
    return blocked;
}

function looksOf(loads: Loads, pale: boolean): Looks {
    const blocked = blockedOf(loads.arrows);
    return {
        categories: capture.value?.categories ?? [], heat: heatMap.value, chain: path.value?.chain, onPath: path.value?.nodes,
        bright: hits.value.size || hitTasks.value.size ? {nodes: hits.value, tasks: hitTasks.value} : null, pale, blocked,
    };
}

function drawRows(picture: Picture, loads: Loads, rows: Rows): void {
    const {slices, bright, bands, counters, arrows} = loads;
    drawHeads(picture, rows);
    if (bands) drawBands(picture, rows, bands);
    drawCounters(picture, rows, counters);
    const hottest = slices ? drawSlices(picture, slices, rows.lanes, looksOf(loads, bright !== null)) : 0;
    if (heatMap.value) timeMost.value = hottest;
    if (bright) drawSlices(picture, bright, bright.lanes.filter((lane) => lane.shown), looksOf(loads, false));
    drawWaits(picture, rows, arrows.list);
    if (showFlows.value && arrowNote.value.shown) drawArrows(picture, rows, arrows.list, false);
}

export function drawScene(picture: Picture, {loads, rows}: Subject): void {
    const {paper, palette} = picture, known = capture.value;
    paper.fillStyle = palette.back;
    paper.fillRect(0, 0, picture.wide, picture.high);
    if (rows) {
        inPlot(picture, TOP, () => drawRows(picture, loads, rows));
        drawNames(picture, rows);
    }
    drawAxis(picture, zeroOf(known));
    if (picture.scale.folds.gaps.length) inPlot(picture, TOP, () => drawFolds(picture));
    if (known && known.end_ns > known.first_ns) drawOverview(picture, known, loads.whole, timeWindow.value);
}

// Returns the marks that may be clicked.
export function drawOverlay(picture: Picture, {loads, rows, hover, range, pointer}: Subject): Marker[] {
    const data = loads.slices, known = capture.value;
    if (!rows || !data) return [];
    inPlot(picture, TOP, () => {
        outlineRelated(picture, rows, loads.related, selection.value.task);
        drawArrows(picture, rows, loads.ofSelection.list, true);
        drawArrows(picture, rows, loads.atHand.list, true);
        if (range) drawRange(picture, range.from, range.to);
    });
    const outside = findOutside(picture, loads.related);
    drawOutside(picture, outside);
    const isThere = hover && hover.lane === rows.laneAt.get(laneKey(hover.lane.host, hover.lane.track, hover.lane.depth));
    const lines = isThere ? linesOf(data, hover, zeroOf(known), known?.categories ?? [], categoryName)
        : pointer ? rowLines(picture, rows, loads.bands, loads.counters, pointer) : [];
    if (lines.length && pointer) drawTip(picture, lines, pointer);
    return outside.map(({marker}) => marker);
}
