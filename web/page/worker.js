// Trains in a thread of its own, so that the page stays responsive.
importScripts("wasm_exec.js");

onmessage = async ({ data: { trees } }) => {
  try {
    const go = new Go();
    const [module, file] = await Promise.all(["aoso.wasm", "letter.csv.gz"].map(fetchBytes));
    const { instance } = await WebAssembly.instantiate(module, go.importObject);
    go.run(instance);
    postMessage({ started: true });
    const result = JSON.parse(train(new Uint8Array(file), trees, (progress) => postMessage({ progress: JSON.parse(progress) })));
    if (result.error) throw new Error(result.error);
    postMessage({ result });
  } catch (error) {
    postMessage({ error: error.message });
  }
};

async function fetchBytes(name) {
  const response = await fetch(name);
  if (!response.ok) throw new Error(`${name}: ${response.status} ${response.statusText}`);
  return response.arrayBuffer();
}
