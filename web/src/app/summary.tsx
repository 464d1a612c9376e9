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
            <Chart report={found} />
            <FactList report={found} />
            <Findings report={found} />
            {found.tables.map((table) => <Table key={table.name} table={table} onRow={filterOf(table)} most={40} />)}
        </div>
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
    return (
        <ul class="bars chart" aria-label={t('byCategory')}>{table.rows.map((row, i) => {
            const name = categoryOf(row[categoryAt] ?? null), part = Number(row[shareAt] ?? 0);
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
    );
}
