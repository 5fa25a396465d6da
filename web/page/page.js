// The page: choose a table, train, and see the result.
import { Library } from "./library.js";
import { predictFile, showModel } from "./model.js";
import { showResult } from "./result.js";
import { alert, count, download, element, make, sentence, show, whole, write } from "./dom.js";

const MOST_BYTES = 100e6; // of a table
const MOST_COLUMNS = 300; // of the table of columns
const MUCH = 3e6; // rows × columns × classes above which choosing parameters takes minutes
const SECTIONS = ["columns", "training", "result", "model"]; // that are hidden at first
const PHASES = { search: "Choosing parameters", holdout: "Choosing the number of trees on held-out rows", train: "Training" };

const library = new Library();
let sheet, bytes, kinds, training = false, example = false;

// read returns the bytes of a file, or says why it is refused.
async function read(file) {
  if (file.size === 0) throw new Error(`${file.name} is empty`);
  if (file.size > MOST_BYTES) {
    throw new Error(`${file.name} has ${Math.round(file.size / 1e6)} MB; allowed in this page: at most ${MOST_BYTES / 1e6} MB. The command aoso train reads larger files.`);
  }
  return new Uint8Array(await file.arrayBuffer());
}

const isModel = (content) => String.fromCharCode(...content.slice(0, 4)) === "AOSO";

// choose opens a file as a table, or as a model if it is one.
async function choose(file) {
  cancel();
  alert("data-alert");
  for (const id of SECTIONS) show(id, false);
  write("data-status", `Reading ${file.name} …`);
  try {
    const content = await read(file);
    if (isModel(content)) await loadModel(file.name, content);
    else await open(file.name, content, "auto");
    write("data-status", `Opened ${file.name}: see below.`);
  } catch (error) {
    write("data-status", "");
    if (error.message !== "cancelled") alert("data-alert", sentence(error.message));
  }
}

async function open(name, content, header) {
  for (const id of SECTIONS) show(id, false);
  const opened = await library.call("open", [name, content, header]);
  [sheet, bytes, example] = [opened, content, false];
  kinds = sheet.columns.map(({ kind, index }) => (index ? "out" : kind));
  write("summary", `${sheet.name} has ${count(sheet.rows, "row")} and ${count(sheet.columns.length, "column")}.`);
  element("header").checked = sheet.header;
  element("label").replaceChildren(...sheet.columns.map(({ name }, j) => make("option", { value: j }, sheet.header ? name : `column ${name}`)));
  element("label").value = sheet.label;
  element("notes").replaceChildren(...(sheet.notes ?? []).map((note) => make("li", {}, sentence(note.replace(/^./, (c) => c.toUpperCase())))));
  element("test").value = "fifth";
  element("strategy").value = sheet.rows * sheet.columns.length * sheet.columns[sheet.label].distinct > MUCH ? "fixed" : "fast";
  chooseStrategy();
  chooseLabel();
  for (const id of ["status", "ticks"]) write(id, "");
  for (const id of ["columns", "training"]) show(id);
}

function chooseLabel() {
  const label = sheet.columns[element("label").value];
  const rest = label.distinct - label.common.length;
  const classes = label.common.map(({ text, rows }) => `${text} (${whole(rows)})`).join(", ") + (rest > 0 ? ` and ${whole(rest)} more` : "");
  write("classes", label.problem ? "" : `${count(label.distinct, "class")}: ${classes}.`);
  alert("label-alert", label.problem || label.doubt);
  element("train").disabled = label.problem !== "";
  drawColumns();
}

function drawColumns() {
  const label = Number(element("label").value);
  const rows = sheet.columns.slice(0, MOST_COLUMNS).map((column, j) => make("tr", {}, make("th", { scope: "row" }, column.name),
    make("td", {}, j === label ? "the label" : kindOf(column, j)), make("td", { className: "number" }, whole(column.missing)), make("td", {}, valuesOf(column))));
  const more = sheet.columns.length - rows.length;
  if (more > 0) rows.push(make("tr", {}, make("th", { scope: "row", colSpan: 4 }, `${count(more, "more column")}`)));
  element("column-table").tBodies[0].replaceChildren(...rows);
}

// kindOf is the list of what a column can be taken for.
function kindOf(column, j) {
  const options = [[column.kind, column.kind]];
  if (column.kind === "number") options.push(["category", "category"]);
  options.push(["out", "left out"]);
  const list = make("select", { "aria-label": `${column.name} is taken for`, onchange: () => { kinds[j] = list.value; } },
    ...options.map(([value, text]) => make("option", { value }, text)));
  list.value = kinds[j];
  return list;
}

function valuesOf({ kind, least, most, distinct, common }) {
  if (!distinct) return "none";
  if (kind !== "category") return least === most ? least : `${least} to ${most}`;
  return common.map(({ text }) => text).join(", ") + (distinct > common.length ? ` and ${whole(distinct - common.length)} more` : "");
}

function chooseStrategy() {
  show("trees-choice", element("strategy").value === "fixed");
}

function settings() {
  const label = Number(element("label").value);
  const taken = (kind) => kinds.flatMap((k, j) => (k === kind && j !== label && sheet.columns[j].kind !== kind ? [j] : []));
  return { label, ignore: taken("out"), categorical: taken("category"), test: element("test").value, strategy: element("strategy").value,
    trees: Number(element("trees").value) };
}

