// The view in the address: behind #, so it never reaches a log. Parsed strictly; what is not known or
// not right is left out, and nothing from it is ever markup.
import {batch, effect} from '@preact/signals';
import {
    also, capture, constants, fold, graphPlace, group, heatMap, hidden, lang, layer, links, opened, outline, panel, path, search, selection, shape, theme, told,
    timeWindow, type Fold, type LayerName, type View,
} from './state';
import {packGroups, unpackGroups} from '../timeline/rows';
import {closedGroups, dimOthers, foldIdle, hiddenTracks, rawTime, showFlows, timeText} from '../timeline/state';
import {graphActions, select, setSearch, showPathThrough} from './actions';
import {keep} from './also';
import {isCompared, selectBase} from '../diff/actions';
import {baseSelection, colourBy, comparing, type ColourBy} from '../diff/state';

const MOST = 2000;
const ALSO = /^[nt]\d{1,10}(\.[nt]\d{1,10}){0,99}$/;

export interface Place {
    layer?: LayerName;
    fold?: Fold;
    constants?: boolean; // are boxes
    open?: number[];
    node?: number;
    task?: number;
    also?: {node: number; task: number}[]; // selected beside it
    group?: {item: number; isConstant: boolean}; // in place of a node or task
    path?: number; // the node that it leads through
    name?: string; // of the node: numbers are good for the same files only
    time?: {start: number; duration: number};
    graph?: {x: number; y: number; scale: number};
    heat?: boolean;
    panel?: string;
    switches?: string; // of the timeline, a letter each: see SWITCHES
    timeText?: string;
    folded?: string[]; // groups of rows; none: as at first
    tracks?: number[]; // that are hidden
    search?: string;
    hidden?: string[];
    theme?: 'light' | 'dark';
    lang?: 'en' | 'zh';
    compare?: boolean; // both sides of a comparison, or the new one alone
    base?: number; // node of the base, where it has no partner
    colourBy?: ColourBy;
}

const SWITCHES = [['a', showFlows, true], ['i', foldIdle, true], ['r', rawTime, true], ['g', dimOthers, false]] as const;

// Numbers in ascending order as differences in base 36.
export function packNumbers(list: readonly number[]): string {
    let before = 0;
    return [...list].sort((a, b) => a - b).map((n) => {
        const delta = (n - before).toString(36);
        before = n;
        return delta;
    }).join('.');
}

export function unpackNumbers(text: string): number[] {
    const list: number[] = [];
    let at = 0;
    for (const part of text.split('.')) {
        if (!/^[0-9a-z]{1,7}$/.test(part)) return [];
        at += parseInt(part, 36);
        list.push(at);
    }
    return list;
}

export function encode(place: Place): string {
    const parts = ['1'], lists: string[] = []; // these may be too long for an address, and stay out then
    if (place.layer) parts.push(`m=${place.layer}`);
    if (place.fold) parts.push(`d=${place.fold}`);
    if (place.constants) parts.push('n=1');
    if (place.node) parts.push(`s=n:${place.node}`);
    else if (place.task) parts.push(`s=t:${place.task}`);
    else if (place.group) parts.push(`e=${place.group.isConstant ? 'c' : ''}${place.group.item}`);
    if (place.path) parts.push(`h=${place.path}`);
    if (place.also?.length) parts.push(`a=${place.also.map((k) => (k.node ? `n${k.node}` : `t${k.task}`)).join('.')}`);
    if (place.name) parts.push(`w=${encodeURIComponent(place.name)}`);
    if (place.graph) parts.push(`g=${Math.round(place.graph.x)},${Math.round(place.graph.y)},${place.graph.scale.toPrecision(4)}`);
    if (place.heat) parts.push('c=time');
    if (place.panel) parts.push(`p=${place.panel}`);
    if (place.time) parts.push(`t=${Math.round(place.time.start)},${Math.round(place.time.duration)}`);
    if (place.switches) parts.push(`v=${place.switches}`);
    if (place.timeText) parts.push(`k=${encodeURIComponent(place.timeText)}`);
    if (place.search) parts.push(`q=${encodeURIComponent(place.search)}`);
    if (place.hidden?.length) parts.push(`f=${place.hidden.join('.')}`);
    if (place.theme) parts.push(`th=${place.theme}`);
    if (place.lang) parts.push(`l=${place.lang}`);
    if (place.compare !== undefined) parts.push(`y=${place.compare ? 1 : 0}`);
    if (place.base) parts.push(`b=${place.base}`);
    if (place.colourBy) parts.push(`z=${place.colourBy}`);
    if (place.folded) lists.push(`r=${packGroups(place.folded)}`);
    if (place.tracks?.length) lists.push(`u=${packNumbers(place.tracks)}`);
    if (place.open?.length) lists.push(`x=${packNumbers(place.open)}`);
    let text = parts.join(';').slice(0, MOST);
    for (const list of lists) if (text.length + 1 + list.length <= MOST) text += `;${list}`;
    return text;
}

