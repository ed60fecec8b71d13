// The page of a model. Texts of the model are only ever set as text, never parsed as HTML.
"use strict";
(() => {
const model = JSON.parse(document.getElementById("model").textContent);
const svg = document.getElementById("graph");
const view = document.getElementById("view");
const panel = document.getElementById("panel");
const searchBox = document.getElementById("search");
const colorBox = document.getElementById("color");

const MAX_LISTED = 200; // rows of a list in the panel
const MAX_EXPANDED_MATCHES = 60; // a search with more matches expands no groups
const TITLE_HEIGHT = 22; // of an expanded group
const COLORS = [ // of ops by type; the first pattern that fits
  [/while|conditional|^if$|loop|scan|recurrent|select_(in|out)put/i, "#d64545"],
  [/norm/i, "#8457c9"],
  [/conv|matmul|^mul$|gemm|^fc$|attention|rnn|lstm|gru|einsum|bmm/i, "#2f6fde"],
  [/pool/i, "#12908e"],
  [/relu|sigmoid|tanh|gelu|softmax|swish|silu|elu|mish|softplus|erf|activation/i, "#2f9e44"],
  [/reshape|transpose|squeeze|flatten|concat|split|slice|gather|expand|pad|cast|shape|stack|tile|perm/i, "#8a94a0"],
  [/elementwise|add|sub|mul|div|scale|pow|sqrt|exp|log|sum|mean|reduce|max|min/i, "#e07b17"],
];
const OTHER_COLOR = "#b3a06b";

// -- DOM helpers ---------------------------------------------------------------------------------

function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "onclick") node.addEventListener("click", value);
    else node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== ""));
  return node;
}

function svgElement(tag, attributes, parent, text) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  parent.append(node);
  return node;
}

const measureContext = document.createElement("canvas").getContext("2d");
function textWidth(text, bold) {
  measureContext.font = `${bold ? "600 " : ""}12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif`;
  return measureContext.measureText(text).width;
}

