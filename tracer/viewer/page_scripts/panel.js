// The panel with details of the selected node or of the model.

function section(title, ...content) {
  return content.some((item) => item)
    ? [element("h3", {}, title), ...content.filter((item) => item)]
    : [];
}

function table(rows) {
  if (!rows.length) return null;
  const hasNumbers = rows.some((cells) =>
    cells.some((cell) => cell instanceof Element && cell.className === "number"),
  );
  return element(
    "table",
    hasNumbers ? {} : { class: "pairs" },
    ...rows.map((cells) =>
      element(
        "tr",
        {},
        ...cells.map((cell, i) =>
          cell instanceof Element && cell.tagName === "TD"
            ? cell
            : element(i ? "td" : "th", {}, cell),
        ),
      ),
    ),
  );
}

function numberCell(text) {
  return element("td", { class: "number" }, text);
}
function code(text) {
  return element("code", {}, text);
}
function link(text, node) {
  return node ? element("a", { onclick: () => goTo(node) }, text) : document.createTextNode(text);
}

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
        parameters.push([
          slot,
          element("span", {}, `${layerName || name} `, element("span", { class: "type" }, type)),
          numberCell(formatBytes(bytes)),
        ]);
        continue;
      }
      const from = nodeOfSource(source);
      const cell = tensorText(tensor);
      if (from)
        cell.append(" from ", typeof source === "number" ? opLink(source) : link("input", from));
      inputs.push([slot, cell]);
    }
  const outputs = op.outputs.flatMap(([slot, tensors]) =>
    tensors.map((tensor) => [slot, tensorText(tensor)]),
  );
  const kernels = (op.kernels ?? []).map(
    ([node, operator, milliseconds, calls, outputBytes, inputBytes, parameterBytes_, types]) =>
      table([
        ["kernel", `${operator} (${node})`],
        [
          "time",
          `${formatTime(milliseconds)} · ${percentOf(milliseconds)}${calls === 1 ? "" : ` · ${calls} calls per run`}`,
        ],
        ["outputs", `${formatBytes(outputBytes)} ${types}`],
        ["inputs", formatBytes(inputBytes)],
        ["parameters", formatBytes(parameterBytes_)],
      ]),
  );
  if (model.profile && !kernels.length && !nodeOfOp.get(number)?.children)
    kernels.push(
      element(
        "p",
        {},
        "No kernel of its own: ONNX Runtime fused the op with another one, or removed it.",
      ),
    );
  return [
    element("h2", {}, op.type),
    op.layer ? element("p", {}, op.layer) : null,
    op.name ? element("p", { class: "type" }, op.name) : null,
    ...section("Source", op.line ? code(op.line) : null),
    ...section("Inputs", table(inputs)),
    ...section("Parameters", table(parameters)),
    ...section("Outputs", table(outputs)),
    ...section(
      "Used by",
      table(limited([...(consumers.get(number) ?? [])], (user) => [opLink(user)])),
    ),
    ...section("Attributes", table(op.attrs.map(([name, value]) => [name, code(value)]))),
    ...section("Profile", ...kernels),
  ];
}

function countsOf(ops) {
  const counts = new Map();
  for (const number of ops)
    counts.set(model.ops[number].type, (counts.get(model.ops[number].type) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]);
}

function slowestTable(ops) {
  if (!model.profile) return null;
  const timed = ops
    .filter((number) => model.ops[number].kernels)
    .map((number) => [number, measuredOf(nodeOfOp.get(number)).milliseconds]);
  timed.sort((a, b) => b[1] - a[1]);
  return table(
    timed
      .slice(0, 10)
      .map(([number, milliseconds]) => [
        opLink(number),
        numberCell(formatTime(milliseconds)),
        numberCell(percentOf(milliseconds)),
      ]),
  );
}

