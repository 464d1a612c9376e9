/* Waiting for the page without fixed times. */

/* Machines are slow at times: a check waits until it is so, and is false if it never is. */
export const until = (page, fn, arg) => page.waitForFunction(fn, arg, {timeout: 15000}).then(() => true, () => false);

/* Until nothing is under way: no answer is awaited, nothing moves, nothing on the page changes. It looks on for longer
 * than the page itself lets anything rest (250 ms before it writes its address). */
export const rest = (page) => page.evaluate(() => new Promise((done) => {
    const REST_MS = 320, MOST_MS = 30000, begin = performance.now();
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
}));
