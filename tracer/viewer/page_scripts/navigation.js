// Pan and zoom, expand and collapse layers, select nodes.

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
  camera.y =
    box.height / 2 - (corner.y + Math.min(height, box.height / camera.scale) / 2) * camera.scale;
  applyCamera();
}

svg.addEventListener(
  "wheel",
  (event) => {
    event.preventDefault();
    const box = svg.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    const scale = Math.min(Math.max(camera.scale * Math.exp(-event.deltaY / 500), 0.02), 4);
    camera.x = x - ((x - camera.x) * scale) / camera.scale;
    camera.y = y - ((y - camera.y) * scale) / camera.scale;
    camera.scale = scale;
    applyCamera();
  },
  { passive: false },
);

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
  setTimeout(() => {
    drag = null;
  }); // after the click event, which ignores a drag
});

svg.addEventListener("click", (event) => {
  if (drag?.moved) return;
  const target = event.target.closest("[data-key]");
  const node = target ? nodes[Number(target.getAttribute("data-key"))] : null;
  if (node?.kind === "group") toggle(node);
  select(node);
});

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