function shorten(text, length) {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

function formatBytes(bytes) {
  const units = ["B", "kB", "MB", "GB"];
  let unit = 0;
  while (bytes >= 1000 && unit < 3) { bytes /= 1000; unit += 1; }
  return `${unit ? bytes.toPrecision(3) : bytes} ${units[unit]}`;
}

function formatTime(milliseconds) {
  if (milliseconds >= 1) return `${milliseconds.toPrecision(3)} ms`;
  return `${(milliseconds * 1000).toPrecision(3)} µs`;
}

function formatCount(count, noun) {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

// `float32[?,64,56,56]` -> `?×64×56×56`
function shapeOf(type) {
  const found = /\[(.*)\]$/.exec(type);
  if (!found) return type;
  return found[1] ? found[1].replaceAll(",", "×") : "scalar";
}

// -- the tree of layers --------------------------------------------------------------------------

// A node is an op, an input or output of the model, or a group of nodes. A group of an op with
// sub-blocks has the number of the op.
const nodes = []; // by key
const nodeOfOp = new Map();
const groupOfId = new Map();

function addNode(node, parent) {
  node.key = nodes.length;
  node.parent = parent;
  nodes.push(node);
  if (parent) parent.children.push(node);
  return node;
}

function addGroup(data, parent) {
  let name = data.name;
  while (data.op === undefined && data.members.length === 1 && parent) {
    const only = data.members[0];
    if (typeof only === "number") return addOp(only, parent, name);
    if (only.op !== undefined) break;
    name = `${name}/${only.name}`;
    data = only;
  }
  if (/^\d/.test(name) && parent?.parent) name = `${parent.name}/${name}`; // of a list of layers
  const group = addNode({ kind: "group", id: data.id, name, op: data.op, children: [], edges: new Map(), open: !parent }, parent);
  groupOfId.set(group.id, group);
  if (data.op !== undefined) nodeOfOp.set(data.op, group);
  for (const member of data.members) {
    if (typeof member === "number") addOp(member, group, "");
    else addGroup(member, group);
  }
  return group;
}

function addOp(number, parent, label) {
  const node = addNode({ kind: "op", op: number, label }, parent);
  nodeOfOp.set(number, node);
  return node;
}

const root = addGroup({ ...model.tree, name: model.name }, null);
const inputNodes = model.inputs.map((_, i) => addNode({ kind: "input", index: i }, root));
const outputNodes = model.outputs.map((_, i) => addNode({ kind: "output", index: i }, root));

function opsOf(node) {
  if (node.kind === "op") return [node.op];
  if (node.kind !== "group") return [];
  node.ops ??= [...(node.op === undefined ? [] : [node.op]), ...node.children.flatMap(opsOf)];
  return node.ops;
}

function parametersOf(ops) {
  const names = new Set();
  for (const number of ops)
    for (const [, tensors] of model.ops[number].inputs)
      for (const [name, , source] of tensors) if (source === "p") names.add(name);
  return [...names];
}

function parameterBytes(ops) {
  return parametersOf(ops).reduce((sum, name) => sum + (model.parameters[name]?.[2] ?? 0), 0);
}

// Time of the kernels of a node. The time of an op with sub-blocks contains that of its blocks.
function measuredOf(node) {
  if (node.measured) return node.measured;
  const sum = { milliseconds: 0, bytes: 0, kernels: 0 };
  const own = node.op === undefined ? [] : model.ops[node.op]?.kernels ?? [];
  for (const [, , milliseconds, , outputBytes] of own) {
    sum.milliseconds += milliseconds;
    sum.bytes += outputBytes;
    sum.kernels += 1;
  }
  if (!own.length)
    for (const child of node.children ?? []) {
      const part = measuredOf(child);
      for (const key of Object.keys(sum)) sum[key] += part[key];
    }
  node.measured = sum;
  return sum;
}

function nameOf(node) {
  if (node.kind === "input") return model.inputs[node.index][0];
  if (node.kind === "output") return model.outputs[node.index][0];
  if (node.kind === "op") return model.ops[node.op].type;
  return node.name || model.name;
}

// -- edges ---------------------------------------------------------------------------------------

// An edge between ops of different groups becomes an edge at each level: from the op to the output
// port of its group, between the groups, and from an input port to the other op.
function addEdgeAt(group, from, to, name, type) {
  const key = `${from} ${to}`;
  if (!group.edges.has(key)) group.edges.set(key, { from, to, tensors: new Map() });
  group.edges.get(key).tensors.set(name, type);
}

function pathToRoot(node) {
  const path = [];
  for (let at = node; at; at = at.parent) path.push(at);
  return path;
}

function addEdge(from, to, name, type) {
  const left = pathToRoot(from);
  const right = pathToRoot(to);
  while (left.length > 1 && right.length > 1 && left.at(-2) === right.at(-2)) { left.pop(); right.pop(); }
  if (left.length < 2 || right.length < 2) return; // one contains the other
  const common = left.at(-1);
  addEdgeAt(common, left.at(-2).key, right.at(-2).key, name, type);
  for (let i = left.length - 2; i > 0; i--) addEdgeAt(left[i], left[i - 1].key, "out", name, type);
  for (let i = right.length - 2; i > 0; i--) addEdgeAt(right[i], "in", right[i - 1].key, name, type);
}

function nodeOfSource(source) {
  if (typeof source === "number") return nodeOfOp.get(source);
  return typeof source === "string" && source[0] === "i" ? inputNodes[Number(source.slice(1))] : undefined;
}

const consumers = new Map(); // source -> numbers of ops
model.ops.forEach((op, number) => {
  for (const [, tensors] of op.inputs)
    for (const [name, type, source] of tensors) {
      const from = nodeOfSource(source);
      if (!from || !nodeOfOp.has(number)) continue;
      addEdge(from, nodeOfOp.get(number), name, type);
      if (!consumers.has(source)) consumers.set(source, new Set());
      consumers.get(source).add(number);
    }
});
model.outputs.forEach(([name, type, , source], i) => {
  const from = nodeOfSource(source);
  if (from) addEdge(from, outputNodes[i], name, type);
});

// -- layout --------------------------------------------------------------------------------------

function textsOf(node) {
  if (node.kind === "input" || node.kind === "output") {
    const [name, type] = model[`${node.kind}s`][node.index];
    return [shorten(name, 40), shorten(type, 44)];
  }
  const measured = model.profile && measuredOf(node);
  const time = measured?.kernels ? `${formatTime(measured.milliseconds)} · ${percentOf(measured.milliseconds)}` : "";
  if (node.kind === "group") {
    const ops = opsOf(node);
    const bytes = parameterBytes(ops);
    const title = node.op === undefined ? node.name : `${node.name} (${model.ops[node.op].layer || "sub-block"})`;
    return [`${shorten(title, 40)}  +`, `${formatCount(ops.length, "op")}${bytes ? ` · ${formatBytes(bytes)}` : ""}`, time].filter(Boolean);
  }
  const weight = parametersOf([node.op]).map((name) => model.parameters[name]?.[1] ?? "").find((type) => type.includes(","));
  const details = [node.label, weight && shapeOf(weight)].filter(Boolean).join(" · ");
  return [shorten(model.ops[node.op].type, 40), shorten(details, 44), time].filter(Boolean);
}

function percentOf(milliseconds) {
  const total = measuredOf(root).milliseconds;
  return total ? `${((100 * milliseconds) / total).toPrecision(2)} %` : "";
}

// The size of a node and, for an open group, the places of its members relative to its corner.
function layoutOf(node) {
  if (node.layout) return node.layout;
  if (node.kind !== "group" || !node.open) {
    const texts = textsOf(node);
    const width = Math.max(...texts.map((text, i) => textWidth(text, i === 0))) + 26;
    node.layout = { width: Math.max(width, 70), height: 10 + 16 * texts.length, texts };
    return node.layout;
  }
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: "TB", nodesep: 26, ranksep: 22, edgesep: 14, marginx: 16, marginy: 12 });
  for (const child of node.children) {
    const { width, height } = layoutOf(child);
    graph.setNode(String(child.key), { width, height });
  }
  for (const edge of node.edges.values()) {
    for (const end of [edge.from, edge.to]) if (end === "in" || end === "out") graph.setNode(end, { width: 8, height: 8 });
    const text = edgeText(edge);
    graph.setEdge(String(edge.from), String(edge.to), { width: textWidth(text) * 0.85 + 4, height: 12, labelpos: "r", labeloffset: 5, text });
  }
  dagre.layout(graph);
  const rankHeights = new Map(); // by the center of the rank
  for (const { y, height } of node.children.map((child) => graph.node(String(child.key)))) rankHeights.set(y, Math.max(rankHeights.get(y) ?? 0, height));
  const top = node.parent ? TITLE_HEIGHT : 0;
  const place = (key) => { const { x, y } = graph.node(key); return { x, y: y + top }; };
  const { width, height } = graph.graph();
  node.layout = {
    width: Math.max(width || 0, textWidth(node.name, true) + 100),
    height: (height || 0) + top,
    places: new Map(node.children.map((child) => [child, place(String(child.key))])),
    ports: Object.fromEntries(["in", "out"].filter((end) => graph.hasNode(end)).map((end) => [end, place(end)])),
    edges: [...node.edges.values()].map((edge) => {
      const found = graph.edge(String(edge.from), String(edge.to));
      const ends = [graph.node(String(edge.from)), graph.node(String(edge.to))];
      const points = straightInRanks(found.points, ends, rankHeights).map(({ x, y }) => ({ x, y: y + top }));
      return { edge, points, text: found.text, x: found.x, y: found.y + top };
    }),
  };
  return node.layout;
}

