// The selection on both sides: which is which and why, what differs, and the values of both beside one another.
import {useEffect, useState} from 'preact/hooks';
import {getJson, isAborted, type Cell, type Report, type ReportTable} from '../api/client';
import {t} from '../i18n/i18n';
import {graphActions} from '../state/actions';
import {group, lang, type Group} from '../state/state';
import {cellText} from '../tables/report';
import {brief} from '../tables/rows';
import {clean} from '../util/clean';
import {count, duration} from '../util/format';
import {SIDES, atSide, type Side, type Subject} from './api';
import {deltaOf, Sign, signed} from './changes';
import {kindsOf, NAMES} from './looks';
import type {PairView} from './pair';
import {baseSelection, partner} from './state';

export function PairDetails({view}: {view: PairView | null}) {
    if (group.value) return <GroupOfBoth chosen={group.value} view={view} />;
    const found = partner.value;
    if (!found || (!found.name && !found.base_name)) return <p class="hint faint">{t('howToCompare')}</p>;
    return <Both found={found} />;
}

function Both({found}: {found: Subject}) {
    const name = found.name ?? found.base_name ?? '', delta = deltaOf(found);
    const only = !found.new && !found.new_task ? 'baseSide' : !found.base && !found.base_task ? 'newSide' : null;
    return (
        <div class="details both">
            <header><span class="op plain-op">{clean(brief(found.op ?? found.base_op ?? ''), 60)}</span>
                {only && <span class="faint">{t('onlyThere', {side: t(only)})}</span>}</header>
            <h2 class="name">{clean(name)}</h2>
            {found.base_name !== undefined && found.name !== undefined && found.base_name !== found.name &&
                <p class="faint">{t('calledBefore', {name: clean(found.base_name, 300)})}</p>}
            {found.evidence && <p class="pair-evidence">{t('pairKnownBy')} <b>{clean(found.evidence, 100)}</b>
                <small class={`confidence ${clean(found.confidence ?? '', 12)}`}> · {sureness(found.confidence)}</small></p>}
            <p class="tools"><button onClick={() => graphActions.current?.fitSelection()}>{t('goThere')}</button></p>
            <ChangeRows found={found} />
            {delta !== null && <dl class="facts">
                <div><dt>{t('diffMedian')}</dt><dd>{time(found.base_ns)} → {time(found.new_ns)} <b>{signed(delta)}</b></dd></div>
                {found.cause && <div><dt>{t('diffCause')}</dt><dd>{clean(found.cause, 60).replaceAll('_', ' ')}
                    {found.what ? `: ${clean(found.what, 300)}` : ''}{typeof found.cost_ns === 'number' ? <b> {signed(found.cost_ns)}</b> : null}</dd></div>}
            </dl>}
            <ValuesOfBoth found={found} />
        </div>
    );
}

const time = (ns: number | null | undefined): string => (typeof ns === 'number' ? duration(ns) : '–');

function sureness(confidence: string | undefined): string {
    return confidence === 'certain' || confidence === 'likely' || confidence === 'guess' ? t(confidence) : '';
}

function ChangeRows({found}: {found: Subject}) {
    const list = found.changes ?? [];
    if (!list.length) return <p class="faint">{t('unchanged')}</p>;
    return (
        <ul class="change-rows">{list.map((c, i) => (
            <li key={i}><Sign kind={c.kind} /> {t(NAMES[c.kind])}
                {(c.was || c.is) && <span>: {clean(c.was || '–', 200)} → <b>{clean(c.is || '–', 200)}</b></span>}</li>))}
        </ul>
    );
}

// --- values ---

// The table of the report `show` that is about the node itself, of both sides.
function useValues(found: Subject): Partial<Record<Side, ReportTable>> | null {
    const [state, setState] = useState<Partial<Record<Side, ReportTable>> | null>(null);
    const key = `${found.base ?? 0}:${found.new ?? 0}:${lang.value}`;
    useEffect(() => {
        let alive = true;
        setState(null);
        const ask = async (side: Side): Promise<[Side, ReportTable | undefined]> => {
            const node = found[side];
            if (!node) return [side, undefined];
            const told = await getJson<Report>('', atSide(`passes/show?name=node:${node}&lang=${lang.value}`, side));
            return [side, told.tables.find((x) => x.name === 'nodes')];
        };
        Promise.all(SIDES.map(ask)).then((list) => alive && setState(Object.fromEntries(list.filter(([, x]) => x))), (error: unknown) => {
            if (alive && !isAborted(error)) setState({});
        });
        return () => {
            alive = false;
        };
    }, [key]);
    return state;
}

