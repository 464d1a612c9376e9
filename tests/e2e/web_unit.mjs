/* Parts of the page without a browser: the decoder of binary replies, addresses, names.
 * usage: node web_unit.mjs     needs esbuild */
import {buildSync} from 'esbuild';
import {mkdtempSync, readdirSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

const web = fileURLToPath(new URL('../../web/src/', import.meta.url));
const out = mkdtempSync(join(tmpdir(), 'page-'));
const load = async (name) => {
    const file = join(out, `${name.replace(/\W/g, '-')}.mjs`);
    buildSync({entryPoints: [join(web, name)], outfile: file, bundle: true, format: 'esm', platform: 'neutral', mainFields: ['module', 'main']});
    return import(pathToFileURL(file).href);
};
let passed = 0, failed = 0;
const check = (what, is, more = '') => {
    if (is) passed++;
    else {
        failed++;
        console.log(`FAILED: ${what} ${more}`);
    }
};
const throws = (act) => {
    try {
        act();
        return false;
    } catch {
        return true;
    }
};

const {decodeFrame, texts, u32, u8, i64} = await load('api/frame.ts');
function frame(columns, {magic = 0x3142494d, version = 1} = {}) {
    let at = 32 + 16 * columns.length;
    const offsets = columns.map((c) => {
        const here = at;
        at = (at + c.bytes.length + 7) & ~7;
        return c.offset ?? here;
    });
    const data = new DataView(new ArrayBuffer(at));
    data.setUint32(0, magic, true);
    data.setUint16(4, version, true);
    data.setUint16(6, 2, true);
    data.setUint32(8, columns.length, true);
    data.setUint32(12, 3, true);
    data.setBigInt64(16, -5n, true);
    data.setBigInt64(24, 8n, true);
    columns.forEach((c, i) => {
        data.setUint16(32 + 16 * i, c.id, true);
        data.setUint8(32 + 16 * i + 2, c.type);
        data.setUint32(32 + 16 * i + 4, c.count, true);
        data.setBigUint64(32 + 16 * i + 8, BigInt(offsets[i]), true);
        if (offsets[i] + c.bytes.length <= at) new Uint8Array(data.buffer, offsets[i], c.bytes.length).set(c.bytes);
    });
    return data.buffer;
}
const three = {id: 1, type: 3, count: 3, bytes: new Uint8Array(new Uint32Array([7, 8, 9]).buffer)};
const good = decodeFrame(frame([three, {id: 2, type: 1, count: 2, bytes: new Uint8Array([65, 66])}]));
check('a frame is read', good.base === -5 && good.step === 8 && good.kind === 2 && [...u32(good, 1)].join() === '7,8,9');
check('a column that is not there is empty', u8(good, 77).length === 0 && i64(good, 1).length === 0);
check('types that are not known are left out', decodeFrame(frame([{...three, type: 99}])).columns.size === 0);
check('another magic is refused', throws(() => decodeFrame(frame([], {magic: 1}))));
check('another version is refused', throws(() => decodeFrame(frame([], {version: 2}))));
check('a count beyond the end is refused', throws(() => decodeFrame(frame([{...three, count: 4000000000}]))));
check('an odd offset is refused', throws(() => decodeFrame(frame([{...three, offset: 49}]))));
check('an offset beyond the end is refused', throws(() => decodeFrame(frame([{...three, offset: 1 << 20}]))));
const whole = frame([three]);
for (let n = 0; n < whole.byteLength; n++)
    check(`cut at ${n}: refused or whole`, throws(() => decodeFrame(whole.slice(0, n))) || n >= 60);
check('texts of other languages are cut where they end', texts(new Uint32Array([3, 6, 7]), new TextEncoder().encode('算子a')).join('|') === '算|子|a');
check('broken UTF-8 cuts nothing else', texts(new Uint32Array([2, 4]), new Uint8Array([0xe2, 0x82, 97, 98])).join('|') === '\ufffd|ab' &&
    texts(new Uint32Array([1, 2]), new Uint8Array([0xff, 98])).join('|') === '\ufffd|b');
check('texts are cut where they end', texts(new Uint32Array([1, 1, 3, 99]), new TextEncoder().encode('abc')).join('|') === 'a||bc|');

const {encode, decode, packNumbers, unpackNumbers} = await load('state/permalink.ts');
const place = {folded: ['device.0.3', 'host..', 'counters.1.'], tracks: [2, 40], switches: 'ai', timeText: 'a;b=c', layer: 'compiled', fold: 'group', open: [3, 900, 12], node: 17, constants: true, path: 9, also: [{node: 5, task: 0}, {node: 0, task: 9}], time: {start: -5, duration: 1000}, search: 'a;b=c ü<', hidden: ['custom', 'data_movement'], theme: 'dark', lang: 'zh'};
const again = decode(`#${encode(place)}`);
check('a place survives its address', JSON.stringify({...again, open: [...again.open].sort((a, b) => a - b)}) ===
    JSON.stringify({...again, ...place, open: [3, 12, 900]}), JSON.stringify(again));
check('a group survives its address', JSON.stringify(decode(`#${encode({group: {item: 7, isConstant: true}})}`).group) === '{"item":7,"isConstant":true}');
for (const bad of ['', '#', '#2;s=n:1', '#1;s=n:-1', '#1;s=x:1', '#1;t=1', '#1;t=1,0', '#1;x=%00', '#1;th=pink', '#1;l=<b>', '#1;q=%E0%A4%A', '#1;m=__proto__', '#1;a=n', '#1;a=n1.x2', '#1;e=x1', '#1;n=2', '#1;h=-1', '#1;r=x1', '#1;r=d1-', '#1;u=-'])
    check(`the address ${bad} is harmless`, Object.keys(decode(bad)).every((k) => ['open', 'folded', 'tracks'].includes(k) && !decode(bad)[k].length));
check('no folded rows are not those of the beginning', decode(`#${encode({folded: []})}`).folded.length === 0 && !('folded' in decode(`#${encode({})}`)));
check('numbers pack', unpackNumbers(packNumbers([5, 1, 1000000])).join() === '1,5,1000000');
check('a long list of groups gives way', encode({...place, open: Array.from({length: 3000}, (_, i) => i * 7)}).length <= 2000);

const {clean, middle} = await load('util/clean.ts');
check('directions and controls are shown', clean('a\u202eb\u0000\u0007') === 'a\\u202eb\\u0000\\u0007');
check('long names are cut', clean('x'.repeat(500)).length === 257);
check('and in the middle', middle('layer1/block/conv2', 9) === 'lay…conv2' && middle('abc', 9) === 'abc' && middle('abcdef', 2) === 'ab', middle('layer1/block/conv2', 9));

const {en} = await load('i18n/en.ts'), {zh} = await load('i18n/zh.ts');
check('both languages have the same texts', Object.keys(en).sort().join() === Object.keys(zh).sort().join());
const places = (text) => [...text.matchAll(/\{\w+\}/g)].sort().join(); /* the order is that of the language */
check('and the same places in them', Object.keys(en).every((k) => places(en[k]) === places(zh[k])));
const narrow = /[\u4e00-\u9fff}][,;:()](?!\d)|[,;:()][\u4e00-\u9fff]/;
check('Chinese texts have Chinese marks', Object.values(zh).every((text) => !narrow.test(text)), Object.values(zh).filter((text) => narrow.test(text)).join(' | '));

