// The view in the address: behind #, so it never reaches a log. Parsed strictly; what is not known or
// not right is left out, and nothing from it is ever markup.
import {effect} from '@preact/signals';
import {fold, hidden, lang, layer, links, opened, search, selection, theme, timeWindow, type Fold, type LayerName} from './state';
import {select, setSearch} from './actions';

const MOST = 2000;

export interface Place {
    layer?: LayerName;
    fold?: Fold;
    open?: number[];
    node?: number;
    task?: number;
    time?: {start: number; duration: number};
    search?: string;
    hidden?: string[];
    theme?: 'light' | 'dark';
    lang?: 'en' | 'zh';
}

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
    const parts = ['1'];
    if (place.layer) parts.push(`m=${place.layer}`);
    if (place.fold) parts.push(`d=${place.fold}`);
    if (place.node) parts.push(`s=n:${place.node}`);
    else if (place.task) parts.push(`s=t:${place.task}`);
    if (place.time) parts.push(`t=${Math.round(place.time.start)},${Math.round(place.time.duration)}`);
    if (place.search) parts.push(`q=${encodeURIComponent(place.search)}`);
    if (place.hidden?.length) parts.push(`f=${place.hidden.join('.')}`);
    if (place.theme) parts.push(`th=${place.theme}`);
    if (place.lang) parts.push(`l=${place.lang}`);
    const open = place.open?.length ? `;x=${packNumbers(place.open)}` : '';
    const text = parts.join(';');
    return text.length + open.length <= MOST ? text + open : text.slice(0, MOST);
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
        else if (key === 'x') place.open = unpackNumbers(value);
        else if (key === 's' && /^n:\d{1,10}$/.test(value)) place.node = Number(value.slice(2));
        else if (key === 's' && /^t:\d{1,10}$/.test(value)) place.task = Number(value.slice(2));
        else if (key === 't' && /^-?\d{1,19},\d{1,19}$/.test(value)) {
            const [start, duration] = value.split(',').map(Number);
            if (duration && duration > 0) place.time = {start: start ?? 0, duration};
        } else if (key === 'f' && /^[a-z_.]{1,200}$/.test(value)) place.hidden = value.split('.');
        else if (key === 'th' && (value === 'light' || value === 'dark')) place.theme = value;
        else if (key === 'l' && (value === 'en' || value === 'zh')) place.lang = value;
        else if (key === 'q') {
            try {
                place.search = decodeURIComponent(value).slice(0, 200);
            } catch {
                // A broken escape: no search.
            }
        }
    }
    return place;
}

export function restore(place: Place): void {
    if (place.lang) lang.value = place.lang;
    if (place.theme) theme.value = place.theme;
    if (place.layer) layer.value = place.layer;
    if (place.fold) fold.value = place.fold;
    if (place.open?.length) opened.value = new Set(place.open);
    if (place.hidden) hidden.value = new Set(place.hidden);
    if (place.time) timeWindow.value = place.time;
    if (place.search) setSearch(place.search);
    if (place.node || place.task) select(place.node ?? 0, place.task ?? 0, 'link');
    else if (selection.value.node || selection.value.task) select(0, 0, 'link');
}

export function here(): Place {
    const place: Place = {layer: layer.value, fold: fold.value, theme: theme.value, lang: lang.value};
    if (opened.value) place.open = [...opened.value];
    if (selection.value.node) place.node = selection.value.node;
    if (selection.value.task) place.task = selection.value.task;
    if (timeWindow.value.duration > 1) place.time = timeWindow.value;
    if (search.value) place.search = search.value;
    if (hidden.value.size) place.hidden = [...hidden.value];
    return place;
}

// Moves replace the address, selections add to the history, so that Back undoes a selection.
export function keepAddress(): void {
    let timer = 0, shown = `${selection.value.node}:${selection.value.task}`;
    effect(() => {
        links.value;
        const text = `#${encode(here())}`;
        window.clearTimeout(timer);
        timer = window.setTimeout(() => {
            const now = `${selection.value.node}:${selection.value.task}`;
            if (location.hash === text) return;
            if (now !== shown) history.pushState(null, '', text);
            else history.replaceState(null, '', text);
            shown = now;
        }, 250);
    });
    window.addEventListener('popstate', () => restore(decode(location.hash)));
}
