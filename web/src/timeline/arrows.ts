// Arrows between rows: launches, signals, and those of the trace.
import {LAUNCH, SIGNAL, type Arrow, type End} from './data';
import {NAMES, top, type Picture} from './frame';
import {HEAD, laneKey, ROW, type Rows} from './rows';

function place(picture: Picture, rows: Rows, end: End): {x: number; y: number} | null {
    const lane = rows.laneAt.get(laneKey(end.host, end.track, end.depth));
    if (!lane) return null;
    return {x: picture.scale.x(end.at), y: top(picture, lane.y) + (lane.shown ? ROW : HEAD) / 2};
}

const colourOf = (picture: Picture, kind: number): string =>
    kind === SIGNAL ? picture.palette.select : kind === LAUNCH ? picture.palette.related : picture.palette.wire;

// A curve that leaves to the right and arrives from the left, and its head.
function trace(picture: Picture, from: {x: number; y: number}, to: {x: number; y: number}, heads: number[]): void {
    const {paper} = picture, bend = Math.min(60, Math.max(12, Math.abs(to.x - from.x) / 2));
    const y = to.y > from.y + 1 ? to.y - 5 : to.y < from.y - 1 ? to.y + 5 : to.y;
    paper.moveTo(from.x, from.y);
    paper.bezierCurveTo(from.x + bend, from.y, to.x - bend, y, to.x - 4, y);
    heads.push(to.x, y);
}

// Arrows from far away would hide what they lead to.
const isNear = (picture: Picture, from: {x: number}, to: {x: number}): boolean =>
    from.x > NAMES - 300 && to.x < picture.wide + 300 && Math.abs(to.x - from.x) < picture.wide - NAMES;

function drawKind(picture: Picture, rows: Rows, list: readonly Arrow[], strong: boolean): void {
    const {paper} = picture, heads: number[] = [];
    const seen = list.map((arrow) => ({from: place(picture, rows, arrow.from), to: place(picture, rows, arrow.to)}))
        .filter(({from, to}) => from && to && (strong || isNear(picture, from, to)));
    if (!seen.length) return;
    paper.beginPath();
    for (const {from, to} of seen) trace(picture, from!, to!, heads);
    paper.strokeStyle = picture.palette.back; // a halo, so that it is seen on any colour
    paper.lineWidth = strong ? 4.5 : 2.5;
    paper.globalAlpha = 0.7;
    paper.stroke();
    paper.strokeStyle = colourOf(picture, list[0]!.kind);
    paper.lineWidth = strong ? 2 : 1;
    paper.globalAlpha = strong ? 1 : 0.75;
    paper.setLineDash(list[0]!.sure < 2 ? [4, 3] : []);
    paper.stroke();
    paper.setLineDash([]);
    paper.beginPath();
    for (let i = 0; i < heads.length; i += 2) {
        paper.moveTo(heads[i]!, heads[i + 1]!);
        paper.lineTo(heads[i]! - 6, heads[i + 1]! - 3.5);
        paper.lineTo(heads[i]! - 6, heads[i + 1]! + 3.5);
        paper.closePath();
    }
    paper.fillStyle = colourOf(picture, list[0]!.kind);
    paper.fill();
    paper.globalAlpha = 1;
}

// One call may launch a whole model. Of these arrows the first one to each stream stands for all.
function firstOfEach(list: readonly Arrow[]): Arrow[] {
    const first = new Map<string, Arrow>(), others: Arrow[] = [];
    for (const arrow of list) {
        const key = `${arrow.from.id}:${arrow.to.track}`, known = first.get(key);
        if (arrow.kind !== LAUNCH) others.push(arrow);
        else if (!known || arrow.to.at < known.to.at) first.set(key, arrow);
    }
    return [...others, ...first.values()];
}

const STUB = 14; // how far the arrow of a wait reaches out of its row

// At the end of each blocked wait an arrow from the side of the stream that it waited for.
export function drawWaits(picture: Picture, rows: Rows, list: readonly Arrow[]): void {
    const {paper} = picture, heads: number[] = [];
    paper.beginPath();
    for (const arrow of list) {
        if (arrow.kind !== SIGNAL || heads.length > 3000) continue;
        const from = place(picture, rows, arrow.from), to = place(picture, rows, arrow.to);
        if (!from || !to || from.y === to.y || to.x < NAMES || to.x > picture.wide) continue;
        const down = from.y < to.y ? 1 : -1, edge = to.y - (down * ROW) / 2 + down * 2, far = Math.max(to.x - STUB, Math.min(to.x, from.x));
        paper.moveTo(far, edge - down * STUB * 0.6);
        paper.lineTo(to.x, edge);
        heads.push(to.x, edge, down);
    }
    paper.strokeStyle = picture.palette.ink;
    paper.lineWidth = 1.2;
    paper.stroke();
    paper.beginPath();
    for (let i = 0; i < heads.length; i += 3) {
        const x = heads[i]!, y = heads[i + 1]!, down = heads[i + 2]!;
        paper.moveTo(x, y + down * 3);
        paper.lineTo(x - 5, y - down * 2);
        paper.lineTo(x + 2, y - down * 3.5);
        paper.closePath();
    }
    paper.fillStyle = picture.palette.ink;
    paper.fill();
}

// One path per kind and confidence. Guessed arrows are dashed.
export function drawArrows(picture: Picture, rows: Rows, list: readonly Arrow[], strong: boolean): void {
    const sorts = new Map<string, Arrow[]>();
    for (const arrow of strong ? list : firstOfEach(list)) {
        const key = `${arrow.kind}:${arrow.sure < 2}`, same = sorts.get(key);
        if (same) same.push(arrow);
        else sorts.set(key, [arrow]);
    }
    for (const same of sorts.values()) drawKind(picture, rows, same, strong);
}
