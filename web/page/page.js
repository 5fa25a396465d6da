"use strict";

const PAPER = 92; // test errors of AOSO-LogitBoost at convergence, in the paper
const element = (id) => document.getElementById(id);
const write = (id, text) => { element(id).textContent = text; };
const seconds = (s) => s.toFixed(1);

// shape makes a part of a drawing, such as a line with its attributes.
function shape(name, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// drawCurve draws test errors by number of trees, on a logarithmic scale.
function drawCurve(points, maxTrees) {
  const left = 44, right = 466, top = 14, bottom = 368, low = 75, high = 1600;
  const x = (trees) => left + ((right - left) * trees) / maxTrees;
  const y = (errors) => bottom - ((bottom - top) * Math.log(Math.min(Math.max(errors, low), high) / low)) / Math.log(high / low);
  const drawing = [];
  for (const errors of [100, 200, 400, 800, 1600]) {
    drawing.push(shape("line", { class: "grid", x1: left, x2: right, y1: y(errors), y2: y(errors) }));
    drawing.push(shape("text", { x: left - 8, y: y(errors) + 4, "text-anchor": "end" }, String(errors)));
  }
  for (let i = 0; i <= 4; i++) {
    const trees = (maxTrees * i) / 4;
    drawing.push(shape("text", { x: x(trees), y: bottom + 22, "text-anchor": i === 4 ? "end" : "middle" }, i === 4 ? `${trees} trees` : String(trees)));
  }
  drawing.push(shape("line", { class: "paper", x1: left, x2: right, y1: y(PAPER), y2: y(PAPER) }));
  drawing.push(shape("text", { class: "paper-name", x: right, y: y(PAPER) + 17, "text-anchor": "end" }, `${PAPER}: the paper, thousands of trees`));
  if (points.length) {
    drawing.push(shape("polyline", { class: "line", points: points.map((p) => `${x(p.trees)},${y(p.errors)}`).join(" ") }));
    const last = points[points.length - 1];
    drawing.push(shape("circle", { class: "dot", cx: x(last.trees), cy: y(last.errors), r: 4.5 }));
  }
  element("curve").replaceChildren(...drawing);
}

// confusedPairs lists pairs of classes with the test rows of one that are predicted as the other, most first.
function confusedPairs(confusion) {
  const pairs = [];
  for (let a = 0; a < confusion.length; a++) {
    for (let b = 0; b < a; b++) {
      const count = confusion[a][b] + confusion[b][a];
      if (count) pairs.push({ a, b, count });
    }
  }
  return pairs.sort((p, q) => q.count - p.count);
}

// drawGraph draws the classes on a circle and an edge for each pair that is confused.
function drawGraph(classes, pairs) {
  const cx = 240, cy = 200, radius = 172;
  const at = (i, r) => {
    const angle = (2 * Math.PI * i) / classes.length - Math.PI / 2;
    return [cx + r * Math.cos(angle), cy + r * Math.sin(angle)];
  };
  // The nearer two letters are, the less does their edge bend towards the centre.
  const bend = (a, b) => {
    const apart = Math.min(a - b, classes.length - (a - b)) / (classes.length / 2);
    const middle = (a + b) / 2 + (a - b > classes.length / 2 ? classes.length / 2 : 0);
    return [middle, radius * (1 - apart) * 0.7];
  };
  const wrong = new Set();
  const edges = pairs.map(({ a, b, count }) => {
    wrong.add(a).add(b);
    const path = shape("path", {
      class: "edge", d: `M${at(a, radius)} Q${at(...bend(a, b))} ${at(b, radius)}`,
      "stroke-width": 1 + 0.9 * count, opacity: Math.min(1, 0.25 + 0.12 * count),
    });
    path.append(shape("title", {}, `${classes[a]} and ${classes[b]}: ${count}`));
    return path;
  });
  const letters = classes.map((name, i) => {
    const [x, y] = at(i, radius);
    return shape("g", { class: wrong.has(i) ? "letter wrong" : "letter" }, shape("circle", { cx: x, cy: y, r: 15 }), shape("text", { x, y }, name));
  });
  element("graph").replaceChildren(...edges, ...letters);
}

function showProgress(points) {
  const p = points[points.length - 1];
  element("progress").value = p.trees / p.maxTrees;
  write("status", "Training. You can go on reading: it runs in a thread of its own.");
  showFigures(p.trees, p.errors, p.testLoss, p.seconds);
  drawCurve(points, p.maxTrees);
}

function showFigures(trees, errors, loss, time) {
  write("trees", trees);
  write("errors", errors);
  write("loss", loss.toFixed(3));
  write("seconds", seconds(time));
}

function showResult(result, native) {
  element("progress").value = 1;
  write("status", `Trained on one thread, without vector instructions. ${(100 * (1 - result.errors / result.testRows)).toFixed(1)} % of the test letters are right.`);
  showFigures(result.trees, result.errors, result.logLoss, result.seconds);
  const pairs = confusedPairs(result.confusion);
  drawGraph(result.classes, pairs);
  const most = pairs.slice(0, 3).map(({ a, b, count }) => `${result.classes[b]} and ${result.classes[a]} (${count})`);
  write("confused", `Lines join letters that are taken for one another; the thicker, the more often. Most often: ${most.join(", ")}.`);
  write("here", result.fingerprint);
  write("here-seconds", seconds(result.seconds));
  const same = result.fingerprint === native.fingerprint;
  write("verdict", same ? "✓ The same model, bit for bit." : "The models differ. Please report this.");
  element("verdict").className = same ? "verdict same" : "verdict different";
}

// train trains in a worker. The button is free again at the end.
function train(native) {
  const worker = new Worker("worker.js");
  const points = [];
  const end = () => {
    worker.terminate();
    element("train").disabled = false;
  };
  const fail = (message) => {
    write("status", `It failed: ${message}`);
    end();
  };
  element("train").disabled = true;
  write("status", "Loading the library and the data …");
  worker.onerror = (event) => fail(event.message);
  worker.onmessage = ({ data }) => {
    if (data.error) return fail(data.error);
    if (data.started) write("status", "Preparing the data …");
    if (data.progress) showProgress(points, points.push(data.progress));
    if (data.result) {
      showResult(data.result, native);
      element("train").textContent = "Train again";
      end();
    }
  };
  worker.postMessage({ trees: native.trees });
}

async function start() {
  const native = await (await fetch("native.json")).json();
  drawCurve([], native.trees);
  drawGraph(native.classes, []);
  write("native-name", `natively (${native.level}, ${native.threads} thread${native.threads === 1 ? "" : "s"})`);
  write("native", native.fingerprint);
  write("native-seconds", seconds(native.seconds));
  element("train").onclick = () => train(native);
}

start().catch((error) => write("status", `It failed: ${error.message}`));
