/* Waiting for the page without fixed times. */

/* Machines are slow at times: what will be so is waited for as long as this. Pages have it as their default, so that no
 * wait names a time of its own. */
export const PATIENCE_MS = 60000;

/* A check waits until it is so, and is false if it never is. */
export const until = (page, fn, arg) => page.waitForFunction(fn, arg).then(() => true, () => false);
export const untilThere = (page, selector) => page.waitForSelector(selector).then(() => true, () => false);

/* Until nothing is under way: no answer is awaited, nothing moves, nothing on the page changes. It looks on for longer
 * than the page itself lets anything rest (250 ms before it writes its address). */
export const rest = (page) => page.evaluate((MOST_MS) => new Promise((done) => {
    const REST_MS = 320, begin = performance.now();
    let changes = 0, before = '', since = begin;
    const changed = new MutationObserver((list) => (changes += list.length));
    changed.observe(document.body, {subtree: true, childList: true, attributes: true, characterData: true});
    const look = (now) => {
        const {graph, pair, timeline, waiting} = window.inspector, view = pair ?? graph;
        const state = JSON.stringify([changes, location.hash, view?.camera, graph?.scene?.count, timeline?.scroll, timeline?.data?.id.length]);
        if (state !== before || waiting() > 0) since = now;
        before = state;
        if (now - since < REST_MS && now - begin < MOST_MS) {
            requestAnimationFrame(look);
            return;
        }
        changed.disconnect();
        done();
    };
    requestAnimationFrame(look);
}), PATIENCE_MS);