/* Every rule that the sources name. */
const {RULES_ZH} = await load('i18n/rules.ts');
const source = (path) => readFileSync(new URL(`../../src/${path}`, import.meta.url), 'utf8');
const sources = (path) => readdirSync(new URL(`../../src/${path}`, import.meta.url), {recursive: true}).filter((name) => name.endsWith('.c')).map((name) => source(`${path}/${name}`)).join('\n');
const all = (text, pattern) => [...text.matchAll(pattern)].map((m) => m[1]);
const analyses = sources('analyse'), matchers = sources('correlate');
const rules = [...all(source('analyse/doctor/rules.def'), /^MI_RULE\((\w+)\)/gm), ...all(source('correlate/matchers.def'), /^MI_MATCHER\((\w+)\)/gm),
    ...all(analyses, /\.rule = "(\w+)"/g), ...all(source('analyse/check.c').match(/mi_check_names\[[^]*?};/)[0], /N_\("(\w+)"\)/g),
    ...all(matchers, /rule = mi_batch_cstr\([^,]+, "(\w+)"\)/g)];
check('rules have Chinese names', rules.length > 50 && rules.every((rule) => RULES_ZH[rule]), rules.filter((rule) => !RULES_ZH[rule]).join());

const {heat, heatText} = await load('util/colours.ts');
const light = (rgb) => [0.2126, 0.7152, 0.0722].reduce((sum, part, i) => sum + part * (rgb[i] <= 10 ? rgb[i] / 255 / 12.92 : ((rgb[i] / 255 + 0.055) / 1.055) ** 2.4), 0);
const least = Math.min(...Array.from({length: 401}, (_, i) => {
    const back = light(heat(i / 400).match(/\d+/g).map(Number)), text = heatText(i / 400) === '#000000' ? 0 : 1;
    return (Math.max(back, text) + 0.05) / (Math.min(back, text) + 0.05);
}));
check('texts on colours of times can be read', least >= 4.5, String(least));

