// The panel at the right: details of the selection, summary, findings, files, keys.
import {categoryName, t} from '../i18n/i18n';
import {select, setLayer} from '../state/actions';
import {capture, fold, hidden, lang, links, panel, path, selection} from '../state/state';
import {ReportView, Table, useReport} from '../tables/report';
import {clean} from '../util/clean';
import {look} from '../util/colours';
import {count} from '../util/format';

const PANELS = ['details', 'summary', 'findings', 'files', 'help'] as const;

export function Panels() {
    const at = panel.value;
    return (
        <aside class="panel" aria-label={t(at as (typeof PANELS)[number])}>
            <div role="tablist" class="tabs">
                {PANELS.map((name) => (
                    <button key={name} role="tab" aria-selected={at === name} onClick={() => (panel.value = name)}>{t(name)}</button>))}
            </div>
            <div class="pad" role="tabpanel">
                {at === 'details' && <Details />}
                {at === 'summary' && <Summary />}
                {at === 'findings' && <AllFindings />}
                {at === 'files' && <Files />}
                {at === 'help' && <p>{t('keyTable')}</p>}
            </div>
        </aside>
    );
}

function Details() {
    const found = links.value, chosen = selection.value;
    if (!found) return <p class="faint">{t('nothing')}</p>;
    const subject = chosen.node ? `node:${chosen.node}` : found.node ? `node:${found.node}` : `task:${chosen.task}`;
    return (
        <div>
            <h2 class="name">{clean(found.name)}</h2>
            {path.value && <p><b class="path-mark">{t('path')}</b> {count(path.value.nodes.size)} · {t('critical')} {count(path.value.chain.size)}
                {' '}<button onClick={() => (path.value = null)}>{t('clearPath')}</button></p>}
            {(['framework', 'compiled'] as const).map((side) => found[side].length > 0 && (
                <section key={side}>
                    <h3>{t(side)}</h3>
                    <ul class="nodes">{found[side].slice(0, 60).map((n) => (
                        <li key={n.node}>
                            <button class="plain" onClick={() => { setLayer(side); select(n.node, 0, 'panel'); }}>
                                <b>{clean(n.op, 60)}</b> {clean(n.name, 120)}
                            </button>
                            {n.confidence && <small class={`confidence ${clean(n.confidence, 12)}`} title={clean(n.evidence ?? '', 400)}>
                                {clean(n.confidence, 12)} · {clean(n.rule ?? '', 40)}</small>}
                        </li>))}
                    </ul>
                </section>))}
            {found.task_total > 0 && <p>{t('tasks')}: {count(found.task_total)}</p>}
            <ReportView name="show" parameters={{name: subject}} />
        </div>
    );
}

function Summary() {
    return (
        <div>
            <TypeChart />
            <ReportView name="summary" parameters={{}} />
        </div>
    );
}

// The share of each operator category, as bars that filter.
function TypeChart() {
    const found = useReport('summary', {});
    const table = typeof found === 'object' && found
        ? found.tables.find((x) => x.columns.some((c) => c.name === 'category') && x.columns.some((c) => c.name === 'share'))
        : undefined;
    if (!table) return null;
    const categoryAt = table.columns.findIndex((c) => c.name === 'category');
    const shareAt = table.columns.findIndex((c) => c.name === 'share');
    const names = capture.value?.categories ?? [];
    return (
        <ul class="bars">{table.rows.map((row, i) => {
            const part = Number(row[shareAt] ?? 0) / 1e6;
            const name = names.find((n) => n === row[categoryAt]) ?? names.find((n) => categoryName(n) === row[categoryAt]) ?? String(row[categoryAt]);
            return (
                <li key={i}>
                    <span class="bar" style={{width: `${(part * 100).toFixed(1)}%`, background: look(name).fill}} />
                    <span>{clean(String(row[categoryAt]), 40)} {(part * 100).toFixed(1)} %</span>
                </li>);
        })}</ul>
    );
}

function AllFindings() {
    const has = capture.value?.has ?? [];
    return (
        <div>
            {(has.includes('tasks') || has.includes('compiled')) && <ReportView name="doctor" parameters={{max: '200', top: '20'}} />}
            {has.includes('framework') && has.includes('compiled') && <ReportView name="check" parameters={{max: '200'}} />}
        </div>
    );
}

function Files() {
    const found = useReport('inputs', {});
    if (!found || typeof found === 'string') return <p class="faint">{found ? clean(found) : t('loading')}</p>;
    return <div>{found.tables.map((table) => <Table key={table.name} table={table} />)}</div>;
}

export function Legend() {
    const names = capture.value?.categories ?? [];
    lang.value;
    fold.value;
    const toggle = (name: string): void => {
        const next = new Set(hidden.value);
        if (next.has(name)) next.delete(name);
        else next.add(name);
        hidden.value = next;
    };
    return (
        <ul class="legend" aria-label={t('colours')}>{names.map((name) => (
            <li key={name}>
                <button class="plain" aria-pressed={!hidden.value.has(name)} onClick={() => toggle(name)}>
                    <i style={{background: look(name).fill, color: look(name).text}}>{look(name).tag}</i> {categoryName(name)}
                </button>
            </li>))}
            <li class="faint"><i class="hatched" /> {t('notExecuted')}</li>
            <li class="faint"><i class="dashed" /> {t('inserted')}</li>
            <li class="faint"><i class="doubled" /> {t('fused')}</li>
            <li class="faint"><i class="corner" /> {t('dtype')}</li>
        </ul>
    );
}
