// Elements of the page.

export const element = (id) => document.getElementById(id);

// make makes an element with properties and children. Names with a dash are attributes.
export function make(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.includes("-")) made.setAttribute(key, value);
    else made[key] = value;
  }
  made.append(...children);
  return made;
}

export const write = (id, text) => { element(id).textContent = text; };
export const show = (id, shown = true) => { element(id).hidden = !shown; };

// alert shows a message, or hides the last one.
export function alert(id, text = "") {
  write(id, text);
  show(id, text !== "");
}

// sentence makes a sentence of an error about a file.
export function sentence(text) {
  text = text.replace(/^aoso: /, "").replace(/^(.*?):(\d+): /, "$1, line $2: ").replace(/^([^:]*): (is|has) /, "$1 $2 ");
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

// bar is a bar of a share. Readers of the screen have the number beside it.
export function bar(share) {
  const made = make("span", { className: "bar", "aria-hidden": "true" });
  made.style.setProperty("--share", `${100 * share}%`);
  return made;
}

export const count = (n, noun) => `${whole(n)} ${noun}${n === 1 ? "" : noun.endsWith("s") ? "es" : "s"}`;
export const whole = (n) => n.toLocaleString("en");
export const percent = (share) => `${(100 * share).toFixed(1)} %`;

// download makes a link that saves a file.
export function download(name, content, text) {
  return make("a", { download: name, href: URL.createObjectURL(new Blob([content])) }, text);
}
