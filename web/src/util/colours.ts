// Colours of operator categories (Okabe and Ito), told apart by tags too.
export interface Look {
    fill: string;
    text: string;
    tag: string;
}

const LOOKS: Record<string, Look> = {
    fully_connected: {fill: '#0072b2', text: '#ffffff', tag: 'MM'},
    convolution: {fill: '#56b4e9', text: '#000000', tag: 'CV'},
    normalisation: {fill: '#e69f00', text: '#000000', tag: 'NM'},
    reduction_pooling: {fill: '#f3c46b', text: '#000000', tag: 'RD'},
    activation: {fill: '#f0e442', text: '#000000', tag: 'AC'},
    elementwise: {fill: '#2fb48c', text: '#000000', tag: 'EW'},
    data_movement: {fill: '#bbbbbb', text: '#000000', tag: 'DM'},
    communication: {fill: '#e2762e', text: '#000000', tag: 'CO'},
    synchronisation: {fill: '#cc79a7', text: '#000000', tag: 'SY'},
    control: {fill: '#e3b4cf', text: '#000000', tag: 'CT'},
    custom: {fill: '#4a4a4a', text: '#ffffff', tag: 'CU'},
    other: {fill: '#d9d4c7', text: '#000000', tag: 'OT'},
};

const NONE: Look = {fill: '#d9d4c7', text: '#000000', tag: 'OT'};

export function look(category: string | undefined): Look {
    return LOOKS[category ?? 'other'] ?? NONE;
}

// Cividis: even steps of lightness, the same to eyes that do not tell red from green.
const CIVIDIS = [[0, 34, 78], [18, 53, 112], [59, 73, 108], [87, 93, 109], [112, 113, 115], [138, 134, 120], [165, 156, 116],
    [195, 179, 105], [225, 204, 85], [254, 232, 56]];

// For shares 0..1; most times are small beside the longest, so the root spreads them.
export function heat(part: number): string {
    const at = Math.sqrt(Math.max(0, Math.min(1, part))) * (CIVIDIS.length - 1);
    const low = CIVIDIS[Math.floor(at)]!, high = CIVIDIS[Math.ceil(at)]!, rest = at - Math.floor(at);
    return `rgb(${low.map((v, i) => Math.round(v + (high[i]! - v) * rest)).join(' ')})`;
}

// Where white and black are read equally well (4.6 to 1) on the colour.
const HALF_BRIGHT = 0.467;

export function heatText(part: number): string {
    return Math.sqrt(Math.max(0, part)) < HALF_BRIGHT ? '#ffffff' : '#000000';
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
    border: string; // around fills
}

export const LIGHT: Palette = {
    back: '#ffffff', panel: '#ffffff', line: '#c9c9c4', ink: '#1b1b1a', faint: '#5f5f5a', wire: '#8a8f98',
    group: '#f1f4f8', groupOpen: '#f7f8fa', select: '#0b3fae', related: '#7b1fa2', path: '#e6007e', bad: '#b3261e', border: '#555555',
};

export const DARK: Palette = {
    back: '#1e1e1e', panel: '#26292e', line: '#4a505a', ink: '#ececea', faint: '#a9afb7', wire: '#7d8693',
    group: '#2f353d', groupOpen: '#24272c', select: '#8fc7ff', related: '#c58cff', path: '#ff5fb0', bad: '#ff8a80', border: '#8b929c',
};