const {Grid, neighbours, wiresAmong, wiring} = await load('graph/scene.ts');
const bounds = new Float32Array(4 * 500);
let seed = 7;
const random = (most) => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) % most;
for (let i = 0; i < 500; i++) {
    const x = random(4000), y = random(9000);
    bounds.set([x, y, x + random(900), y + random(900)], 4 * i);
}
bounds.fill(NaN, 0, 4); /* nothing there */
const grid = new Grid(bounds, 5000, 10000);
check('the grid finds what a look at everything finds', Array.from({length: 60}, () => {
    const left = random(5000) - 200, top = random(10000) - 200, win = {left, top, right: left + random(1500), bottom: top + random(1500)};
    const all = [];
    for (let i = 0; i < 500; i++)
        if (bounds[4 * i] <= win.right && bounds[4 * i + 2] >= win.left && bounds[4 * i + 1] <= win.bottom && bounds[4 * i + 3] >= win.top) all.push(i);
    return [...grid.within(win)].join() === all.join();
}).every(Boolean));

/* 1 -> (port 4 of group 3) -> 2 inside of it; 1 -> 5, which nothing else touches */
const begin = Uint32Array.from([1, 4, 1]), end = Uint32Array.from([4, 2, 5]);
const ported = {count: 6, flags: Uint16Array.from([0, 0, 0, 3, 4, 0]), x: new Float32Array(6), begin, end, edges: 3, out: wiring(6, begin), in: wiring(6, end)};
check('neighbours are found through ports', neighbours(ported, 1, true).sort().join() === '2,5' && neighbours(ported, 2, false).join() === '1', neighbours(ported, 1, true).join());
check('wires of a path too', [...wiresAmong(ported, new Set([1, 2]))].join() === '1,1,0', [...wiresAmong(ported, new Set([1, 2]))].join());
check('and none that leads elsewhere', [...wiresAmong(ported, new Set([2, 5]))].join() === '0,0,0');

