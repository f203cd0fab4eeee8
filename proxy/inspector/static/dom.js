// The one way that elements come about here. Strings become text nodes, and neither markup, style attributes nor
// handlers can be given: what a history says cannot run, whatever it says.

const SVG = "http://www.w3.org/2000/svg";

/** Return an element with `attributes` (null and false leave one out) and `children` (strings are text). */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for a shape of a picture. */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    } else if (name === "style" || name.startsWith("on")) {
      throw new TypeError(`${name} is not set from here`);
    } else {
      node.setAttribute(name, value === true ? "" : String(value));
    }
  }
  add(node, children);
  return node;
}

/** Append `children`: nodes, strings, numbers, lists of these; null and false are passed over. */
export function add(node, ...children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

/** Let `children` be all that `node` holds. */
export function put(node, ...children) {
  node.replaceChildren();
  return add(node, ...children);
}

export const byId = (id) => document.getElementById(id);

/** Say `text` to whoever listens to the page. */
export function announce(text) {
  byId("said").textContent = text;
}

/** Return a button; `press` is called with the button. */
export function button(label, press, attributes = {}) {
  const made = el("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", () => press(made));
  return made;
}

/** Return a button that copies what `make` returns, and says so. */
export function copyButton(label, make) {
  return button(label, async (self) => {
    const copied = await copyText(make());
    self.textContent = copied ? "Copied" : "Could not copy";
    announce(copied ? `${label}: copied` : `${label}: the browser did not allow it`);
    setTimeout(() => { self.textContent = label; }, 1600);
  }, { class: "quiet" });
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Without TLS, and not on localhost, there is no clipboard interface: the old way.
    const area = el("textarea", { class: "offscreen", "aria-hidden": "true", tabindex: "-1" });
    area.value = text;
    const before = document.activeElement;
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    before?.focus();
    return copied;
  }
}

/** Let the arrow keys, Home and End move among `items()` of `host`; `pick` is called with the one that is reached. */
export function rove(host, items, pick) {
  host.addEventListener("keydown", (event) => {
    const all = items();
    const at = all.indexOf(document.activeElement);
    if (at < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    const steps = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 };
    if (!(event.key in steps)) return;
    event.preventDefault();
    const next = all[(steps[event.key] + all.length) % all.length];
    next.focus();
    pick(next);
  });
}
