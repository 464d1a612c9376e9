/* Draws the graphs of a folder with dagre and elkjs and compares: crossings of wires, width, time.
 * usage: node layout_rivals.mjs FOLDER   with N.json files of bench_layout: boxes [w, h, x, y, rank], edges
 * [from, to, points]. Crossings are counted alike for all: pieces of wires that meet, but for ends that they
 * share. */
import dagre from '@dagrejs/dagre';
import ELK from 'elkjs/lib/elk.bundled.js';
import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';

const folder = process.argv[2];

function crossings(edges) {
    const pieces = [];
    edges.forEach(({from, to, points}) => {
        for (let i = 1; i < points.length; i++) {
            const [a, b] = [points[i - 1], points[i]];
            pieces.push({from, to, ax: a[0], ay: a[1], bx: b[0], by: b[1], top: Math.min(a[1], b[1]), bottom: Math.max(a[1], b[1])});
        }
    });
    pieces.sort((p, q) => p.top - q.top);
    const side = (p, x, y) => Math.sign((p.bx - p.ax) * (y - p.ay) - (p.by - p.ay) * (x - p.ax));
    let count = 0;
    for (let i = 0; i < pieces.length; i++)
        for (let k = i + 1; k < pieces.length && pieces[k].top < pieces[i].bottom; k++) {
            const p = pieces[i], q = pieces[k];
            if (p.from === q.from || p.to === q.to || p.from === q.to || p.to === q.from) continue;
            if (side(p, q.ax, q.ay) * side(p, q.bx, q.by) < 0 && side(q, p.ax, p.ay) * side(q, p.bx, p.by) < 0) count++;
        }
    return count;
}

function unique(edges) {
    const seen = new Set();
    return edges.filter(([from, to]) => from !== to && !seen.has(`${from}:${to}`) && seen.add(`${from}:${to}`));
}

function ours(graph) {
    return {edges: unique(graph.edges).map(([from, to, points]) => ({from, to, points})), width: graph.width};
}

function byDagre(graph) {
    const g = new dagre.graphlib.Graph({multigraph: true});
    g.setGraph({ranksep: 36, nodesep: 24, edgesep: 10});
    g.setDefaultEdgeLabel(() => ({}));
    graph.boxes.forEach(([width, height], i) => g.setNode(String(i), {width, height}));
    unique(graph.edges).forEach(([from, to]) => g.setEdge(String(from), String(to)));
    dagre.layout(g);
    return {edges: g.edges().map((e) => ({from: +e.v, to: +e.w, points: g.edge(e).points.map((p) => [p.x, p.y])})), width: g.graph().width};
}

async function byElk(graph) {
    const result = await new ELK().layout({
        id: 'root',
        layoutOptions: {'elk.algorithm': 'layered', 'elk.direction': 'DOWN', 'elk.edgeRouting': 'POLYLINE',
            'elk.layered.spacing.nodeNodeBetweenLayers': '36', 'elk.spacing.nodeNode': '24', 'elk.spacing.edgeEdge': '10'},
        children: graph.boxes.map(([width, height], i) => ({id: `n${i}`, width, height})),
        edges: unique(graph.edges).map(([from, to], i) => ({id: `e${i}`, sources: [`n${from}`], targets: [`n${to}`], from, to})),
    });
    return {
        edges: result.edges.map((e) => {
            const s = e.sections[0];
            return {from: e.from, to: e.to, points: [s.startPoint, ...(s.bendPoints ?? []), s.endPoint].map((p) => [p.x, p.y])};
        }),
        width: result.width,
    };
}

console.log('graph                     boxes  edges   crossings: ours  dagre  elk   width: ours  dagre    elk   ms: dagre    elk');
let worstCrossings = 0, worstWidth = 0;
for (const name of readdirSync(folder).filter((f) => f.endsWith('.json')).sort()) {
    const graph = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    const times = [];
    const timed = async (draw) => {
        const begin = performance.now();
        const found = await draw(graph);
        times.push(Math.round(performance.now() - begin));
        return found;
    };
    const drawn = [ours(graph), await timed(byDagre), await timed(byElk)];
    const cross = drawn.map((d) => crossings(d.edges)), wide = drawn.map((d) => Math.round(d.width));
    /* A drawing without crossings is no better measure than one with a single one. */
    worstCrossings = Math.max(worstCrossings, cross[0] / Math.max(1, cross[1]));
    worstWidth = Math.max(worstWidth, wide[0] / wide[1]);
    const pad = (v, n) => String(v).padStart(n);
    console.log(`${graph.name.padEnd(24)}${pad(graph.boxes.length, 7)}${pad(unique(graph.edges).length, 7)}${pad(cross[0], 18)}${pad(cross[1], 7)}` +
        `${pad(cross[2], 5)}${pad(wide[0], 14)}${pad(wide[1], 7)}${pad(wide[2], 7)}${pad(times[0], 12)}${pad(times[1], 7)}`);
}
console.log(`worst beside dagre: crossings ${worstCrossings.toFixed(2)} width ${worstWidth.toFixed(2)}`);
