// All about the selection: what it is in each layer and by which evidence, then whatever the report `show`
// knows. Groups show what is in them.
import {useEffect, useState} from 'preact/hooks';
import {getJson, isAborted, type Cell, type GroupInfo, type LinkedNode, type Links, type Report, type ReportTable} from '../api/client';
import {categoryName, ruleName, t, type Key} from '../i18n/i18n';
import {graphActions, select, setLayer, setSearch, showPath} from '../state/actions';
import {add} from '../state/also';
import {also, capture, failure, group, hasWarmUp, layer, links, path, relatedTasks, selection, shapeKey, type Group} from '../state/state';
import {Findings, ReportView, Table, useReport} from '../tables/report';
import {isShown} from '../state/first';
import {brief} from '../tables/rows';
import {clean, middle} from '../util/clean';
import {look} from '../util/colours';
import {bytes, count, duration, share} from '../util/format';
import {Overview} from './summary';

export function Details() {
    if (group.value) return <GroupDetails chosen={group.value} />;
    if (!links.value) return <Hint />;
    return <NodeDetails />;
}

// What to do; and what the whole is made of, which is the first thing to know of it.
function Hint() {
    return (
        <>
            <p class="hint faint">{t('howToSelect')}</p>
            {isShown.value && <Overview />}
        </>
    );
}

// --- nodes and tasks ---

function NodeDetails() {
    const found = links.value!, chosen = selection.value;
    const subject = chosen.node ? `node:${chosen.node}` : chosen.task ? `task:${chosen.task}` : `node:${found.node ?? 0}`;
    const report = useReport('show', {name: subject});
    const info = typeof report === 'object' ? report : null;
    const nodes = info?.tables.find((x) => x.name === 'nodes');
    const own = nodes?.rows[0];
    const category = own && nodes ? String(own[nodes.columns.findIndex((c) => c.name === 'category')] ?? '') : '';
    const names = capture.value?.categories ?? [];
    const key = names.find((n) => n === category || categoryName(n) === category || n.replaceAll('_', ' ') === category) ?? 'other';
    const op = own && nodes ? String(own[nodes.columns.findIndex((c) => c.name === 'op_type')] ?? '') : '';
    return (
        <div class="details">
            <header>
                {op && <span class="op" style={{background: look(key).fill, color: look(key).text}}>{clean(brief(op), 60)}</span>}
                <span class="faint">{t((['framework', 'compiled'].includes(found.layer) ? found.layer : 'deviceTask') as Key)}</span>
            </header>
            <h2 class="name">{clean(found.name)}</h2>
            <p class="tools">
                <button onClick={() => graphActions.current?.fitSelection()}>{t('goThere')}</button>
                {path.value ? <button onClick={() => (path.value = null)}>{t('clearPath')}</button>
                    : found.node !== null && <button onClick={() => void showPath()}>{t('path')}</button>}
            </p>
            {also.value.length > 0 && <AlsoSelected />}
            {path.value && <PathNote />}
            {(['framework', 'compiled'] as const).map((side) => found[side].length > 0 && (
                <LinkedList key={side} side={side} nodes={found[side]} own={chosen.node} isOwnLayer={found.layer === side} />))}
            {found.task_total > 0 && <TaskLine found={found} />}
            {typeof report === 'string' && <p class="faint">{clean(report)}</p>}
            {info && <Sheets report={info} />}
            <History name={found.name} />
        </div>
    );
}

// How many, and what their number comes from. Sums elsewhere leave out runs that do not count.
function TaskLine({found}: {found: Links}) {
    return (
        <p class="task-line">{t('tasks')}: <b>{count(found.task_total)}</b>
            {found.task_total > 1 && found.runs > 0 && <span class="faint"> · {t('taskRuns', {runs: count(found.runs), streams: count(found.streams)})}</span>}
            {found.task_counted < found.task_total && <span class="faint"> · {t('taskCounted', {n: count(found.task_counted)})}</span>}</p>
    );
}

// What is selected beside, each to be let go of.
function AlsoSelected() {
    const tasks = relatedTasks.value.size;
    return (
        <p class="also faint">{t('alsoSelected', {n: count(also.value.length)})}{tasks > 0 && ` · ${t('tasksOfAll', {n: count(tasks)})}`}
            {also.value.map((kept) => (
                <button key={`${kept.node}:${kept.task}`} class="chip" title={clean(kept.links?.name ?? '', 400)} onClick={() => add(kept.node, kept.task, 'panel')}>
                    {middle(clean(kept.links?.name ?? `#${kept.node || kept.task}`), 28)} ✕</button>))}
        </p>
    );
}

