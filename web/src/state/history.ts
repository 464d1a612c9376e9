// The address and the history of the browser. A deliberate step - selecting, opening a group, another panel, a filter -
// is an entry, so that Back undoes it; moving about and typing only change the entry that is there. What a step brings
// along once answers arrive (another layer, groups opened on the way) belongs to it.
import {effect} from '@preact/signals';
import {waiting} from '../api/client';
import {closedGroups, dimOthers, foldIdle, hiddenTracks, rawTime, showFlows} from '../timeline/state';
import {baseSelection, colourBy, comparing} from '../diff/state';
import {decode, encode, goBackTo, here, restore, type Place} from './permalink';
import {also, group, heatMap, hidden, opened, panel, path, selection, shape, shapeKey} from './state';

const PAUSE_MS = 250;
const MOST_WAITS = 20; // pauses for answers; then what there is has to do

// Beside the address, which has not room for every list.
type Kept = Pick<Place, 'open' | 'folded' | 'tracks'>;

function listsOf({open, folded, tracks}: Place): Kept {
    return {...(open && {open}), ...(folded && {folded}), ...(tracks && {tracks})};
}

function deliberate(): string {
    const {node, task} = selection.value;
    return JSON.stringify([
        shapeKey(shape.value), opened.value && [...opened.value].sort((a, b) => a - b), node, task, also.value.map((k) => [k.node, k.task]),
        group.value?.item ?? 0, path.value?.node ?? 0, heatMap.value, panel.value, [...hidden.value].sort(), comparing.value, colourBy.value,
        node ? 0 : baseSelection.value.node, showFlows.value, foldIdle.value, rawTime.value, dimOthers.value,
        closedGroups.value && [...closedGroups.value].sort(), [...hiddenTracks.value].sort((a, b) => a - b),
    ]);
}

// For as long as the page lives.
export function keepAddress(): void {
    let timer = 0, waits = 0, shown = deliberate(), hash = '', isSettling = true; // until somebody does something
    const write = (): void => {
        const now = deliberate(), kept = listsOf(here());
        window.clearTimeout(timer);
        timer = 0;
        if (location.hash === hash && now === shown) return;
        if (now === shown || isSettling) history.replaceState(kept, '', hash);
        else history.pushState(kept, '', hash);
        shown = now;
    };
    const later = (): void => {
        if (waiting() > 0 && waits++ < MOST_WAITS) timer = window.setTimeout(later, PAUSE_MS);
        else write();
    };
    // The next step begins: what was done before is an entry of its own.
    const flush = (): void => {
        if (timer && deliberate() !== shown) write();
        isSettling = false;
    };
    effect(() => {
        deliberate();
        hash = `#${encode(here())}`;
        window.clearTimeout(timer);
        waits = 0;
        timer = window.setTimeout(later, PAUSE_MS);
    });
    for (const input of ['pointerdown', 'click', 'keydown', 'change'] as const) document.addEventListener(input, flush, {capture: true, passive: true});
    window.addEventListener('popstate', (event) => {
        const place = decode(location.hash), kept = event.state as Kept | null;
        if (kept) {
            delete place.open;
            delete place.folded;
            delete place.tracks;
            goBackTo({...place, ...kept});
        } else restore(place); // a link, typed or pasted
        shown = deliberate();
        isSettling = true;
    });
}
