// The model: its features, a row that can be edited, and the prediction of files.
import { Library } from "./library.js";
import { alert, bar, count, download, element, make, percent, sentence, show, whole, write } from "./dom.js";

const library = new Library();
const FEW = 12; // features shown at first
const MOST = 500; // features that can be edited
const LISTED = 50; // categories that fit a list

let model, file, order, inputs, rows, shown;

// call calls a method that needs the model. If the library has ended, it loads the model again.
async function call(method, values) {
  if (!library.alive) await library.call("load", file);
  return library.call(method, values);
}

// showModel loads a model file. examples are rows, whose cells are in the order of the features.
export async function showModel(name, bytes, examples = []) {
  model = await library.call("load", [name, bytes]);
  file = [name, bytes];
  inputs = undefined;
  order = model.features.map((_, j) => j).sort((a, b) => model.features[b].gain - model.features[a].gain || a - b).slice(0, MOST);
  rows = examples.length ? examples : [{ cells: model.features.map(() => "") }];
  shown = 0;
  write("model-summary", `${name}: ${count(model.classes.length, "class")}, ${count(model.features.length, "feature")}, ${count(model.trees, "tree")}, `
    + `${whole(Math.ceil(model.bytes / 1024))} kB, fingerprint ${model.fingerprint}.`);
  write("predict-status", "");
  element("predict-downloads").replaceChildren();
  alert("predict-alert");
  drawFeatures(FEW);
  show("example-line", examples.length > 0);
  show("model");
  await showRow();
}

function drawFeatures(most) {
  const values = new Map([...(inputs ?? [])].map(([j, input]) => [j, input.value]));
  inputs = new Map();
  const drawn = order.slice(0, most).map((j) => {
    const { name, gain } = model.features[j];
    const input = inputOf(model.features[j], j);
    inputs.set(j, input);
    return make("tr", {}, make("th", { scope: "row", id: `feature-${j}` }, name),
      make("td", {}, make("span", { className: "importance" }, bar(gain), make("span", {}, percent(gain)))), make("td", {}, input));
  });
  element("features").tBodies[0].replaceChildren(...drawn);
  for (const [j, value] of values) if (inputs.has(j)) inputs.get(j).value = value;
  show("more-line", order.length > most);
}

function inputOf({ categories }, j) {
  const properties = { "aria-labelledby": `feature-${j}`, oninput: predictSoon };
  if (!categories) return make("input", { type: "text", inputMode: "decimal", autocomplete: "off", placeholder: "missing", ...properties });
  if (categories.length > LISTED) return make("input", { type: "text", autocomplete: "off", placeholder: "missing", ...properties });
  return make("select", properties, make("option", { value: "" }, "(missing)"), ...categories.map((c) => make("option", { value: c }, c)));
}

async function showRow() {
  const row = rows[shown];
  for (const [j, input] of inputs) input.value = row.cells[j];
  write("truth", row.label === undefined ? "" : `Row ${shown + 1} of ${rows.length}. Its label is ${row.label}.`);
  await predictRow();
}

let waiting;
function predictSoon() {
  clearTimeout(waiting);
  waiting = setTimeout(predictRow, 150);
}

async function predictRow() {
  const cells = rows[shown].cells.map((cell, j) => inputs.get(j)?.value ?? cell);
  try {
    const { proba, unknown } = await call("row", [JSON.stringify(cells)]);
    alert("row-alert", unknown ? `The model does not know this category of ${unknown.join(", ")}; it counts as a missing value.` : "");
    drawProbabilities(proba);
  } catch (error) {
    alert("row-alert", sentence(error.message));
  }
}

function drawProbabilities(proba) {
  const best = proba.map((_, k) => k).sort((a, b) => proba[b] - proba[a] || a - b).slice(0, 10);
  write("predicted", `${model.classes[best[0]]}, with probability ${percent(proba[best[0]])}`);
  element("probabilities").tBodies[0].replaceChildren(...best.map((k) => make("tr", {}, make("th", { scope: "row" }, model.classes[k]),
    make("td", { className: "number" }, percent(proba[k])), make("td", {}, bar(proba[k])))));
  const rest = proba.length - best.length;
  element("probabilities").caption.textContent = rest ? `Probabilities of the ${best.length} most likely of ${whole(proba.length)} classes` : "Probabilities";
}

// predictFile predicts a file and offers the predictions.
export async function predictFile(name, bytes) {
  write("predict-status", `Predicting ${name} …`);
  alert("predict-alert");
  element("predict-downloads").replaceChildren();
  try {
    const made = await call("predict", [name, bytes]);
    const link = download(made.name, await library.call("file", ["predictions"]), `Download ${made.name}`);
    element("predict-downloads").replaceChildren(link);
    const often = made.counts.filter(({ rows }) => rows).map(({ text, rows }) => `${text} (${whole(rows)})`).join(", ");
    write("predict-status", `${count(made.rows, "row")} predicted, most often ${often}.${made.left ? ` Left out: ${made.left}.` : ""}`);
  } catch (error) {
    write("predict-status", "");
    alert("predict-alert", sentence(error.message));
  }
}

element("another").onclick = () => {
  shown = (shown + 1) % rows.length;
  showRow();
};
element("more").onclick = () => {
  drawFeatures(MOST);
  inputs.get(order[FEW]).focus();
};