function PathNote() {
    const shown = path.value!;
    return (
        <p class={shown.nodes.size ? 'path-note' : 'path-note unknown'}><b class="path-mark">{t('path')}</b>
            {' '}{shown.nodes.size || !shown.note ? t('nodes', {n: count(shown.nodes.size)}) : clean(shown.note, 600)}
            {shown.chain.size > 0 && <> · {t('critical')} {count(shown.chain.size)}</>}</p>
    );
}

function LinkedList({side, nodes, own, isOwnLayer}: {side: 'framework' | 'compiled'; nodes: LinkedNode[]; own: number; isOwnLayer: boolean}) {
    const [all, setAll] = useState(false);
    const shown = all ? nodes : nodes.slice(0, 12);
    return (
        <section class="linked">
            <h3>{t(side)}{nodes.length > 1 && <small> {count(nodes.length)}</small>}</h3>
            <ul class="nodes">{shown.map((n) => (
                <li key={n.node} class={n.node === own ? 'own' : ''}>
                    <button class="plain" onClick={() => { setLayer(side); select(n.node, 0, 'panel'); }}>
                        <b>{clean(brief(n.op), 60)}</b> {clean(n.name, 160)}
                    </button>
                    {n.confidence && <small class={`confidence ${clean(n.confidence, 12)}`} title={`${clean(n.rule ?? '', 40)}: ${clean(n.evidence ?? '', 400)}`}>
                        {sureness(n.confidence)} · {ruleName(clean(n.rule ?? '', 40))}</small>}
                    {side === 'compiled' && n.others > 1 && <small class="one-of"> ⊕ {isOwnLayer ? t('standsFor', {n: n.others}) : t('oneOf', {n: n.others})}</small>}
                    {n.evidence && <small class="evidence faint">{clean(n.evidence, 240)}</small>}
                </li>))}
            </ul>
            {!all && nodes.length > shown.length && <button onClick={() => setAll(true)}>+ {count(nodes.length - shown.length)}</button>}
        </section>
    );
}

function sureness(confidence: string): string {
    return confidence === 'certain' || confidence === 'likely' || confidence === 'guess' ? t(confidence) : clean(confidence, 12);
}

// Tables of `show`. What is about the chosen node comes first; of the others one can ask.
function Sheets({report}: {report: Report}) {
    const facts = report.tables.find((x) => x.name === 'nodes');
    const rest = report.tables.filter((x) => x.name !== 'nodes' && x.name !== 'links' && x.rows.length > 0);
    return (
        <>
            <Findings report={report} />
            {facts && facts.rows[0] && <Facts table={facts} row={facts.rows[0]} />}
            {rest.map((table) => <Sheet key={table.name} table={table} nodes={facts} />)}
        </>
    );
}

const IN_HEAD = new Set(['relation', 'layer', 'node', 'name', 'op_type', 'category']);

function Facts({table, row}: {table: ReportTable; row: Cell[]}) {
    const shown = table.columns.flatMap((c, i) => (c.title !== null && !IN_HEAD.has(c.name) && row[i] !== null && row[i] !== '' && row[i] !== false ? [i] : []));
    return (
        <dl class="facts">{shown.map((i) => (
            <div key={i}><dt title={table.columns[i]!.meaning ?? ''}>{table.columns[i]!.title}</dt>
                <dd>{row[i] === true ? '✓' : (table.columns[i]!.kind === 'word' ? String(row[i]).replaceAll('_', ' ') : clean(String(row[i]), 600))}</dd></div>))}
        </dl>
    );
}

function Sheet({table, nodes}: {table: ReportTable; nodes: ReportTable | undefined}) {
    const at = table.columns.findIndex((c) => c.kind === 'node' && c.name === 'node');
    if (at < 0) return <Table table={table} most={40} />;
    const groups = new Map<number, Cell[][]>();
    for (const row of table.rows) {
        const id = Number(row[at]);
        const list = groups.get(id);
        if (list) list.push(row);
        else groups.set(id, [row]);
    }
    const idAt = nodes?.columns.findIndex((c) => c.name === 'node') ?? -1, nameAt = nodes?.columns.findIndex((c) => c.name === 'name') ?? -1;
    const own = nodes?.rows[0]?.[idAt];
    return (
        <>{[...groups].sort(([a], [b]) => Number(b === own) - Number(a === own)).map(([id, rows]) => {
            const part = {...table, rows, total: rows.length, columns: table.columns.map((c, i) => (i === at ? {...c, title: null} : c))};
            if (id === own || groups.size === 1 && own === undefined) return <Table key={id} table={part} most={40} />;
            const name = nodes?.rows.find((r) => r[idAt] === id)?.[nameAt];
            return (
                <details key={id} class="other">
                    <summary>{table.title} · <span class="faint">{clean(String(name ?? `#${id}`), 120)}</span> <small>{count(rows.length)}</small></summary>
                    <Table table={{...part, title: ''}} most={40} />
                </details>);
        })}</>
    );
}

