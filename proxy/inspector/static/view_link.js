// What of the view stands behind the # of the address: where one looks, never at what. A link reproduces the view for
// whoever has the content.

const KEYS = ["tab", "step", "target", "layout", "only"];

/** Return the view that the address names; what it does not name is absent. */
export function readView() {
  const given = new URLSearchParams(location.hash.slice(1));
  return Object.fromEntries(KEYS.filter((key) => given.has(key)).map((key) => [key, given.get(key).slice(0, 300)]));
}

/** Write `view` into the address; empty values are left out. No new entry in the browser's history. */
export function writeView(view) {
  const named = new URLSearchParams();
  for (const key of KEYS) if (view[key]) named.set(key, view[key]);
  const hash = named.toString();
  const wanted = hash ? `#${hash}` : "";
  if (location.hash !== wanted) history.replaceState(null, "", location.pathname + location.search + wanted);
}

/** "model:gemini" -> {model: "gemini"}, "model@2:gemini" -> the same with a position; null for what cannot be read. */
export function readTarget(text) {
  const found = /^(model|profile)(?:@(\d{1,9}))?:([\s\S]+)$/.exec(text ?? "");
  if (!found) return null;
  return { [found[1]]: found[3], ...(found[2] && found[1] === "model" ? { position: Number(found[2]) } : {}) };
}

export const writeTarget = (target) =>
  target?.model !== undefined ? `model${typeof target.position === "number" ? `@${target.position}` : ""}:${target.model}` : target?.profile !== undefined ? `profile:${target.profile}` : "";
