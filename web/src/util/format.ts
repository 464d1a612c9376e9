// Numbers for eyes, the same in both languages. Times are ns everywhere else.

// Not by Intl: making its first formatter takes longer than drawing a frame.
function grouped(value: number, digits: number): string {
    const text = value.toFixed(digits), point = digits ? text.length - digits - 1 : text.length, first = value < 0 ? 1 : 0;
    let shown = text.slice(point);
    for (let end = point; end > first; end -= 3) {
        const from = Math.max(first, end - 3);
        shown = (from > first ? ',' : '') + text.slice(from, end) + shown;
    }
    return text.slice(0, first) + shown;
}

export function count(value: number): string {
    return grouped(value, 0);
}

export function duration(ns: number): string {
    const size = Math.abs(ns);
    if (size < 1e3) return `${grouped(ns, 0)} ns`;
    if (size < 1e6) return `${grouped(ns / 1e3, size < 1e4 ? 3 : 1)} µs`;
    if (size < 1e9) return `${grouped(ns / 1e6, size < 1e7 ? 3 : 1)} ms`;
    return `${grouped(ns / 1e9, 3)} s`;
}

export function microseconds(ns: number): string {
    return grouped(ns / 1e3, 3);
}

export function bytes(value: number): string {
    const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
    let unit = 0;
    while (value >= 1024 && unit + 1 < units.length) {
        value /= 1024;
        unit++;
    }
    return `${grouped(value, unit ? 1 : 0)} ${units[unit]}`;
}

// Counts too long to read: 37,748,736 is 37.7 M.
export function large(value: number): string {
    const units = ['', ' k', ' M', ' G', ' T', ' P', ' E'];
    let unit = 0;
    while (value >= 1000 && unit + 1 < units.length) {
        value /= 1000;
        unit++;
    }
    return `${grouped(value, unit ? 1 : 0)}${units[unit]}`;
}

export function share(ppm: number): string {
    return `${grouped(ppm / 1e4, 1)} %`;
}

// Steps of an axis: 1, 2 or 5 times a power of ten, at least `least` ns.
export function niceStep(least: number): number {
    const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
    for (const factor of [1, 2, 5, 10]) if (power * factor >= least) return power * factor;
    return power * 10;
}
