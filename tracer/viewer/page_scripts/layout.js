// The places of nodes and edges. Each open group has a layout of its own, which dagre computes.

function textsOf(node) {
  if (node.kind === "input" || node.kind === "output") {
    const [name, type] = model[`${node.kind}s`][node.index];
    return [shorten(name, 40), shorten(type, 44)];
  }
  const measured = model.profile && measuredOf(node);
  const time = measured?.kernels
    ? `${formatTime(measured.milliseconds)} · ${percentOf(measured.milliseconds)}`
    : "";
  if (node.kind === "group") {
    const ops = opsOf(node);
    const bytes = parameterBytes(ops);
    const title =
      node.op === undefined
        ? node.name
        : `${node.name} (${model.ops[node.op].layer || "sub-block"})`;
    return [
      `${shorten(title, 40)}  +`,
      `${formatCount(ops.length, "op")}${bytes ? ` · ${formatBytes(bytes)}` : ""}`,
      time,
    ].filter(Boolean);
  }
  const weight = parametersOf([node.op])
    .map((name) => model.parameters[name]?.[1] ?? "")
    .find((type) => type.includes(","));
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
  graph.setGraph({
    rankdir: "TB",
    nodesep: 26,
    ranksep: 22,
    edgesep: 14,
    marginx: 16,
    marginy: 12,
  });
  for (const child of node.children) {
    const { width, height } = layoutOf(child);
    graph.setNode(String(child.key), { width, height });
  }
  for (const edge of node.edges.values()) {
    for (const end of [edge.from, edge.to])
      if (end === "in" || end === "out") graph.setNode(end, { width: 8, height: 8 });
    const text = edgeText(edge);
    graph.setEdge(String(edge.from), String(edge.to), {
      width: textWidth(text) * 0.85 + 4,
      height: 12,
      labelpos: "r",
      labeloffset: 5,
      text,
    });
  }
  dagre.layout(graph);
  const rankHeights = new Map(); // by the center of the rank
  for (const { y, height } of node.children.map((child) => graph.node(String(child.key))))
    rankHeights.set(y, Math.max(rankHeights.get(y) ?? 0, height));
  const top = node.parent ? TITLE_HEIGHT : 0;
  const place = (key) => {
    const { x, y } = graph.node(key);
    return { x, y: y + top };
  };
  const { width, height } = graph.graph();
  node.layout = {
    width: Math.max(width || 0, textWidth(node.name, true) + 100),
    height: (height || 0) + top,
    places: new Map(node.children.map((child) => [child, place(String(child.key))])),
    ports: Object.fromEntries(
      ["in", "out"].filter((end) => graph.hasNode(end)).map((end) => [end, place(end)]),
    ),
    edges: [...node.edges.values()].map((edge) => {
      const found = graph.edge(String(edge.from), String(edge.to));
      const ends = [graph.node(String(edge.from)), graph.node(String(edge.to))];
      const points = straightInRanks(found.points, ends, rankHeights).map(({ x, y }) => ({
        x,
        y: y + top,
      }));
      return { edge, points, text: found.text, x: found.x, y: found.y + top };
    }),
  };
  return node.layout;
}

// Inside a rank, an edge becomes a vertical line, which does not cross the nodes beside it.
function straightInRanks(points, [from, to], rankHeights) {
  const half = (y) => (rankHeights.get(y) ?? 0) / 2;
  const straight = points.slice(1, -1).flatMap(({ x, y }) =>
    half(y)
      ? [
          { x, y: y - half(y) },
          { x, y: y + half(y) },
        ]
      : [{ x, y }],
  );
  const isShort = (node) => half(node.y) - node.height / 2 > 10; // beside a higher node
  const start = isShort(from)
    ? [
        { x: from.x, y: from.y + from.height / 2 },
        { x: from.x, y: from.y + half(from.y) },
      ]
    : [points[0]];
  const end = isShort(to)
    ? [
        { x: to.x, y: to.y - half(to.y) },
        { x: to.x, y: to.y - to.height / 2 },
      ]
    : [points.at(-1)];
  return [...start, ...straight, ...end];
}

function edgeText(edge) {
  if (edge.from === "in" || edge.to === "out") return "";
  const shapes = new Set([...edge.tensors.values()].map(shapeOf));
  if (edge.tensors.size > 1 && shapes.size > 1) return `${edge.tensors.size} tensors`;
  const text = shorten([...shapes][0] ?? "", 28);
  return edge.tensors.size > 1 ? `${edge.tensors.size} × [${text}]` : text;
}
