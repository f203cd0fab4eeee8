// Asks for a key when the process wants one.

import { byId, put } from "./dom.js";

/** Return a promise of the key that was typed, or of null. `refused` says that one was given and not taken. */
export function askForKey(refused) {
  const dialog = byId("key-dialog");
  const field = byId("key-field");
  const fault = byId("key-fault");
  put(fault, refused ? "That key was not accepted." : "");
  field.value = "";
  field.setAttribute("aria-invalid", String(refused));
  return new Promise((resolve) => {
    const done = (key) => {
      leaving.abort();
      field.value = "";
      if (dialog.open) dialog.close();
      resolve(key);
    };
    const leaving = new AbortController();
    const { signal } = leaving;
    byId("key-form").addEventListener("submit", (event) => {
      event.preventDefault();
      const key = field.value.trim();
      if (/^[\x21-\x7e]+$/.test(key)) done(key);
      else put(fault, key ? "A key has no spaces, and only ASCII." : "Type the key first.");
    }, { signal });
    byId("key-cancel").addEventListener("click", () => done(null), { signal });
    dialog.addEventListener("close", () => done(null), { signal });
    dialog.showModal();
    field.focus();
  });
}