// Inside a rank, an edge becomes a vertical line, which does not cross the nodes beside it.
function straightInRanks(points, [from, to], rankHeights) {
  const half = (y) => (rankHeights.get(y) ?? 0) / 2;
  const straight = points.slice(1, -1).flatMap(({ x, y }) => (half(y) ? [{ x, y: y - half(y) }, { x, y: y + half(y) }] : [{ x, y }]));
  const isShort = (node) => half(node.y) - node.height / 2 > 10; // beside a higher node
  const start = isShort(from) ? [{ x: from.x, y: from.y + from.height / 2 }, { x: from.x, y: from.y + half(from.y) }] : [points[0]];
  const end = isShort(to) ? [{ x: to.x, y: to.y - half(to.y) }, { x: to.x, y: to.y - to.height / 2 }] : [points.at(-1)];
  return [...start, ...straight, ...end];
}

function edgeText(edge) {
  if (edge.from === "in" || edge.to === "out") return "";
  const shapes = new Set([...edge.tensors.values()].map(shapeOf));
  if (edge.tensors.size > 1 && shapes.size > 1) return `${edge.tensors.size} tensors`;
  const text = shorten([...shapes][0] ?? "", 28);
  return edge.tensors.size > 1 ? `${edge.tensors.size} × [${text}]` : text;
}