const LEFT_OUT = new Set(['relation', 'layer', 'node', 'position', 'native_id']);

function ValuesOfBoth({found}: {found: Subject}) {
    const values = useValues(found), some = values?.new ?? values?.base;
    if (!values || !some) return null;
    const cell = (side: Side, name: string): Cell => {
        const table = values[side], at = table?.columns.findIndex((c) => c.name === name) ?? -1;
        return table?.rows[0]?.[at] ?? null;
    };
    const text = (side: Side, column: ReportTable['columns'][number]): string => {
        const value = cell(side, column.name);
        return column.kind === 'word' && typeof value === 'string' ? value.replaceAll('_', ' ') : clean(cellText(value, column.kind, column.unit), 400);
    };
    const rows = some.columns.filter((c) => c.title !== null && !LEFT_OUT.has(c.name) && (text('base', c) || text('new', c)));
    return (
        <table class="side-by-side" aria-label={t('valuesOfBoth')}>
            <thead><tr><th></th><th>{t('baseSide')}</th><th>{t('newSide')}</th></tr></thead>
            <tbody>{rows.map((c) => {
                const [was, is] = [text('base', c), text('new', c)];
                return (
                    <tr key={c.name} class={was === is ? '' : 'differs'}>
                        <th scope="row" title={c.meaning ?? ''}>{c.title}{c.unit === 'ns' ? ' (µs)' : ''}</th>
                        <td>{was || '–'}</td><td>{is || '–'}</td>
                    </tr>);
            })}</tbody>
        </table>
    );
}

// --- groups ---

function GroupOfBoth({chosen, view}: {chosen: Group; view: PairView | null}) {
    const box = view?.panes.new.scene?.boxOfItem.get(chosen.item);
    void baseSelection.value;
    if (!view || !box) return <p class="faint">{t('loading')}</p>;
    const scenes = {base: view.panes.base.scene!, new: view.panes.new.scene!}, delta = scenes.new.delta[box] ?? 0;
    return (
        <div class="details both">
            <header><span class="op plain-op">{t(chosen.isConstant ? 'constantKind' : 'group')}</span></header>
            <h2 class="name">{clean(chosen.label || scenes.new.label[box] || scenes.base.label[box] || '')}</h2>
            <p class="tools">{!chosen.isConstant && <button onClick={() => graphActions.current?.toggle(chosen.item)}>{t('openClose')}</button>}
                <button onClick={() => graphActions.current?.fitSelection()}>{t('goThere')}</button></p>
            <p hidden={chosen.isConstant}>{kindsOf(scenes.new.differs[box] ?? 0).map((kind) => <Sign key={kind} kind={kind} />)} {t('diffChanged', {n: count(scenes.new.changed[box] ?? 0)})}</p>
            <table class="side-by-side"><thead><tr><th></th><th>{t('baseSide')}</th><th>{t('newSide')}</th></tr></thead>
                <tbody>
                    {chosen.isConstant && <tr><th scope="row">{t('dataType')}</th>{SIDES.map((side) => <td key={side}>{scenes[side].type[box] || '–'}</td>)}</tr>}
                    <tr hidden={chosen.isConstant}><th scope="row">{t('nodeCount')}</th>{SIDES.map((side) => <td key={side}>{count(scenes[side].nodes[box] ?? 0)}</td>)}</tr>
                    <tr hidden={chosen.isConstant}><th scope="row">{t('time')}</th>{SIDES.map((side) => <td key={side}>{duration(scenes[side].time[box] ?? 0)}</td>)}</tr>
                    {delta !== 0 && <tr><th scope="row">{t('diffMedian')}</th><td></td><td>{signed(delta)}</td></tr>}
                </tbody></table>
        </div>
    );
}
