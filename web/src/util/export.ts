// Pictures for files. A view draws on a Surface: the canvas on the screen, or an SvgSurface, which writes down
// what a canvas would have painted. So a saved picture is the one that was seen, at any size.

export type Surface = Pick<CanvasRenderingContext2D,
    'fillStyle' | 'strokeStyle' | 'lineWidth' | 'font' | 'textBaseline' | 'textAlign' | 'globalAlpha' | 'lineJoin' | 'lineCap' |
    'setTransform' | 'save' | 'restore' | 'beginPath' | 'closePath' | 'moveTo' | 'lineTo' | 'bezierCurveTo' |
    'quadraticCurveTo' | 'rect' | 'arc' | 'clip' | 'fill' | 'stroke' | 'fillRect' | 'strokeRect' | 'fillText' | 'measureText' |
    'setLineDash'>;

// Characters that XML cannot hold, even escaped, become U+FFFD.
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const ENTITIES: Record<string, string> = {'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;'};

export function xml(text: string): string {
    return text.replace(NOT_XML, '\ufffd').replace(/[&<>"']/g, (c) => ENTITIES[c] ?? c);
}

// Two digits are finer than a pixel of any screen.
const n = (value: number): string => String(Math.round(value * 100) / 100);

interface Look {
    fillStyle: string | CanvasGradient | CanvasPattern;
    strokeStyle: string | CanvasGradient | CanvasPattern;
    lineWidth: number;
    font: string;
    textBaseline: CanvasTextBaseline;
    textAlign: CanvasTextAlign;
    globalAlpha: number;
    lineJoin: CanvasLineJoin;
    lineCap: CanvasLineCap;
    dash: number[];
    matrix: readonly [number, number, number, number]; // scale x, scale y, x, y: views neither turn nor skew
    clip: number; // 0 = none
}

const BASELINES: Partial<Record<CanvasTextBaseline, string>> = {middle: 'central', top: 'text-before-edge', bottom: 'text-after-edge'};
const ANCHORS: Partial<Record<CanvasTextAlign, string>> = {center: 'middle', right: 'end', end: 'end'};

export class SvgSurface implements Surface {
    fillStyle: Look['fillStyle'] = '#000000';
    strokeStyle: Look['strokeStyle'] = '#000000';
    lineWidth = 1;
    font = '10px sans-serif';
    textBaseline: CanvasTextBaseline = 'alphabetic';
    textAlign: CanvasTextAlign = 'start';
    globalAlpha = 1;
    lineJoin: CanvasLineJoin = 'miter';
    lineCap: CanvasLineCap = 'butt';
    private dash: number[] = [];
    private matrix: Look['matrix'] = [1, 1, 0, 0];
    private clipping = 0;
    private clips = 0;
    private path = '';
    private readonly out: string[] = [];
    private readonly kept: Look[] = [];

    // `measure`: a canvas that knows how wide texts are.
    constructor(private readonly wide: number, private readonly high: number, private readonly measure: Surface) {}

    // --- state ---

    save(): void {
        this.kept.push({
            fillStyle: this.fillStyle, strokeStyle: this.strokeStyle, lineWidth: this.lineWidth, font: this.font,
            textBaseline: this.textBaseline, textAlign: this.textAlign, globalAlpha: this.globalAlpha, lineJoin: this.lineJoin,
            lineCap: this.lineCap, dash: this.dash, matrix: this.matrix, clip: this.clipping,
        });
    }

    restore(): void {
        const {dash, matrix, clip, ...rest} = this.kept.pop() ?? {dash: this.dash, matrix: this.matrix, clip: this.clipping};
        Object.assign(this, rest);
        this.dash = dash;
        this.matrix = matrix;
        this.clipping = clip;
    }

    setTransform(a?: number | DOMMatrix2DInit, _b?: number, _c?: number, d?: number, e?: number, f?: number): void {
        this.matrix = typeof a === 'number' ? [a, d ?? 1, e ?? 0, f ?? 0] : [1, 1, 0, 0];
    }

    setLineDash(dash: Iterable<number>): void {
        this.dash = [...dash];
    }

    measureText(text: string): TextMetrics {
        this.measure.font = this.font;
        return this.measure.measureText(text);
    }

    // --- paths ---

    private at(x: number, y: number): string {
        const [sx, sy, tx, ty] = this.matrix;
        return `${n(x * sx + tx)} ${n(y * sy + ty)}`;
    }

    beginPath(): void {
        this.path = '';
    }

    closePath(): void {
        this.path += 'Z';
    }

    moveTo(x: number, y: number): void {
        this.path += `M${this.at(x, y)}`;
    }

    lineTo(x: number, y: number): void {
        this.path += `${this.path ? 'L' : 'M'}${this.at(x, y)}`;
    }

    bezierCurveTo(ax: number, ay: number, bx: number, by: number, x: number, y: number): void {
        this.path += `C${this.at(ax, ay)} ${this.at(bx, by)} ${this.at(x, y)}`;
    }

    quadraticCurveTo(ax: number, ay: number, x: number, y: number): void {
        this.path += `Q${this.at(ax, ay)} ${this.at(x, y)}`;
    }

    rect(x: number, y: number, w: number, h: number): void {
        this.path += `M${this.at(x, y)}H${n((x + w) * this.matrix[0] + this.matrix[2])}V${n((y + h) * this.matrix[1] + this.matrix[3])}` +
            `H${n(x * this.matrix[0] + this.matrix[2])}Z`;
    }

    arc(x: number, y: number, radius: number, from: number, to: number, backwards = false): void {
        const point = (angle: number): string => this.at(x + radius * Math.cos(angle), y + radius * Math.sin(angle));
        const r = n(radius * this.matrix[0]), sweep = backwards ? 0 : 1;
        const turn = Math.min(Math.abs(to - from), 2 * Math.PI) * (backwards ? -1 : 1);
        // Two halves: one arc cannot be a whole circle.
        this.path += `${this.path && !this.path.endsWith('Z') ? 'L' : 'M'}${point(from)}` +
            `A${r} ${r} 0 0 ${sweep} ${point(from + turn / 2)}A${r} ${r} 0 0 ${sweep} ${point(from + turn)}`;
    }

    clip(): void {
        const id = ++this.clips;
        const outer = this.clipping ? ` clip-path="url(#c${this.clipping})"` : '';
        this.out.push(`<clipPath id="c${id}"${outer}><path d="${this.path}"/></clipPath>`);
        this.clipping = id;
    }

    // --- marks ---

    private common(): string {
        return (this.globalAlpha < 1 ? ` opacity="${n(this.globalAlpha)}"` : '') + (this.clipping ? ` clip-path="url(#c${this.clipping})"` : '');
    }

    private pen(): string {
        const scale = this.matrix[0];
        const dash = this.dash.length ? ` stroke-dasharray="${this.dash.map((d) => n(d * scale)).join(' ')}"` : '';
        const ends = (this.lineJoin === 'miter' ? '' : ` stroke-linejoin="${this.lineJoin}"`) + (this.lineCap === 'butt' ? '' : ` stroke-linecap="${this.lineCap}"`);
        return ` fill="none" stroke="${xml(String(this.strokeStyle))}" stroke-width="${n(this.lineWidth * scale)}"${dash}${ends}`;
    }

    fill(): void {
        if (this.path) this.out.push(`<path d="${this.path}" fill="${xml(String(this.fillStyle))}"${this.common()}/>`);
    }

    stroke(): void {
        if (this.path) this.out.push(`<path d="${this.path}"${this.pen()}${this.common()}/>`);
    }

    private box(x: number, y: number, w: number, h: number, paint: string): void {
        const [sx, sy, tx, ty] = this.matrix;
        const left = Math.min(x, x + w), top = Math.min(y, y + h);
        this.out.push(`<rect x="${n(left * sx + tx)}" y="${n(top * sy + ty)}" width="${n(Math.abs(w) * sx)}" height="${n(Math.abs(h) * sy)}"${paint}${this.common()}/>`);
    }

    fillRect(x: number, y: number, w: number, h: number): void {
        this.box(x, y, w, h, ` fill="${xml(String(this.fillStyle))}"`);
    }

    strokeRect(x: number, y: number, w: number, h: number): void {
        this.box(x, y, w, h, this.pen());
    }

    fillText(text: string, x: number, y: number): void {
        const [weightAndSize, ...family] = this.font.split(/(?<=px)\s+/);
        const size = Number(/([\d.]+)px/.exec(weightAndSize ?? '')?.[1] ?? 10) * this.matrix[0];
        const weight = /bold|[5-9]00/.test(weightAndSize ?? '') ? ' font-weight="600"' : '';
        const base = BASELINES[this.textBaseline], anchor = ANCHORS[this.textAlign];
        const [sx, sy, tx, ty] = this.matrix;
        this.out.push(`<text x="${n(x * sx + tx)}" y="${n(y * sy + ty)}" font-size="${n(size)}"${weight} font-family="${xml(family.join(' '))}"` +
            ` xml:space="preserve"${base ? ` dominant-baseline="${base}"` : ''}${anchor ? ` text-anchor="${anchor}"` : ''}` +
            ` fill="${xml(String(this.fillStyle))}"${this.common()}>${xml(text)}</text>`);
    }

    text(title: string): string {
        return `<svg xmlns="http://www.w3.org/2000/svg" width="${n(this.wide)}" height="${n(this.high)}" viewBox="0 0 ${n(this.wide)} ${n(this.high)}">` +
            `<title>${xml(title)}</title>\n${this.out.join('\n')}\n</svg>\n`;
    }
}

// Names of files hold nothing but what every system takes.
export function fileName(name: string, ending: string): string {
    const plain = name.normalize('NFKC').replace(/[^\p{Letter}\p{Number}_-]+/gu, '-').replace(/^-+|-+$/g, '').slice(0, 80);
    return `${plain || 'picture'}.${ending}`;
}

export function saveFile(blob: Blob, name: string): void {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    window.setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// Dots for each pixel of the view: sharp on paper too, whatever screen it was saved on.
export const PICTURE_RATIO = 2;

export function blank(wide: number, high: number): {canvas: HTMLCanvasElement; context: CanvasRenderingContext2D | null} {
    const canvas = document.createElement('canvas');
    canvas.width = Math.round(wide * PICTURE_RATIO);
    canvas.height = Math.round(high * PICTURE_RATIO);
    return {canvas, context: canvas.getContext('2d')};
}

export function savePng(canvas: HTMLCanvasElement, name: string): void {
    canvas.toBlob((blob) => blob && saveFile(blob, fileName(name, 'png')));
}

export function saveSvg(text: string, name: string): void {
    saveFile(new Blob([text], {type: 'image/svg+xml'}), fileName(name, 'svg'));
}