// -- drawing -------------------------------------------------------------------------------------

let selected = null;
let matches = new Set(); // numbers of ops
const positions = new Map(); // node -> top left corner on the canvas, of the nodes that are shown

function draw() {
  positions.clear();
  view.replaceChildren();
  drawMembers(root, 0, 0, view);
}

function drawMembers(group, x, y, parent) {
  const layout = layoutOf(group);
  const edges = svgElement("g", {}, parent);
  for (const [child, center] of layout.places) {
    const { width, height } = layoutOf(child);
    drawNode(child, x + center.x - width / 2, y + center.y - height / 2, parent);
  }
  for (const port of Object.values(layout.ports)) svgElement("circle", { class: "port", cx: x + port.x, cy: y + port.y, r: 3.5 }, parent);
  for (const item of layout.edges) drawEdge(item, x, y, edges, parent);
}

function drawEdge({ edge, points, text, x: labelX, y: labelY }, x, y, parent, labels) {
  const path = points.map((point) => ({ x: x + point.x, y: y + point.y }));
  const start = portPosition(edge.from, "out");
  const end = portPosition(edge.to, "in");
  if (start) path.unshift(start);
  if (end) path.push(end);
  let d = `M${path[0].x} ${path[0].y}`;
  for (let i = 1; i < path.length - 1; i++) {
    const next = path[i + 1];
    const last = i === path.length - 2;
    d += `Q${path[i].x} ${path[i].y} ${last ? next.x : (path[i].x + next.x) / 2} ${last ? next.y : (path[i].y + next.y) / 2}`;
  }
  if (path.length === 2) d += `L${path[1].x} ${path[1].y}`;
  const isActive = selected && (nodes[edge.from] === selected || nodes[edge.to] === selected);
  // an edge into an open group is drawn over the rectangle of the group
  const line = svgElement("path", { class: `edge${isActive ? " active" : ""}`, d }, start || end ? labels : parent);
  if (!end && edge.to !== "out") line.setAttribute("marker-end", "url(#arrow)");
  const tensors = [...edge.tensors].slice(0, 20).map(([name, type]) => `${name}: ${type}`);
  svgElement("title", {}, line, tensors.join("\n"));
  if (text) svgElement("text", { class: "label", x: x + labelX, y: y + labelY + 3, "text-anchor": "middle" }, labels, text);
}

function portPosition(key, end) {
  const node = nodes[key];
  const port = node?.open && node.layout.ports[end];
  if (!port) return null;
  const corner = positions.get(node);
  return { x: corner.x + port.x, y: corner.y + port.y };
}

function isMatch(node) {
  if (!matches.size || (node.kind === "group" && node.open)) return node.op !== undefined && matches.has(node.op);
  return opsOf(node).some((number) => matches.has(number));
}

function drawNode(node, x, y, parent) {
  positions.set(node, { x, y });
  const { width, height, texts } = layoutOf(node);
  const classes = [node.kind === "group" ? "group" : "node"];
  if (node.open) classes.push("open");
  if (node.kind === "input" || node.kind === "output") classes.push("io");
  if (isMatch(node)) classes.push("match");
  if (node === selected) classes.push("selected");
  const g = svgElement("g", { class: classes.join(" "), "data-key": node.key }, parent);
  if (node.kind === "op") g.setAttribute("data-op", node.op);
  if (node.kind === "group") g.setAttribute("data-group", node.id);
  const round = node.kind === "op" ? 4 : node.kind === "group" ? 7 : height / 2;
  svgElement("rect", { class: "box", x, y, width, height, rx: round }, g);
  if (node.open) {
    const time = measuredOf(node).kernels ? `  ${formatTime(measuredOf(node).milliseconds)}` : "";
    svgElement("text", { class: "title", x: x + 10, y: y + 16 }, g, `${shorten(node.name, 60)}${time}  −`);
    drawMembers(node, x, y, g);
    return;
  }
  const heat = heatOf(node);
  if (heat !== null) svgElement("rect", { x: x + 1, y: y + 1, width: width - 2, height: height - 2, rx: round - 1, fill: "#e8590c", "fill-opacity": heat }, g);
  else if (node.kind === "op") svgElement("rect", { class: "stripe", x, y, width: 5, height, rx: 2, fill: colorOf(model.ops[node.op].type) }, g);
  if (node.kind === "group") svgElement("rect", { class: "box", x: x + 3, y: y + height, width: width - 6, height: 3, rx: 1 }, g);
  texts.forEach((text, i) => svgElement("text", { class: i ? "detail" : "title", x: x + width / 2 + (node.kind === "op" ? 2 : 0), y: y + 17 + 16 * i, "text-anchor": "middle" }, g, text));
}

