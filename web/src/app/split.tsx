// The borders between the views: dragged, or moved by arrow keys; a double click puts them back. Where they
// stand is kept for the next visit.
import {effect} from '@preact/signals';
import {useRef} from 'preact/hooks';
import {t} from '../i18n/i18n';
import {panes} from '../state/state';

export type Border = 'map' | 'panel' | 'time' | 'times';

const NORMAL: Record<Border, number> = {map: 44, panel: 24, time: 36, times: 48}; // per cent, of what is at the right or below
const LEAST = 10;
const MOST = 80;
const KEY = 'model-inspector-panes';

export function keepPanes(): void {
    try {
        const kept = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Record<string, unknown>;
        for (const name of Object.keys(NORMAL) as Border[]) {
            const value = kept[name];
            if (typeof value === 'number' && value >= LEAST && value <= MOST) panes.value = {...panes.value, [name]: value};
        }
    } catch {
        // Nothing of ours is kept there, or nothing may be.
    }
    effect(() => {
        const now = JSON.stringify(panes.value);
        try {
            localStorage.setItem(KEY, now);
        } catch {
            // Without storage they stand as they are until the page is closed.
        }
    });
}

export const place = (name: Border): number => panes.value[name] ?? NORMAL[name];

// What a view needs to show its heads whole, unless somebody wants it smaller.
export const least = (name: Border, wanted: string): string => (panes.value[name] === undefined ? wanted : '0');

export function Splitter({name, upright}: {name: Border; upright: boolean}) {
    const bar = useRef<HTMLDivElement>(null);
    const move = (value: number): void => {
        panes.value = {...panes.value, [name]: Math.round(Math.min(MOST, Math.max(LEAST, value)) * 10) / 10};
    };
    const drag = (e: PointerEvent): void => {
        const area = bar.current?.parentElement?.getBoundingClientRect();
        if (!area || !bar.current?.hasPointerCapture(e.pointerId)) return;
        if (!upright) move((100 * (area.bottom - e.clientY)) / area.height);
        else if (name === 'panel') move((100 * (area.right - e.clientX)) / area.width);
        else {
            const right = area.right - (area.width * place('panel')) / 100;
            move((100 * (right - e.clientX)) / (right - area.left));
        }
    };
    const key = (e: KeyboardEvent): void => {
        const step: Record<string, number> = upright ? {ArrowLeft: 2, ArrowRight: -2} : {ArrowUp: 2, ArrowDown: -2};
        if (!(e.key in step)) return;
        move(place(name) + step[e.key]!);
        e.preventDefault();
    };
    return (
        <div ref={bar} class={`splitter ${name} ${upright ? 'upright' : 'flat'}`} role="separator" tabIndex={0}
            aria-orientation={upright ? 'vertical' : 'horizontal'} aria-valuenow={place(name)} aria-valuemin={LEAST} aria-valuemax={MOST}
            aria-label={t('border')} onPointerDown={(e) => bar.current?.setPointerCapture(e.pointerId)} onPointerMove={drag} onKeyDown={key}
            onDblClick={() => move(NORMAL[name])} />
    );
}