const {below, mapRows, select, totals, UNMAPPED, brief} = await load('tables/rows.ts');
const columns = (names) => names.map((name) => ({name, kind: name === 'task' ? 'task' : 'text'}));
const mapped = mapRows({tables: [
    {name: 'map', columns: columns(['framework', 'framework_name', 'framework_type', 'fate', 'reason', 'compiled', 'compiled_name', 'compiled_type', 'tasks', 'total_ns',
        'bytes', 'flops']),
        rows: [[1, 'a', 'Conv', 'fused_into', 'fused', 9, 'ab', 'x.Conv', 2, 500, 64, 1000], [2, 'b', 'Relu', 'fused_into', 'fused', 9, 'ab', 'x.Conv', 2, 500, 64, 1000],
            [3, 'c', 'Shape', 'folded', 'constant', null, null, null, null, null, null, null]]},
    {name: 'without_origin', columns: columns(['compiled', 'compiled_name', 'compiled_type', 'origin', 'tasks', 'total_ns', 'bytes', 'flops']), rows: [[10, 't', 'TransData', 'inserted', 1, 100, 0, null]]},
]}, {tables: [{columns: columns(['task', 'node_name', 'op_type', 'dur_ns']), rows: [[77, 'memcpy', '', 30]]}]}, 'no node');
check('a node of two ops counts once', JSON.stringify(totals(mapped)) === '{"framework":3,"compiled":2,"tasks":4,"time":630,"nodes":2,"bytes":64,"flops":1000,"bytesOf":2,"flopsOf":1}', JSON.stringify(totals(mapped)));
const none = {framework: '', compiled: '', task: '', state: ''}, plain = {by: 'order', up: true};
check('words are written with blanks, names as they are', mapped[0].state === 'fused into' && mapRows({tables: [{name: 'without_origin',
    columns: columns(['compiled', 'origin', 'serves']), rows: [[1, 'not_executed', 'hidden_states']]}]}, null, '')[0].why === 'hidden_states');
const inputs = (...paths) => below({columns: columns(['reader', 'path']), rows: paths.map((path) => ['onnx', path])});
check('a folder of all files is told once', JSON.stringify(inputs('/a/b/c.onnx', '/a/b/d/e.om')) === JSON.stringify({folder: '/a/b/', table: {columns: columns(['reader', 'path']), rows: [['onnx', 'c.onnx'], ['onnx', 'd/e.om']]}}));
check('and only if there is one', inputs('/a/b', '/c/b').folder === '' && inputs('/a/b').folder === '' && inputs('a', 'a').folder === '');
check('what has no link is listed', select(mapped, {...none, state: UNMAPPED}, plain).length === 3);
check('filters look at names and types', select(mapped, {...none, framework: 'relu'}, plain)[0].framework.id === 2 && select(mapped, {...none, task: 'memcpy'}, plain).length === 1);
check('the longest first', select(mapped, none, {by: 'time', up: false})[0].time === 500 && select(mapped, none, {by: 'time', up: false}).at(-1).time === 0);
for (const up of [true, false])
    check('what is not known is last', select(mapped, none, {by: 'flops', up}).map((r) => r.flops).join() === '1000,1000,,,', String(up));
check('no bytes are not unknown ones', select(mapped, none, {by: 'bytes', up: true}).map((r) => r.bytes).join() === '0,64,64,,');
check('domains are left out', brief('com.microsoft.Gelu') === 'Gelu' && brief('aten::mul') === 'aten::mul' && brief('x.') === 'x.');

