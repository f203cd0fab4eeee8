// The pipeline as stages that one can walk through: as it came, each step that changed something, as it goes out. Pure.

import { align } from "./align.js";
import { title } from "./format.js";

/** Return the stages of `look`, the answer of /ui/api/look. `left` is null where there is nothing to compare with. */
export function makeStages(look) {
  const found = (look.found ?? []).map((one) => ({ ...one, provider: look.providers?.[one.rule] }));
  const before = (look.before ?? []).map((entry, at) => ({ origin: entry.index ?? at, message: entry.message }));
  const stages = [{
    key: "came", title: "As it came", what: "The history as the client sent it, with what a provider would refuse.",
    left: null, right: before, changes: [], found, refused: refusedAt(look.refusal),
  }];
  let last = before;
  for (const step of look.steps ?? []) {
    const after = step.after ? entriesOf(step.after, before) : last;
    const again = stages.filter((stage) => stage.step === step.step).length;
    stages.push({
      key: again ? `${step.step}-${again + 1}` : step.step, step: step.step, title: title(step.step), made: step.made !== false,
      what: step.made === false ? `${step.what ?? ""} Mode ${look.mode} does not do this: it is what mode repair would do.`.trim() : step.what ?? "", left: last, right: after,
      changes: (step.changes ?? []).map((change) => ({ step: step.step, ...change })), found,
    });
    last = after;
  }
  const end = (key, told, after, changes) => stages.push({ key, ...told, left: before, right: entriesOf(after, before), changes, found });
  const changes = stages.flatMap((stage) => stage.changes);
  const made = stages.filter((stage) => stage.made).flatMap((stage) => stage.changes);
  if (look.would) end("would", wouldBe(look), look.would, changes);
  // What is refused by the mode alone has come no further than what mode repair would make of it.
  if (look.after && (look.body || !look.would)) end("out", look.body ? SENT : REFUSED, look.after, look.body ? made : changes);
  return stages;
}

const SENT = { title: "As it goes out", what: "The history as the provider gets it, beside the one that came." };
const wouldBe = (look) => ({ title: "As it would go out", what: `The history as the provider would get it in mode repair, beside the one that came. ${look.body ? `Mode ${look.mode} sends what stands under “As it goes out”.` : `Mode ${look.mode} refuses the request, and nothing is sent.`}` });
const REFUSED = { title: "As far as it came", what: "turnright refuses the request, and nothing is sent: so the history stood when it did." };

/** Return how many things stand in the first of `stages`, as it came, and in the last, as it goes out. */
export const countsOf = (stages) => ({ found: stages[0]?.found.length ?? 0, changes: stages.at(-1)?.changes.length ?? 0 });

/** Return {index, message, code} of a refusal that names a message, else null. */
function refusedAt(refusal) {
  const found = /^messages\[(\d+)\]/.exec(refusal?.param ?? "");
  return found ? { index: Number(found[1]), message: refusal.message, code: refusal.code ?? "" } : null;
}

/** An entry without a message is the one that came from its origin, untouched. */
function entriesOf(entries, before) {
  const known = new Map(before.map((entry) => [entry.origin, entry.message]));
  return entries.map((entry) => ({ origin: entry.origin, message: entry.message ?? known.get(entry.origin) ?? {} }));
}

/**
 * Return {rows, beside}: the rows of `stage`, each with its `notes`, and the changes that are of no message.
 *
 * A note is {change}, {found} or {refused}; a provider's words stand with the change that answers them, else by themselves.
 */
export function readStage(stage) {
  if (!stage.left) {
    const rows = stage.right.map((_, at) => ({ left: -1, right: at, state: "plain", notes: [] }));
    const places = new Map(stage.right.map((entry, at) => [entry.origin, rows[at]]));
    const beside = [];
    const notesAt = (index) => places.get(index)?.notes ?? beside;
    for (const found of stage.found) notesAt(found.index).push({ found });
    if (stage.refused) notesAt(stage.refused.index).push({ refused: stage.refused });
    for (const row of rows) if (row.notes.length) row.state = "faulty";
    return { rows, beside };
  }
  const rows = align(stage.left, stage.right).map((row) => ({ ...row, notes: [] }));
  if (stage.step === "compaction") raiseMemory(rows);
  const finder = findRows(rows, stage);
  const beside = [];
  for (const change of stage.changes) {
    const row = isOfMessages(change) ? finder(change) : undefined;
    const note = { change, words: change.words ? [{ words: change.words, provider: change.provider }] : wordsFor(change, stage.found) };
    if (row) row.notes.push(note);
    else beside.push(note);
  }
  return { rows, beside };
}

/** The memory stands above the messages that it replaces, of which there may be hundreds. */
function raiseMemory(rows) {
  const first = rows.findIndex((row) => row.state === "removed");
  const memory = rows.findIndex((row) => row.state === "inserted");
  if (first >= 0 && memory > first) rows.splice(first, 0, ...rows.splice(memory, 1));
}

const BESIDE = new Set(["tools_withheld", "delegation_withheld", "delegation_guidance", "tool_choice", "function_call", "refused_parameter", "schema", "call_ids"]);

export function isOfMessages(change) {
  return change.step !== "parameters" && !BESIDE.has(change.reason) && (change.step !== "tools" || change.reason === "call_name");
}

/** Return the findings with the words a provider has for what `change` mends: those of its own rule, else all at its place. */
function wordsFor(change, found) {
  const here = found.filter((violation) => violation.index === change.index);
  const own = here.filter((violation) => violation.rule === change.reason);
  const chosen = own.length ? own : here.length === 1 ? here : [];
  return [...new Map(chosen.map((violation) => [violation.words, violation])).values()];
}

function findRows(rows, stage) {
  const byLeft = new Map();
  const byRight = new Map();
  const note = (map, origin, row) => {
    if (origin === null || origin === undefined) return;
    if (map.has(origin)) map.get(origin).push(row);
    else map.set(origin, [row]);
  };
  rows.forEach((row, at) => {
    row.at = at;
    if (row.left >= 0) note(byLeft, stage.left[row.left].origin, row);
    if (row.right >= 0) note(byRight, stage.right[row.right].origin, row);
  });
  const first = (list, wanted) => list.find((row) => wanted.has(row.state) && !row.notes.length) ?? list.find((row) => wanted.has(row.state));
  return (change) => {
    const left = byLeft.get(change.index) ?? [];
    const right = byRight.get(change.index) ?? [];
    const all = [...left, ...right];
    if (change.step === "compaction") return rows.find((row) => row.state === "inserted") ?? all[0]; // beside the memory itself
    switch (change.kind) {
      case "dropped": return first(left, new Set(["removed"])) ?? first(all, new Set(["changed"])) ?? all[0];
      case "inserted": return first(right, new Set(["inserted"])) ?? insertedNear(rows, left[0]) ?? first(all, new Set(["changed"])) ?? all[0];
      case "moved": return first(right, new Set(["moved_to"])) ?? first(left, new Set(["moved_from"])) ?? all[0];
      case "merged": return first(left, new Set(["removed"])) ?? first(all, new Set(["changed"])) ?? all[0];
      default: return first(all, new Set(["changed"])) ?? all[0];
    }
  };
}

/** Return the inserted row nearest to `row`, at most a few rows away. */
function insertedNear(rows, row) {
  for (let distance = 1; row && distance <= 12; distance += 1) {
    for (const at of [row.at + distance, row.at - distance]) {
      if (rows[at]?.state === "inserted" && !rows[at].notes.length) return rows[at];
    }
  }
  return undefined;
}
