// Bundles the page: node web/build.mjs FOLDER. Writes app-HASH.js, app-HASH.css, index.html, and page.d,
// which tells the build what they were made of.
import {build} from 'esbuild';
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
});

const outputs = Object.keys(result.metafile.outputs).map((path) => relative(dist, resolve(path)));
const script = outputs.find((name) => name.endsWith('.js'));
const style = outputs.find((name) => name.endsWith('.css'));
const template = readFileSync(join(here, 'src/index.html'), 'utf8');
writeFileSync(join(dist, 'index.html'), template.replace('app.js', script).replace('app.css', style));

const inputs = Object.keys(result.metafile.inputs).map((path) => resolve(path));
inputs.push(join(here, 'src/index.html'), join(here, 'build.mjs'));
writeFileSync(join(dist, 'page.d'), `${join(dist, 'page.d')}: ${inputs.join(' ')}\n`);