function colorOf(type) {
  return COLORS.find(([pattern]) => pattern.test(type))?.[1] ?? OTHER_COLOR;
}

// Opacity of the color of a node that shows its share of the time or memory of the model.
function heatOf(node) {
  const what = colorBox.value;
  if (what === "type" || node.kind === "input" || node.kind === "output") return null;
  const key = what === "time" ? "milliseconds" : "bytes";
  return Math.sqrt(measuredOf(node)[key] / measuredOf(root)[key] || 0) * 0.8;
}

// -- pan and zoom --------------------------------------------------------------------------------

const camera = { x: 0, y: 0, scale: 1 };

function applyCamera() {
  view.setAttribute("transform", `translate(${camera.x} ${camera.y}) scale(${camera.scale})`);
}

function fit() {
  const { width, height } = layoutOf(root);
  const box = svg.getBoundingClientRect();
  const whole = Math.min(box.width / width, box.height / height, 1);
  // a tall graph is shown from its start, at a readable size
  camera.scale = Math.max(whole, Math.min(box.width / width, 0.8));
  camera.x = (box.width - width * camera.scale) / 2;
  camera.y = Math.max((box.height - height * camera.scale) / 2, 0);
  applyCamera();
}

function center(node) {
  const corner = positions.get(node);
  if (!corner) return;
  const { width, height } = layoutOf(node);
  const box = svg.getBoundingClientRect();
  camera.scale = Math.max(camera.scale, 0.7);
  camera.x = box.width / 2 - (corner.x + width / 2) * camera.scale;
  camera.y = box.height / 2 - (corner.y + Math.min(height, box.height / camera.scale) / 2) * camera.scale;
  applyCamera();
}

svg.addEventListener("wheel", (event) => {
  event.preventDefault();
  const box = svg.getBoundingClientRect();
  const x = event.clientX - box.left;
  const y = event.clientY - box.top;
  const scale = Math.min(Math.max(camera.scale * Math.exp(-event.deltaY / 500), 0.02), 4);
  camera.x = x - ((x - camera.x) * scale) / camera.scale;
  camera.y = y - ((y - camera.y) * scale) / camera.scale;
  camera.scale = scale;
  applyCamera();
}, { passive: false });

let drag = null;
svg.addEventListener("pointerdown", (event) => {
  if (event.button === 0) drag = { x: event.clientX, y: event.clientY, moved: false };
});
window.addEventListener("pointermove", (event) => {
  if (!drag) return;
  const dx = event.clientX - drag.x;
  const dy = event.clientY - drag.y;
  if (!drag.moved && Math.hypot(dx, dy) < 4) return;
  drag = { x: event.clientX, y: event.clientY, moved: true };
  svg.classList.add("dragging");
  camera.x += dx;
  camera.y += dy;
  applyCamera();
});
window.addEventListener("pointerup", () => {
  svg.classList.remove("dragging");
  setTimeout(() => { drag = null; }); // after the click event, which ignores a drag
});

svg.addEventListener("click", (event) => {
  if (drag?.moved) return;
  const target = event.target.closest("[data-key]");
  const node = target ? nodes[Number(target.getAttribute("data-key"))] : null;
  if (node?.kind === "group") toggle(node);
  select(node);
});

// -- expanding and selecting ---------------------------------------------------------------------

function forgetLayout(node) {
  for (let at = node; at; at = at.parent) at.layout = null;
}

function setOpen(group, open) {
  if (group.open === open || !group.parent) return;
  group.open = open;
  forgetLayout(group);
}

// The corner of the group stays in its place on the screen.
function toggle(group) {
  const before = positions.get(group);
  setOpen(group, !group.open);
  draw();
  const after = positions.get(group);
  camera.x += (before.x - after.x) * camera.scale;
  camera.y += (before.y - after.y) * camera.scale;
  applyCamera();
}

