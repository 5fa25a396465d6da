// Runs a program for WASI in the folder that it is started in: node web/wasi.mjs PROGRAM.WASM ARGUMENT...
import fs from "node:fs";
import { WASI } from "node:wasi";

const [path, ...args] = process.argv.slice(2);
const wasi = new WASI({ version: "preview1", args: [path, ...args], env: { PWD: "/" }, preopens: { "/": "." }, returnOnExit: true });
const program = await WebAssembly.compile(fs.readFileSync(path));
process.exitCode = wasi.start(await WebAssembly.instantiate(program, wasi.getImportObject()));
