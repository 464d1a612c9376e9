// The page: a bar, structure and mapping beside the panel, the timeline below.
import {effect} from '@preact/signals';
import {useEffect, useRef, useState} from 'preact/hooks';
import {GraphCanvas} from '../graph/canvas';
import type {GraphView} from '../graph/view';
import {t} from '../i18n/i18n';
import {goToHit, graphActions, loadCapture, searchResult, select, setFold, setLayer, setSearch, showPath, timeActions} from '../state/actions';
import {announcement, capture, failure, fold, follow, heatMap, lang, layer, path, search, theme, type Fold} from '../state/state';
import {encode, here} from '../state/permalink';
import {Mapping} from '../tables/mapping';
import {TimelineBar, TimelineTwin} from '../timeline/bar';
import {TimelineView} from '../timeline/view';
import {clean} from '../util/clean';
import {savePng} from '../util/export';
import {count} from '../util/format';
import {Icon} from './icons';
import {Legend, Panels} from './panels';
import {ReportNote} from './report_note';

const views: {graph: GraphView | null; timeline: TimelineView | null} = {graph: null, timeline: null};
export {views};

function TimelineCanvas() {
    const ref = useRef<HTMLCanvasElement>(null);
    useEffect(() => {
        if (!ref.current) return undefined;
        const view = (views.timeline = new TimelineView(ref.current));
        return () => view.destroy();
    }, []);
    return <canvas ref={ref} id="timeline" tabIndex={0} role="application" aria-label={t('timeline')} />;
}

function Search() {
    const [, refresh] = useState(0);
    useEffect(() => {
        const listener = (): void => refresh((n) => n + 1);
        searchResult.listeners.add(listener);
        return () => void searchResult.listeners.delete(listener);
    }, []);
    const result = searchResult.current;
    return (
        <div class="search">
            <input id="search" type="search" value={search.value} placeholder={t('search')} aria-label={t('search')}
                onInput={(e) => setSearch((e.target as HTMLInputElement).value)}
                onKeyDown={(e) => {
                    if (e.isComposing) return;
                    if (e.key === 'Enter') goToHit(e.shiftKey ? -1 : 1);
                    if (e.key === 'Escape') {
                        setSearch('');
                        (e.target as HTMLInputElement).blur();
                    }
                }} />
            {search.value && (
                <div class="hits" role="listbox" aria-label={t('search')}>
                    <p class="faint">{t('hits', {n: count(result.total)})}</p>
                    {result.hits.slice(0, 30).map((h) => (
                        <button key={h.node} role="option" class="plain" onClick={() => {
                            if (h.layer === 'framework' || h.layer === 'compiled') setLayer(h.layer);
                            select(h.node, 0, 'panel');
                        }}>
                            <b>{clean(h.op, 40)}</b> {clean(h.name, 90)} <small class="faint">{clean(h.layer, 12)}</small>
                        </button>))}
                </div>)}
        </div>
    );
}

function Bar() {
    const known = capture.value;
    return (
        <header class="bar">
            <strong>model-inspector</strong>
            <label>{t('layer')} <select value={layer.value} onChange={(e) => setLayer((e.target as HTMLSelectElement).value as 'framework')}>
                {(['framework', 'compiled'] as const).filter((x) => known?.has.includes(x)).map((x) => <option key={x} value={x}>{t(x)}</option>)}
            </select></label>
            <label>{t('fold')} <select value={fold.value} onChange={(e) => setFold((e.target as HTMLSelectElement).value as Fold)}>
                <option value="scope">{t('foldScope')}</option>
                <option value="group">{t('foldGroup')}</option>
                <option value="none">{t('foldNone')}</option>
            </select></label>
            <label>{t('colours')} <select value={heatMap.value ? 'time' : 'type'} onChange={(e) => (heatMap.value = (e.target as HTMLSelectElement).value === 'time')}>
                <option value="type">{t('byCategory')}</option>
                <option value="time">{t('byTime')}</option>
            </select></label>
            <Search />
            <Tool name="more" label={t('expandAll')} act={() => graphActions.current?.openMore()} />
            <Tool name="less" label={t('collapseAll')} act={() => graphActions.current?.closeAll()} />
            <Tool name="fit" label={t('fitAll')} act={() => { graphActions.current?.fitAll(); timeActions.current?.fitAll(); }} />
            <Tool name="path" label={path.value ? t('clearPath') : t('path')} act={() => (path.value ? (path.value = null) : void showPath())} />
            <Tool name="follow" label={t('follow')} pressed={follow.value} act={() => (follow.value = !follow.value)} />
            <Tool name="save" label={t('export')} act={() => (views.graph && savePng(views.graph.toPicture(), 'structure'))} />
            <Tool name="link" label={t('link')} act={() => {
                const address = `${location.href.split('#')[0]}#${encode(here())}`;
                void navigator.clipboard?.writeText(address).then(() => (announcement.value = t('copied')));
            }} />
            <Tool name="theme" label={t('theme')} act={() => (theme.value = theme.value === 'dark' ? 'light' : 'dark')} />
            <button id="lang" onClick={() => (lang.value = lang.value === 'zh' ? 'en' : 'zh')}>{t('language')}</button>
        </header>
    );
}

function Tool({name, label, act, pressed}: {name: string; label: string; act: () => void; pressed?: boolean}) {
    return (
        <button class="tool" id={`tool-${name}`} title={label} aria-label={label} aria-pressed={pressed} onClick={act}><Icon name={name} /></button>
    );
}

let afterG = 0;

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
    } else if (performance.now() - afterG < 1200 && ['1', '2', '3'].includes(event.key)) {
        const ids: Record<string, string> = {'1': '#graph', '2': '#timeline', '3': '.mapping .rows'};
        document.querySelector<HTMLElement>(ids[event.key]!)?.focus();
    } else if (event.code === 'KeyP' && target.tagName !== 'CANVAS') {
        void showPath();
    } else if (event.key === '?') {
        void import('../state/state').then((state) => (state.panel.value = 'help'));
    }
}

export function App() {
    const known = capture.value;
    useEffect(() => {
        document.addEventListener('keydown', globalKey);
        const stop = effect(() => {
            document.documentElement.lang = lang.value;
            document.documentElement.dataset['theme'] = theme.value;
        });
        return () => {
            document.removeEventListener('keydown', globalKey);
            stop();
        };
    }, []);
    const hasTime = known && (known.has.includes('tasks') || known.has.includes('slices'));
    return (
        <div class={`page${hasTime ? '' : ' no-time'}`}>
            <Bar />
            {failure.value && (
                <div class="failure" role="alert">{t('failed', {reason: clean(failure.value, 300)})}{' '}
                    <button onClick={() => { failure.value = ''; void loadCapture(); }}>{t('retry')}</button></div>)}
            <ReportNote />
            <main>
                <section class="graph" aria-label={t('structure')}><GraphCanvas hold={(view) => (views.graph = view)} /><Legend /></section>
                <section class="map" aria-label={t('mapping')}>{known && <Mapping />}</section>
                <Panels />
                {hasTime && <section class="time" aria-label={t('timeline')}>
                    <TimelineBar view={() => views.timeline} /><TimelineCanvas /><TimelineTwin /></section>}
            </main>
            <p class="announce" aria-live="polite">{announcement.value}</p>
        </div>
    );
}
