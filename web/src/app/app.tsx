// The page: a bar, structure and mapping beside the panel, the timeline below.
import {useEffect, useLayoutEffect, useRef} from 'preact/hooks';
import {isReport} from '../api/report';
import {isCompared, selectBase, setComparing, stepChange} from '../diff/actions';
import {PairCanvas, PairColours, PairLegend} from '../diff/canvas';
import type {PairView} from '../diff/pair';
import {baseCapture, comparing} from '../diff/state';
import {baseTimes, newTimes} from '../diff/times';
import {GraphCanvas} from '../graph/canvas';
import type {GraphView} from '../graph/view';
import {categoryName, t} from '../i18n/i18n';
import {goToHit, graphActions, loadCapture, select, setConstants, setFold, setLanguage, setLayer, setSearch, showPath} from '../state/actions';
import {
    announcement, capture, constants, failure, fold, follow, group, heatMap, hidden, hits, lang, layer, panel, path, search, theme, type Fold,
} from '../state/state';
import {isShown} from '../state/first';
import {encode, here} from '../state/permalink';
import {Mapping} from '../tables/mapping';
import {TimelineBar, TimelineTwin} from '../timeline/bar';
import {own, type TimeSource} from '../timeline/source';
import {TimelineView} from '../timeline/view';
import {clean} from '../util/clean';
import {savePng, saveSvg} from '../util/export';
import {Icon} from './icons';
import {HeatScale, Legend, Panels} from './panels';
import {ReadingNote} from './reading_note';
import {ReportNote} from './report_note';
import {Search} from './search';
import {least, place, Splitter} from './split';

const views: {graph: GraphView | null; timeline: TimelineView | null; pair: PairView | null; baseTimeline: TimelineView | null} =
    {graph: null, timeline: null, pair: null, baseTimeline: null};
export {views};

function TimelineCanvas({source}: {source: TimeSource}) {
    const ref = useRef<HTMLCanvasElement>(null), slot = source.isLeading ? 'timeline' : 'baseTimeline';
    useLayoutEffect(() => {
        if (!ref.current) return undefined;
        const view = (views[slot] = new TimelineView(ref.current, source));
        return () => {
            view.destroy();
            if (views[slot] === view) views[slot] = null;
        };
    }, []);
    const title = source.title();
    return (
        <>
            <canvas ref={ref} id={`timeline${source.name}`} tabIndex={0} role="application" aria-label={title ? `${t('timeline')}, ${title}` : t('timeline')} />
            <TimelineTwin name={source.name} twin={source.twin} />
        </>
    );
}

const timelines = (): TimelineView[] => [views.baseTimeline, views.timeline].filter((view) => view !== null);

// Of a comparison the base above, the new side below it.
function Times() {
    const base = baseCapture.value, isBoth = comparing.value && base !== null && (base.has.includes('tasks') || base.has.includes('slices'));
    return (
        <section class={`time${isBoth ? ' both' : ''}`} aria-label={t('timeline')}>
            <TimelineBar views={timelines} />
            {isBoth && <TimelineCanvas key="base" source={baseTimes} />}
            <TimelineCanvas key={comparing.value ? 'new' : 'own'} source={comparing.value ? newTimes : own} />
        </section>
    );
}

function Bar() {
    const sources = capture.value?.sources ?? [];
    // Of many files the one with most in it says best what this is; a folder begins with logs.
    const fullest = sources.reduce((best, s) => ((s.records_in ?? 0) > (best?.records_in ?? -1) ? s : best), sources[0]);
    const file = fullest?.path.split('/').pop() ?? '';
    return (
        <header class="bar">
            <strong>model-inspector</strong>
            {file && <button class="plain faint file" title={sources.slice(0, 30).map((s) => clean(s.path, 200)).join('\n')} onClick={() => (panel.value = 'files')}>
                {clean(file, 60)}{sources.length > 1 ? ` +${sources.length - 1}` : ''}</button>}
            <Search />
            <Chips />
            <span class="grow" />
            <Tool name="follow" label={t('follow')} pressed={follow.value} act={() => (follow.value = !follow.value)} />
            <Tool name="link" label={t('link')} act={() => {
                const address = `${location.href.split('#')[0]}#${encode(here())}`;
                void navigator.clipboard?.writeText(address).then(() => (announcement.value = t('copied')));
            }} />
            <Tool name="help" label={t('help')} act={() => (panel.value = 'help')} />
            <Tool name="theme" label={t('theme')} act={() => (theme.value = theme.value === 'dark' ? 'light' : 'dark')} />
            <button id="lang" onClick={() => setLanguage(lang.value === 'zh' ? 'en' : 'zh')}>{t('language')}</button>
        </header>
    );
}

