// All that differs, the costliest first: a click goes there on both sides.
import {useState} from 'preact/hooks';
import {t, type Key} from '../i18n/i18n';
import {baseSelection, changes, partner} from './state';
import {selection} from '../state/state';
import {brief} from '../tables/rows';
import {clean, middle} from '../util/clean';
import {count, duration, share} from '../util/format';
import {goToChange, isChosen, stepChange} from './actions';
import {noChange, type Changes, type Kind, type Subject} from './api';
import {kindLook, NAMES, SIGNS} from './looks';

const PAGE = 200;
const MOST_NAME = 44; // letters

export function signed(ns: number): string {
    return `${ns > 0 ? '+' : ''}${duration(ns)}`;
}

export function Sign({kind}: {kind: Kind}) {
    return <i class="sign" role="img" aria-label={t(NAMES[kind])} title={t(NAMES[kind])} style={{background: kindLook(kind).fill, color: kindLook(kind).text}}>{SIGNS[kind]}</i>;
}

// What the times of both sides differ by; what runs on one side only took nothing on the other.
export function deltaOf(subject: Subject): number | null {
    const {base_ns: was = null, new_ns: is = null} = subject;
    return was === null && is === null ? null : (is ?? 0) - (was ?? 0);
}

function Row({subject}: {subject: Subject}) {
    const delta = deltaOf(subject), lit = isChosen(subject), kinds = [...new Set(subject.changes?.map((c) => c.kind) ?? [])].filter((k) => k !== 'renamed');
    const go = (): void => goToChange(subject), name = clean(subject.name ?? subject.base_name ?? '', 200);
    return (
        <tr class={`link${lit ? ' lit' : ''}`} aria-selected={lit} tabIndex={0} onClick={go} onKeyDown={(e) => e.key === 'Enter' && go()}>
            <td class="signs">{kinds.map((kind) => <Sign key={kind} kind={kind} />)}</td>
            <td title={name}><b>{clean(brief(subject.op ?? subject.base_op ?? ''), 60)}</b> {middle(name, MOST_NAME)}
                {subject.cause && <small class="faint cause"> {clean(subject.cause, 60).replaceAll('_', ' ')}</small>}</td>
            <td class="right">{delta === null ? '' : signed(delta)}</td>
            <td class="right">{subject.cost_ns === null || subject.cost_ns === undefined ? '' : signed(subject.cost_ns)}</td>
        </tr>
    );
}

function Totals({known}: {known: Changes}) {
    const [was, is] = known.makespan_ns;
    return (
        <dl class="facts">
            {known.names.map((name, i) => <div key={i}><dt>{t(i ? 'newSide' : 'baseSide')}</dt><dd>{clean(name, 300)}</dd></div>)}
            {known.timed && <div><dt>{t('makespan')}</dt><dd>{duration(was)} → {duration(is)} <b>{signed(is - was)}{was ? ` (${share((1e6 * (is - was)) / was)})` : ''}</b></dd></div>}
            {Object.entries(known.kinds).filter(([kind]) => kind !== 'renamed').map(([kind, n]) => (
                <div key={kind}><dt><Sign kind={kind as Kind} /> {t(NAMES[kind as Kind] as Key)}</dt><dd>{count(n ?? 0)}</dd></div>))}
        </dl>
    );
}

export function ChangesPanel() {
    const known = changes.value, [shown, setShown] = useState(PAGE);
    void [selection.value, baseSelection.value, partner.value];
    if (!known) return <p class="faint">{t('loading')}</p>;
    return (
        <div class="changes">
            <Totals known={known} />
            {!known.total && <p class="nothing-differs"><b>{t(noChange(known))}</b></p>}
            {known.total > 0 && <>
                <p class="tools">
                    <button id="change-before" onClick={() => stepChange(-1)}>◀ <kbd>,</kbd></button>
                    <button id="change-next" onClick={() => stepChange(1)}>{t('nextChange')} <kbd>.</kbd> ▶</button>
                </p>
                <table aria-label={t('changes')}>
                    <thead><tr><th>{t('diffKind')}</th><th>{t('diffWhat')} <small>{count(known.total)}</small></th>
                        <th class="right">{t('diffTime')}</th><th class="right" title={t('diffCostMeaning')}>{t('diffCost')}</th></tr></thead>
                    <tbody>{known.changes.slice(0, shown).map((subject, i) => <Row key={i} subject={subject} />)}</tbody>
                </table>
                {shown < known.changes.length && <button onClick={() => setShown(shown * 4)}>+ {count(known.changes.length - shown)}</button>}
            </>}
        </div>
    );
}
