// The mapping view: framework op, compiled node and tasks side by side; a click on one jumps there in the
// other views. Only the rows in sight are elements.
import {useEffect, useMemo, useRef, useState} from 'preact/hooks';
import {t} from '../i18n/i18n';
import {select as choose, setLayer} from '../state/actions';
import {add} from '../state/also';
import {also, capture, hasWarmUp, relatedNodes, selection} from '../state/state';
import {clean} from '../util/clean';
import {bytes, count, duration, large, share} from '../util/format';
import {useReport} from './report';
import {brief, mapRows, select, totals, UNMAPPED, type Filter, type MapRow, type Party, type SortKey, type Totals} from './rows';

const ROW = 24;
type Shown = 'time' | 'bytes' | 'flops';
const LARGEST_FIRST: readonly SortKey[] = ['tasks', 'time', 'bytes', 'flops'];
const NOTHING: Filter = {framework: '', compiled: '', task: '', state: ''};

export function Mapping() {
    const has = capture.value?.has ?? [];
    const found = useReport('map', {}), loose = useReport('tasks', {unlinked: '1', max: '2000', top: '2000', sort: 'duration'}, has.includes('tasks'));
    const [filter, setFilter] = useState(NOTHING);
    const [sort, setSort] = useState<{by: SortKey; up: boolean}>({by: 'order', up: true});
    const noNode = t('noNode');
    const all = useMemo(() => (typeof found === 'object' && found ? mapRows(found, typeof loose === 'object' ? loose : null, noNode) : []), [found, loose, noNode]);
    const rows = useMemo(() => select(all, filter, sort), [all, filter, sort]);
    const sum = useMemo(() => totals(rows), [rows]), whole = useMemo(() => totals(all), [all]);
    if (typeof found === 'string') return <p class="faint pad">{clean(found)}</p>;
    if (!found) return <p class="faint pad">{t('loading')}</p>;
    if (!all.length) return <p class="faint pad">{t('noMapping')}</p>;
    const hasTasks = whole.tasks > 0, hasSizes = whole.bytesOf + whole.flopsOf > 0;
    const shown = sort.by === 'bytes' || sort.by === 'flops' ? sort.by : hasTasks ? 'time' : 'bytes';
    return (
        <div class={hasTasks || hasSizes ? 'mapping' : 'mapping no-sums'}>
            <States rows={all} state={filter.state} set={(state) => setFilter({...filter, state})} />
            <Heads filter={filter} setFilter={setFilter} sort={sort} setSort={setSort} hasTasks={hasTasks} />
            <Rows rows={rows} whole={whole} shown={shown} />
            <p class="sums faint" aria-live="polite">
                {t('sums', {ops: count(sum.framework), nodes: count(sum.compiled)})}
                {hasTasks && ` · ${t('taskSums', {n: count(sum.tasks), time: duration(sum.time)})}`}
                {sum.time < whole.time ? ` · ${share((1e6 * sum.time) / whole.time)}` : ''}
                {sum.bytesOf > 0 && ` · ${t('byteSums', {sum: bytes(sum.bytes), n: count(sum.bytesOf), all: count(sum.nodes)})}`}
                {sum.flopsOf > 0 && ` · ${t('flopSums', {sum: large(sum.flops), n: count(sum.flopsOf), all: count(sum.nodes)})}`}
            </p>
        </div>
    );
}

// What became of the ops, each a button that leaves only these.
function States({rows, state, set}: {rows: readonly MapRow[]; state: string; set: (state: string) => void}) {
    const counts = useMemo(() => {
        const list = new Map<string, number>();
        for (const row of rows) if (row.state) list.set(row.state, (list.get(row.state) ?? 0) + 1);
        return [...list].sort((a, b) => b[1] - a[1]);
    }, [rows]);
    const unmapped = rows.filter((r) => !r.isMapped).length;
    const chip = (value: string, label: string, n: number) => (
        <button key={value} class="chip" aria-pressed={state === value} onClick={() => set(state === value ? '' : value)}>{label} <small>{count(n)}</small></button>);
    return (
        <div class="chips" role="group" aria-label={t('fates')}>
            {chip('', t('allRows'), rows.length)}
            {unmapped > 0 && chip(UNMAPPED, t('unmapped'), unmapped)}
            {counts.map(([name, n]) => chip(name, clean(name, 40), n))}
        </div>
    );
}

