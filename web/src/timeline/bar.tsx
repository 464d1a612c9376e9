// The switches of the timeline, and its twin for screen readers.
import type {ReadonlySignal, Signal} from '@preact/signals';
import {t} from '../i18n/i18n';
import {capture, heatMap} from '../state/state';
import {heat} from '../util/colours';
import {count, duration} from '../util/format';
import {savePicture} from './picture';
import {arrowNote, dimOthers, foldIdle, rawTime, showFlows, timeMost, timeText, type TwinItem} from './state';
import type {TimelineView} from './view';

function Switch({id, value, text, title}: {id: string; value: Signal<boolean>; text: string; title?: string}) {
    return (
        <label title={title}><input type="checkbox" id={id} checked={value.value}
            onChange={(e) => (value.value = (e.target as HTMLInputElement).checked)} /> {text}</label>
    );
}

// What the colours of times mean here: the longest task in sight is the hottest.
function HeatScale() {
    return (
        <span class="heat-scale faint">
            <span>0</span>
            <span class="ramp">{Array.from({length: 24}, (_, i) => <i key={i} style={{background: heat((i / 23) ** 2)}} />)}</span>
            <span id="time-most">{duration(timeMost.value)}</span>
        </span>
    );
}

let typing = 0;

function Filter() {
    return (
        <span class="time-filter">
            <input id="time-filter" type="search" value={timeText.value} placeholder={t('timeFilter')} aria-label={t('timeFilter')}
                onInput={(e) => {
                    const text = (e.target as HTMLInputElement).value;
                    window.clearTimeout(typing);
                    typing = window.setTimeout(() => (timeText.value = text), 150);
                }} />
            <select id="time-others" aria-label={t('others')} value={dimOthers.value ? 'pale' : 'gone'}
                onChange={(e) => (dimOthers.value = (e.target as HTMLSelectElement).value === 'pale')}>
                <option value="pale">{t('othersPale')}</option>
                <option value="gone">{t('othersGone')}</option>
            </select>
        </span>
    );
}

export function TimelineBar({views}: {views: () => readonly TimelineView[]}) {
    const {shown, total} = arrowNote.value, away = views().map((view) => view.source.hiddenTracks), gone = away.reduce((n, list) => n + list.value.size, 0);
    return (
        <div class="time-bar" role="toolbar" aria-label={t('timeline')}>
            <strong>{t('timeline')}</strong>
            <Filter />
            {gone > 0 && <button id="show-tracks" onClick={() => away.forEach((list) => (list.value = new Set()))}>{t('hiddenRows', {n: gone})}</button>}
            <Switch id="show-flows" value={showFlows} text={t('flows')} />
            {showFlows.value && total > shown && <span class="faint">{t(shown ? 'arrowsSome' : 'arrowsMany', {n: count(shown), total: count(total)})}</span>}
            <Switch id="fold-idle" value={foldIdle} text={t('foldIdle')} title={t('foldIdleMeaning')} />
            {capture.value?.calibrated && <Switch id="raw-time" value={rawTime} text={t('raw')} title={t('rawMeaning')} />}
            {heatMap.value && <HeatScale />}
            <span class="grow" />
            {(['png', 'svg'] as const).map((kind) => (
                <button key={kind} id={`time-${kind}`} title={t('export')} onClick={() => views().forEach((view) => savePicture(view, kind))}>{kind.toUpperCase()}</button>))}
        </div>
    );
}

export function TimelineTwin({name, twin}: {name: string; twin: ReadonlySignal<readonly TwinItem[]>}) {
    return (
        <ul class="announce" id={`timeline${name}-twin`} role="listbox" aria-label={t('timeline')}>
            {twin.value.map((item) => <li key={item.id} id={item.id} role="option" aria-selected={item.chosen}>{item.text}</li>)}
        </ul>
    );
}
