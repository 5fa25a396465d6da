// Trains with WebAssembly under Node and compares the model with the native one: node web/check.mjs FOLDER
import fs from "node:fs";
import vm from "node:vm";

const folder = process.argv[2];
const native = JSON.parse(fs.readFileSync(`${folder}/native.json`));
vm.runInThisContext(fs.readFileSync(`${folder}/wasm_exec.js`));
const go = new Go();
const { instance } = await WebAssembly.instantiate(fs.readFileSync(`${folder}/aoso.wasm`), go.importObject);
go.run(instance);

let reports = 0;
const result = JSON.parse(train(new Uint8Array(fs.readFileSync(`${folder}/letter.csv.gz`)), native.trees, () => reports++));
if (result.error) throw new Error(result.error);
for (const name of ["fingerprint", "trees", "errors", "logLoss", "confusion"]) {
  if (JSON.stringify(result[name]) !== JSON.stringify(native[name])) {
    throw new Error(`${name} is ${JSON.stringify(result[name])}; natively it is ${JSON.stringify(native[name])}`);
  }
}
if (reports < 10) throw new Error(`progress was reported ${reports} times`);
console.log(`WebAssembly: ${result.trees} trees in ${result.seconds.toFixed(1)} s, natively in ${native.seconds.toFixed(1)} s; the same model, ${result.fingerprint}`);
process.exit(0);
