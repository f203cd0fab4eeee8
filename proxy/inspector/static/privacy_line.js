// What is kept of requests, said where one is pasted: it may change while the page is open.

import { byId, el, put } from "./dom.js";

let shown = null;

/** Tell whether bodies are kept, by an answer that says so; return the answer. */
export function privacy(answer) {
  const bodies = Boolean(answer.bodies);
  if (shown === bodies) return answer;
  shown = bodies;
  byId("privacy").classList.toggle("keeps", bodies);
  put(byId("privacy"), el("strong", {}, bodies ? "Bodies are kept. " : "Bodies are not kept. "), bodies
    ? "Recent requests stay in memory with their messages (general_settings.inspector.bodies)."
    : "Of recent requests only figures stay in memory.",
    " What you paste goes to this process alone; it is not logged and not stored.");
  return answer;
}
