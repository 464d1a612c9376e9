// The two canvases of the structure and their twin in words: the chosen box and its neighbours, for whoever
// hears the page and does not see it.
import {useLayoutEffect, useRef} from 'preact/hooks';
import {t} from '../i18n/i18n';
import {focus, layer} from '../state/state';
import {GraphView} from './view';

export function GraphCanvas({hold}: {hold: (view: GraphView | null) => void}) {
    const scene = useRef<HTMLCanvasElement>(null), over = useRef<HTMLCanvasElement>(null);
    useLayoutEffect(() => {
        if (!scene.current || !over.current) return undefined;
        const view = new GraphView(scene.current, over.current);
        hold(view);
        return () => {
            view.destroy();
            hold(null);
        };
    }, []);
    const now = focus.value;
    return (
        <div class="canvases">
            <canvas ref={scene} id="graph" tabIndex={0} role="application" aria-label={`${t('structure')}, ${t(layer.value)}`}
                aria-describedby="graph-keys" aria-activedescendant={now ? `box-${now.box}` : undefined} aria-owns="graph-twin" />
            <canvas ref={over} class="over" aria-hidden="true" />
            <ul id="graph-twin" class="twin" role="listbox" aria-label={t('structure')}>
                {now?.items.map((item) => (
                    <li key={item.id} id={`box-${item.id}`} role="option" aria-selected={item.id === now.box} aria-posinset={item.place} aria-setsize={item.of}>
                        {item.text}, {t('placeOf', {n: item.place, all: item.of})}
                    </li>))}
            </ul>
            <p id="graph-keys" class="twin">{t('keyTable')}</p>
        </div>
    );
}
