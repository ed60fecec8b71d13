// Draw the graph as SVG.

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
  for (const port of Object.values(layout.ports))
    svgElement("circle", { class: "port", cx: x + port.x, cy: y + port.y, r: 3.5 }, parent);
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
  const line = svgElement(
    "path",
    { class: `edge${isActive ? " active" : ""}`, d },
    start || end ? labels : parent,
  );
  if (!end && edge.to !== "out") line.setAttribute("marker-end", "url(#arrow)");
  const tensors = [...edge.tensors].slice(0, 20).map(([name, type]) => `${name}: ${type}`);
  svgElement("title", {}, line, tensors.join("\n"));
  if (text)
    svgElement(
      "text",
      { class: "label", x: x + labelX, y: y + labelY + 3, "text-anchor": "middle" },
      labels,
      text,
    );
}

function portPosition(key, end) {
  const node = nodes[key];
  const port = node?.open && node.layout.ports[end];
  if (!port) return null;
  const corner = positions.get(node);
  return { x: corner.x + port.x, y: corner.y + port.y };
}

function isMatch(node) {
  if (!matches.size || (node.kind === "group" && node.open))
    return node.op !== undefined && matches.has(node.op);
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
    svgElement(
      "text",
      { class: "title", x: x + 10, y: y + 16 },
      g,
      `${shorten(node.name, 60)}${time}  −`,
    );
    drawMembers(node, x, y, g);
    return;
  }
  const heat = heatOf(node);
  if (heat !== null)
    svgElement(
      "rect",
      {
        x: x + 1,
        y: y + 1,
        width: width - 2,
        height: height - 2,
        rx: round - 1,
        fill: "#e8590c",
        "fill-opacity": heat,
      },
      g,
    );
  else if (node.kind === "op")
    svgElement(
      "rect",
      { class: "stripe", x, y, width: 5, height, rx: 2, fill: colorOf(model.ops[node.op].type) },
      g,
    );
  if (node.kind === "group")
    svgElement(
      "rect",
      { class: "box", x: x + 3, y: y + height, width: width - 6, height: 3, rx: 1 },
      g,
    );
  texts.forEach((text, i) =>
    svgElement(
      "text",
      {
        class: i ? "detail" : "title",
        x: x + width / 2 + (node.kind === "op" ? 2 : 0),
        y: y + 17 + 16 * i,
        "text-anchor": "middle",
      },
      g,
      text,
    ),
  );
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
