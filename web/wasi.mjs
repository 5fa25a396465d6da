// Compiles the command for WASI, trains with it under Node, and compares the model with that of the native command:
// node web/wasi.mjs FOLDER AOSO
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { WASI } from "node:wasi";
import zlib from "node:zlib";

const [folder, aoso] = process.argv.slice(2);
fs.mkdirSync(folder, { recursive: true });
execFileSync("go", ["build", "-trimpath", "-ldflags", "-s -w", "-o", `${folder}/aoso.wasm`, "./cmd/aoso"], {
  env: { ...process.env, GOOS: "wasip1", GOARCH: "wasm", CGO_ENABLED: "0" }, stdio: "inherit",
});
const lines = zlib.gunzipSync(fs.readFileSync("testdata/letter.csv.gz")).toString().split("\n");
fs.writeFileSync(`${folder}/train.csv`, lines.slice(0, 1501).join("\n") + "\n");
const train = (data, model) => ["train", "--data", data, "--model", model, "--trees", "30", "--calibration", "none"];
const fingerprint = (model) => JSON.parse(execFileSync(aoso, ["info", "--model", model, "--json"])).fingerprint;

execFileSync(aoso, train(`${folder}/train.csv`, `${folder}/native.aoso`), { stdio: "ignore" });
const log = fs.openSync(`${folder}/log`, "w");
const wasi = new WASI({
  version: "preview1", args: ["aoso", ...train("/data/train.csv", "/data/wasi.aoso")], preopens: { "/data": folder },
  stdout: log, stderr: log, returnOnExit: true,
});
const module = await WebAssembly.compile(fs.readFileSync(`${folder}/aoso.wasm`));
const status = wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()));
if (status) throw new Error(`aoso ended with status ${status}:\n${fs.readFileSync(`${folder}/log`)}`);
const [here, native] = [fingerprint(`${folder}/wasi.aoso`), fingerprint(`${folder}/native.aoso`)];
if (here !== native) throw new Error(`the fingerprint is ${here}; natively it is ${native}`);
console.log(`WASI: the command trains the same model, ${here}`);
