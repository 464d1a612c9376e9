// Findings of every analysis that judges the run, the costliest first; headings sort them otherwise. A click shows
// what a finding is about in all views; n goes on to its next subject.
import {useEffect, useState} from 'preact/hooks';
import {isAborted, report, type Finding, type Report} from '../api/client';
import {ruleName, t, type Key} from '../i18n/i18n';
import {select, showSubjects} from '../state/actions';
import {capture, lang} from '../state/state';
import {ReportView, Table} from '../tables/report';
import {clean} from '../util/clean';
import {count, duration, share} from '../util/format';

const ORDER = ['error', 'warning', 'notice', 'info'];
const IN_DEPTH = ['check', 'waits', 'clocks', 'overlap', 'critical']; // reports of their own on what was found

interface Judged {
    pass: string;
    found: Report;
}

function useVerdicts(): Judged[] | null {
    const [state, setState] = useState<Judged[] | null>(null);
    const names = (capture.value?.passes ?? []).filter((p) => p.verdicts && p.can_run).map((p) => p.name);
    useEffect(() => {
        let alive = true;
        setState(null);
        const asked = names.map((pass) => report('', pass, {lang: lang.value, max: '500'}).then((found) => ({pass, found}), (error: unknown) => {
            if (isAborted(error)) return null;
            const sentence = error instanceof Error ? error.message : String(error);
            const finding: Finding = {rule: 'not_checked', severity: 'notice', node: null, task: null, sentence, cost_ns: null};
            return {pass, found: {facts: [], tables: [], findings: [finding]}};
        }));
        void Promise.all(asked).then((list) => alive && setState(list.filter((x): x is Judged => x !== null)));
        return () => {
            alive = false;
        };
    }, [names.join(), lang.value]);
    return state;
}

type By = 'severity' | 'rule' | 'cost';

interface Sorting {
    by: By;
    turned: boolean; // else the worst, the first of the alphabet, the costliest come first
}

const HEADS: readonly [By, Key][] = [['severity', 'severity'], ['rule', 'findingRule'], ['cost', 'findingCost']];

const bySeverity = (a: Finding, b: Finding): number => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity);
const byRule = (a: Finding, b: Finding): number => ruleName(a.rule).localeCompare(ruleName(b.rule));
const byCost = (a: Finding, b: Finding): number => (b.cost_ns ?? -1) - (a.cost_ns ?? -1);

// What has no cost comes last either way. Of equal ones the worse first, then the costlier, then as they were found.
function rank(a: Finding, b: Finding, {by, turned}: Sorting): number {
    const rest = bySeverity(a, b) || byCost(a, b), way = turned ? -1 : 1;
    if (by === 'cost') return (a.cost_ns === null || b.cost_ns === null ? byCost(a, b) : way * byCost(a, b)) || rest;
    return way * (by === 'rule' ? byRule(a, b) : bySeverity(a, b)) || rest;
}

export function AllFindings() {
    const judged = useVerdicts();
    const [severity, setSeverity] = useState('');
    const [sorting, setSorting] = useState<Sorting>({by: 'cost', turned: false});
    if (!judged) return <p class="faint">{t('loading')}</p>;
    const all = judged.flatMap((j) => j.found.findings).sort((a, b) => rank(a, b, sorting));
    const shown = all.filter((f) => !severity || f.severity === severity);
    const rest = judged.flatMap((j) => j.found.tables.filter((x) => x.rows.length > 0));
    const passes = new Set((capture.value?.passes ?? []).filter((p) => p.can_run).map((p) => p.name));
    return (
        <div>
            <div class="chips" role="group" aria-label={t('severity')}>
                {['', ...ORDER.filter((s) => all.some((f) => f.severity === s))].map((s) => (
                    <button key={s} class="chip" aria-pressed={severity === s} onClick={() => setSeverity(s)}>
                        {s ? severityName(s) : t('allRows')} <small>{count(s ? all.filter((f) => f.severity === s).length : all.length)}</small>
                    </button>))}
            </div>
            {shown.length === 0 ? <p class="faint">{t('noFindings')}</p> : (
                <table class="findings" aria-label={t('findings')}>
                    <Heads sorting={sorting} set={setSorting} />
                    {shown.map((f, i) => <One key={`${f.rule}-${i}`} finding={f} />)}
                </table>)}
            {rest.map((table) => (
                <details key={table.name} class="other"><summary>{table.title} <small>{count(table.total)}</small></summary><Table table={{...table, title: ''}} /></details>))}
            {IN_DEPTH.filter((name) => passes.has(name)).map((name) => <InDepth key={name} name={name} />)}
        </div>
    );
}

function Heads({sorting, set}: {sorting: Sorting; set: (sorting: Sorting) => void}) {
    return (
        <thead><tr>{HEADS.map(([by, title]) => {
            const isOn = sorting.by === by, rises = (by === 'rule') !== sorting.turned; // the worst and the costliest come first: falling
            return (
                <th key={by} scope="col" class={by === 'cost' ? 'right' : ''} aria-sort={!isOn ? 'none' : rises ? 'ascending' : 'descending'}>
                    <button class="plain head" aria-pressed={isOn} onClick={() => set({by, turned: isOn && !sorting.turned})}>
                        {t(title)}{isOn ? (rises ? ' ▲' : ' ▼') : ''}</button></th>);
        })}</tr></thead>
    );
}

function severityName(severity: string): string {
    switch (severity) {
        case 'error': return t('severityError');
        case 'warning': return t('severityWarning');
        case 'notice': return t('severityNotice');
        default: return t('severityInfo');
    }
}

function One({finding: f}: {finding: Finding}) {
    const nodes = f.nodes?.length ? f.nodes : f.node ? [f.node] : [], tasks = f.tasks?.length ? f.tasks : f.task ? [f.task] : [];
    const hasSubject = nodes.length + tasks.length > 0;
    const show = (): void => {
        if (nodes.length + tasks.length > 1) showSubjects(nodes, tasks);
        else if (hasSubject) select(nodes[0] ?? 0, nodes[0] ? 0 : tasks[0] ?? 0, 'panel');
    };
    return (
        <tbody class={`severity-${clean(f.severity, 20)}`}>
            <tr>
                <td class="faint">{severityName(f.severity)}</td>
                <td><b title={clean(f.rule, 60)}>{ruleName(clean(f.rule, 60))}</b>
                    {f.is_experimental && <> <small class="faint">{t('experimental')}</small></>}</td>
                <td class="right">{f.cost_ns !== null && <span class="cost" title={clean(f.cost_from ?? '', 300)}>{duration(f.cost_ns)}
                    {f.cost_share !== null && f.cost_share !== undefined ? ` · ${share(f.cost_share)}` : ''}</span>}</td>
            </tr>
            <tr>
                <td colSpan={3}>
                    <p>{clean(f.sentence, 1000)}</p>
                    {f.advice && <p class="advice">{clean(f.advice, 1000)}</p>}
                    {hasSubject && <button class="link" onClick={show}>{t('showSubjects', {n: count(Math.max(nodes.length, tasks.length))})}</button>}
                </td>
            </tr>
        </tbody>
    );
}

function InDepth({name}: {name: string}) {
    const [isOpen, setOpen] = useState(false);
    return (
        <details class="other" onToggle={(e) => setOpen((e.target as HTMLDetailsElement).open)}>
            <summary>{t(`report_${name}` as 'report_check')}</summary>
            <ReportView name={name} parameters={{max: '300'}} when={isOpen} />
        </details>
    );
}