// What the stages of the build did to it, where their dumps are at hand.
function History({name}: {name: string}) {
    const hasStages = capture.value?.graphs.some((g) => g.stage !== null && g.stage !== '') ?? false;
    if (!hasStages || !name) return null;
    return (
        <details class="other">
            <summary>{t('history')}</summary>
            <ReportView name="stages" parameters={{name}} />
        </details>
    );
}

// --- groups ---

function useGroup(chosen: Group): GroupInfo | null {
    const [info, setInfo] = useState<GroupInfo | null>(null);
    useEffect(() => {
        setInfo(null);
        getJson<GroupInfo>('group', `group?layer=${chosen.layer}&fold=${chosen.fold}${chosen.constants ? '&constants=1' : ''}&item=${chosen.item}`).then(setInfo, (error: unknown) => {
            if (!isAborted(error)) failure.value = error instanceof Error ? error.message : String(error);
        });
    }, [shapeKey(chosen), chosen.item]);
    return info?.item === chosen.item ? info : null;
}

const KINDS: Record<GroupInfo['kind'], Key> = {
    graph: 'graphKind', scope: 'scopeKind', fusion: 'fusionKind', part: 'partKind', input: 'inputKind', output: 'outputKind', node: 'nodeKind',
    constant: 'constantKind',
};

function GroupDetails({chosen}: {chosen: Group}) {
    const info = useGroup(chosen);
    if (!info) return <p class="faint">{t('loading')}</p>;
    const isEnd = info.kind === 'input' || info.kind === 'output' || info.kind === 'constant';
    return (
        <div class="details">
            <header><span class="op plain-op">{t(KINDS[info.kind])}</span><span class="faint">{t(chosen.layer)}</span></header>
            <h2 class="name">{info.kind === 'part' ? t('part', {n: clean(info.label)}) : clean(info.label)}</h2>
            {!isEnd && <p class="tools">
                <button onClick={() => graphActions.current?.toggle(chosen.item)}>{t('openClose')}</button>
                <button onClick={() => graphActions.current?.fitSelection()}>{t('goThere')}</button>
            </p>}
            <dl class="facts">
                {info.value_type && <div><dt>{t('dataType')}</dt><dd>{clean(info.value_type, 400)}</dd></div>}
                {info.kind === 'constant' && <div><dt>{t('dataSize')}</dt><dd>{(info.data_bytes ?? -1) < 0 ? t('notKnown') : bytes(info.data_bytes!)}</dd></div>}
                {info.kind === 'constant' && <div><dt>{t('readers')}</dt><dd>{count(info.readers ?? 0)}</dd></div>}
                {!isEnd && <div><dt>{t('nodeCount')}</dt><dd>{count(info.nodes)}</dd></div>}
                {info.tasks > 0 && <div><dt>{t('tasks')}{hasWarmUp() && ` (${t('noWarmUp')})`}</dt><dd>{count(info.tasks)}</dd></div>}
                {info.total_ns > 0 && <div><dt>{t('time')}</dt><dd>{duration(info.total_ns)}</dd></div>}
            </dl>
            {info.types.length > 0 && <Types info={info} />}
        </div>
    );
}

// By time where there is some, else by number; a click looks for that type.
function Types({info}: {info: GroupInfo}) {
    const whole = info.total_ns > 0 ? info.total_ns : info.nodes;
    return (
        <>
            <h3>{t('byCategory')} <small>{t(info.total_ns > 0 ? 'chartMeans' : 'chartOfNodes')}</small></h3>
            <ul class="bars">{info.types.map((type) => {
                const part = (info.total_ns > 0 ? type.total_ns : type.nodes) / Math.max(1, whole);
                return (
                    <li key={type.op}>
                        <button class="plain" onClick={() => setSearch(`op:${type.op} layer:${layer.value}`)}>
                            <i style={{background: look(type.category).fill, color: look(type.category).text}}>{look(type.category).tag}</i>
                            <span>{clean(type.op, 60)}</span>
                            <small class="faint">{count(type.nodes)} ×</small>
                            <small>{info.total_ns > 0 ? duration(type.total_ns) : ''} {share(1e6 * part)}</small>
                        </button>
                        <span class="bar"><span style={{width: `${(100 * part).toFixed(1)}%`, background: look(type.category).fill}} /></span>
                    </li>);
            })}</ul>
            {info.other_types > 0 && <p class="faint">+ {count(info.other_types)}</p>}
        </>
    );
}
