// The summary: shares by category as a chart whose bars filter, then the tables. A click on a row of an operator
// type looks for it.
import {categoryName, t} from '../i18n/i18n';
import {setSearch} from '../state/actions';
import {capture, hidden} from '../state/state';
import type {Cell, Report, ReportTable} from '../api/client';
import {FactList, Findings, Table, useReport} from '../tables/report';
import {clean} from '../util/clean';
import {look} from '../util/colours';
import {count, duration, share} from '../util/format';

export function Summary() {
    const found = useReport('summary', {top: '200'});
    if (!found) return <p class="faint">{t('loading')}</p>;
    if (typeof found === 'string') return <p class="faint">{clean(found)}</p>;
    return (
        <div>
            <Whole report={found} />
            <Findings report={found} />
            {found.tables.map((table) => <Table key={table.name} table={table} onRow={filterOf(table)} most={40} />)}
        </div>
    );
}

// The part of it that fits on a first screen.
export function Overview() {
    const found = useReport('summary', {top: '200'});
    if (!found || typeof found === 'string') return null;
    const small = found.tables.filter((table) => IN_OVERVIEW.has(table.name));
    return (
        <>
            <Whole report={found} />
            {small.map((table) => <Table key={table.name} table={table} />)}
        </>
    );
}

const IN_OVERVIEW = new Set(['layers', 'links', 'fates']);

function Whole({report}: {report: Report}) {
    return (
        <>
            <Chart report={report} />
            <FactList report={report} />
        </>
    );
}

// What a click on a row of the table leaves, if it leaves anything.
function filterOf(table: ReportTable): ((row: Cell[]) => void) | undefined {
    const at = table.columns.findIndex((c) => c.name === 'op_type' || c.name === 'type');
    if (table.name !== 'by_type' || at < 0) return undefined;
    return (row) => setSearch(`op:${String(row[at] ?? '')}`);
}

function categoryOf(cell: Cell): string {
    const names = capture.value?.categories ?? [], text = String(cell ?? '');
    return names.find((n) => n === text || n.replaceAll('_', ' ') === text || categoryName(n) === text) ?? text;
}

// Only this category; once more: all again.
function only(name: string): void {
    const others = (capture.value?.categories ?? []).filter((n) => n !== name);
    hidden.value = hidden.value.size === others.length && !hidden.value.has(name) ? new Set() : new Set(others);
}

function Chart({report}: {report: Report}) {
    const table = report.tables.find((x) => x.name === 'by_category');
    if (!table || !table.rows.length) return null;
    const at = (name: string): number => table.columns.findIndex((c) => c.name === name);
    const categoryAt = at('category'), shareAt = at('share'), timeAt = at('total_ns'), nodesAt = at('nodes');
    const isTimed = table.rows.some((row) => Number(row[timeAt] ?? 0) > 0);
    const nodes = Math.max(1, table.rows.reduce((sum, row) => sum + Number(row[nodesAt] ?? 0), 0)); // without times they are what has shares
    return (
        <>
        <h3>{t('byCategory')} <small>{t(isTimed ? 'chartMeans' : 'chartOfNodes')}</small></h3>
        <ul class="bars chart" aria-label={t('byCategory')}>{table.rows.map((row, i) => {
            const name = categoryOf(row[categoryAt] ?? null), part = isTimed ? Number(row[shareAt] ?? 0) : (1e6 * Number(row[nodesAt] ?? 0)) / nodes;
            const isHidden = hidden.value.has(name), time = Number(row[timeAt] ?? 0);
            return (
                <li key={i} class={isHidden ? 'off' : ''}>
                    <button class="plain" aria-pressed={!isHidden} title={t('onlyThis')} onClick={() => only(name)}>
                        <i style={{background: look(name).fill, color: look(name).text}}>{look(name).tag}</i>
                        <span>{categoryName(name)}</span>
                        <small class="faint">{nodesAt >= 0 && row[nodesAt] !== null ? `${count(Number(row[nodesAt]))} ×` : ''}</small>
                        <small>{time ? duration(time) : ''} {share(part)}</small>
                    </button>
                    <span class="bar"><span style={{width: `${(part / 1e4).toFixed(1)}%`, background: look(name).fill}} /></span>
                </li>);
        })}</ul>
        </>
    );
}
