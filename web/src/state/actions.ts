// All changes of the shared state that mean something: selecting, opening groups, paths, searching.
import {batch} from '@preact/signals';
import {getJson, isAborted, report, type GroupInfo, type Hit, type Links, type Report} from '../api/client';
import {comparing} from '../diff/state';
import {t} from '../i18n/i18n';
import {clean} from '../util/clean';
import {
    also, announcement, capture, constants, failure, fold, follow, graphPlace, group, hits, hitTasks, lang, layer, links, opened, panel, path, search, selection, shape, shapeKey, told, type Fold, type Going,
    type LayerName, type Place, type View,
} from './state';

// The graph view knows how to draw; it registers what others may ask of it.
export interface GraphActions {
    reveal(node: number, expand: boolean, going?: Going): void; // expand: open what hides it
    revealItem(item: number): void;
    toggle(item: number): void;
    fitAll(): void;
    fitSelection(): void;
    openMore(): void;
    closeAll(): void;
    look(place: Place): void;
    hold(): void; // what one looks at stays in place in the next drawing
}

export interface TimeActions {
    reveal(start: number, end: number): void;
    fitAll(): void;
}

export const graphActions: {current: GraphActions | null} = {current: null};
export const timeActions: {current: TimeActions | null} = {current: null};

function fail(error: unknown): void {
    if (!isAborted(error)) failure.value = error instanceof Error ? error.message : String(error);
}

export const linksOf = (query: string): string => `links?${query}&fold=${fold.value}&lang=${lang.value}`;

// Evidence is told in the language of the page.
async function tellAgain(): Promise<void> {
    const before = links.value;
    if (!before) return;
    try {
        const found = await getJson<Links>('links', linksOf(before.task ? `task=${before.task}` : `node=${before.node}`));
        if (links.value === before) links.value = found;
    } catch (error) {
        fail(error);
    }
}

export function setLanguage(next: 'en' | 'zh'): void {
    lang.value = next;
    void tellAgain();
}

const ELSEWHERE: ReadonlySet<View> = new Set<View>(['timeline', 'mapping']);

async function loadLinks(query: string, origin: View): Promise<void> {
    try {
        const found = await getJson<Links>('links', linksOf(query));
        links.value = found;
        announcement.value = t('selected', {name: clean(found.name, 120)});
        // What was gone to from a list is shown in the layer that has it; so is what was
        // chosen in another view: a node that the compiler inserted is in one layer only, and the structure could not follow.
        const own = found.framework.length ? 'framework' : found.compiled.length ? 'compiled' : layer.value;
        if ((origin === 'panel' || (follow.value && ELSEWHERE.has(origin))) && !found[layer.value].length) setLayer(own);
        const isOfAddress = origin === 'link' || origin === 'back';
        if (origin !== 'graph') {
            const node = found[layer.value][0]?.node ?? 0;
            const going = isOfAddress && told.graph ? 'hidden' : origin === 'link' ? 'outside' : 'always';
            if (node) graphActions.current?.reveal(node, origin === 'panel' || origin === 'link', going);
        }
        if (origin !== 'timeline' && origin !== 'back' && !(isOfAddress && told.time) && found.task_total) timeActions.current?.reveal(found.first_ns, found.end_ns);
    } catch (error) {
        fail(error);
    }
}

export function select(node: number, task: number, origin: View): void {
    if (also.value.length) also.value = [];
    move(node, task, origin);
}

// Selects without letting go of what is selected beside.
export function move(node: number, task: number, origin: View): void {
    const now = selection.value;
    if (now.node === node && now.task === task) return;
    if (node || task) group.value = null;
    selection.value = {node, task, origin};
    if (!node && !task) {
        links.value = null;
        return;
    }
    void loadLinks(task ? `task=${task}` : `node=${node}`, origin);
}

export function setLayer(next: LayerName): void {
    if (layer.value === next) return;
    opened.value = null;
    layer.value = next;
    group.value = null;
    graphPlace.value = null;
    const node = links.value?.[next][0]?.node ?? 0;
    if (node) graphActions.current?.reveal(node, true);
}

export function setFold(next: Fold): void {
    opened.value = null;
    group.value = null;
    graphPlace.value = null;
    fold.value = next;
}

// The same groups stay open, and what is selected stays so unless it is a constant that goes.
export function setConstants(next: boolean): void {
    if (constants.value === next) return;
    graphActions.current?.hold();
    if (group.value) group.value = group.value.isConstant ? null : {...group.value, constants: next};
    constants.value = next;
}

let nextHit = -1;
let searchTimer = 0;

export function setSearch(text: string): void {
    search.value = text;
    window.clearTimeout(searchTimer);
    searchTimer = window.setTimeout(() => void runSearch(text), 60);
}

export interface SearchResult {
    total: number;
    hits: Hit[];
}

export const searchResult: {current: SearchResult; listeners: Set<() => void>} = {
    current: {total: 0, hits: []},
    listeners: new Set(),
};

