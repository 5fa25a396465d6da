// The library in a worker. Calls wait for one another.

let module; // compiled once, at the first call

async function compiled() {
  const response = await fetch("aoso.wasm");
  if (!response.ok) throw new Error(`aoso.wasm could not be loaded: ${response.status} ${response.statusText}`);
  return WebAssembly.compile(await response.arrayBuffer());
}

export class Library {
  #worker;
  #calls = new Map();
  #last = 0;

  // alive reports whether the library knows what earlier calls told it.
  get alive() { return this.#worker !== undefined; }

  // call calls a method of the library. report is called with the progress of training.
  async call(method, values, report) {
    module ??= compiled();
    const code = await module.catch((error) => {
      module = undefined; // the next call tries again
      throw error;
    });
    if (!this.#worker) this.#start(code);
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#calls.set(id, { resolve, reject, report });
      this.#worker.postMessage({ id, method, values });
    });
  }

  #start(code) {
    this.#worker = new Worker("worker.js");
    this.#worker.onmessage = ({ data: { id, progress, error, ended, result } }) => {
      const call = this.#calls.get(id);
      if (progress) return call.report?.(progress);
      this.#calls.delete(id);
      if (ended) this.end(error);
      if (error) call.reject(new Error(error));
      else call.resolve(result);
    };
    this.#worker.onerror = (event) => this.end(event.message);
    this.#worker.postMessage({ module: code });
  }

  // end ends the worker, and with it what it is doing and everything that it knows.
  end(message = "cancelled") {
    this.#worker?.terminate();
    this.#worker = undefined;
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    for (const call of calls) call.reject(new Error(message));
  }
}