// What narrows the views, each to be taken away.
function Chips() {
    const names = [...hidden.value];
    return (
        <>
            {path.value && <button class="chip path-chip" onClick={() => (path.value = null)}>{t('path')} ✕</button>}
            {names.length > 0 && <button class="chip" title={names.map(categoryName).join(', ')} onClick={() => (hidden.value = new Set())}>
                {t('hiddenTypes', {n: names.length})} ✕</button>}
        </>
    );
}

function GraphBar() {
    const known = capture.value;
    const layers = (['framework', 'compiled'] as const).filter((x) => known?.has.includes(x) || (comparing.value && baseCapture.value?.has.includes(x)));
    return (
        <div class="graph-bar" role="toolbar" aria-label={t('structure')}>
            <strong>{t('structure')}</strong>
            <select id="layer" aria-label={t('layer')} title={t('layer')} value={layer.value} onChange={(e) => setLayer((e.target as HTMLSelectElement).value as 'framework')}>
                {layers.map((x) => <option key={x} value={x}>{t(x === 'framework' ? 'frameworkShort' : 'compiledShort')}</option>)}
            </select>
            <select id="fold" aria-label={t('fold')} title={t('fold')} value={fold.value} onChange={(e) => setFold((e.target as HTMLSelectElement).value as Fold)}>
                <option value="scope">{t('foldScope')}</option>
                <option value="group">{t('foldGroup')}</option>
                <option value="none">{t('foldNone')}</option>
            </select>
            {comparing.value ? <PairColours /> : <select id="colours" aria-label={t('colours')} title={t('colours')} value={heatMap.value ? 'time' : 'type'}
                onChange={(e) => (heatMap.value = (e.target as HTMLSelectElement).value === 'time')}>
                <option value="type">{t('byType')}</option>
                <option value="time">{t('byTime')}</option>
            </select>}
            {isCompared() && <button id="compare" aria-pressed={comparing.value} title={t('compareMeaning')} onClick={() => setComparing(!comparing.value)}>{t('compare')}</button>}
            <span class="grow" />
            <Tool name="constants" label={t('showConstants')} pressed={constants.value} act={() => setConstants(!constants.value)} />
            <Tool name="more" label={t('expandAll')} act={() => graphActions.current?.openMore()} />
            <Tool name="less" label={t('collapseAll')} act={() => graphActions.current?.closeAll()} />
            <Tool name="fit" label={t('fitAll')} act={() => graphActions.current?.fitAll()} />
            {!comparing.value && <Tool name="path" label={path.value ? t('clearPath') : t('path')} pressed={path.value !== null} act={() => (path.value ? (path.value = null) : void showPath())} />}
            <button id="graph-png" title={t('export')} onClick={() => savePicture('png')}>PNG</button>
            <button id="graph-svg" title={t('export')} onClick={() => savePicture('svg')}>SVG</button>
        </div>
    );
}

function savePicture(kind: 'png' | 'svg'): void {
    const {graph, pair} = views, name = `structure-${layer.value}`;
    if (kind === 'png' && (graph ?? pair)) savePng((graph ?? pair)!.toPicture(), name);
    else if (graph) saveSvg(graph.toSvg(), name);
    else if (pair) for (const side of ['base', 'new'] as const) saveSvg(pair.toSvg(side), `${name}-${side}`);
}

function Tool({name, label, act, pressed}: {name: string; label: string; act: () => void; pressed?: boolean}) {
    return (
        <button class="tool" id={`tool-${name}`} title={label} aria-label={label} aria-pressed={pressed} onClick={act}><Icon name={name} /></button>
    );
}

let afterG = 0;

// One thing at a time: the path, the search, the selection.
function stepBack(): void {
    if (path.value) path.value = null;
    else if (search.value || hits.value.size) setSearch('');
    else {
        group.value = null;
        if (comparing.value) void selectBase(0, 0, 'panel');
        else select(0, 0, 'panel');
    }
}

