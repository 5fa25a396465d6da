// Calls the library in a thread of its own, so that the page stays responsive. The first message has the compiled module.
importScripts("wasm_exec.js");

let ready, ended = false;

onmessage = async ({ data: { module, id, method, values } }) => {
  if (module) {
    const go = new Go();
    ready = WebAssembly.instantiate(module, go.importObject).then((instance) => { go.run(instance).then(() => { ended = true; }); });
    return;
  }
  try {
    await ready;
    const report = (progress) => postMessage({ id, progress: JSON.parse(progress) });
    const answer = aoso[method](...values, report);
    if (answer instanceof Uint8Array) return postMessage({ id, result: answer }, [answer.buffer]);
    const result = JSON.parse(answer);
    postMessage(result?.error ? { id, error: result.error } : { id, result });
  } catch (error) {
    await new Promise((resolve) => setTimeout(resolve)); // go.run may have ended
    ended ||= error instanceof WebAssembly.RuntimeError;
    postMessage({ id, ended, error: ended ? "The browser has too little memory for this; the command aoso takes larger tables" : error.message });
  }
};
