// Elements of the page, constants, and functions that create elements and format values.
// Texts of the model are only ever set as text, never parsed as HTML.

const model = JSON.parse(document.getElementById("model").textContent);
const svg = document.getElementById("graph");
const view = document.getElementById("view");
const panel = document.getElementById("panel");
const searchBox = document.getElementById("search");
const colorBox = document.getElementById("color");

const MAX_LISTED = 200; // rows of a list in the panel
const MAX_EXPANDED_MATCHES = 60; // a search with more matches expands no groups
const TITLE_HEIGHT = 22; // of an expanded group
const COLORS = [
  // of ops by type; the first pattern that fits
  [/while|conditional|^if$|loop|scan|recurrent|select_(in|out)put/i, "#d64545"],
  [/norm/i, "#8457c9"],
  [/conv|matmul|^mul$|gemm|^fc$|attention|rnn|lstm|gru|einsum|bmm/i, "#2f6fde"],
  [/pool/i, "#12908e"],
  [/relu|sigmoid|tanh|gelu|softmax|swish|silu|elu|mish|softplus|erf|activation/i, "#2f9e44"],
  [
    /reshape|transpose|squeeze|flatten|concat|split|slice|gather|expand|pad|cast|shape|stack|tile|perm/i,
    "#8a94a0",
  ],
  [/elementwise|add|sub|mul|div|scale|pow|sqrt|exp|log|sum|mean|reduce|max|min/i, "#e07b17"],
];
const OTHER_COLOR = "#b3a06b";

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
  while (bytes >= 1000 && unit < 3) {
    bytes /= 1000;
    unit += 1;
  }
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