function describeGroup(group) {
  const ops = opsOf(group);
  const parameters = parametersOf(ops);
  const measured = measuredOf(group);
  return [
    element("h2", {}, group.name),
    element("p", {}, group.id),
    ...(group.op === undefined ? [] : describeOp(group.op).slice(1)),
    ...section(
      "Layer",
      table([
        ["ops", String(ops.length)],
        ["parameters", `${parameters.length} · ${formatBytes(parameterBytes(ops))}`],
        ...(measured.kernels
          ? [["time", `${formatTime(measured.milliseconds)} · ${percentOf(measured.milliseconds)}`]]
          : []),
      ]),
    ),
    ...section("Slowest ops", slowestTable(ops)),
    ...section(
      "Ops",
      table(countsOf(ops).map(([type, count]) => [type, numberCell(String(count))])),
    ),
    ...section("Parameters", parameterTable(parameters)),
  ];
}

function parameterTable(names) {
  return table(
    limited(names, (name) => {
      const [layerName, type, bytes] = model.parameters[name];
      return [
        element("span", {}, `${layerName || name} `, element("span", { class: "type" }, type)),
        numberCell(formatBytes(bytes)),
      ];
    }),
  );
}

function describeModel() {
  const largest = Object.keys(model.parameters).sort(
    (a, b) => model.parameters[b][2] - model.parameters[a][2],
  );
  const profile = model.profile;
  return [
    element("h2", {}, model.name),
    element(
      "p",
      {},
      `${formatCount(model.ops.length, "op")} · ${formatCount(largest.length, "parameter")} · ${formatBytes(model.parameterBytes)}`,
    ),
    ...section(
      "Inputs",
      table(
        model.inputs.map((tensor, i) => [
          link(tensor[0], inputNodes[i]),
          element("span", { class: "type" }, tensor[1]),
        ]),
      ),
    ),
    ...section(
      "Outputs",
      table(
        model.outputs.map((tensor, i) => [
          link(tensor[0], outputNodes[i]),
          element("span", { class: "type" }, tensor[1]),
        ]),
      ),
    ),
    ...section(
      "Guards",
      model.guards.length
        ? element("ul", {}, ...model.guards.map((guard) => element("li", {}, code(guard))))
        : null,
    ),
    ...(profile
      ? section(
          "Profile",
          table([
            [
              "run",
              `${formatTime(profile.milliseconds)}, mean of ${formatCount(profile.runs, "run")}`,
            ],
            [
              "kernels",
              formatTime(
                measuredOf(root).milliseconds +
                  profile.otherKernels.reduce((sum, kernel) => sum + kernel[2], 0),
              ),
            ],
            ["inputs", element("span", { class: "type" }, profile.inputs.join(", "))],
          ]),
        )
      : []),
    ...section("Slowest ops", slowestTable([...nodeOfOp.keys()])),
    ...(profile
      ? section(
          "Kernels without an op",
          table(
            profile.otherKernels
              .sort((a, b) => b[2] - a[2])
              .slice(0, 10)
              .map((kernel) => [`${kernel[1]} (${kernel[0]})`, numberCell(formatTime(kernel[2]))]),
          ),
        )
      : []),
    ...section(
      "Ops",
      table(
        countsOf([...nodeOfOp.keys()]).map(([type, count]) => [
          element(
            "a",
            {
              onclick: () => {
                searchBox.value = type;
                search(type);
              },
            },
            type,
          ),
          numberCell(String(count)),
        ]),
      ),
    ),
    ...section("Largest parameters", parameterTable(largest.slice(0, 10))),
    ...section("File", table(model.facts.map(([name, value]) => [name, value]))),
  ];
}

function showPanel() {
  let content;
  if (selected?.kind === "group") content = describeGroup(selected);
  else if (selected?.kind === "op") content = describeOp(selected.op);
  else if (!selected && searchBox.value.trim())
    content = [
      element("h2", {}, formatCount(matches.size, "op")),
      table(limited([...matches], (number) => [opLink(number)])) ??
        element("p", {}, "Nothing found."),
    ];
  else content = describeModel();
  panel.replaceChildren(...content.filter((item) => item));
  panel.scrollTop = 0;
}
