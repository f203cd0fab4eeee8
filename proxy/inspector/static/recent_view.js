// The requests that the process still remembers: figures, and the body only where it is kept.

import { button, byId, el, put } from "./dom.js";
import { clock, count, millis, percent, some } from "./format.js";
import { cell, sheet } from "./sheet.js";

/** Show the answer of /ui/api/recent in `host`; `pick(entry)` looks at one. */
export function drawRecent(host, recent, pick) {
  const requests = recent.requests ?? [];
  const bounds = recent.bounds ?? {};
  const { bodies } = recent;
  put(byId("recent-what"),
      `${some(requests.length, "request")} in memory${bounds.requests ? `, of at most ${count(bounds.requests)}` : ""}${bodies && bounds.mib ? ` and ${bounds.mib} MiB` : ""}. `,
      bodies ? "Bodies are kept in memory, by configuration." : "Bodies are not kept: these are figures alone, and a request must be pasted to be looked at.");
  put(host,
    el("h2", { class: "offscreen" }, "Recent requests"),
    requests.length ? sheet("Recent requests, newest first", "recent", HEADS, requests.map((entry) => line(entry, pick)))
      : el("p", { class: "empty" }, "No request has come yet. Send one to turnright, and it stands here."),
  );
}

const HEADS = ["At", "Model", "Outcome", "Changes", "Tokens", "Took", ""];
const clipped = (text) => el("span", { class: "under clip", title: text }, text);

function line(entry, pick) {
  const failed = entry.status >= 400 || entry.status === 0;
  const outcome = [String(entry.outcome ?? "").replaceAll("_", " "), entry.stream ? "stream" : null, entry.attempts > 1 ? `${entry.attempts} attempts` : null].filter(Boolean).join(" · ");
  const changes = String(entry.changes || "").split(",").filter(Boolean);
  return [
    [clock(entry.at), clipped(entry.id)],
    cell({}, modelOf(entry)),
    cell({}, el("span", { class: `verdict ${failed ? "verdict-refused" : "verdict-unchanged"}` }, el("span", { "aria-hidden": "true" }, failed ? "✕ " : "✓ "), entry.status || "left"), el("span", { class: "under" }, outcome)),
    cell({}, changes.length ? el("span", { class: "chips" }, changes.map(changeChip)) : el("span", {}, "no change"),
      typeof entry.messages === "number" ? el("span", { class: "under" }, `of ${some(entry.messages, "message")}`) : null),
    cell({ class: "number" }, el("span", {}, entry.input_tokens || entry.output_tokens ? `${count(entry.input_tokens)} in, ${count(entry.output_tokens)} out` : "–"), estimateOf(entry)),
    cell({ class: "number" }, el("span", {}, millis(entry.duration_ms)), el("span", { class: "under" }, `${millis(entry.overhead_ms)} here`)),
    cell({}, entry.has_body ? button("Look", () => pick(entry), { class: "quiet", "aria-label": `Look at the request ${entry.id}` }) : el("span", { class: "under" }, "no body")),
  ];
}

const LEARNED = "Made before the request was sent, since the provider has refused it before.";

/** "repair=1;learned" -> repair 1, with a mark for what was learned. */
function changeChip(change) {
  const [counted, mark] = change.split(";");
  return el("span", { class: "chip", title: mark === "learned" ? LEARNED : null }, counted.replace("=", " ").replaceAll("_", " "), mark ? [" ", el("b", {}, mark)] : null);
}

const WHY_NOT = { model_not_found: "not configured", model_unavailable: "its variable is not set" };

/** The name that was asked for, also where no such model is configured; below it where that led. */
function modelOf(entry) {
  const configured = entry.model === "unknown" ? null : entry.model;
  const asked = entry.asked_model || configured || "–";
  const why = entry.deployment === null ? WHY_NOT[entry.outcome] : null;
  const under = [why, configured !== asked ? configured : null, entry.deployment ?? entry.route].filter(Boolean).join(" · ");
  return [el("span", { class: "target" }, asked), clipped(under)];
}

/** What was estimated, beside the provider's own count; where only a bound was worked out, that. */
function estimateOf(entry) {
  if (typeof entry.estimate_at_most === "number") return el("span", { class: "under" }, `estimated ≤ ${count(entry.estimate_at_most)}`);
  if (typeof entry.estimate !== "number") return null;
  return el("span", { class: "under" }, `estimated ${count(entry.estimate)}`, entry.input_tokens > 0 ? ` (${percent(entry.estimate / entry.input_tokens - 1, true)})` : "");
}
