// One picture in the making: where it is drawn, at which scale, in which colours; shared by all that draw.
import type {Palette} from '../util/colours';
import type {Surface} from '../util/export';
import type {Scale} from './scale';

export const OVERVIEW = 36, AXIS = 24, TOP = OVERVIEW + AXIS;
export const NAMES = 160; // width of the column of names
export const FONT = 'system-ui, "Noto Sans CJK SC", "Microsoft YaHei", sans-serif';

export interface Picture {
    paper: Surface;
    pixels: CanvasRenderingContext2D | null; // null: shapes only (SVG)
    ratio: number; // device pixels per pixel
    wide: number;
    high: number;
    scroll: number;
    scale: Scale;
    palette: Palette;
}

export const top = (picture: Picture, y: number): number => TOP + y - picture.scroll;

// Draws inside the plot only.
export function inPlot(picture: Picture, from: number, draw: () => void): void {
    const {paper} = picture;
    paper.save();
    paper.beginPath();
    paper.rect(NAMES, from, picture.wide - NAMES, Math.max(0, picture.high - from));
    paper.clip();
    draw();
    paper.restore();
}
