// More than one thing selected: Ctrl, Cmd or Shift with an arrow adds to what is selected, or takes away again. The
// last one is the selection that the panel tells about; those before it are kept beside it.
import {batch} from '@preact/signals';
import {getJson, type Links} from '../api/client';
import {linksOf, move, select} from './actions';
import {also, links, selection, type Kept, type View} from './state';

const MOST = 100;

const isSame = (a: {node: number; task: number}, b: {node: number; task: number}): boolean => a.node === b.node && a.task === b.task;

// What it is linked with, where that is not known yet.
async function fill(kept: Kept): Promise<void> {
    try {
        const found = await getJson<Links>('', linksOf(kept.task ? `task=${kept.task}` : `node=${kept.node}`));
        also.value = also.value.map((k) => (k === kept ? {...kept, links: found} : k));
    } catch {
        also.value = also.value.filter((k) => k !== kept); // of other files: there is no such thing here
    }
}

export function keep(list: readonly {node: number; task: number}[]): void {
    also.value = list.slice(0, MOST).map(({node, task}) => ({node, task, links: null}));
    also.value.forEach((kept) => void fill(kept));
}

function present(): Kept {
    const {node, task} = selection.value, found = links.value;
    return {node, task, links: found && (task ? found.task === task : found.node === node && found.task === null) ? found : null};
}

export function add(node: number, task: number, origin: View): void {
    const now = selection.value, kept = also.value, one = {node, task};
    if (!node && !task) return;
    if (!now.node && !now.task) {
        select(node, task, origin);
    } else if (isSame(now, one)) {
        const last = kept[kept.length - 1];
        batch(() => {
            also.value = kept.slice(0, -1);
            move(last?.node ?? 0, last?.task ?? 0, origin);
        });
    } else if (kept.some((k) => isSame(k, one))) {
        also.value = kept.filter((k) => !isSame(k, one));
    } else if (kept.length < MOST) {
        const before = present();
        batch(() => {
            also.value = [...kept, before];
            move(node, task, origin);
        });
        if (!before.links) void fill(before);
    }
}