function globalKey(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.isComposing || /INPUT|SELECT|TEXTAREA/.test(target.tagName)) return;
    if (event.key === '/' || (event.ctrlKey && event.key === 'f')) {
        event.preventDefault();
        document.getElementById('search')?.focus();
    } else if (event.key === 'n' || event.key === 'N') {
        goToHit(event.shiftKey ? -1 : 1);
    } else if (event.key === 'g') {
        afterG = performance.now();
    } else if (performance.now() - afterG < 1200 && ['1', '2', '3', '4'].includes(event.key)) {
        const ids: Record<string, string> = {'1': '#graph, #graph-new', '2': '#timeline', '3': '.mapping .rows', '4': '.tabs [aria-selected=true]'};
        document.querySelector<HTMLElement>(ids[event.key]!)?.focus();
    } else if (event.code === 'KeyC' && !event.ctrlKey && !event.metaKey) {
        setComparing(!comparing.value);
    } else if (event.code === 'KeyK' && !event.ctrlKey && !event.metaKey && !event.altKey) {
        setConstants(!constants.value);
    } else if ((event.key === '.' || event.key === ',') && comparing.value) {
        stepChange(event.key === '.' ? 1 : -1);
    } else if (event.code === 'KeyP' && !comparing.value && target.tagName !== 'CANVAS') {
        void showPath();
    } else if (event.key === '?') {
        panel.value = 'help';
    } else if (event.key === 'Escape') {
        stepBack();
    }
}

// Structure, mapping and panel side by side, the timeline below the first two.
function grid(hasTime: boolean): Record<string, string> {
    if (comparing.value) return wideGrid(hasTime);
    const panelPart = place('panel'), mapPart = ((100 - panelPart) * place('map')) / 100;
    const columns = `minmax(0, ${100 - panelPart - mapPart}fr) 5px minmax(0, ${mapPart}fr) 5px minmax(${least('panel', '270px')}, ${panelPart}fr)`;
    const rows = hasTime ? `minmax(0, ${100 - place('time')}fr) 5px minmax(0, ${place('time')}fr)` : 'minmax(0, 1fr)';
    return {
        gridTemplateColumns: columns, gridTemplateRows: rows,
        gridTemplateAreas: hasTime ? '"graph s1 map s2 panel" "s3 s3 s3 s2 panel" "time time time s2 panel"' : '"graph s1 map s2 panel"',
    };
}

// Two sides need the room of the mapping.
function wideGrid(hasTime: boolean): Record<string, string> {
    const panelPart = place('panel');
    return {
        gridTemplateColumns: `minmax(0, ${100 - panelPart}fr) 5px minmax(${least('panel', '328px')}, ${panelPart}fr)`,
        gridTemplateRows: hasTime ? `minmax(0, ${100 - place('times')}fr) 5px minmax(0, ${place('times')}fr)` : 'minmax(0, 1fr)',
        gridTemplateAreas: hasTime ? '"graph s2 panel" "s3 s2 panel" "time s2 panel"' : '"graph s2 panel"',
    };
}

export function App() {
    const known = capture.value;
    useEffect(() => {
        document.addEventListener('keydown', globalKey);
        return () => document.removeEventListener('keydown', globalKey);
    }, []);
    const hasTime = known && (known.has.includes('tasks') || known.has.includes('slices'));
    return (
        <div class={`page${hasTime ? '' : ' no-time'}${known ? '' : ' empty'}`}>
            <Bar />
            {failure.value && (
                <div class="failure" role="alert">{t(isReport() ? 'failedHere' : 'failed', {reason: clean(failure.value, 300)})}{' '}
                    <button onClick={() => { failure.value = ''; void loadCapture(); }}>{t('retry')}</button></div>)}
            <ReportNote />
            {!known && <ReadingNote />}
            <main style={grid(hasTime === true)}>
                <section class="graph" aria-label={t('structure')}>
                    <GraphBar />
                    {comparing.value ? <PairCanvas hold={(view) => (views.pair = view)} /> : <GraphCanvas hold={(view) => (views.graph = view)} />}
                    {!comparing.value && heatMap.value && <HeatScale />}
                    {comparing.value ? <PairLegend /> : <Legend />}
                </section>
                {!comparing.value && <Splitter name="map" upright />}
                {!comparing.value && <section class="map" aria-label={t('mapping')}>{known && isShown.value && <Mapping />}</section>}
                <Splitter name="panel" upright />
                <Panels pair={() => views.pair} />
                {hasTime && <Splitter name={comparing.value ? 'times' : 'time'} upright={false} />}
                {hasTime && <Times />}
            </main>
            <p class="announce" aria-live="polite">{announcement.value}</p>
        </div>
    );
}
