// Findings of every analysis that judges the run, the costliest first. A click shows what a finding is about in
// all views; n goes on to its next subject.
import {useEffect, useState} from 'preact/hooks';
import {isAborted, report, type Finding, type Report} from '../api/client';
import {ruleName, t} from '../i18n/i18n';
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

function rank(a: Finding, b: Finding, byCost: boolean): number {
    const cost = (b.cost_ns ?? -1) - (a.cost_ns ?? -1), severity = ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity);
    return byCost ? cost || severity : severity || cost;
}

export function AllFindings() {
    const judged = useVerdicts();
    const [severity, setSeverity] = useState('');
    const [byCost, setByCost] = useState(true);
    if (!judged) return <p class="faint">{t('loading')}</p>;
    const all = judged.flatMap((j) => j.found.findings).sort((a, b) => rank(a, b, byCost));
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
                <span class="grow" />
                {all.length > 1 && <button class="plain head" onClick={() => setByCost(!byCost)}>{t(byCost ? 'sortedByCost' : 'sortedBySeverity')}</button>}
            </div>
            {shown.length === 0 && <p class="faint">{t('noFindings')}</p>}
            <ul class="findings">{shown.map((f, i) => <One key={`${f.rule}-${i}`} finding={f} />)}</ul>
            {rest.map((table) => (
                <details key={table.name} class="other"><summary>{table.title} <small>{count(table.total)}</small></summary><Table table={{...table, title: ''}} /></details>))}
            {IN_DEPTH.filter((name) => passes.has(name)).map((name) => <InDepth key={name} name={name} />)}
        </div>
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
        <li class={`severity-${clean(f.severity, 20)}`}>
            <p class="finding-head">
                <b title={`${severityName(f.severity)} · ${clean(f.rule, 60)}`}>{ruleName(clean(f.rule, 60))}</b>
                {f.is_experimental && <small class="faint">{t('experimental')}</small>}
                {f.cost_ns !== null && <span class="cost" title={clean(f.cost_from ?? '', 300)}>{duration(f.cost_ns)}
                    {f.cost_share !== null && f.cost_share !== undefined ? ` · ${share(f.cost_share)}` : ''}</span>}
            </p>
            <p>{clean(f.sentence, 1000)}</p>
            {f.advice && <p class="advice">{clean(f.advice, 1000)}</p>}
            {hasSubject && <button class="link" onClick={show}>{t('showSubjects', {n: count(Math.max(nodes.length, tasks.length))})}</button>}
        </li>
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