// train trains until the end, or until the button is pressed again.
async function train() {
  if (training) return cancel();
  const set = settings();
  if (set.strategy === "fixed" && !element("trees").reportValidity()) return;
  alert("train-alert");
  show("result", false);
  show("model", false);
  begin();
  try {
    if (!library.alive) await library.call("open", [sheet.name, bytes, sheet.header ? "yes" : "no"]);
    const result = await library.call("train", [JSON.stringify(set)], showProgress);
    const model = await library.call("file", ["model"]);
    await showDownloads(result, model);
    showResult(result);
    await compare(result, set);
    await showModel(result.modelName, model, result.examples);
    end(result.test ? `Trained: ${count(result.test.errors, "error")} in ${count(result.test.rows, "test row")}. The result is below.` : "Trained. The result is below.");
  } catch (error) {
    if (error.message === "cancelled") return;
    end("");
    alert("train-alert", sentence(error.message));
  }
}

function begin() {
  training = true;
  write("train", "Cancel");
  element("progress").removeAttribute("value");
  show("progress");
  write("status", "Preparing the rows …");
  write("ticks", "");
}

function end(status) {
  training = false;
  write("train", "Train");
  show("progress", false);
  write("status", status);
  write("ticks", "");
}

// cancel ends training, and the library with it.
function cancel() {
  if (!training) return;
  end("Cancelled.");
  library.end();
}

function showProgress({ phase, trees, maxTrees, seconds }) {
  const name = `${PHASES[phase]} …`;
  if (element("status").textContent !== name) write("status", name); // it is read out when it changes
  element("progress").value = trees / maxTrees;
  write("ticks", `${count(trees, "tree")} of at most ${whole(maxTrees)}, ${seconds.toFixed(1)} s`);
}

async function showDownloads(result, model) {
  const links = [download(result.modelName, model, `Download the model, ${result.modelName}`)];
  if (result.testName) {
    for (const [name, part] of [[result.trainName, "train"], [result.testName, "test"]]) {
      links.push(download(name, await library.call("file", [part]), `Download ${name}`));
    }
  }
  element("downloads").replaceChildren(...links);
}

// compare compares the model of the example with the one that the command trained when this page was made.
async function compare(result, set) {
  show("verdict", false);
  if (!example || set.test !== "last" || set.strategy !== "fixed" || set.trees !== 100 || set.ignore.length + set.categorical.length) return;
  const native = await (await fetch("native.json")).json();
  const same = native.fingerprint === result.fingerprint;
  write("verdict", same ? `✓ The same model, bit for bit, as the command trained in ${native.seconds.toFixed(1)} s (${native.level}, ${count(native.threads, "thread")}).`
    : `The command trained another model, ${native.fingerprint}. Please report this.`);
  element("verdict").className = same ? "verdict" : "verdict different";
  show("verdict");
}

async function loadModel(name, content) {
  for (const id of SECTIONS) show(id, false);
  alert("load-alert");
  await showModel(name, content);
  element("model-title").focus();
}

// letters opens the example: the rows of the paper, in half a minute.
async function letters() {
  const name = "letter.csv.gz";
  const response = await fetch(name).catch((error) => ({ statusText: error.message }));
  if (!response.ok) return alert("data-alert", `${name} could not be loaded: ${response.statusText}.`);
  await choose(new File([await response.blob()], name));
  if (sheet?.name !== name) return;
  element("test").value = "last";
  element("strategy").value = "fixed";
  element("trees").value = 100;
  chooseStrategy();
  example = true;
}

// whenChosen calls a function with the file that somebody chooses, also if it is the same again.
function whenChosen(id, call) {
  element(id).onchange = ({ target }) => {
    const [file] = target.files;
    target.value = "";
    if (file) call(file);
  };
}

whenChosen("file", choose);
whenChosen("model-file", async (file) => {
  alert("load-alert");
  try {
    cancel();
    await loadModel(file.name, await read(file));
  } catch (error) {
    alert("load-alert", sentence(error.message));
  }
});
whenChosen("predict-file", async (file) => {
  try {
    await predictFile(file.name, await read(file));
  } catch (error) {
    alert("predict-alert", sentence(error.message));
  }
});
element("letters").onclick = letters;
element("header").onchange = async ({ target }) => {
  cancel();
  try {
    await open(sheet.name, bytes, target.checked ? "yes" : "no");
  } catch (error) {
    alert("data-alert", sentence(error.message));
  }
};
element("label").onchange = chooseLabel;
element("strategy").onchange = chooseStrategy;
element("train").onclick = train;
element("copy").onclick = async () => {
  await navigator.clipboard.writeText(element("commands").textContent);
  write("copied", "Copied.");
};

const drop = element("drop");
for (const name of ["dragover", "dragleave", "drop"]) {
  addEventListener(name, (event) => {
    event.preventDefault(); // else the browser opens the file
    drop.classList.toggle("over", name === "dragover");
  });
}
addEventListener("drop", ({ dataTransfer }) => {
  if (dataTransfer.files.length) choose(dataTransfer.files[0]);
});
