/* Parts of the page without a browser: the decoder of binary replies, addresses, names.
 * usage: node web_unit.mjs     needs esbuild */
import {buildSync} from 'esbuild';
import {mkdtempSync, rmSync} from 'node:fs';
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
check('texts are cut where they end', texts(new Uint32Array([1, 1, 3, 99]), new TextEncoder().encode('abc')).join('|') === 'a||bc|');

const {encode, decode, packNumbers, unpackNumbers} = await load('state/permalink.ts');
const place = {layer: 'compiled', fold: 'group', open: [3, 900, 12], node: 17, time: {start: -5, duration: 1000}, search: 'a;b=c ü<', hidden: ['custom', 'data_movement'], theme: 'dark', lang: 'zh'};
const again = decode(`#${encode(place)}`);
check('a place survives its address', JSON.stringify({...again, open: [...again.open].sort((a, b) => a - b)}) ===
    JSON.stringify({...again, ...place, open: [3, 12, 900]}), JSON.stringify(again));
for (const bad of ['', '#', '#2;s=n:1', '#1;s=n:-1', '#1;s=x:1', '#1;t=1', '#1;t=1,0', '#1;x=%00', '#1;th=pink', '#1;l=<b>', '#1;q=%E0%A4%A', '#1;m=__proto__'])
    check(`the address ${bad} is harmless`, Object.keys(decode(bad)).every((k) => k === 'open' && !decode(bad).open.length));
check('numbers pack', unpackNumbers(packNumbers([5, 1, 1000000])).join() === '1,5,1000000');
check('a long list of groups gives way', encode({...place, open: Array.from({length: 3000}, (_, i) => i * 7)}).length <= 2000);

const {clean, middle} = await load('util/clean.ts');
check('directions and controls are shown', clean('a\u202eb\u0000\u0007') === 'a\\u202eb\\u0000\\u0007');
check('long names are cut', clean('x'.repeat(500)).length === 257);
check('and in the middle', middle('layer1/block/conv2', 9) === 'lay…conv2' && middle('abc', 9) === 'abc' && middle('abcdef', 2) === 'ab', middle('layer1/block/conv2', 9));

const {en} = await load('i18n/en.ts'), {zh} = await load('i18n/zh.ts');
check('both languages have the same texts', Object.keys(en).sort().join() === Object.keys(zh).sort().join());
check('and the same places in them', Object.keys(en).every((k) => [...en[k].matchAll(/\{\w+\}/g)].join() === [...zh[k].matchAll(/\{\w+\}/g)].join()));

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

rmSync(out, {recursive: true});
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