async function runSearch(text: string): Promise<void> {
    try {
        const found = text.trim()
            ? await getJson<SearchResult>('search', `search?max=500&q=${encodeURIComponent(text)}`)
            : {total: 0, hits: []};
        searchResult.current = found;
        nextHit = -1;
        hits.value = new Set(found.hits.flatMap((h) => (h.node ? [h.node] : [])));
        hitTasks.value = new Set(found.hits.flatMap((h) => (h.task ? [h.task] : [])));
        searchResult.listeners.forEach((listener) => listener());
    } catch (error) {
        fail(error);
    }
}

// A constant that is drawn is a box; else what reads it first is shown.
export function goTo(hit: Hit): void {
    if (hit.layer === 'framework' || hit.layer === 'compiled') setLayer(hit.layer);
    if (hit.value && constants.value && !comparing.value) void goToConstant(hit);
    else select(hit.node ?? 0, hit.node ? 0 : hit.task ?? 0, 'panel');
}

async function goToConstant(hit: Hit): Promise<void> {
    const at = shape.value;
    try {
        const {item, label} = await getJson<GroupInfo>('constant', `group?layer=${at.layer}&fold=${at.fold}&constants=1&value=${hit.value}`);
        if (shapeKey(shape.value) !== shapeKey(at)) return;
        select(0, 0, 'panel');
        group.value = {...at, item, label, isConstant: true};
        announcement.value = t('selected', {name: clean(hit.name, 120)});
        graphActions.current?.revealItem(item);
    } catch (error) {
        fail(error);
    }
}

export function goToHit(step: number): void {
    const list = searchResult.current.hits;
    if (!list.length) return;
    nextHit = nextHit < 0 ? (step > 0 ? 0 : list.length - 1) : (nextHit + step + list.length) % list.length;
    goTo(list[nextHit]!);
}

// What a finding is about, as if it had been searched for: lit everywhere, n goes from one to the next.
export function showSubjects(nodes: readonly number[], tasks: readonly number[]): void {
    search.value = '';
    nextHit = -1;
    searchResult.current = {
        total: nodes.length + tasks.length,
        hits: nodes.length ? nodes.map((node) => ({node, task: null, value: null, name: '', op: '', layer: '', tasks: 0}))
            : tasks.map((task) => ({node: null, task, value: null, name: '', op: '', layer: 'tasks', tasks: 0})),
    };
    hits.value = new Set(nodes);
    hitTasks.value = new Set(tasks);
    searchResult.listeners.forEach((listener) => listener());
    goToHit(1);
}

// Nodes of one path report, all of them and those of its critical chain.
function addPath(found: Report, nodes: Set<number>, chain: Set<number>): void {
    const table = found.tables.find((x) => x.name === 'nodes');
    if (!table) return;
    const nodeAt = table.columns.findIndex((c) => c.kind === 'node');
    const chainAt = table.columns.findIndex((c) => c.name === 'is_in_chain');
    for (const row of table.rows) {
        const id = row[nodeAt];
        if (typeof id !== 'number') continue;
        nodes.add(id);
        if (chainAt >= 0 && row[chainAt] === true) chain.add(id);
    }
}

export async function showPath(): Promise<void> {
    if (await addPaths(links.value)) panel.value = 'details';
}

// Of a link, or when going back: whatever is selected.
export async function showPathThrough(node: number): Promise<void> {
    try {
        await addPaths(await getJson<Links>('', `links?node=${node}&fold=${fold.value}`));
    } catch (error) {
        fail(error);
    }
}

// In both graphs: the compiled one ties the path to tasks, the framework one is what people know. True: it is shown.
async function addPaths(found: Links | null): Promise<boolean> {
    const subjects = [found?.framework[0]?.node, found?.compiled[0]?.node].filter((n): n is number => !!n);
    if (!subjects.length) return false;
    const nodes = new Set<number>(), chain = new Set<number>();
    let note = '';
    try {
        for (const node of subjects) {
            const told = await report('path', 'path', {name: `node:${node}`, lang: lang.value});
            addPath(told, nodes, chain);
            note ||= told.findings[0]?.sentence ?? '';
        }
        path.value = {node: subjects[0] ?? 0, nodes, chain, note: nodes.size ? '' : note};
        return true;
    } catch (error) {
        fail(error);
        return false;
    }
}

// What is to happen in one go with the first answer: the views see the place that the address names, and no other.
export const atFirst: {act: (() => void) | null} = {act: null};

export async function loadCapture(): Promise<void> {
    try {
        const found = await getJson<NonNullable<typeof capture.value>>('', 'capture');
        batch(() => {
            if (!found.has.includes('framework') && found.has.includes('compiled')) layer.value = 'compiled';
            capture.value = found;
            failure.value = '';
            atFirst.act?.();
            atFirst.act = null;
        });
    } catch (error) {
        fail(error);
    }
}
