// What is said of one change, or of one thing that a provider would refuse.

import { add, el } from "./dom.js";
import { quoted, title } from "./format.js";

const SIGNS = { dropped: "−", inserted: "+", merged: "⊕", moved: "↕", replaced: "≠" };

/** Return the note of a change, {change, words}, of a finding, {found}, or of turnright's own refusal, {refused}. */
export function noteOf(note) {
  if (note.refused) return refusalNote(note.refused);
  return note.found ? findingNote(note.found) : changeNote(note.change, note.words ?? []);
}

/** Return the note of {rule, words}. */
export function findingNote(found) {
  return el("div", { class: "note finding" },
    el("p", {}, el("span", { class: "sign", "aria-hidden": "true" }, "!"), el("strong", {}, title(found.rule)), " ", el("code", {}, found.rule)),
    wordsOf(found.words, found.provider),
  );
}

function refusalNote({ message, code }) {
  return el("div", { class: "note finding" },
    el("p", {}, el("span", { class: "sign", "aria-hidden": "true" }, "✕"), el("strong", {}, "turnright refuses it"), " ", el("code", {}, code)),
    el("p", { class: "why" }, message));
}

function changeNote(change, words) {
  const kind = change.kind ?? "changed";
  const note = el("div", { class: `note kind-${SIGNS[kind] ? kind : "replaced"}` },
    el("p", {},
      el("span", { class: "sign", "aria-hidden": "true" }, SIGNS[kind] ?? "≠"),
      el("strong", {}, title(kind)), " by ", el("span", { class: "step-name" }, title(change.step ?? "unknown step")),
      ": ", el("code", {}, change.reason ?? ""),
      change.detail ? [" · ", el("code", { class: "detail" }, change.detail)] : null,
    ),
    change.why ? el("p", { class: "why" }, change.why) : null,
  );
  for (const { words: said, provider } of words) add(note, wordsOf(said, provider, "Without it "));
  return note;
}

/** Return the words of `provider`, with where they were reported; without one they are turnright's. */
export function wordsOf(words, provider, lead = "") {
  if (!words) return null;
  const said = quoted(words);
  if (!provider) return el("p", { class: "why" }, `The rule: ${said.words}`, said.source ? el("cite", {}, ` ${said.source}`) : null);
  return el("blockquote", {},
    el("span", { class: "lead" }, lead, el("b", {}, provider), provider.includes(" and ") ? " say: " : " says: "), el("q", {}, said.words),
    said.source ? el("cite", {}, ` ${said.source}`) : null,
  );
}
