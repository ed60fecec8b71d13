// Search ops, and highlight what is found.

const searchTexts = model.ops.map((op, number) => {
  const results = op.outputs.flatMap(([, tensors]) => tensors.map(([name]) => name));
  const parameters = parametersOf([number]).flatMap((name) => [
    name,
    model.parameters[name]?.[0] ?? "",
  ]);
  return [op.type, op.layer, op.name ?? "", op.line, ...results, ...parameters]
    .join("\n")
    .toLowerCase();
});
let matchIndex = -1;

function search(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = words.length
    ? [...nodeOfOp.keys()].filter((i) => words.every((word) => searchTexts[i].includes(word)))
    : [];
  matches = new Set(found.sort((a, b) => a - b));
  matchIndex = -1;
  document.getElementById("matches").textContent = words.length ? `${matches.size} found` : "";
  if (matches.size <= MAX_EXPANDED_MATCHES)
    for (const number of matches) reveal(nodeOfOp.get(number));
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
