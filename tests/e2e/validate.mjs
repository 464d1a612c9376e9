// Validates a folder with graph.json, trace.json and summary.json against docs/schema, twice: as
// published, and with every object closed, so that a field that no schema describes is found too.
// Then breaks the documents in many small ways and expects the schemas to refuse each.
// usage: node validate.mjs SCHEMA-FOLDER FOLDER...
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
const Ajv2020 = createRequire(import.meta.url)("ajv/dist/2020.js").default;

const [schemaFolder, ...folders] = process.argv.slice(2);
const names = ["graph", "trace", "summary"];
const load = (path) => JSON.parse(readFileSync(path, "utf8"));
let failures = 0;

function fail(text) {
  console.error(text);
  failures++;
}

function close(node) {
  if (Array.isArray(node)) return node.map(close);
  if (node === null || typeof node !== "object") return node;
  const copy = Object.fromEntries(Object.entries(node).map(([k, v]) => [k, close(v)]));
  if (copy.type === "object" && copy.properties && !("additionalProperties" in copy))
    copy.additionalProperties = false;
  return copy;
}

const validators = Object.fromEntries(names.map((name) => {
  const schema = load(`${schemaFolder}/${name}.schema.json`);
  const open = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(schema);
  const closed = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(close(schema));
  return [name, { open, closed, required: schema.required }];
}));

function check(folder, name) {
  const doc = load(`${folder}/${name}.json`);
  for (const kind of ["open", "closed"]) {
    const validate = validators[name][kind];
    if (!validate(doc))
      fail(`${folder}/${name}.json (${kind}): ${JSON.stringify(validate.errors.slice(0, 3))}`);
  }
  return doc;
}

// Each change makes a document that no exporter of this version may write.
const changes = {
  graph: [
    (d) => { d.schema = "model-inspector-graph/2"; },
    (d) => { d.nodes[0].layer_level = "device"; },
    (d) => { d.nodes[0].node_id = "1"; },
    (d) => { d.nodes[0].fused_from = [0]; },
    (d) => { d.nodes[0].mapped_task_ids = null; },
    (d) => { d.nodes[0].shape = "1x3"; },
    (d) => { d.nodes[0].fate = "vanished"; },
    (d) => { d.edges[0].from_node_id = null; },
    (d) => { d.start_unix_ns = 1736412474723783388; },
  ],
  trace: [
    (d) => { d.tasks[0].start_us = 1.5; },
    (d) => { d.tasks[0].duration_us = -1; },
    (d) => { d.tasks[0].start_raw = 12; },
    (d) => { d.tasks[0].op_node_id = 0; },
    (d) => { d.tasks[0].event_before = true; },
    (d) => { d.tasks[0].attributes = { x: [1] }; },
    (d) => { d.tasks[0].confidence = "sure"; },
  ],
  summary: [
    (d) => { d.sources[0].records_lost = -1; },
    (d) => { d.reports = []; },
    (d) => { d.reports.x = { facts: {}, tables: { t: [[1]] }, findings: [] }; },
  ],
};

function checkRefusals(name, doc) {
  const validate = validators[name].open;
  const refuse = (change, what) => {
    const copy = structuredClone(doc);
    change(copy);
    if (validate(copy)) fail(`${name}: accepted a broken document: ${what}`);
  };
  for (const change of changes[name]) refuse(change, change);
  for (const key of validators[name].required) refuse((d) => { delete d[key]; }, `no ${key}`);
  const list = { graph: "nodes", trace: "tasks", summary: "sources" }[name];
  for (const key of Object.keys(doc[list][0]))
    if (!key.endsWith("_hex")) refuse((d) => { delete d[list][0][key]; }, `${list} without ${key}`);
}

// What ids promise across the files.
function checkReferences(folder, graph, trace) {
  const nodes = new Set(), tasks = new Set(trace.tasks.map((t) => t.task_id));
  const ids = { framework: new Set(), compiled: new Set() };
  for (const node of graph.nodes) {
    const key = `${node.layer_level} ${node.node_id}`;
    if (nodes.has(key)) fail(`${folder}: ${key} stands twice`);
    nodes.add(key);
    ids[node.layer_level].add(node.node_id);
  }
  for (const node of graph.nodes) {
    for (const id of node.fused_from)
      if (!ids.framework.has(id)) fail(`${folder}: fused_from ${id} is no framework node`);
    for (const id of node.mapped_task_ids)
      if (!tasks.has(id)) fail(`${folder}: mapped task ${id} is not in trace.json`);
  }
  const layer = ids.compiled.size ? ids.compiled : ids.framework;
  for (const task of trace.tasks) {
    if (task.op_node_id !== null && !layer.has(task.op_node_id))
      fail(`${folder}: task ${task.task_id} names node ${task.op_node_id}`);
    for (const key of ["event_before", "event_after", "parent_task_id"])
      if (task[key] !== null && !tasks.has(task[key])) fail(`${folder}: ${key} ${task[key]}`);
    if (task.start_us !== Math.floor(task.start_ns / 1000)) fail(`${folder}: start_us`);
  }
}

folders.forEach((folder, i) => {
  const docs = Object.fromEntries(names.map((name) => [name, check(folder, name)]));
  checkReferences(folder, docs.graph, docs.trace);
  if (i === 0) for (const name of names) checkRefusals(name, docs[name]);
});
console.log(failures ? `${failures} failures` : `${folders.length} folders valid`);
process.exit(failures ? 1 : 0);
