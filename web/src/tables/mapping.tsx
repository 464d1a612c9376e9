// The mapping view: framework op, compiled node, tasks, side by side; a row jumps into the other views.
import {useMemo, useState} from 'preact/hooks';
import {t} from '../i18n/i18n';
import {select} from '../state/actions';
import {relatedNodes, selection} from '../state/state';
import {clean} from '../util/clean';
import {count} from '../util/format';
import type {ReportTable} from '../api/client';
import {cellText, Findings, useReport} from './report';

const ROW = 24;

export function Mapping() {
    const found = useReport('map', {});
    const [filter, setFilter] = useState('');
    const [sort, setSort] = useState<{column: number; up: boolean} | null>(null);
    const [top, setTop] = useState(0);
    const [high, setHigh] = useState(400);
    // The rows are in the table that names most nodes; the others count fates.
    const nodesIn = (x: ReportTable): number => x.columns.filter((c) => c.kind === 'node').length;
    const table = typeof found === 'object' && found
        ? [...found.tables].sort((a, b) => nodesIn(b) - nodesIn(a) || b.total - a.total)[0] : undefined;
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
    if (typeof found === 'string') return <p class="faint pad">{clean(found)}</p>;
    if (!found) return <p class="faint pad">{t('loading')}</p>;
    if (!table) return <Findings report={found} />;
    const first = Math.max(0, Math.floor(top / ROW) - 4), end = Math.min(rows.length, first + Math.ceil(high / ROW) + 8);
    const related = relatedNodes.value, selected = selection.value;
    return (
        <div class="mapping" aria-label={t('mapping')}>
            <div class="bar">
                <input type="search" value={filter} placeholder={t('allRows')} aria-label={t('allRows')}
                    onInput={(e) => setFilter((e.target as HTMLInputElement).value)} />
                <span class="faint">{t('total', {n: count(rows.length)})}</span>
            </div>
            <div class="rows" role="table" aria-rowcount={rows.length + 1} tabIndex={0}
                ref={(el) => { if (el && el.clientHeight !== high && el.clientHeight) setHigh(el.clientHeight); }}
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
                        const nodes = nodeColumns.map((i) => row[i]).filter((x): x is number => typeof x === 'number');
                        const lit = nodes.some((n) => related.has(n) || n === selected.node);
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

// A cell belongs to the node that stands in its part of the row: the nearest column with a node.
function nodeFor(columns: {kind: string}[], row: (string | number | boolean | null)[], at: number): unknown {
    for (let d = 0; d < columns.length; d++)
        for (const i of [at + d, at - d]) if (columns[i]?.kind === 'node' && typeof row[i] === 'number') return row[i];
    return null;
}
