// The panel at the right and its tabs; the legend below the structure.
import {useEffect, useRef} from 'preact/hooks';
import {categoryName, t, type Key} from '../i18n/i18n';
import {capture, constants, graphMost, hidden, panel, path} from '../state/state';
import {FactList, Findings, Table, useReport} from '../tables/report';
import {below} from '../tables/rows';
import {clean} from '../util/clean';
import {heat, look} from '../util/colours';
import {duration} from '../util/format';
import {isCompared} from '../diff/actions';
import {ChangesPanel} from '../diff/changes';
import {PairDetails} from '../diff/details';
import type {PairView} from '../diff/pair';
import {comparing} from '../diff/state';
import {Details} from './details';
import {AllFindings} from './findings';
import {Summary} from './summary';
import {Tree} from './tree';

const PANELS = ['changes', 'details', 'summary', 'findings', 'outline', 'files', 'help'] as const;

export function Panels({pair}: {pair: () => PairView | null}) {
    const at = panel.value, isWanted = (name: string): boolean => name !== 'changes' || isCompared(), tabs = useRef<HTMLDivElement>(null);
    useEffect(() => tabs.current?.querySelector('[aria-selected=true]')?.scrollIntoView({block: 'nearest', inline: 'nearest'}), [at]);
    return (
        <aside class="panel" aria-label={t(at as (typeof PANELS)[number])}>
            <div role="tablist" class="tabs" ref={tabs}>
                {PANELS.filter(isWanted).map((name) => (
                    <button key={name} role="tab" aria-selected={at === name} onClick={() => (panel.value = name)}>{t(name)}</button>))}
            </div>
            <div class="pad" role="tabpanel">
                {at === 'changes' && isCompared() && <ChangesPanel />}
                {at === 'details' && (comparing.value ? <PairDetails view={pair()} /> : <Details />)}
                {at === 'summary' && <Summary />}
                {at === 'findings' && <AllFindings />}
                {at === 'outline' && <Tree />}
                {at === 'files' && <Files />}
                {at === 'help' && <Keys />}
            </div>
        </aside>
    );
}

function Files() {
    const found = useReport('inputs', {});
    if (!found || typeof found === 'string') return <p class="faint">{found ? clean(found) : t('loading')}</p>;
    return (
        <div>
            <FactList report={found} />
            <Findings report={found} />
            {found.tables.map(below).map(({folder, table}) => (
                <div key={table.name}>
                    {folder && <p class="faint folder">{t('inFolder', {folder: clean(folder)})}</p>}
                    <Table table={table} />
                </div>))}
        </div>
    );
}

const KEYS: [string, Key][] = [
    ['W S', 'keyZoom'], ['A D', 'keyPan'], ['↑ ↓ ← →', 'keyMove'], ['[ ]', 'keyInside'], ['Ctrl {click} · Shift ↑ ↓ ← →', 'keyAdd'], ['Enter', 'keyOpen'], ['E · Shift E', 'keyOpenAll'],
    ['F · 0', 'keyFit'], ['P', 'keyPath'], ['K', 'keyConstants'], ['/ · n · Shift n', 'keySearch'], ['G 1 2 3 4', 'keyGo'], ['Esc', 'keyBack'], ['?', 'keyHelp'],
];

const DIFF_KEYS: [string, Key][] = [['C', 'keyCompare'], ['. · ,', 'keyChange']];

const TIME_KEYS: [string, Key][] = [
    ['← → ↑ ↓', 'timeKeyStep'], ['[ ]', 'timeKeySame'], ['Enter', 'timeKeyZoom'], ['E · Shift E', 'timeKeyGroups'],
    ['{wheel} · Ctrl {wheel} · Shift {wheel}', 'timeKeyWheel'], ['Shift {drag}', 'timeKeyMeasure'], ['{click}', 'timeKeyClick'],
];

const WORDS: [string, Key][] = [
    ['conv relu', 'queryText'], ['op:MatMul', 'queryOp'], ['ns:layer1/attn', 'queryScope'], ['dtype:f16', 'queryDtype'],
    ['stream:3', 'queryStream'], ['dur>1ms dur<20us', 'queryTime'], ['unmapped', 'queryUnmapped'], ['layer:compiled', 'queryLayer'], ['"op:x"', 'queryQuoted'],
];

// Keys are called what stands on them; what a mouse does has a word in each language.
const keyNames = (keys: string): string => keys.replace(/\{(click|drag|wheel)\}/g, (_, what: 'click' | 'drag' | 'wheel') => t(what));

function Keys() {
    const list = (rows: [string, Key][]) => <dl class="keys">{rows.map(([key, text]) => <div key={text}><dt><kbd>{keyNames(key)}</kbd></dt><dd>{t(text)}</dd></div>)}</dl>;
    return <div><h3>{t('help')}</h3>{list(isCompared() ? [...KEYS, ...DIFF_KEYS] : KEYS)}<h3>{t('timeline')}</h3>{list(TIME_KEYS)}<h3>{t('queryWords')}</h3>{list(WORDS)}</div>;
}

// What the colours of times mean.
export function HeatScale() {
    const most = graphMost.value;
    return (
        <p class="heat-scale faint">
            <span>0</span>
            <span class="ramp">{Array.from({length: 24}, (_, i) => <i key={i} style={{background: heat((i / 23) ** 2)}} />)}</span>
            <span>{most > 0 ? duration(most) : t('noTimes')}</span>
        </p>
    );
}

export function Legend() {
    const names = capture.value?.used_categories ?? [];
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
            <li class="faint"><i class="plus">+</i> {t('inserted')}</li>
            <li class="faint"><i class="firm">⊕n</i> {t('fused')}</li>
            <li class="faint"><i class="pile" /> {t('group')}</li>
            <li class="faint"><i class="diamond" /> {t('dtype')}</li>
            <li class="faint">{constants.value ? <><i class="constant" /> {t('constantKind')}</> : <><i class="dot" /> {t('constantInput')}</>}</li>
            {path.value && <li class="path-mark"><i class="path-line" /> {t('critical')}</li>}
        </ul>
    );
}
