// The keys that work anywhere on the page, and the list of all keys. Where single keys are in somebody's way (speech
// input types them), they can be switched off; the choice is no secret and outlives the tab.

import { announce, byId, el, put } from "./dom.js";

const KEPT = "turnright.keys";

/** What each key does is told here and nowhere else; those without `act` are handled where they work. */
const LIST = [
  ["Anywhere", [
    ["/", "to the field for a request"], ["1 … 7", "to a view"],
    ["h  l", "to the step before, and the next one"], ["p  n", "to the change before, and the next one"], ["?", "this list"],
  ]],
  ["In the field", [["Ctrl Enter", "look at it"]]],
  ["Among the turns", [["↑  ↓", "from turn to turn; k and j do the same"], ["←  →", "from step to step"], ["Home  End", "to the first turn, and the last"]]],
  ["Among the views, or the steps", [["←  →", "to the one before, and the next one"]]],
];

/** Let the keys work; `acts` has a function for each single key. */
export function startShortcuts(acts) {
  const dialog = byId("shortcuts");
  const own = { ...acts, "?": () => { if (!dialog.open) dialog.showModal(); } };
  put(byId("shortcut-list"), LIST.map(([where, keys]) => el("section", {}, el("h3", {}, where),
    el("dl", {}, keys.map(([key, what]) => el("div", {}, el("dt", {}, key.split("  ").map((one) => [el("kbd", {}, one), " "])), el("dd", {}, what)))))));
  byId("shortcuts-open").addEventListener("click", () => dialog.showModal());
  byId("shortcuts-close").addEventListener("click", () => dialog.close());
  const single = byId("shortcuts-single");
  single.checked = read();
  single.addEventListener("change", () => {
    try { localStorage.setItem(KEPT, single.checked ? "on" : "off"); } catch { /* a browser that keeps nothing */ }
    announce(single.checked ? "Single keys work anywhere" : "Single keys are off");
  });
  addEventListener("keydown", (event) => {
    if (!single.checked || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
    if (document.querySelector("dialog[open]") || event.target.closest?.("input, textarea, select")) return;
    if (!Object.hasOwn(own, event.key)) return;
    event.preventDefault();
    own[event.key]();
  });
}

function read() {
  try {
    return localStorage.getItem(KEPT) !== "off";
  } catch {
    return true;
  }
}
