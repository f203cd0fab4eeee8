// What the page asks of its own process. The key lives in this tab's sessionStorage alone.

const KEY = "turnright.key";
const BASE = new URL("api/", import.meta.url);

/** An answer that is an error, or none at all. */
export class Failed extends Error {
  constructor(status, message, code = "") {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const TEXTS = new WeakMap();

let askForKey = null;
let asking = null;

/** Let `ask(refused)` be called where the process wants a key; it returns a promise of one, or of null. */
export function onKeyWanted(ask) {
  askForKey = ask;
}

export function forgetKey() {
  sessionStorage.removeItem(KEY);
}

export const hasKey = () => sessionStorage.getItem(KEY) !== null;

/** Return the JSON of GET `path`. Throws Failed. */
export const get = (path, signal) => ask(path, { signal });

/** Return the text of `answer`, a value that came from here: what JavaScript's numbers cannot hold is in it. */
export const textOf = (answer) => TEXTS.get(answer) ?? JSON.stringify(answer);

/** Return the JSON that POST `path` with the JSON text `body` answers. Throws Failed. */
export const post = (path, body, signal) =>
  ask(path, { method: "POST", body, headers: { "Content-Type": "application/json" }, signal });

async function ask(path, options, refused = false) {
  const key = sessionStorage.getItem(KEY);
  const headers = { Accept: "application/json", ...options.headers };
  if (key !== null) headers.Authorization = `Bearer ${key}`;
  let answer;
  try {
    answer = await fetch(new URL(path, BASE), { ...options, headers, cache: "no-store", credentials: "same-origin" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Failed(0, "turnright cannot be reached. Is it still running?");
  }
  if (answer.status === 401 && askForKey) {
    // One question, however many requests were refused.
    asking ??= askForKey(refused || key !== null).finally(() => { asking = null; });
    const given = sessionStorage.getItem(KEY) !== key ? sessionStorage.getItem(KEY) : await asking;
    if (given === null) {
      forgetKey();
      throw new Failed(401, "A key is needed to see this.");
    }
    sessionStorage.setItem(KEY, given);
    return ask(path, options, true);
  }
  const text = await answer.text();
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Failed(answer.status, `The answer (status ${answer.status}) is not JSON.`);
  }
  if (!answer.ok) {
    const error = value?.error ?? {};
    throw new Failed(answer.status, error.message ?? `The answer has status ${answer.status}.`, error.code ?? "");
  }
  if (value !== null && typeof value === "object") TEXTS.set(value, text);
  return value;
}