function setAllOpen(open) {
  for (const group of groupOfId.values()) setOpen(group, open);
  draw();
  fit();
  writeHash();
}

function reveal(node) {
  for (let at = node.parent; at; at = at.parent) setOpen(at, true);
}

function select(node) {
  selected = node === root ? null : node;
  draw();
  showPanel();
  writeHash();
}

function goTo(node) {
  if (!node) return;
  reveal(node);
  select(node);
  center(node);
}

// -- search --------------------------------------------------------------------------------------

const searchTexts = model.ops.map((op, number) => {
  const results = op.outputs.flatMap(([, tensors]) => tensors.map(([name]) => name));
  const parameters = parametersOf([number]).flatMap((name) => [name, model.parameters[name]?.[0] ?? ""]);
  return [op.type, op.layer, op.name ?? "", op.line, ...results, ...parameters].join("\n").toLowerCase();
});
let matchIndex = -1;

function search(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = words.length ? [...nodeOfOp.keys()].filter((i) => words.every((word) => searchTexts[i].includes(word))) : [];
  matches = new Set(found.sort((a, b) => a - b));
  matchIndex = -1;
  document.getElementById("matches").textContent = words.length ? `${matches.size} found` : "";
  if (matches.size <= MAX_EXPANDED_MATCHES) for (const number of matches) reveal(nodeOfOp.get(number));
  selected = null;
  draw();
  if (matches.size) center(nodeOfOp.get(found[0]));
  showPanel();
  writeHash();
}

function goToMatch(step) {
  if (!matches.size) return;
  matchIndex = (matchIndex + step + matches.size) % matches.size;
  goTo(nodeOfOp.get([...matches][matchIndex]));
}

let searchTimer = 0;
searchBox.addEventListener("input", () => {
  clearTimeout(searchTimer);
  searchTimer = setTimeout(() => search(searchBox.value), 150);
});
searchBox.addEventListener("keydown", (event) => {
  if (event.key === "Enter") {
    clearTimeout(searchTimer);
    if (matchIndex < 0 && !matches.size) search(searchBox.value);
    goToMatch(event.shiftKey ? -1 : 1);
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== searchBox) {
    event.preventDefault();
    searchBox.focus();
  } else if (event.key === "Escape") {
    searchBox.value = "";
    search("");
    searchBox.blur();
  }
});

// -- the panel -----------------------------------------------------------------------------------

function section(title, ...content) {
  return content.some((item) => item) ? [element("h3", {}, title), ...content.filter((item) => item)] : [];
}

function table(rows) {
  if (!rows.length) return null;
  const hasNumbers = rows.some((cells) => cells.some((cell) => cell instanceof Element && cell.className === "number"));
  return element("table", hasNumbers ? {} : { class: "pairs" }, ...rows.map((cells) => element("tr", {}, ...cells.map((cell, i) => (cell instanceof Element && cell.tagName === "TD" ? cell : element(i ? "td" : "th", {}, cell))))));
}

function numberCell(text) { return element("td", { class: "number" }, text); }
function code(text) { return element("code", {}, text); }
function link(text, node) { return node ? element("a", { onclick: () => goTo(node) }, text) : document.createTextNode(text); }

function limited(items, toRow) {
  const rows = items.slice(0, MAX_LISTED).map(toRow);
  if (items.length > MAX_LISTED) rows.push([`… and ${items.length - MAX_LISTED} more`]);
  return rows;
}

function opLink(number) {
  const op = model.ops[number];
  return link(op.layer ? `${op.type} · ${op.layer}` : op.type, nodeOfOp.get(number));
}

function tensorText([name, type]) {
  return element("span", {}, `${name} `, element("span", { class: "type" }, type));
}

