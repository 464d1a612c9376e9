// The outline of the graph as a tree: everything that the picture can do, by rows. Only rows in sight are elements
// and only their texts are asked for.
import {useEffect, useMemo, useRef, useState} from 'preact/hooks';
import {isAborted} from '../api/client';
import {t} from '../i18n/i18n';
import {graphActions, select} from '../state/actions';
import {capture, failure, group, outline, relatedNodes, selection, shape, shapeKey} from '../state/state';
import {ABSENT, CONSTANT, ENDS, PART} from '../graph/scene';
import {pairActions} from '../diff/actions';
import type {Item, Outline} from '../graph/outline';
import {look} from '../util/colours';
import {count, duration} from '../util/format';

const ROW = 24;

interface Line {
    item: number;
    depth: number;
    place: number;
    of: number;
}

function lines(tree: Outline, open: ReadonlySet<number>): Line[] {
    const list: Line[] = [];
    const push = (item: number, depth: number): Line[] => tree.children(item).map((c, i, all) => ({item: c, depth, place: i + 1, of: all.length}));
    const waiting = push(0, 0).reverse();
    for (let line = waiting.pop(); line; line = waiting.pop()) {
        list.push(line);
        if (open.has(line.item)) waiting.push(...push(line.item, line.depth + 1).reverse());
    }
    return list;
}

export function Tree() {
    const tree = outline.value;
    if (!tree?.isOf(shape.value)) return <p class="faint">{t('loading')}</p>;
    return <Rows key={shapeKey({...tree.shape, constants: false})} tree={tree} />;
}

function Rows({tree}: {tree: Outline}) {
    const [open, setOpen] = useState<ReadonlySet<number>>(() => new Set(tree.children(0)));
    const [cursor, setCursor] = useState(0);
    const [top, setTop] = useState(0);
    const [high, setHigh] = useState(500);
    const [, refresh] = useState(0);
    const box = useRef<HTMLDivElement | null>(null);
    const all = useMemo(() => lines(tree, open), [tree, open]);
    const first = Math.max(0, Math.floor(top / ROW) - 8), end = Math.min(all.length, first + Math.ceil(high / ROW) + 16);
    const shown = all.slice(first, end);
    useEffect(() => {
        const list = shown.map((l) => l.item);
        if (list.every((i) => tree.item(i))) return;
        tree.describe(list).then(() => refresh((n) => n + 1), (error: unknown) => {
            if (!isAborted(error)) failure.value = error instanceof Error ? error.message : String(error);
        });
    }, [tree, first, end, all]);
    useEffect(() => {
        if (!box.current) return undefined;
        const sizes = new ResizeObserver(([entry]) => setHigh(entry?.contentRect.height ?? 500));
        sizes.observe(box.current);
        return () => sizes.disconnect();
    }, []);
    // What is chosen elsewhere is opened and shown here.
    const chosen = group.value && tree.isOf(group.value) ? group.value.item
        : [selection.value.node, ...relatedNodes.value].map((n) => tree.ofNode[n] ?? 0).find((i) => i > 0) ?? 0;
    useEffect(() => {
        if (!chosen) return;
        const next = new Set(open);
        for (let at = tree.above[chosen] ?? 0; at; at = tree.above[at] ?? 0) next.add(at);
        const list = next.size > open.size ? lines(tree, next) : all;
        if (next.size > open.size) setOpen(next);
        const at = list.findIndex((l) => l.item === chosen);
        if (at >= 0) go(at, list.length);
    }, [chosen, tree]);
    const go = (to: number, most = all.length): void => {
        const next = Math.max(0, Math.min(most - 1, to)), el = box.current;
        setCursor(next);
        if (el && next * ROW < el.scrollTop) el.scrollTop = next * ROW;
        else if (el && (next + 1) * ROW > el.scrollTop + el.clientHeight) el.scrollTop = (next + 1) * ROW - el.clientHeight;
    };
    const isGroup = (item: number): boolean => (tree.first[item] ?? 0) > 0;
    const turn = (item: number, to: boolean): void => {
        const next = new Set(open);
        if (to) next.add(item);
        else next.delete(item);
        setOpen(next);
    };
    const key = (e: KeyboardEvent): void => {
        const line = all[cursor];
        if (!line) return;
        const above = tree.above[line.item] ?? 0, page = Math.max(1, Math.floor(high / ROW) - 1);
        if (e.key === 'ArrowDown') go(cursor + 1);
        else if (e.key === 'ArrowUp') go(cursor - 1);
        else if (e.key === 'PageDown') go(cursor + page);
        else if (e.key === 'PageUp') go(cursor - page);
        else if (e.key === 'Home') go(0);
        else if (e.key === 'End') go(all.length - 1);
        else if (e.key === 'ArrowRight' && isGroup(line.item) && !open.has(line.item)) turn(line.item, true);
        else if (e.key === 'ArrowRight' && isGroup(line.item)) go(cursor + 1);
        else if (e.key === 'ArrowLeft' && open.has(line.item)) turn(line.item, false);
        else if (e.key === 'ArrowLeft' && above) go(all.findIndex((l) => l.item === above));
        else if (e.key === 'Enter' || e.key === ' ') choose(tree, line.item);
        else return;
        e.preventDefault();
    };
    return (
        <div class="tree" role="tree" aria-label={t('outline')} tabIndex={0} ref={box} onKeyDown={key}
            aria-activedescendant={all.length ? `tree-${all[cursor]?.item ?? 0}` : undefined} onScroll={(e) => setTop((e.target as HTMLElement).scrollTop)}>
            <div style={{height: `${all.length * ROW}px`, position: 'relative'}}>
                {shown.map((line, k) => (
                    <TreeRow key={line.item} line={line} at={first + k} item={tree.item(line.item)} isChosen={line.item === chosen}
                        isCursor={first + k === cursor} state={isGroup(line.item) ? open.has(line.item) : null}
                        turn={(to) => turn(line.item, to)} choose={() => { setCursor(first + k); choose(tree, line.item); }} />))}
            </div>
        </div>
    );
}