function Heads({filter, setFilter, sort, setSort, hasTasks}: {
    filter: Filter; setFilter: (f: Filter) => void; sort: {by: SortKey; up: boolean}; setSort: (s: {by: SortKey; up: boolean}) => void;
    hasTasks: boolean;
}) {
    const head = (by: SortKey, label: string) => {
        const isOn = sort.by === by;
        const rises = !LARGEST_FIRST.includes(by);
        const next = (): void => setSort(!isOn ? {by, up: rises} : (sort.up === rises ? {by, up: !sort.up} : {by: 'order', up: true}));
        return <button class="plain head" aria-pressed={isOn} onClick={next}>{label}{isOn ? (sort.up ? ' ▲' : ' ▼') : ''}</button>;
    };
    const box = (key: 'framework' | 'compiled' | 'task', label: string) => (
        <input type="search" value={filter[key]} placeholder={t('filter')} aria-label={t('filterBy', {what: label})}
            onInput={(e) => setFilter({...filter, [key]: (e.target as HTMLInputElement).value})} />);
    return (
        <div class="map-grid heads">
            <div>{head('framework', t('frameworkOp'))}{box('framework', t('frameworkOp'))}</div>
            <div><span>{head('compiled', t('compiledNode'))}<span class="joined">{head('state', t('fate'))}</span></span>{box('compiled', t('compiledNode'))}</div>
            <div><span>{hasTasks && <>{head('tasks', t('taskCount'))}{head('time', t('time'))}</>}{head('bytes', t('bytes'))}{head('flops', 'FLOPs')}</span>{hasTasks && box('task', t('tasks'))}</div>
        </div>
    );
}

function Rows({rows, whole, shown}: {rows: readonly MapRow[]; whole: Totals; shown: Shown}) {
    const [top, setTop] = useState(0);
    const [high, setHigh] = useState(400);
    const [cursor, setCursor] = useState(0);
    const list = useRef<HTMLDivElement | null>(null);
    const related = relatedNodes.value, selected = selection.value;
    const isLit = (row: MapRow): boolean => [row.framework, row.compiled].some((p) => p !== null && (related.has(p.id) || p.id === selected.node)) ||
        (row.task !== null && [selected, ...also.value].some((s) => s.task === row.task!.id));
    useEffect(() => {
        if (!list.current) return undefined;
        const sizes = new ResizeObserver(([entry]) => setHigh(entry?.contentRect.height ?? 400));
        sizes.observe(list.current);
        return () => sizes.disconnect();
    }, []);
    // Other views' selections are scrolled to, unless one of their rows is in sight.
    useEffect(() => {
        const box = list.current;
        if (!box || selected.origin === 'mapping' || (!related.size && !selected.node && !selected.task)) return;
        const from = Math.floor(box.scrollTop / ROW), end = from + Math.floor(box.clientHeight / ROW) - 2;
        const first = rows.findIndex(isLit);
        if (first >= 0 && !rows.slice(from, end).some(isLit)) box.scrollTop = Math.max(0, (first - 3) * ROW);
    }, [related, selected, rows]);
    const go = (to: number): void => {
        const next = Math.max(0, Math.min(rows.length - 1, to)), box = list.current;
        setCursor(next);
        if (box && next * ROW < box.scrollTop) box.scrollTop = next * ROW;
        else if (box && (next + 1) * ROW > box.scrollTop + box.clientHeight) box.scrollTop = (next + 1) * ROW - box.clientHeight;
    };
    const key = (e: KeyboardEvent): void => {
        const page = Math.max(1, Math.floor(high / ROW) - 1);
        const moves: Record<string, number> = {
            ArrowDown: cursor + 1, ArrowUp: cursor - 1, PageDown: cursor + page, PageUp: cursor - page, Home: 0, End: rows.length - 1,
        };
        const row = rows[cursor];
        if (e.key in moves) go(moves[e.key]!);
        else if (e.key === 'Enter' && row) pick(row, row.framework ? 'framework' : row.compiled ? 'compiled' : 'task', e.ctrlKey || e.metaKey);
        else if (e.key === 'ArrowRight' && row?.compiled) pick(row, 'compiled');
        else if (e.key === 'ArrowLeft' && row?.framework) pick(row, 'framework');
        else return;
        e.preventDefault();
    };
    const first = Math.max(0, Math.floor(top / ROW) - 6), end = Math.min(rows.length, first + Math.ceil(high / ROW) + 12);
    return (
        <div class="rows" role="table" aria-label={t('mapping')} aria-rowcount={rows.length} aria-colcount={3} tabIndex={0} ref={list}
            aria-activedescendant={rows.length ? `map-${cursor}` : undefined} onKeyDown={key} onScroll={(e) => setTop((e.target as HTMLElement).scrollTop)}>
            <div style={{height: `${rows.length * ROW}px`, position: 'relative'}}>
                {rows.slice(first, end).map((row, k) => (
                    <Row key={first + k} row={row} at={first + k} isLit={isLit(row)} isCursor={first + k === cursor} whole={whole} shown={shown} own={selected.node} />))}
            </div>
        </div>
    );
}