function describeOp(number) {
  const op = model.ops[number];
  const parameters = [];
  const inputs = [];
  for (const [slot, tensors] of op.inputs)
    for (const tensor of tensors) {
      const [name, type, source] = tensor;
      if (source === "p") {
        const [layerName, , bytes] = model.parameters[name] ?? ["", "", 0];
        parameters.push([slot, element("span", {}, `${layerName || name} `, element("span", { class: "type" }, type)), numberCell(formatBytes(bytes))]);
        continue;
      }
      const from = nodeOfSource(source);
      const cell = tensorText(tensor);
      if (from) cell.append(" from ", typeof source === "number" ? opLink(source) : link("input", from));
      inputs.push([slot, cell]);
    }
  const outputs = op.outputs.flatMap(([slot, tensors]) => tensors.map((tensor) => [slot, tensorText(tensor)]));
  const kernels = (op.kernels ?? []).map(([node, operator, milliseconds, calls, outputBytes, inputBytes, parameterBytes_, types]) =>
    table([
      ["kernel", `${operator} (${node})`],
      ["time", `${formatTime(milliseconds)} · ${percentOf(milliseconds)}${calls === 1 ? "" : ` · ${calls} calls per run`}`],
      ["outputs", `${formatBytes(outputBytes)} ${types}`],
      ["inputs", formatBytes(inputBytes)],
      ["parameters", formatBytes(parameterBytes_)],
    ]));
  if (model.profile && !kernels.length && !nodeOfOp.get(number)?.children)
    kernels.push(element("p", {}, "No kernel of its own: ONNX Runtime fused the op with another one, or removed it."));
  return [
    element("h2", {}, op.type),
    op.layer ? element("p", {}, op.layer) : null,
    op.name ? element("p", { class: "type" }, op.name) : null,
    ...section("Source", op.line ? code(op.line) : null),
    ...section("Inputs", table(inputs)),
    ...section("Parameters", table(parameters)),
    ...section("Outputs", table(outputs)),
    ...section("Used by", table(limited([...(consumers.get(number) ?? [])], (user) => [opLink(user)]))),
    ...section("Attributes", table(op.attrs.map(([name, value]) => [name, code(value)]))),
    ...section("Profile", ...kernels),
  ];
}

function countsOf(ops) {
  const counts = new Map();
  for (const number of ops) counts.set(model.ops[number].type, (counts.get(model.ops[number].type) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]);
}

function slowestTable(ops) {
  if (!model.profile) return null;
  const timed = ops.filter((number) => model.ops[number].kernels).map((number) => [number, measuredOf(nodeOfOp.get(number)).milliseconds]);
  timed.sort((a, b) => b[1] - a[1]);
  return table(timed.slice(0, 10).map(([number, milliseconds]) => [opLink(number), numberCell(formatTime(milliseconds)), numberCell(percentOf(milliseconds))]));
}

function describeGroup(group) {
  const ops = opsOf(group);
  const parameters = parametersOf(ops);
  const measured = measuredOf(group);
  return [
    element("h2", {}, group.name),
    element("p", {}, group.id),
    ...(group.op === undefined ? [] : describeOp(group.op).slice(1)),
    ...section("Layer", table([
      ["ops", String(ops.length)],
      ["parameters", `${parameters.length} · ${formatBytes(parameterBytes(ops))}`],
      ...(measured.kernels ? [["time", `${formatTime(measured.milliseconds)} · ${percentOf(measured.milliseconds)}`]] : []),
    ])),
    ...section("Slowest ops", slowestTable(ops)),
    ...section("Ops", table(countsOf(ops).map(([type, count]) => [type, numberCell(String(count))]))),
    ...section("Parameters", parameterTable(parameters)),
  ];
}

function parameterTable(names) {
  return table(limited(names, (name) => {
    const [layerName, type, bytes] = model.parameters[name];
    return [element("span", {}, `${layerName || name} `, element("span", { class: "type" }, type)), numberCell(formatBytes(bytes))];
  }));
}