function choose(tree: Outline, item: number): void {
    if (pairActions.current) {
        pairActions.current.chooseItem(item);
        return;
    }
    const known = tree.item(item);
    if (known?.node) {
        select(known.node, 0, 'panel');
        return;
    }
    group.value = {...tree.shape, item, label: known?.label ?? '', isConstant: ((known?.flags ?? 0) & CONSTANT) > 0};
    select(0, 0, 'panel');
    graphActions.current?.revealItem(item);
}

function TreeRow({line, at, item, state, isChosen, isCursor, turn, choose: act}: {
    line: Line; at: number; item: Item | undefined; state: boolean | null; isChosen: boolean; isCursor: boolean; turn: (to: boolean) => void; choose: () => void;
}) {
    const category = capture.value?.categories[item?.category ?? 0] ?? 'other', flags = item?.flags ?? 0;
    const label = item ? (flags & PART ? t('part', {n: item.label}) : item.label) : '…';
    return (
        <div id={`tree-${line.item}`} role="treeitem" aria-level={line.depth + 1} aria-posinset={line.place} aria-setsize={line.of}
            aria-expanded={state ?? undefined} aria-selected={isChosen} class={`tree-row${isChosen ? ' lit' : ''}${isCursor ? ' cursor' : ''}`}
            style={{top: `${at * ROW}px`, paddingLeft: `${4 + 14 * line.depth}px`}} onClick={act}>
            <span class="twist" aria-hidden="true" onClick={(e) => { if (state !== null) { e.stopPropagation(); turn(!state); } }}>
                {state === null ? '' : state ? '▾' : '▸'}</span>
            {state === null && flags & CONSTANT ? <i class="constant" aria-hidden="true" /> : state === null && !(flags & ENDS) && <i style={{background: look(category).fill}} aria-hidden="true" />}
            {flags & ABSENT ? <span class="faint">{t('onlyThere', {side: t('baseSide')})} </span> : null}
            <span class="label">{item?.op ? <b>{item.op} </b> : null}{label}</span>
            <small class="faint">{item && item.nodes > 1 ? count(item.nodes) : ''}{item?.time ? ` ${duration(item.time)}` : ''}</small>
        </div>
    );
}
