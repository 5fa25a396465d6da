// Trains with the page's WebAssembly under Node, and runs the commands that the page shows: model, errors and predictions must be the same.
// node web/check.mjs PAGE FOLDER-OF-COMMAND
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import vm from "node:vm";

const [page, bin] = process.argv.slice(2).map((name) => path.resolve(name));
vm.runInThisContext(fs.readFileSync(`${page}/wasm_exec.js`));
const go = new Go();
const { instance } = await WebAssembly.instantiate(fs.readFileSync(`${page}/aoso.wasm`), go.importObject);
go.run(instance);

function call(method, ...values) {
  const result = JSON.parse(aoso[method](...values));
  if (result.error) throw new Error(result.error);
  return result;
}

const expect = (ok, message) => { if (!ok) throw new Error(message); };

// table makes a table with numbers, categories, missing values and quotes. Some values are in the test rows only.
function table(rows, separator, header) {
  const lines = header ? [["id", "height, cm", "soil", "kind"]] : [];
  for (let i = 0, seed = 1; i < rows; i++) {
    seed = (seed * 48271) % 2147483647;
    const height = (seed % 1000) / 100, soil = ["clay", "sand", i < 2 ? "clay" : "", "loam"][seed % 4];
    const kind = height > 6 ? "tree, tall" : soil === "sand" ? "grass" : "moss";
    lines.push([`${7 * i}`, height.toFixed(2), i === 4 ? "mud" : soil, i === 9 ? "fern" : kind]);
  }
  return lines.map((cells) => cells.map((cell) => (cell.includes(",") ? `"${cell}"` : cell)).join(separator)).join("\n") + "\n";
}

const temporary = fs.mkdtempSync(path.join(os.tmpdir(), "page-"));
const run = (command) => execFileSync("sh", ["-c", command], { cwd: temporary, encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "pipe"],
  env: { ...process.env, PATH: `${bin}:${process.env.PATH}` } });
const letters = fs.readFileSync(`${page}/letter.csv.gz`);
try {
  for (const [name, content, set] of [
    ["letter.csv.gz", letters, { test: "last", strategy: "fixed", trees: 10, ignore: [3] }],
    ["my plants.csv", table(300, ",", true), { test: "fifth", strategy: "fast", ignore: [0] }],
    ["plants.tsv", table(200, "\t", false), { test: "last", strategy: "auto", categorical: [0] }],
    ["all.csv", table(120, ";", true), { test: "none", strategy: "fast" }],
  ]) {
    const sheet = call("open", name, new Uint8Array(Buffer.from(content)), "auto");
    expect(sheet.header === (name !== "plants.tsv"), `${name}: header is ${sheet.header}`);
    let reports = 0;
    const result = call("train", JSON.stringify({ label: sheet.label, ...set }), () => reports++);
    const [trained, evaluated] = result.commands;
    fs.writeFileSync(path.join(temporary, result.trainName), aoso.file("train"));
    if (result.testName) fs.writeFileSync(path.join(temporary, result.testName), aoso.file("test"));
    run(trained);
    const model = aoso.file("model");
    expect(Buffer.compare(fs.readFileSync(path.join(temporary, result.modelName)), model) === 0, `${name}: ${trained} trains another model`);
    expect(reports > 0, `${name}: no progress was reported`);
    if (evaluated) {
      const { errors, logloss } = JSON.parse(run(`${evaluated} --json`));
      expect(errors === result.test.errors && logloss === result.test.logLoss, `${name}: the test is ${JSON.stringify(result.test)}; ${evaluated}: ${errors}, ${logloss}`);
      const predictor = call("load", result.modelName, model);
      const predictions = call("predict", result.testName, aoso.file("test"));
      const proba = run(`aoso predict --model '${result.modelName}' --data '${result.testName}' --output proba`);
      const text = Buffer.from(aoso.file("predictions")).toString();
      const shown = text.split("\n").map((line) => line.replace(/^("[^"]*"|[^,]*),/, "")).join("\n");
      expect(shown === proba, `${name}: the predictions differ`);
      const row = call("row", JSON.stringify(result.examples[0].cells));
      expect(row.proba.join() === proba.split("\n")[1], `${name}: the prediction of a row differs`);
      expect(predictions.rows === result.test.rows && predictor.fingerprint === result.fingerprint, `${name}: other rows or another model`);
    }
    console.log(`WebAssembly: ${trained}: the same model, ${result.fingerprint}, in ${result.seconds.toFixed(1)} s`);
  }
} finally {
  fs.rmSync(temporary, { recursive: true });
}
process.exit(0);