function pick(row: MapRow, side: 'framework' | 'compiled' | 'task', adds = false): void {
    const act = adds ? add : choose;
    if (side === 'task' && row.task) act(0, row.task.id, 'mapping');
    else if (side === 'framework' && row.framework) act(row.framework.id, 0, 'mapping');
    else if (row.compiled) act(row.compiled.id, 0, 'mapping');
}

// Reports tell in the language of the page how sure a link is.
const MARKS = {certain: '●', likely: '◐', guess: '○'} as const;

function markOf(confidence: string): string {
    const key = (Object.keys(MARKS) as (keyof typeof MARKS)[]).find((k) => k === confidence || t(k) === confidence);
    return key ? MARKS[key] : '·';
}

function PartyCell({party, side, row, isOwn}: {party: Party; side: 'framework' | 'compiled' | 'task'; row: MapRow; isOwn: boolean}) {
    const jump = (): void => {
        if (side !== 'task') setLayer(side);
        pick(row, side);
    };
    return (
        <span class={isOwn ? 'party own' : 'party'} title={`${clean(party.op, 80)} ${clean(party.name, 400)}`} onClick={(e) => pick(row, side, e.ctrlKey || e.metaKey)} onDblClick={jump}>
            <b>{clean(brief(party.op), 60) || '–'}</b> {clean(party.name, 200)}
        </span>
    );
}

// The sums of a row, each with its share of all; what is not known is left out.
function told(row: MapRow, whole: Totals): string {
    const lines: string[] = [], part = (value: number, all: number): string => (all > 0 ? ` · ${share((1e6 * value) / all)}` : '');
    if (row.tasks > 0) lines.push(`${t('taskSums', {n: count(row.tasks), time: duration(row.time)})}${part(row.time, whole.time)}${hasWarmUp() ? ` · ${t('noWarmUp')}` : ''}`);
    if (row.bytes !== null) lines.push(`${t('bytes')}: ${count(row.bytes)}${part(row.bytes, whole.bytes)}`);
    if (row.flops !== null) lines.push(`FLOPs: ${count(row.flops)}${part(row.flops, whole.flops)}`);
    return lines.join('\n');
}

// The sum that the list is sorted by, else the time.
function SumCell({row, whole, shown}: {row: MapRow; whole: Totals; shown: Shown}) {
    const value = row[shown] ?? 0, text = shown === 'time' ? (row.tasks > 0 ? `${count(row.tasks)} × · ${duration(row.time)}` : '')
        : row[shown] === null ? '' : shown === 'bytes' ? bytes(value) : `${large(value)} FLOPs`;
    return (
        <div role="cell" class="time" title={told(row, whole)}>
            {value > 0 && whole[shown] > 0 && <span class="bar" style={{width: `${Math.max(1, (100 * value) / whole[shown]).toFixed(1)}%`}} />}
            {text && <span>{text}</span>}
        </div>
    );
}

function Row({row, at, isLit, isCursor, whole, shown, own}: {
    row: MapRow; at: number; isLit: boolean; isCursor: boolean; whole: Totals; shown: Shown; own: number;
}) {
    const state = [row.state, row.why].filter(Boolean).join(' · ');
    return (
        <div id={`map-${at}`} role="row" aria-rowindex={at + 1} class={`row map-grid${isLit ? ' lit' : ''}${isCursor ? ' cursor' : ''}`} style={{top: `${at * ROW}px`}}>
            <div role="cell">{row.framework ? <PartyCell party={row.framework} side="framework" row={row} isOwn={row.framework.id === own} />
                : <i class="faint">{row.compiled ? clean(state, 200) : ''}</i>}</div>
            <div role="cell">
                {row.confidence && <small class="sure" title={`${clean(row.confidence, 20)} · ${clean(row.evidence, 400)}`}>{markOf(row.confidence)}</small>}
                {row.conflict && <small class="conflict" title={clean(row.conflict, 400)}>!</small>}
                {row.compiled ? <PartyCell party={row.compiled} side="compiled" row={row} isOwn={row.compiled.id === own} />
                    : row.task ? <PartyCell party={row.task} side="task" row={row} isOwn={false} />
                        : <i class="faint" title={clean(row.evidence, 400)}>{clean(state, 200)}</i>}
            </div>
            <SumCell row={row} whole={whole} shown={shown} />
        </div>
    );
}
