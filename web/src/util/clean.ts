// Names come from hostile files: what has no picture, or turns the direction of the text, is shown as
// an escape.
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

export function clean(text: string, most = 256): string {
    const shown = text.replace(HIDDEN, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
    return shown.length > most ? `${shown.slice(0, most)}…` : shown;
}

// Cut in the middle, since names differ at their ends: "layer1/…/conv2".
export function middle(text: string, letters: number): string {
    if (text.length <= letters) return text;
    if (letters < 4) return text.slice(0, Math.max(0, letters));
    const tail = Math.ceil((letters - 1) * 0.6);
    return `${text.slice(0, letters - 1 - tail)}…${text.slice(text.length - tail)}`;
}
