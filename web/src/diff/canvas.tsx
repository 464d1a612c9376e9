// Both sides of the structure, what stands above and below them, and their twin in words.
import {useEffect, useRef} from 'preact/hooks';
import {t} from '../i18n/i18n';
import {constants, focus, graphMost, layer} from '../state/state';
import {clean} from '../util/clean';
import {duration} from '../util/format';
import {KINDS, noChange, SIDES, type Kind, type Side} from './api';
import {deltaColour, kindLook, NAMES, SIGNS} from './looks';
import {PairView, type Canvases} from './pair';
import {theme} from '../state/state';
import {changes, colourBy, type ColourBy} from './state';

export function sideName(side: Side): string {
    return clean(changes.value?.names[side === 'base' ? 0 : 1] ?? '', 200);
}

function Head({side}: {side: Side}) {
    return <p class="side-head" title={sideName(side)}><b>{t(side === 'base' ? 'baseSide' : 'newSide')}</b> <span class="faint">{sideName(side)}</span></p>;
}

export function PairCanvas({hold}: {hold: (view: PairView | null) => void}) {
    const box = useRef<HTMLDivElement>(null), now = focus.value;
    useEffect(() => {
        const of = (side: Side): Canvases => ({
            canvas: box.current!.querySelector<HTMLCanvasElement>(`#graph-${side}`)!, overlay: box.current!.querySelector<HTMLCanvasElement>(`#over-${side}`)!,
        });
        const view = new PairView({base: of('base'), new: of('new')});
        hold(view);
        return () => {
            view.destroy();
            hold(null);
        };
    }, []);
    return (
        <div class="pair" ref={box}>
            {SIDES.map((side) => (
                <div class="side" key={side}>
                    <Head side={side} />
                    <div class="canvases">
                        <canvas id={`graph-${side}`} tabIndex={0} role="application" aria-describedby="pair-keys" aria-owns="pair-twin"
                            aria-activedescendant={now ? `box-${now.box}` : undefined}
                            aria-label={`${t('structure')}, ${t(layer.value)}, ${t(side === 'base' ? 'baseSide' : 'newSide')}`} />
                        <canvas id={`over-${side}`} class="over" aria-hidden="true" />
                    </div>
                </div>))}
            <ul id="pair-twin" class="twin" role="listbox" aria-label={t('structure')}>
                {now?.items.map((item) => (
                    <li key={item.id} id={`box-${item.id}`} role="option" aria-selected={item.id === now.box} aria-posinset={item.place} aria-setsize={item.of}>
                        {item.text}, {t('placeOf', {n: item.place, all: item.of})}
                    </li>))}
            </ul>
            <p id="pair-keys" class="twin">{t('keyTable')}</p>
        </div>
    );
}

export function PairColours() {
    return (
        <select id="diff-colours" aria-label={t('colours')} title={t('colours')} value={colourBy.value}
            onChange={(e) => (colourBy.value = (e.target as HTMLSelectElement).value as ColourBy)}>
            <option value="change">{t('byChange')}</option>
            <option value="time">{t('byDelta')}</option>
            <option value="type">{t('byType')}</option>
        </select>
    );
}

// Signs of the kinds that are there, and in colours of times what they mean.
export function PairLegend() {
    const known = changes.value, isDark = theme.value === 'dark', most = graphMost.value;
    const kinds = KINDS.filter((kind: Kind) => kind !== 'renamed' && known?.kinds[kind]);
    return (
        <ul class="legend diff-legend" aria-label={t('legend')}>
            {colourBy.value === 'time' && most > 0 && <li class="delta-scale">
                <span>−{duration(most)}</span>
                <span class="ramp">{Array.from({length: 25}, (_, i) => <i key={i} style={{background: deltaColour((i - 12) / 12, isDark)}} />)}</span>
                <span>+{duration(most)}</span></li>}
            {kinds.map((kind) => (
                <li key={kind}><i class="sign" style={{background: kindLook(kind).fill, color: kindLook(kind).text}}>{SIGNS[kind]}</i> {t(NAMES[kind])}</li>))}
            {constants.value && <li class="faint"><i class="constant" /> {t('constantKind')}</li>}
            {colourBy.value === 'time' && !most && <li>{t('noDeltas')}</li>}
            {known && !known.total && <li><b>{t(noChange(known))}</b></li>}
        </ul>
    );
}
