// The mapping view: framework op, compiled node, tasks, side by side; a row jumps into the other views.
import {useEffect, useMemo, useRef, useState} from 'preact/hooks';
import {t} from '../i18n/i18n';
import {select} from '../state/actions';
import {relatedNodes, selection} from '../state/state';
import {clean} from '../util/clean';
import {count} from '../util/format';
import type {Cell, Report, ReportTable} from '../api/client';
import {cellText, Findings, useReport} from './report';

const ROW = 24;

export function Mapping() {
    const found = useReport('map', {});
    const [filter, setFilter] = useState('');
    const [sort, setSort] = useState<{column: number; up: boolean} | null>(null);
    const [top, setTop] = useState(0);
    const [high, setHigh] = useState(400);
    const list = useRef<HTMLDivElement | null>(null);
    const table = useMemo(() => (typeof found === 'object' && found ? joined(found) : undefined), [found]);
    const nodeColumns = table?.columns.flatMap((c, i) => (c.kind === 'node' ? [i] : [])) ?? [];
    const shown = useMemo(() => table?.columns.flatMap((c, i) =>
        (c.title !== null && table.rows.some((r) => r[i] !== null && r[i] !== '') ? [i] : [])) ?? [], [table]);
    const rows = useMemo(() => {
        if (!table) return [];
        const text = filter.toLowerCase();
        let list = text ? table.rows.filter((r) => r.some((c) => typeof c === 'string' && c.toLowerCase().includes(text))) : table.rows;
        if (sort) {
            const {column, up} = sort;
            list = [...list].sort((a, b) => {
                const x = a[column] ?? null, y = b[column] ?? null;
                if (x === y) return 0;
                if (x === null) return 1;
                if (y === null) return -1;
                return (x < y ? -1 : 1) * (up ? 1 : -1);
            });
        }
        return list;
    }, [table, filter, sort]);
    const related = relatedNodes.value, selected = selection.value;
    const isLit = (row: Cell[]): boolean => nodeColumns.some((i) => related.has(Number(row[i])) || (row[i] !== null && row[i] === selected.node));
    // Other views' selections are scrolled to, unless one of their rows is in sight.
    useEffect(() => {
        const box = list.current;
        if (!box || selected.origin === 'mapping' || (!related.size && !selected.node)) return;
        const from = Math.floor(box.scrollTop / ROW), end = from + Math.floor(box.clientHeight / ROW) - 2;
        const first = rows.findIndex(isLit);
        if (first >= 0 && !rows.slice(from, end).some(isLit)) box.scrollTop = Math.max(0, (first - 3) * ROW);
    }, [related, rows]);
    if (typeof found === 'string') return <p class="faint pad">{clean(found)}</p>;
    if (!found) return <p class="faint pad">{t('loading')}</p>;
    if (!table) return <Findings report={found} />;
    const first = Math.max(0, Math.floor(top / ROW) - 4), end = Math.min(rows.length, first + Math.ceil(high / ROW) + 8);
    return (
        <div class="mapping" aria-label={t('mapping')}>
            <div class="bar">
                <input type="search" value={filter} placeholder={t('allRows')} aria-label={t('allRows')}
                    onInput={(e) => setFilter((e.target as HTMLInputElement).value)} />
                <span class="faint">{t('total', {n: count(rows.length)})}</span>
            </div>
            <div class="rows" role="table" aria-rowcount={rows.length + 1} tabIndex={0}
                ref={(el) => { list.current = el; if (el && el.clientHeight !== high && el.clientHeight) setHigh(el.clientHeight); }}
                onScroll={(e) => setTop((e.target as HTMLElement).scrollTop)}>
                <div class="row head" role="row" aria-rowindex={1}>
                    {shown.map((i) => (
                        <div key={i} role="columnheader" title={table.columns[i]!.meaning ?? ''}>
                            <button class="plain" onClick={() => setSort({column: i, up: sort?.column === i ? !sort.up : true})}>
                                {table.columns[i]!.title}{sort?.column === i ? (sort.up ? ' ▲' : ' ▼') : ''}
                            </button>
                        </div>))}
                </div>
                <div style={{height: `${rows.length * ROW}px`, position: 'relative'}}>
                    {rows.slice(first, end).map((row, k) => {
                        const lit = isLit(row);
                        return (
                            <div key={first + k} role="row" aria-rowindex={first + k + 2} class={`row${lit ? ' lit' : ''}`}
                                style={{position: 'absolute', top: `${(first + k) * ROW}px`}}>
                                {shown.map((i) => {
                                    const own = table.columns[i]!.kind === 'node' ? row[i] : nodeFor(table.columns, row, i);
                                    return (
                                        <span key={i} role="cell" title={typeof row[i] === 'string' ? clean(row[i] as string) : ''}
                                            onClick={() => typeof own === 'number' && select(own, 0, 'mapping')}>
                                            {cellText(row[i] ?? null, table.columns[i]!.kind, table.columns[i]!.unit)}
                                        </span>);
                                })}
                            </div>);
                    })}
                </div>
            </div>
        </div>
    );
}

// Framework ops with what became of them, then compiled nodes that come from none: one list.
function joined(report: Report): ReportTable | undefined {
    const main = report.tables.find((x) => x.name === 'map'), rest = report.tables.find((x) => x.name === 'without_origin');
    if (!main || !rest) return main ?? rest;
    const from = main.columns.map((c) => rest.columns.findIndex((r) => r.name === c.name || (c.name === 'reason' && r.name === 'origin')));
    const more = rest.rows.map((row) => from.map((i) => (i < 0 ? null : row[i] ?? null)));
    return {...main, total: main.total + rest.total, rows: [...main.rows, ...more]};
}

// A cell belongs to the node that stands in its part of the row: the nearest column with a node.
function nodeFor(columns: {kind: string}[], row: (string | number | boolean | null)[], at: number): unknown {
    for (let d = 0; d < columns.length; d++)
        for (const i of [at + d, at - d]) if (columns[i]?.kind === 'node' && typeof row[i] === 'number') return row[i];
    return null;
}