export function decode(text: string): Place {
    const place: Place = {};
    const parts = text.replace(/^#/, '').split(';');
    if (parts[0] !== '1') return place;
    for (const part of parts.slice(1)) {
        const equals = part.indexOf('=');
        const key = part.slice(0, equals), value = part.slice(equals + 1);
        if (key === 'm' && (value === 'framework' || value === 'compiled')) place.layer = value;
        else if (key === 'd' && (value === 'scope' || value === 'group' || value === 'none')) place.fold = value;
        else if (key === 'e' && /^c?\d{1,10}$/.test(value)) place.group = {item: Number(value.replace('c', '')), isConstant: value[0] === 'c'};
        else if (key === 'h' && /^\d{1,10}$/.test(value)) place.path = Number(value);
        else if (key === 'n' && value === '1') place.constants = true;
        else if (key === 'x') place.open = unpackNumbers(value);
        else if (key === 'u') place.tracks = unpackNumbers(value);
        else if (key === 'r') place.folded = unpackGroups(value);
        else if (key === 's' && /^n:\d{1,10}$/.test(value)) place.node = Number(value.slice(2));
        else if (key === 's' && /^t:\d{1,10}$/.test(value)) place.task = Number(value.slice(2));
        else if (key === 'g' && /^-?\d{1,9},-?\d{1,9},\d{1,4}(\.\d{1,8})?(e-\d)?$/.test(value)) {
            const [x, y, scale] = value.split(',').map(Number);
            if (scale && scale > 0) place.graph = {x: x ?? 0, y: y ?? 0, scale: Math.min(scale, 12)};
        } else if (key === 'c' && value === 'time') place.heat = true;
        else if (key === 'a' && ALSO.test(value))
            place.also = value.split('.').map((k) => ({node: k[0] === 'n' ? Number(k.slice(1)) : 0, task: k[0] === 't' ? Number(k.slice(1)) : 0}));
        else if (key === 'p' && /^[a-z]{1,12}$/.test(value)) place.panel = value;
        else if (key === 't' && /^-?\d{1,19},\d{1,19}$/.test(value)) {
            const [start, duration] = value.split(',').map(Number);
            if (duration && duration > 0) place.time = {start: start ?? 0, duration};
        } else if (key === 'f' && /^[a-z_.]{1,200}$/.test(value)) place.hidden = value.split('.');
        else if (key === 'th' && (value === 'light' || value === 'dark')) place.theme = value;
        else if (key === 'l' && (value === 'en' || value === 'zh')) place.lang = value;
        else if (key === 'y' && (value === '0' || value === '1')) place.compare = value === '1';
        else if (key === 'b' && /^\d{1,10}$/.test(value)) place.base = Number(value);
        else if (key === 'z' && (value === 'change' || value === 'time' || value === 'type')) place.colourBy = value;
        else if (key === 'v' && /^[airg]{1,4}$/.test(value)) place.switches = value;
        else if (key === 'q' || key === 'w' || key === 'k') {
            try {
                place[key === 'q' ? 'search' : key === 'w' ? 'name' : 'timeText'] = decodeURIComponent(value).slice(0, 200);
            } catch {
                // A broken escape: no search.
            }
        }
    }
    return place;
}

// What is selected, as if it had been clicked.
function restoreSelection(place: Place, origin: View): void {
    told.graph = place.graph !== undefined;
    told.time = place.time !== undefined;
    if (place.node && place.name) expectName(place.node, place.name);
    if (place.base && comparing.value && !place.node) void selectBase(place.base, 0, origin === 'link' ? 'panel' : origin);
    else if (place.node || place.task) select(place.node ?? 0, place.task ?? 0, origin);
    else if (selection.value.node || selection.value.task) select(0, 0, origin);
    group.value = place.group && !place.node && !place.task && !place.base ? {...shape.value, ...place.group, label: ''} : null;
    keep(place.also ?? []);
    if (!place.path) path.value = null;
    else if (path.value?.node !== place.path) void showPathThrough(place.path);
}

// Of a link that somebody opens: what it does not name stays as it is at first.
export function restore(place: Place): void {
    if (place.lang) lang.value = place.lang;
    if (place.theme) theme.value = place.theme;
    // With a base both sides are shown at first, the compiled graphs before the others: they say what runs.
    if (isCompared()) {
        comparing.value = place.compare ?? true;
        if (!place.layer && place.compare === undefined && capture.value?.has.includes('compiled')) layer.value = 'compiled';
        if (!place.panel && place.compare === undefined) panel.value = 'changes';
        if (place.colourBy) colourBy.value = place.colourBy;
    }
    if (place.layer) layer.value = place.layer;
    if (place.fold) fold.value = place.fold;
    if (place.constants) constants.value = true;
    if (place.open?.length) opened.value = new Set(place.open);
    if (place.hidden) hidden.value = new Set(place.hidden);
    if (place.time) timeWindow.value = place.time;
    if (place.search) setSearch(place.search);
    restoreSwitches(place);
    restoreRows(place);
    if (place.graph) graphPlace.value = place.graph;
    if (place.heat) heatMap.value = true;
    if (place.panel) panel.value = place.panel;
    restoreSelection(place, 'link');
}

function restoreSwitches(place: Place): void {
    for (const [letter, value, on] of SWITCHES) value.value = (place.switches ?? '').includes(letter) ? on : !on;
    timeText.value = place.timeText ?? '';
}

function restoreRows(place: Place): void {
    closedGroups.value = place.folded ? new Set(place.folded) : null;
    hiddenTracks.value = new Set(place.tracks);
}

// An earlier or later state of this page: all of it, but language and theme, which are nobody's step.
export function goBackTo(place: Place): void {
    batch(() => {
        if (isCompared() && comparing.value !== (place.compare ?? true)) {
            comparing.value = place.compare ?? true;
            outline.value = null;
        }
        colourBy.value = place.colourBy ?? 'change';
        layer.value = place.layer ?? layer.value;
        fold.value = place.fold ?? fold.value;
        constants.value = place.constants ?? false;
        opened.value = sameNumbers(opened.value, place.open);
        hidden.value = new Set(place.hidden);
        timeWindow.value = place.time ?? timeWindow.value;
        if (search.value !== (place.search ?? '')) setSearch(place.search ?? '');
        restoreSwitches(place);
        restoreRows(place);
        heatMap.value = place.heat ?? false;
        panel.value = place.panel ?? 'details';
        if (place.graph) graphActions.current?.look(place.graph);
        restoreSelection(place, 'back');
    });
}

// The set that is there where it is the same: a new one would have everything drawn again.
function sameNumbers(now: ReadonlySet<number> | null, list: readonly number[] | undefined): ReadonlySet<number> | null {
    if (!list) return null;
    return now?.size === list.length && list.every((n) => now.has(n)) ? now : new Set(list);
}

// Of another version of the files: the number is another node's, but its name can be looked for.
function expectName(node: number, name: string): void {
    const stop = effect(() => {
        const found = links.value;
        if (!found || found.node !== node) return;
        queueMicrotask(() => stop());
        if (found.name.slice(0, 200) !== name) setSearch(`"${name}"`);
    });
}

export function here(): Place {
    const place: Place = {layer: layer.value, fold: fold.value, theme: theme.value, lang: lang.value};
    if (opened.value) place.open = [...opened.value];
    if (selection.value.node) place.node = selection.value.node;
    if (selection.value.node && links.value?.node === selection.value.node) place.name = links.value.name.slice(0, 200);
    if (graphPlace.value) place.graph = graphPlace.value;
    if (heatMap.value) place.heat = true;
    if (constants.value) place.constants = true;
    if (group.value) place.group = {item: group.value.item, isConstant: group.value.isConstant};
    if (path.value) place.path = path.value.node;
    if (panel.value !== 'details') place.panel = panel.value;
    if (selection.value.task) place.task = selection.value.task;
    if (also.value.length) place.also = also.value.map(({node, task}) => ({node, task}));
    if (timeWindow.value.duration > 1) place.time = timeWindow.value;
    const switches = SWITCHES.map(([letter, value, on]) => (value.value === on ? letter : '')).join('');
    if (switches) place.switches = switches;
    if (closedGroups.value) place.folded = [...closedGroups.value];
    if (hiddenTracks.value.size) place.tracks = [...hiddenTracks.value];
    if (timeText.value) place.timeText = timeText.value.slice(0, 200);
    if (search.value) place.search = search.value;
    if (hidden.value.size) place.hidden = [...hidden.value];
    if (isCompared()) place.compare = comparing.value;
    if (comparing.value && !selection.value.node && baseSelection.value.node) place.base = baseSelection.value.node;
    if (comparing.value && colourBy.value !== 'change') place.colourBy = colourBy.value;
    return place;
}
