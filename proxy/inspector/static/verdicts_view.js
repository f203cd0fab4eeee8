// The same history under every deployment and every profile.

import { add, button, el, put } from "./dom.js";
import { brief, count, title } from "./format.js";
import { cell, sheet } from "./sheet.js";
import { writeTarget } from "./view_link.js";

const SIGNS = { unchanged: "✓", repaired: "≠", refused: "✕", sent_as_is: "→" };

/** Return a verdict as a sign and a word. */
export function verdictTag(verdict) {
  return el("span", { class: `verdict verdict-${SIGNS[verdict] ? verdict : "other"}` },
    el("span", { "aria-hidden": "true" }, SIGNS[verdict] ?? "?", " "), title(verdict ?? "unknown"));
}

/** Show the `rows` of /ui/api/verdicts in `host`; `look(target)` shows one, `current` is the one that is shown. */
export function drawVerdicts(host, rows, current, look) {
  const models = rows.filter((row) => row.target?.model !== undefined);
  const profiles = rows.filter((row) => row.target?.model === undefined);
  const refused = rows.filter((row) => row.verdict === "refused").length;
  put(host,
    el("h2", { class: "offscreen" }, "Other models"),
    el("p", { class: "lead-text" }, `${count(rows.length)} targets: ${tally(rows)}.`,
      refused ? "" : " None of them refuses it."),
    models.length ? table("Configured models", models, current, look) : null,
    profiles.length ? table("Profiles", profiles, current, look) : null,
  );
}

function tally(rows) {
  const by = new Map();
  for (const row of rows) by.set(row.verdict, (by.get(row.verdict) ?? 0) + 1);
  return [...by].map(([verdict, number]) => `${count(number)} ${title(verdict ?? "unknown").toLowerCase()}`).join(", ");
}

const HEADS = ["Target", "Verdict", "What changes", "Tokens", ""];
const table = (caption, rows, current, look) => sheet(caption, "verdicts", HEADS, rows.map((row) => line(row, current, look)), true);

function line(row, current, look) {
  const name = row.target?.model ?? row.target?.profile ?? "?";
  const here = writeTarget(row.target) === current;
  const place = typeof row.target?.position === "number" ? ` · ${row.target.position}` : "";
  const under = [row.deployment && row.deployment !== name ? row.deployment : null, row.profile && row.profile !== name ? row.profile : null].filter(Boolean);
  return {
    attributes: { class: here ? "current" : null },
    row: [
      [el("span", { class: "target" }, `${name}${place}`), under.length ? el("span", { class: "under" }, under.join(" · ")) : null],
      cell({}, verdictTag(row.verdict), row.refusal ? el("code", { class: "under" }, row.refusal) : null),
      cell({}, row.verdict === "refused" && row.message ? el("span", { class: "refused-for" }, row.message) : changesOf(row.changes)),
      cell({ class: "tokens" }, tokensOf(row)),
      cell({}, here ? el("span", { class: "under" }, "shown") : button("Look", () => look(row.target), { class: "quiet", "aria-label": `Look at it for ${name}${place}` })),
    ],
  };
}

function changesOf(changes) {
  const steps = Object.entries(changes ?? {});
  if (!steps.length) return el("span", { class: "under" }, "nothing");
  const list = el("span", { class: "chips" });
  for (const [step, number] of steps) add(list, el("span", { class: "chip" }, title(step), " ", el("b", {}, count(number))));
  return list;
}

function tokensOf(row) {
  if (row.estimate === null || row.estimate === undefined) return el("span", {}, "–");
  if (!row.limit) return el("span", {}, count(row.estimate));
  const meter = el("meter", { min: 0, max: row.limit, value: Math.min(row.estimate, row.limit), high: row.limit * 0.95, optimum: 0, "aria-label": `${count(row.estimate)} of ${count(row.limit)} tokens` });
  return [el("span", {}, `${brief(row.estimate)} / ${brief(row.limit)}`), meter];
}