const {SvgSurface, fileName} = await load('util/export.ts');
const svg = new SvgSurface(200, 100, {measureText: (text) => ({width: text.length * 6})});
svg.setTransform(2, 0, 0, 2, 10, 0);
svg.fillStyle = '#123456';
svg.fillRect(5, 5, -5, 10);
svg.save();
svg.beginPath();
svg.rect(0, 0, 50, 50);
svg.clip();
svg.fillStyle = '"/><script>';
svg.font = '600 12px "Noto Sans"';
svg.fillText('<script>&\u0000\ud800', 1, 2);
svg.restore();
svg.setLineDash([4, 3]);
svg.beginPath();
svg.moveTo(0, 0);
svg.lineTo(10, 20);
svg.arc(10, 20, 5, 0, 2 * Math.PI);
svg.stroke();
const drawing = svg.text('a < b');
check('a picture holds no markup of names', !/<script/.test(drawing) && drawing.includes('&lt;script&gt;&amp;\ufffd\ufffd</text>'), drawing);
check('a rectangle is where it was painted', drawing.includes('<rect x="10" y="10" width="10" height="20" fill="#123456"/>'), drawing);
check('a clip ends with its save', /<text[^>]*clip-path="url\(#c1\)"/.test(drawing) && !/<path d="M10 0L30 40[^>]*clip-path/.test(drawing), drawing);
check('dashes and widths are scaled', drawing.includes('stroke-width="2" stroke-dasharray="8 6"'), drawing);
check('a circle is two halves', (drawing.match(/A10 10 0 0 1/g) ?? []).length === 2, drawing);
check('names of files are harmless', fileName('../a b/\u202e.exe', 'svg') === 'a-b-exe.svg' && fileName('///', 'png') === 'picture.png', fileName('../a b/\u202e.exe', 'svg'));

/* Letters are of unequal widths; what is drawn stays within its box. */
const {Labels} = await load('graph/labels.ts');
const wideOf = (text) => [...text].reduce((sum, c) => sum + (/[:il._]/.test(c) ? 2 : 9), 0), written = [];
const pen = {font: '', fillStyle: '', globalAlpha: 1, textBaseline: '', textAlign: '', measureText: (text) => ({width: wideOf(text)}), fillText: (text) => written.push(text)};
const oneBox = {flags: [0, 1], x: [0, 0], y: [0, 0], width: [0, 200], height: [0, 30], label: ['', 'li::il:::_:li::MmBackward0WW'], op: ['', ''], node: [0, 0],
    nodes: [0, 5], time: [0, 0], totalTime: 0, members: [0, 0], category: [0, 0], group: [0, 1], type: ['', ''], in: {first: [0, 0, 0], list: []}, out: {first: [0, 0, 0], list: []}};
new Labels(pen).draw(oneBox, [1], {lit: null, hidden: new Set(), byTime: false, categories: [], peek: () => null}, {ink: '#000', faint: '#888'}, 0.35, 1);
check('a label stays within its box', written.length === 1 && written[0].includes('…') && wideOf(written[0]) * 22 / 12 <= 180, written.join('|'));

const {count, duration, bytes, large, share} = await load('util/format.ts');
check('thousands are told apart', [0, 7, 999, 1000, 12345, 1234567, -1000, -999].map(count).join(' ') === '0 7 999 1,000 12,345 1,234,567 -1,000 -999');
check('times have units', [1, 1234, 12345, 1234567, 1.5e7, 2.5e12].map(duration).join('|') === '1 ns|1.234 µs|12.3 µs|1.235 ms|15.0 ms|2,500.000 s');
check('large counts are short', [0, 999, 7776, 37748736, 2e12].map(large).join('|') === '0|999|7.8 k|37.7 M|2.0 T');
check('bytes and shares', bytes(1023) === '1,023 B' && bytes(1536) === '1.5 KiB' && share(999999) === '100.0 %' && share(1234) === '0.1 %');

const {Folds, Scale, countBelow} = await load('timeline/scale.ts');
check('countBelow counts', countBelow([1, 3, 3, 8], 3) === 1 && countBelow([], 5) === 0 && countBelow([1, 2], 9) === 2);
const folds = new Folds([{from: 100, to: 200}, {from: 1000, to: 5000}], 10);
check('a gap takes little room', folds.flat(200) - folds.flat(100) === 10 && folds.flat(99) === 99 && folds.flat(300) === 210);
for (let ns = -50; ns < 6000; ns += 7) check(`time ${ns} comes back`, Math.abs(folds.time(folds.flat(ns)) - ns) < 1e-6, String(folds.time(folds.flat(ns))));
let rises = true;
for (let ns = 0; ns < 6000; ns++) rises &&= folds.flat(ns + 1) > folds.flat(ns);
check('and time only goes on', rises);
const far = new Scale({start: 8e15, duration: 100}, 160, 1000, new Folds([], 1));
check('a nanosecond is one at 92 days', far.x(8e15 + 50) === 660 && far.ns(660) === 8e15 + 50);
const part = new Scale({start: 50, duration: 900}, 0, 800, folds).part(0, 1);
check('the same part is the same window', Math.abs(part.start - 50) < 1e-6 && Math.abs(part.duration - 900) < 1e-6);

const {decodeSlices, visible, startOf, endOf, nameOf, nodeOf, decodeArrows} = await load('timeline/data.ts');
const bytes32 = (list) => new Uint8Array(new Uint32Array(list).buffer), bytes16 = (list) => new Uint8Array(new Uint16Array(list).buffer);
const u32c = (id, list) => ({id, type: 3, count: list.length, bytes: bytes32(list)}), u8c = (id, list) => ({id, type: 1, count: list.length, bytes: new Uint8Array(list)});
const slices = decodeSlices(decodeFrame(frame([u32c(1, [4, 4]), u32c(2, [0, 1]), u8c(3, [0, 0]), u32c(4, [3, 4]),
    {id: 5, type: 2, count: 4, bytes: bytes16([0, 300, 700, 5])}, u8c(6, [10, 20, 30, 40]), u32c(7, [70000, 2, 3, 4]), u8c(8, [1, 9, 1, 1]),
    u8c(9, [0, 1, 2, 3]), u8c(10, [0, 0, 1, 32]), u8c(11, [1, 0, 2, 0]), u8c(12, [2, 1, 0, 0]), u32c(13, [1, 3]), u8c(14, [65, 66, 67]), u32c(15, [11, 12])])), 9999);
check('numbers are read in any width', startOf(slices, 1) === -5 + 300 * 8 && endOf(slices, 1) === -5 + 320 * 8 && slices.id[0] === 70000);
check('names and nodes are found, or are none', nameOf(slices, 0) === 'BC' && nameOf(slices, 2) === '' && nodeOf(slices, 2) === 12 && nodeOf(slices, 1) === 0);
check('what is in sight is found', visible(slices, slices.lanes[0], 500 * 8, 701 * 8).join() === '1,3' && visible(slices, slices.lanes[1], 0, 9e9).join() === '3,4');
check('an empty reply is empty', decodeSlices(decodeFrame(frame([])), 1).lanes.length === 0 && decodeArrows(decodeFrame(frame([]))).list.length === 0);

const {layoutRows, laneKey} = await load('timeline/rows.ts');
const track = (id, more) => ({id, kind: 'stream', name: 's', device: 0, rank: null, native_id: 0, tasks: 1, slices: 0, ...more});
const known = {tracks: [track(4, {}), track(5, {device: 1})], counters: []};
const laid = layoutRows(known, slices, new Set(), new Set(), {bands: [{kind: 0, rank: -1, device: 1}], counters: new Set()});
check('rows lie below each other', laid.lanes.length === 2 && laid.lanes[1].y >= laid.lanes[0].y + 18 && laid.groups.length === 2 && laid.bands.length === 1);
const shut = layoutRows(known, slices, new Set([laid.groups[0].key]), new Set(), {bands: [], counters: new Set()});
check('folded lanes lie at the head', shut.lanes.length === 0 && shut.laneAt.get(laneKey(false, 4, 1)).y === shut.groups[0].y);
check('a hidden stream has no row', layoutRows(known, slices, new Set(), new Set([4]), {bands: [], counters: new Set()}).lanes.length === 0);

rmSync(out, {recursive: true});
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
