// The switches of the timeline.
import {t} from '../i18n/i18n';
import {capture} from '../state/state';
import {count} from '../util/format';
import {arrowNote, rawTime, showFlows} from './state';
import type {TimelineView} from './view';

export function TimelineBar({view}: {view: () => TimelineView | null}) {
    const {shown, total} = arrowNote.value;
    return (
        <div class="time-bar" role="toolbar" aria-label={t('timeline')}>
            <strong>{t('timeline')}</strong>
            <label><input type="checkbox" id="show-flows" checked={showFlows.value}
                onChange={(e) => (showFlows.value = (e.target as HTMLInputElement).checked)} /> {t('flows')}</label>
            {showFlows.value && total > shown && <span class="faint">{t(shown ? 'arrowsSome' : 'arrowsMany', {n: count(shown), total: count(total)})}</span>}
            {capture.value?.calibrated && (
                <label title={t('rawMeaning')}><input type="checkbox" id="raw-time" checked={rawTime.value}
                    onChange={(e) => (rawTime.value = (e.target as HTMLInputElement).checked)} /> {t('raw')}</label>)}
            <span class="grow" />
            {(['png', 'svg'] as const).map((kind) => (
                <button key={kind} id={`time-${kind}`} title={t('export')} onClick={() => view()?.savePicture(kind)}>{kind.toUpperCase()}</button>))}
        </div>
    );
}
