// Light, dark, or as the system has it. The choice is no secret and outlives the tab.

import { announce, byId } from "./dom.js";

const KEY = "turnright.theme";
const NAMES = ["auto", "light", "dark"];
const LABELS = { auto: "◐ Auto", light: "○ Light", dark: "● Dark" };

export function startTheme() {
  const button = byId("theme");
  let chosen = read();
  const show = () => {
    if (chosen === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = chosen;
    button.textContent = LABELS[chosen];
    button.setAttribute("aria-label", `Colours: ${chosen}. Change`);
  };
  button.addEventListener("click", () => {
    chosen = NAMES[(NAMES.indexOf(chosen) + 1) % NAMES.length];
    try { localStorage.setItem(KEY, chosen); } catch { /* a browser that keeps nothing */ }
    show();
    announce(`Colours: ${chosen}`);
  });
  show();
}

function read() {
  try {
    const kept = localStorage.getItem(KEY);
    return NAMES.includes(kept) ? kept : "auto";
  } catch {
    return "auto";
  }
}
