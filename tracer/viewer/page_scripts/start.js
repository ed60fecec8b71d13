// The state in the address, and the start of the page.

// `#expand=ID&expand=ID&select=ID or op number&search=TEXT&color=time`; `expand=*` expands all groups
function readHash() {
  const state = new URLSearchParams(location.hash.slice(1));
  const ids = state.getAll("expand");
  for (const group of groupOfId.values()) setOpen(group, ids.includes("*"));
  for (const id of ids) {
    const group = groupOfId.get(id);
    if (group) {
      reveal(group);
      setOpen(group, true);
    }
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
  else
    for (const group of groups)
      if (group.open && !group.children.some((child) => child.open))
        state.append("expand", group.id);
  if (selected) state.set("select", selected.kind === "group" ? selected.id : (selected.op ?? ""));
  if (searchBox.value) state.set("search", searchBox.value);
  if (model.profile && colorBox.value !== "time") state.set("color", colorBox.value);
  const text = state.toString();
  if (text !== location.hash.slice(1))
    history.replaceState(null, "", text ? `#${text}` : location.pathname);
}

document.getElementById("title").textContent = model.name;
if (model.profile) {
  for (const [value, text] of [
    ["time", "time"],
    ["memory", "memory of outputs"],
  ])
    colorBox.append(element("option", { value }, text));
  colorBox.value = "time";
}
colorBox.addEventListener("change", () => {
  draw();
  writeHash();
});
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
else {
  draw();
  fit();
  showPanel();
}
document.documentElement.setAttribute("data-ready", "true");