function describeModel() {
  const largest = Object.keys(model.parameters).sort((a, b) => model.parameters[b][2] - model.parameters[a][2]);
  const profile = model.profile;
  return [
    element("h2", {}, model.name),
    element("p", {}, `${formatCount(model.ops.length, "op")} · ${formatCount(largest.length, "parameter array")} · ${formatBytes(model.parameterBytes)}`),
    ...section("Inputs", table(model.inputs.map((tensor, i) => [link(tensor[0], inputNodes[i]), element("span", { class: "type" }, tensor[1])]))),
    ...section("Outputs", table(model.outputs.map((tensor, i) => [link(tensor[0], outputNodes[i]), element("span", { class: "type" }, tensor[1])]))),
    ...section("Guards", model.guards.length ? element("ul", {}, ...model.guards.map((guard) => element("li", {}, code(guard)))) : null),
    ...(profile ? section("Profile", table([
      ["run", `${formatTime(profile.milliseconds)}, mean of ${formatCount(profile.runs, "run")}`],
      ["kernels", formatTime(measuredOf(root).milliseconds + profile.otherKernels.reduce((sum, kernel) => sum + kernel[2], 0))],
      ["inputs", element("span", { class: "type" }, profile.inputs.join(", "))],
    ])) : []),
    ...section("Slowest ops", slowestTable([...nodeOfOp.keys()])),
    ...(profile ? section("Kernels of no op", table(profile.otherKernels.sort((a, b) => b[2] - a[2]).slice(0, 10).map((kernel) => [`${kernel[1]} (${kernel[0]})`, numberCell(formatTime(kernel[2]))]))) : []),
    ...section("Ops", table(countsOf([...nodeOfOp.keys()]).map(([type, count]) => [element("a", { onclick: () => { searchBox.value = type; search(type); } }, type), numberCell(String(count))]))),
    ...section("Largest parameters", parameterTable(largest.slice(0, 10))),
    ...section("File", table(model.facts.map(([name, value]) => [name, value]))),
  ];
}

function showPanel() {
  let content;
  if (selected?.kind === "group") content = describeGroup(selected);
  else if (selected?.kind === "op") content = describeOp(selected.op);
  else if (!selected && searchBox.value.trim())
    content = [element("h2", {}, formatCount(matches.size, "op")), table(limited([...matches], (number) => [opLink(number)])) ?? element("p", {}, "Nothing found.")];
  else content = describeModel();
  panel.replaceChildren(...content.filter((item) => item));
  panel.scrollTop = 0;
}

// -- the state in the address --------------------------------------------------------------------

// `#expand=ID&expand=ID&select=ID or op number&search=TEXT&color=time`; `expand=*` expands all groups
function readHash() {
  const state = new URLSearchParams(location.hash.slice(1));
  const ids = state.getAll("expand");
  for (const group of groupOfId.values()) setOpen(group, ids.includes("*"));
  for (const id of ids) {
    const group = groupOfId.get(id);
    if (group) { reveal(group); setOpen(group, true); }
  }
  const color = state.get("color");
  if ([...colorBox.options].some((option) => option.value === color)) colorBox.value = color;
  draw();
  fit();
  searchBox.value = state.get("search") ?? "";
  if (searchBox.value) search(searchBox.value);
  const wanted = state.get("select");
  const node = wanted && (groupOfId.get(wanted) ?? nodeOfOp.get(Number(wanted)));
  if (node) goTo(node);
  else showPanel();
}

function writeHash() {
  const state = new URLSearchParams();
  const groups = [...groupOfId.values()].filter((group) => group.parent);
  if (groups.length && groups.every((group) => group.open)) state.append("expand", "*");
  else for (const group of groups) if (group.open && !group.children.some((child) => child.open)) state.append("expand", group.id);
  if (selected) state.set("select", selected.kind === "group" ? selected.id : selected.op ?? "");
  if (searchBox.value) state.set("search", searchBox.value);
  if (model.profile && colorBox.value !== "time") state.set("color", colorBox.value);
  const text = state.toString();
  if (text !== location.hash.slice(1)) history.replaceState(null, "", text ? `#${text}` : location.pathname);
}

// -- start ---------------------------------------------------------------------------------------

document.getElementById("title").textContent = model.name;
if (model.profile) {
  for (const [value, text] of [["time", "time"], ["memory", "memory of outputs"]]) colorBox.append(element("option", { value }, text));
  colorBox.value = "time";
}
colorBox.addEventListener("change", () => { draw(); writeHash(); });
document.getElementById("expand-all").addEventListener("click", () => setAllOpen(true));
document.getElementById("collapse-all").addEventListener("click", () => setAllOpen(false));
document.getElementById("fit").addEventListener("click", fit);
window.addEventListener("hashchange", readHash);
// A model that is one layer, such as a wrapper, starts with the layer expanded.
for (let group = root; ;) {
  const groups = group.children.filter((child) => child.kind === "group");
  if (location.hash.includes("expand=") || groups.length !== 1 || group.children.length > 8) break;
  [group] = groups;
  setOpen(group, true);
}
if (location.hash) readHash();
else { draw(); fit(); showPanel(); }
document.documentElement.setAttribute("data-ready", "true");
})();
