// While the server reads the files it can say how far it is; the page asks for that until it has something to show.
import {signal} from '@preact/signals';
import {readingNow, type Reading} from '../api/client';

export const reading = signal<Reading | null>(null);

const FIRST_MS = 300; // what is there by then needs no words
const EACH_MS = 300;

// Tells until `answer` is there.
export function tellReading(answer: Promise<unknown>): void {
    let timer = 0, isOver = false;
    const ask = async (): Promise<void> => {
        try {
            const now = await readingNow();
            if (!isOver) reading.value = now.ready ? null : now;
        } catch {
            // The answer itself will fail, and says so.
        }
        if (!isOver) timer = window.setTimeout(ask, EACH_MS);
    };
    timer = window.setTimeout(ask, FIRST_MS);
    void answer.finally(() => {
        isOver = true;
        window.clearTimeout(timer);
        reading.value = null;
    });
}
