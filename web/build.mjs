// Bundles the page: node web/build.mjs FOLDER [--bench]. Writes app-HASH.js, app-HASH.css, index.html, and page.d,
// which tells the build what they were made of; and parts/report.html, the frame of a one-file report. What
// stands in {{..}} there is filled in by src/present/offline/offline.c, so that nothing is built in twice.
// With --bench the page can measure itself (src/bench.ts).
import {build} from 'esbuild';
import {createHash} from 'node:crypto';
import {mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {dirname, join, relative, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const dist = resolve(process.argv[2] ?? join(here, 'dist'));

mkdirSync(dist, {recursive: true});
for (const name of readdirSync(dist)) rmSync(join(dist, name), {recursive: true});

const result = await build({
    entryPoints: {app: join(here, 'src/main.tsx')},
    outdir: dist,
    entryNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    metafile: true,
    define: {BENCH: String(process.argv[3] === '--bench')},
});

const outputs = Object.keys(result.metafile.outputs).map((path) => relative(dist, resolve(path)));
const script = outputs.find((name) => name.endsWith('.js'));
const style = outputs.find((name) => name.endsWith('.css'));
const template = readFileSync(join(here, 'src/index.html'), 'utf8');
writeFileSync(join(dist, 'index.html'), template.replace('app.js', script).replace('app.css', style));

// A report may run its own script, found by its hash, and the module that came with it; and nothing else.
function hashOf(name) {
    const text = readFileSync(join(dist, name));
    if (/<\/(script|style)|<!--/i.test(text)) throw new Error(`${name} cannot stand inside of a page`);
    return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

const policy = `default-src 'none'; script-src ${hashOf(script)} 'wasm-unsafe-eval'; style-src ${hashOf(style)}; ` +
    "img-src data: blob:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
const frame = readFileSync(join(here, 'src/report.html'), 'utf8');
mkdirSync(join(dist, 'parts'));
writeFileSync(join(dist, 'parts/report.html'), frame.replace('{{policy}}', () => policy)
    .replace('{{style}}', `{{/${style}}}`).replace('{{script}}', `{{/${script}}}`));

const inputs = Object.keys(result.metafile.inputs).map((path) => resolve(path));
inputs.push(join(here, 'src/index.html'), join(here, 'src/report.html'), join(here, 'build.mjs'));
writeFileSync(join(dist, 'page.d'), `${join(dist, 'page.d')}: ${inputs.join(' ')}\n`);
