// From times to pixels and back. Times are ns as doubles, exact for 104 days; on the screen they are
// taken relative to the window, so that a nanosecond is one at any distance from the origin.

export interface Gap {
    from: number;
    to: number;
}

// How many of an ascending list are less than `value`.
export function countBelow(list: ArrayLike<number>, value: number): number {
    let low = 0, high = list.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (list[middle]! < value) low = middle + 1;
        else high = middle;
    }
    return low;
}

// Flat time: the same, but each gap lasts `shown` ns only.
export class Folds {
    private readonly starts: number[];
    private readonly flatStarts: number[] = [];
    private readonly before: number[] = [0]; // time left out before gap i

    constructor(readonly gaps: readonly Gap[], readonly shown: number) {
        this.starts = gaps.map((gap) => gap.from);
        gaps.forEach((gap, i) => {
            this.flatStarts.push(gap.from - this.before[i]!);
            this.before.push(this.before[i]! + Math.max(0, gap.to - gap.from - shown));
        });
    }

    flat(ns: number): number {
        if (!this.gaps.length) return ns;
        const i = countBelow(this.starts, ns), gap = this.gaps[i - 1];
        if (!gap || ns >= gap.to) return ns - this.before[i]!;
        return this.flatStarts[i - 1]! + (ns - gap.from) * Math.min(1, this.shown / (gap.to - gap.from));
    }

    time(flat: number): number {
        if (!this.gaps.length) return flat;
        const i = countBelow(this.flatStarts, flat), gap = this.gaps[i - 1];
        if (!gap) return flat;
        const length = gap.to - gap.from, shown = Math.min(this.shown, length), since = flat - this.flatStarts[i - 1]!;
        return since < shown ? gap.from + (since * length) / shown : flat + this.before[i]!;
    }
}

export const NO_FOLDS = new Folds([], 1);

export interface Span {
    start: number;
    duration: number;
}

export class Scale {
    readonly first: number; // flat
    readonly length: number;

    constructor(span: Span, readonly left: number, readonly width: number, readonly folds: Folds) {
        this.first = folds.flat(span.start);
        this.length = Math.max(1e-9, folds.flat(span.start + span.duration) - this.first);
    }

    get right(): number {
        return this.left + this.width;
    }

    get nsPerPixel(): number {
        return this.length / this.width;
    }

    x(ns: number): number {
        return this.left + ((this.folds.flat(ns) - this.first) / this.length) * this.width;
    }

    ns(x: number): number {
        return this.folds.time(this.first + ((x - this.left) / this.width) * this.length);
    }

    // The window whose flat time is moved and stretched: `from` and `size` as parts of this one.
    part(from: number, size: number): Span {
        const first = this.first + from * this.length;
        const start = this.folds.time(first);
        return {start, duration: Math.max(1, this.folds.time(first + size * this.length) - start)};
    }
}
