// One turn of a history, as it stands in a column.

import { difference } from "./align.js";
import { add, button, el } from "./dom.js";
import { count, some } from "./format.js";
import { readMessage } from "./message_facts.js";

const SHORT = 900;
const LINES = 14;
const LONG = 60000;
const QUIET_SHORT = 240;
const QUIET_LINES = 3;

/**
 * Return the card of `entry`.
 *
 * `ties` is its row of tieCalls, `other` the message it is compared with or null, `side` "left" or "right"; `opened` a
 * Map of how much of a long text is shown, by key, and `redraw` is called when that changes; `quiet` says that nothing
 * happens to the turn, so that less of it is shown at first.
 */
export function turnCard({ entry, ties, other, side, mark, quiet = false, opened, redraw }) {
  const facts = readMessage(entry.message);
  const rival = other ? readMessage(other) : null;
  const card = el("div", { class: `card role-${roleClass(facts.role)} ${mark}` });
  add(card, el("div", { class: "card-head" },
    el("span", { class: "role" }, facts.role),
    facts.name ? el("code", { class: "name" }, facts.name) : null,
    facts.answers !== null ? answerTag(facts, ties) : null,
    mark ? el("span", { class: `state state-${mark}` }, MARKS[mark] ?? mark) : null,
    el("span", { class: "place" }, entry.origin === null || entry.origin === undefined ? "new" : `messages[${entry.origin}]`),
  ));
  let calls = 0;
  facts.blocks.forEach((block, at) => {
    const theirs = rival?.blocks.filter((one) => one.kind === block.kind)[ordinal(facts.blocks, at)];
    const key = `${side}.${at}`;
    const shown = () => longText(block.text, rival ? theirs?.text ?? "" : null, side, key, quiet, opened, redraw);
    if (block.kind === "call") add(card, callBlock(block, ties?.calls[calls++], theirs, side, rival !== null, shown));
    else if (block.kind === "media") add(card, el("p", { class: "media" }, el("span", { class: "tag" }, block.label), " ", block.text));
    else if (block.kind === "field") add(card, el("div", { class: "field" }, el("span", { class: "tag" }, block.label), shown()));
    else add(card, block.text === "" ? el("p", { class: "nothing" }, "empty text") : shown());
  });
  if (!facts.blocks.length) add(card, el("p", { class: "nothing" }, "no content"));
  for (const signature of facts.signatures) {
    add(card, el("p", { class: "signature" }, el("span", { class: "tag" }, "signature"), ` ${signature.size} · `, el("code", {}, signature.place)));
  }
  return card;
}

const MARKS = {
  removed: "− goes", inserted: "+ new", changed_before: "≠ was", changed_after: "≠ is now",
  moved_from: "↕ was here", moved_to: "↕ is here now",
};

const roleClass = (role) => (["system", "developer", "user", "assistant", "tool", "function"].includes(role) ? role : "other");

function ordinal(blocks, at) {
  let before = 0;
  for (let index = 0; index < at; index += 1) if (blocks[index].kind === blocks[at].kind) before += 1;
  return before;
}

function answerTag(facts, ties) {
  const tie = ties?.answers;
  if (!tie) return el("span", { class: "tie loose" }, "answers no call · ", el("code", {}, facts.answers));
  return el("span", { class: `tie hue-${tie.hue}` }, `answers call ${tie.number} · `, el("code", {}, facts.answers));
}

function callBlock(block, tie, theirs, side, compared, shown) {
  const alone = tie && tie.to < 0;
  const renamed = compared && theirs && theirs.name !== block.name;
  return el("div", { class: `call ${tie ? `hue-${tie.hue}` : ""}` },
    el("div", { class: "call-head" },
      el("span", { class: `tie hue-${tie?.hue ?? 0}` }, tie ? `call ${tie.number}` : "call"),
      el(renamed ? (side === "left" ? "del" : "ins") : "span", { class: "call-name" }, block.name),
      el("code", { class: "call-id" }, block.id),
      alone ? el("span", { class: "tie loose" }, "no result") : null,
    ),
    shown(),
    block.further ? el("div", { class: "field" }, el("span", { class: "tag" }, "further fields"), el("pre", {}, block.further)) : null,
  );
}

/** Return `text`, where it differs from `other` marked, cut if it is long, with a button for more. */
function longText(text, other, side, key, quiet, opened, redraw) {
  const [head, middle, tail] = other === null || other === text ? [text, "", ""] : difference(text, other);
  const limit = opened.get(key) ?? (quiet ? shortLength(text, QUIET_SHORT, QUIET_LINES) : shortLength(text, SHORT, LINES));
  // A difference far behind is what one wants to see, not the beginning.
  const from = limit < text.length && middle && head.length > limit - 200 ? Math.max(0, head.length - 200) : 0;
  const until = Math.min(text.length, from + limit);
  const piece = (start, end) => text.slice(Math.max(start, from), Math.max(Math.max(start, from), Math.min(end, until)));
  const body = el("pre", { class: "text" },
    from ? "… " : "",
    piece(0, head.length),
    middle ? el(side === "left" ? "del" : "ins", {}, piece(head.length, head.length + middle.length)) : "",
    tail ? piece(head.length + middle.length, text.length) : "",
    until < text.length ? " …" : "",
  );
  const hidden = text.length - (until - from);
  if (hidden > 0) {
    return [body, button(`Show ${hidden > LONG ? count(LONG) : `all ${count(text.length)}`} characters`, () => {
      opened.set(key, Math.min(text.length, Math.max(limit, 0) + LONG));
      redraw();
    }, { class: "more" })];
  }
  if (opened.has(key)) {
    return [body, button(`Show less (${some(text.length, "character")})`, () => { opened.delete(key); redraw(); }, { class: "more" })];
  }
  return body;
}

/** Return how much of `text` is shown at first: so many characters or lines, or all if little is left out. */
function shortLength(text, most, lines) {
  if (text.length < most * 0.45) return text.length;
  let at = -1;
  for (let line = 0; line < lines; line += 1) {
    at = text.indexOf("\n", at + 1);
    if (at < 0 || at > most) break;
  }
  const short = Math.min(at < 0 ? text.length : at, most);
  return text.length <= short * 1.3 ? text.length : short;
}
