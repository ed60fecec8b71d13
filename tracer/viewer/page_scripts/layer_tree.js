// The tree of layers and ops, and the edges between its nodes.

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
  const group = addNode(
    {
      kind: "group",
      id: data.id,
      name,
      op: data.op,
      children: [],
      edges: new Map(),
      open: !parent,
    },
    parent,
  );
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
  const own = node.op === undefined ? [] : (model.ops[node.op]?.kernels ?? []);
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
  while (left.length > 1 && right.length > 1 && left.at(-2) === right.at(-2)) {
    left.pop();
    right.pop();
  }
  if (left.length < 2 || right.length < 2) return; // one contains the other
  const common = left.at(-1);
  addEdgeAt(common, left.at(-2).key, right.at(-2).key, name, type);
  for (let i = left.length - 2; i > 0; i--) addEdgeAt(left[i], left[i - 1].key, "out", name, type);
  for (let i = right.length - 2; i > 0; i--)
    addEdgeAt(right[i], "in", right[i - 1].key, name, type);
}

function nodeOfSource(source) {
  if (typeof source === "number") return nodeOfOp.get(source);
  return typeof source === "string" && source[0] === "i"
    ? inputNodes[Number(source.slice(1))]
    : undefined;
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
