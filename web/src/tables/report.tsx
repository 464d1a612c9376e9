// Any report of the server as tables: columns say what they hold, rows that name a node or a task
// select it.
import {useEffect, useState} from 'preact/hooks';
import {isAborted, report, type Cell, type Report, type ReportTable} from '../api/client';
import {select} from '../state/actions';
import {ruleName, t} from '../i18n/i18n';
import {lang} from '../state/state';
import {clean} from '../util/clean';
import {bytes, count, duration, microseconds, share} from '../util/format';

export function useReport(name: string, parameters: Record<string, string>, when = true): Report | string | null {
    const [state, setState] = useState<Report | string | null>(null);
    const key = JSON.stringify([name, parameters, lang.value, when]);
    useEffect(() => {
        let alive = true;
        setState(null);
        if (!when) return undefined;
        report('', name, {...parameters, lang: lang.value}).then(
            (found) => alive && setState(found),
            (error: unknown) => alive && !isAborted(error) && setState(error instanceof Error ? error.message : String(error)),
        );
        return () => {
            alive = false;
        };
    }, [key]);
    return state;
}

export function cellText(cell: Cell, kind: string, unit: string): string {
    if (cell === null) return '';
    if (typeof cell === 'boolean') return cell ? '✓' : '';
    if (typeof cell === 'string') return kind === 'word' ? cell.replaceAll('_', ' ') : clean(cell);
    if (kind === 'share') return share(cell);
    if (unit === 'ns') return microseconds(cell);
    if (unit === 'B') return bytes(cell);
    if (kind === 'node') return `#${cell}`;
    if (kind === 'real') return String(Math.round(cell * 1000) / 1000);
    return count(cell);
}

const UNBROKEN = 16; // letters: what is shorter stays in one line
const RIGHT = new Set(['int', 'share', 'real']);

function heading(column: ReportTable['columns'][number]): string {
    const title = column.title ?? column.name;
    return column.unit === 'ns' ? `${title} (µs)` : title;
}

// Columns without a single value are left out, as on a terminal.
function usedColumns(table: ReportTable): number[] {
    const list: number[] = [];
    table.columns.forEach((column, i) => {
        if (column.title !== null && column.kind !== 'depth' && table.rows.some((row) => row[i] !== null && row[i] !== '')) list.push(i);
    });
    return list;
}

export function Table({table, most = 200, onRow}: {table: ReportTable; most?: number; onRow?: ((row: Cell[]) => void) | undefined}) {
    const [shown, setShown] = useState(most);
    const columns = usedColumns(table);
    const nodeAt = table.columns.findIndex((c) => c.kind === 'node');
    const taskAt = table.columns.findIndex((c) => c.kind === 'task');
    const depthAt = table.columns.findIndex((c) => c.kind === 'depth');
    if (!table.rows.length) return null;
    const choose = (row: Cell[]): void => {
        const node = nodeAt >= 0 ? row[nodeAt] : null, task = taskAt >= 0 ? row[taskAt] : null;
        if (onRow) onRow(row);
        else if (typeof task === 'number') select(0, task, 'panel');
        else if (typeof node === 'number') select(node, 0, 'panel');
    };
    const isLink = nodeAt >= 0 || taskAt >= 0 || onRow !== undefined;
    return (
        <section class="report-table">
            {table.title && <h3>{table.title} <small>{count(table.total)}</small></h3>}
            <div class="scroll-x">
                <table>
                    <thead>
                        <tr>{columns.map((i) => (
                            <th key={i} class={RIGHT.has(table.columns[i]!.kind) ? 'right' : ''} title={table.columns[i]!.meaning ?? ''}>
                                {heading(table.columns[i]!)}
                            </th>))}
                        </tr>
                    </thead>
                    <tbody>
                        {table.rows.slice(0, shown).map((row, r) => (
                            <tr key={r} onClick={() => choose(row)} class={isLink ? 'link' : ''} tabIndex={isLink ? 0 : undefined}
                                onKeyDown={(e) => e.key === 'Enter' && choose(row)}>
                                {columns.map((i, place) => {
                                    const column = table.columns[i]!, text = cellText(row[i] ?? null, column.kind, column.unit);
                                    return (
                                        <td key={i} class={RIGHT.has(column.kind) ? 'right' : text.length < UNBROKEN ? 'short' : ''}
                                            style={place === 0 && depthAt >= 0 ? {paddingLeft: `${4 + 12 * Number(row[depthAt] ?? 0)}px`} : undefined}>{text}</td>);
                                })}
                            </tr>))}
                    </tbody>
                </table>
            </div>
            {shown < table.rows.length && <button onClick={() => setShown(shown * 4)}>+ {count(table.rows.length - shown)}</button>}
        </section>
    );
}

export function ReportView({name, parameters, when = true}: {name: string; parameters: Record<string, string>; when?: boolean}) {
    const found = useReport(name, parameters, when);
    if (!when) return null;
    if (found === null) return <p class="faint">{t('loading')}</p>;
    if (typeof found === 'string') return <p class="faint">{clean(found)}</p>;
    return (
        <div>
            <FactList report={found} />
            <Findings report={found} />
            {found.tables.map((table) => <Table key={table.name} table={table} />)}
        </div>
    );
}

export function FactList({report: found}: {report: Report}) {
    const facts = found.facts.filter((f) => f.title !== null && f.value !== null);
    if (!facts.length) return null;
    return (
        <dl class="facts">{facts.map((f) => {
            const text = f.unit === 'ns' && typeof f.value === 'number' ? duration(f.value) : cellText(f.value, f.kind, f.unit);
            return <div key={f.name}><dt>{f.title}</dt><dd class={text.length < 16 ? 'short' : ''}>{text}</dd></div>;
        })}
        </dl>
    );
}

export function Findings({report: found}: {report: Report}) {
    if (!found.findings.length) return null;
    return (
        <ul class="findings">{found.findings.map((f, i) => (
            <li key={i} class={`severity-${clean(f.severity, 20)}`}>
                <button class="plain" disabled={!f.node && !f.task}
                    onClick={() => (f.task ? select(0, f.task, 'panel') : f.node && select(f.node, 0, 'panel'))}>
                    <b title={clean(f.rule, 60)}>{ruleName(clean(f.rule, 60))}</b> {clean(f.sentence, 1000)}
                    {f.cost_ns !== null && <i> {microseconds(f.cost_ns)} µs{f.cost_share ? ` (${share(f.cost_share)})` : ''}</i>}
                    {f.is_experimental && <i> {t('experimental')}</i>}
                </button>
                {f.advice && <p class="faint">{t('tryThis')} {clean(f.advice, 1000)}</p>}
            </li>))}
        </ul>
    );
}
