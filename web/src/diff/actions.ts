// Selecting on both sides, and going from change to change.
import {effect, untracked} from '@preact/signals';
import {getJson, isAborted, type Capture, type Links} from '../api/client';
import {t} from '../i18n/i18n';
import {linksOf, select, setLayer} from '../state/actions';
import {announcement, capture, failure, graphPlace, group, lang, layer, links, opened, outline, panel, selection, type View} from '../state/state';
import {clean} from '../util/clean';
import {atBase, getChanges, getPartner, noChange, type Side, type Subject} from './api';
import {baseCapture, baseLinks, baseSelection, changes, comparing, partner} from './state';

// What happens once the base is known.
export const whenKnown: (() => void)[] = [];

// The view of both sides registers what others may ask of it.
export interface PairActions {
    reveal(side: Side, node: number, expand: boolean): void;
    chooseItem(item: number): void; // of the joint outline
}

export const pairActions: {current: PairActions | null} = {current: null};

const NONE = {node: 0, task: 0};

function fail(error: unknown): void {
    if (!isAborted(error)) failure.value = error instanceof Error ? error.message : String(error);
}

export const isCompared = (): boolean => capture.value?.passes.some((p) => p.name === 'diff') ?? false;

async function load(language: 'en' | 'zh'): Promise<void> {
    try {
        const [base, found] = await Promise.all([baseCapture.value ?? getJson<Capture>('', atBase('capture')), getChanges(language)]);
        if (!changes.value && !found.total) announcement.value = t(noChange(found));
        const isFirst = !changes.value;
        baseCapture.value = base;
        changes.value = found;
        if (isFirst) whenKnown.forEach((act) => act());
        // A layer that the base does not have says nothing of what differs.
        if (isFirst && comparing.value && !base.has.includes(layer.value) && (found.layer === 'framework' || found.layer === 'compiled')) setLayer(found.layer);
    } catch (error) {
        fail(error);
    }
}

export function setComparing(isOn: boolean): void {
    if (!isCompared() || comparing.value === isOn) return;
    opened.value = null; // groups have other numbers
    outline.value = null;
    group.value = null;
    graphPlace.value = null;
    comparing.value = isOn;
    panel.value = isOn ? 'changes' : panel.value === 'changes' ? 'details' : panel.value;
}

// --- selecting ---

let isBaseAlone = false; // what is selected is of the base and has no partner
let turn = 0;

function keep(found: Subject): void {
    partner.value = found;
    baseSelection.value = {node: found.base ?? 0, task: found.base_task ?? 0};
}

// A node or task of the base. Its partner is what the other views select.
export async function selectBase(node: number, task: number, origin: View): Promise<void> {
    const own = ++turn;
    if (!node && !task) {
        isBaseAlone = false;
        partner.value = null;
        baseSelection.value = NONE;
        select(0, 0, origin);
        return;
    }
    baseSelection.value = {node, task};
    group.value = null;
    try {
        const found = await getPartner('base', node, task, lang.value);
        if (own !== turn) return;
        isBaseAlone = !found.new && !found.new_task;
        partner.value = found;
        baseSelection.value = {node: found.base ?? node, task: task || (found.base_task ?? 0)};
        announcement.value = t('selected', {name: clean(found.base_name ?? found.name ?? '', 120)});
        select(found.new ?? 0, found.new ? 0 : found.new_task ?? 0, origin);
        if (isBaseAlone && node && origin === 'panel') pairActions.current?.reveal('base', node, true);
    } catch (error) {
        fail(error);
    }
}

async function followSelection(node: number, task: number): Promise<void> {
    const own = ++turn;
    try {
        const found = await getPartner('new', node, task, lang.value);
        if (own === turn) keep(found);
    } catch (error) {
        fail(error);
    }
}

async function loadBaseLinks(node: number, task: number): Promise<void> {
    try {
        baseLinks.value = node || task
            ? await getJson<Links>('baseLinks', atBase(linksOf(task ? `task=${task}` : `node=${node}`))) : null;
    } catch (error) {
        fail(error);
    }
}

// For as long as the page lives.
export function followSelections(): void {
    effect(() => {
        const {node, task} = selection.value, isOn = comparing.value;
        lang.value;
        untracked(() => {
            if (isOn && (node || task)) {
                isBaseAlone = false;
                void followSelection(node, task);
            } else if (!isBaseAlone || group.value) {
                turn++;
                isBaseAlone = false;
                partner.value = null;
                baseSelection.value = NONE;
            }
        });
    });
    effect(() => {
        const {node, task} = baseSelection.value;
        untracked(() => void loadBaseLinks(node, task));
    });
    effect(() => {
        const language = lang.value;
        if (isCompared()) untracked(() => void load(language));
    });
}

// --- going ---

export function isChosen(subject: Subject): boolean {
    const {node, task} = selection.value, base = baseSelection.value;
    return (!!subject.new && subject.new === node) || (!subject.new && !!subject.base && subject.base === base.node) ||
        (!!subject.new_task && subject.new_task === task);
}

export function goToChange(subject: Subject): void {
    if (subject.layer === 'framework' || subject.layer === 'compiled') {
        if (subject.layer !== layer.value) setLayer(subject.layer);
    }
    // What is selected already is gone to again.
    if (isChosen(subject) && (subject.new || subject.base)) pairActions.current?.reveal(subject.new ? 'new' : 'base', (subject.new ?? subject.base)!, true);
    if (subject.new || subject.new_task) select(subject.new ?? 0, subject.new ? 0 : subject.new_task ?? 0, 'panel');
    else if (subject.base || subject.base_task) void selectBase(subject.base ?? 0, subject.base ? 0 : subject.base_task ?? 0, 'panel');
}

export function stepChange(step: number): void {
    const list = changes.value?.changes ?? [];
    if (!list.length) return;
    const at = list.findIndex(isChosen), next = at < 0 ? (step > 0 ? 0 : list.length - 1) : (at + step + list.length) % list.length;
    goToChange(list[next]!);
}

// The tasks of the selection, of the side.
export const tasksOf = (side: Side): readonly number[] => (side === 'base' ? baseLinks : links).value?.tasks ?? [];
