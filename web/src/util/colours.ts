// Colours of operator categories (Okabe and Ito), told apart by tags too.
export interface Look {
    fill: string;
    text: string;
    tag: string;
}

const LOOKS: Record<string, Look> = {
    fully_connected: {fill: '#0072b2', text: '#ffffff', tag: 'MM'},
    convolution: {fill: '#56b4e9', text: '#000000', tag: 'CV'},
    normalisation: {fill: '#f0e442', text: '#000000', tag: 'NO'},
    activation: {fill: '#e69f00', text: '#000000', tag: 'AC'},
    elementwise: {fill: '#009e73', text: '#000000', tag: 'EW'},
    reduction_pooling: {fill: '#8cd3b5', text: '#000000', tag: 'RP'},
    data_movement: {fill: '#bbbbbb', text: '#000000', tag: 'DM'},
    communication: {fill: '#d55e00', text: '#000000', tag: 'CO'},
    synchronisation: {fill: '#cc79a7', text: '#000000', tag: 'SY'},
    control: {fill: '#dba3c4', text: '#000000', tag: 'CT'},
    custom: {fill: '#b8a1e3', text: '#000000', tag: 'CU'},
    other: {fill: '#d9d4c7', text: '#000000', tag: 'OT'},
};

const NONE: Look = {fill: '#d9d4c7', text: '#000000', tag: 'OT'};

export function look(category: string | undefined): Look {
    return LOOKS[category ?? 'other'] ?? NONE;
}

// From cool to hot for shares 0..1.
export function heat(part: number): string {
    const p = Math.max(0, Math.min(1, part));
    const light = 94 - 44 * Math.sqrt(p);
    return `hsl(${Math.round(52 - 44 * p)} 90% ${Math.round(light)}%)`;
}

export interface Palette {
    back: string;
    panel: string;
    line: string;
    ink: string;
    faint: string;
    wire: string;
    group: string;
    groupOpen: string;
    select: string;
    related: string;
    path: string;
    bad: string;
}

export const LIGHT: Palette = {
    back: '#fbfbfa', panel: '#ffffff', line: '#c9c9c4', ink: '#1b1b1a', faint: '#6b6b66', wire: '#8a8f98',
    group: '#e8ecf2', groupOpen: '#f3f5f8', select: '#c2185b', related: '#7b1fa2', path: '#e6007e', bad: '#b3261e',
};

export const DARK: Palette = {
    back: '#16181c', panel: '#1e2126', line: '#3b4048', ink: '#e8e8e6', faint: '#9aa0a8', wire: '#6f7783',
    group: '#2a3038', groupOpen: '#20252b', select: '#ff5c9a', related: '#c58cff', path: '#ff3ea5', bad: '#ff8a80',
};
