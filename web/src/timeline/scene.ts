// The order in which a picture of the timeline is drawn.
import {categoryName} from '../i18n/i18n';
import {heatMap} from '../state/state';
import {drawArrows, drawWaits} from './arrows';
import {drawAxis, drawHeads, drawNames, drawOverview, drawTitle} from './axis';
import {drawBands, drawCounters, drawFolds, rowLines} from './bands';
import {SIGNAL, type Arrows} from './data';
import {drawSlices, type Looks} from './draw';
import {inPlot, TOP, type Picture} from './frame';
import type {Loads} from './loads';
import {drawOutside, drawRange, drawTip, findOutside, linesOf, outlineRelated, type Marker, type Spot} from './overlay';
import {laneKey, type Rows} from './rows';
import type {TimeSource} from './source';
import {showFlows, timeMost} from './state';

export interface Subject {
    readonly source: TimeSource;
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

function looksOf(source: TimeSource, loads: Loads, pale: boolean): Looks {
    const blocked = blockedOf(loads.arrows), shown = source.shownPath();
    return {
        categories: source.capture.value?.categories ?? [], heat: heatMap.value, chain: shown?.chain, onPath: shown?.nodes,
        bright: source.found(), pale, blocked,
    };
}

function drawRows(picture: Picture, source: TimeSource, loads: Loads, rows: Rows): void {
    const {slices, bright, bands, counters, arrows} = loads;
    drawHeads(picture, rows);
    if (bands) drawBands(picture, rows, bands);
    drawCounters(picture, rows, counters);
    const hottest = slices ? drawSlices(picture, slices, rows.lanes, looksOf(source, loads, bright !== null)) : 0;
    if (heatMap.value && source.isLeading) timeMost.value = hottest;
    if (bright) drawSlices(picture, bright, bright.lanes.filter((lane) => lane.shown), looksOf(source, loads, false));
    drawWaits(picture, rows, arrows.list);
    if (showFlows.value && source.arrowNote.value.shown) drawArrows(picture, rows, arrows.list, false);
}

export function drawScene(picture: Picture, {source, loads, rows}: Subject): void {
    const {paper, palette} = picture, known = source.capture.value;
    paper.fillStyle = palette.back;
    paper.fillRect(0, 0, picture.wide, picture.high);
    if (rows) {
        inPlot(picture, TOP, () => drawRows(picture, source, loads, rows));
        drawNames(picture, rows);
    }
    drawTitle(picture, source.title());
    drawAxis(picture, source.zero());
    if (picture.scale.folds.gaps.length) inPlot(picture, TOP, () => drawFolds(picture));
    if (known && known.end_ns > known.first_ns) drawOverview(picture, known, loads.whole, source.window.value);
}

// Returns the marks that may be clicked.
export function drawOverlay(picture: Picture, {source, loads, rows, hover, range, pointer}: Subject): Marker[] {
    const data = loads.slices;
    if (!rows || !data) return [];
    inPlot(picture, TOP, () => {
        outlineRelated(picture, rows, loads.related, source.task());
        drawArrows(picture, rows, loads.ofSelection.list, true);
        drawArrows(picture, rows, loads.atHand.list, true);
        if (range) drawRange(picture, range.from, range.to);
    });
    const outside = findOutside(picture, loads.related);
    drawOutside(picture, outside);
    const isThere = hover && hover.lane === rows.laneAt.get(laneKey(hover.lane.host, hover.lane.track, hover.lane.depth));
    const lines = isThere ? linesOf(data, hover, source.zero(), source.capture.value?.categories ?? [], categoryName)
        : pointer ? rowLines(picture, rows, loads.bands, loads.counters, pointer) : [];
    if (lines.length && pointer) drawTip(picture, lines, pointer);
    return outside.map(({marker}) => marker);
}
