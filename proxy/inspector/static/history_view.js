// The history in its stages: a strip of the pipeline, and the turns of the stage that is looked at.

import { announce, button, byId, el, put, rove } from "./dom.js";
import { count, some } from "./format.js";
import { noteOf } from "./change_notes.js";
import { makeStages, readStage } from "./stages.js";
import { tieCalls } from "./ties.js";
import { turnCard } from "./turn_card.js";
import { WindowedList } from "./windowed_list.js";

const NARROW = matchMedia("(max-width: 60rem)");
const MANY = 24;
const AROUND = 2;

/** Shows one look at a time. `told(view)` is called when the reader changes step, layout or only. */
export class HistoryView {
  constructor(told) {
    this.told = told;
    this.view = {};
    this.stages = [];
    this.cache = new Map();
    this.opened = new Map();
    this.list = null;
    this.ties = new WeakMap();
    NARROW.addEventListener("change", () => this.draw());
    rove(byId("stages"), () => [...byId("stages").querySelectorAll("button")], (node) => node.click());
    byId("turns").addEventListener("keydown", (event) => this.move(event));
    byId("layout").addEventListener("change", (event) => this.choose({ layout: event.target.value }));
    byId("only").addEventListener("change", (event) => this.choose({ only: event.target.checked ? "1" : "0" }));
    byId("next-step").addEventListener("click", () => this.walk(1));
    byId("previous-step").addEventListener("click", () => this.walk(-1));
    byId("next-change").addEventListener("click", () => this.seek(1));
    byId("previous-change").addEventListener("click", () => this.seek(-1));
  }

  /** Show `look`, or nothing where it is null. */
  show(look, view) {
    this.look = look;
    this.view = { ...view };
    this.stages = look ? makeStages(look) : [];
    this.cache.clear();
    this.opened.clear();
    this.draw();
  }

  choose(patch) {
    this.view = { ...this.view, ...patch };
    this.told(patch);
    this.draw();
  }

  get stage() {
    return this.stages.find((stage) => stage.key === this.view.step) ?? this.stages[0];
  }

  draw() {
    this.list?.end();
    this.list = null;
    const stage = this.stage;
    byId("history-none").hidden = Boolean(stage);
    byId("history-some").hidden = !stage;
    if (!stage) return;
    this.drawStrip(stage);
    const read = this.cache.get(stage.key) ?? readStage(stage);
    this.cache.set(stage.key, read);
    const changed = read.rows.filter((row) => row.notes.length || !QUIET.has(row.state)).length;
    const only = this.view.only === "1" || (this.view.only !== "0" && stage.left !== null && read.rows.length > MANY);
    byId("only").checked = only;
    const side = (this.view.layout ?? "side") === "side" && !NARROW.matches && stage.left !== null;
    byId("layout").value = this.view.layout ?? "side";
    byId("layout-field").hidden = NARROW.matches || stage.left === null;
    put(byId("stage-what"), el("strong", {}, stage.title), " ", stage.what);
    put(byId("stage-count"), stage.left === null
      ? `${some(stage.right.length, "message")}, ${some(stage.found.length, "finding")}`
      : `${some(stage.changes.length, "change")} · ${count(stage.left.length)} → ${some(stage.right.length, "message")}`);
    put(byId("beside"), read.beside.length ? [el("h3", {}, "Beside the messages"), read.beside.map(noteOf)] : null);
    this.rows = only ? gather(read.rows) : read.rows;
    this.changed = this.rows.flatMap((row, at) => (row.notes?.length || !QUIET.has(row.state) ? [at] : []));
    for (const id of ["next-change", "previous-change"]) byId(id).disabled = !changed;
    byId("previous-step").disabled = stage === this.stages[0];
    byId("next-step").disabled = stage === this.stages.at(-1);
    const host = byId("turns");
    host.className = `turns ${side ? "side" : "one"}`;
    byId("column-heads").hidden = !side;
    this.list = new WindowedList(host, this.rows.length, (at) => this.row(this.rows[at], at, stage, side));
    if (!this.rows.length) put(host, el("p", { class: "empty", role: "listitem" }, "There are no messages here."));
  }

  drawStrip(stage) {
    const strip = byId("stages");
    const had = strip.contains(document.activeElement);
    const items = this.stages.map((one) => {
      const badge = one.key === "came" ? one.found.length : one.changes.length;
      const current = one === stage;
      const unit = one.key === "came" ? "finding" : "change";
      const press = button("", () => this.reachStage(one), { class: "stage", "aria-current": current ? "step" : null, tabindex: current ? "0" : "-1", "data-step": one.key });
      put(press, el("span", {}, one.title), el("span", { class: "badge" }, count(badge), el("span", { class: "offscreen" }, ` ${some(badge, unit).split(" ").pop()}`)));
      return el("li", {}, press);
    });
    put(strip, items);
    const now = strip.querySelector("[aria-current]");
    if (had) now.focus({ preventScroll: true });
    if (strip.scrollWidth > strip.clientWidth) strip.scrollLeft = now.offsetLeft - strip.offsetLeft - 40;
  }

  /** Go to the stage that is so many places on, if there is one. */
  walk(by) {
    const next = this.stages[this.stages.indexOf(this.stage) + by];
    if (next) this.reachStage(next);
  }

  /** Show `stage`; where its first change would be out of sight, bring it there. */
  reachStage(stage) {
    if (this.stage === stage) return;
    const within = byId("turns").contains(document.activeElement);
    this.choose({ step: stage.key });
    this.reached = undefined;
    const first = stage.left === null ? undefined : this.changed[0];
    if (within) this.list.reach(first ?? 0, this.roomAbove);
    else if (first !== undefined) this.list.bring(first, this.roomAbove);
    announce(`${stage.title}: ${some(stage.key === "came" ? stage.found.length : stage.changes.length, stage.key === "came" ? "finding" : "change")}`);
  }

  get roomAbove() {
    return byId("history-bar").offsetHeight + 24;
  }

  tiesOf(entries) {
    if (!this.ties.has(entries)) this.ties.set(entries, tieCalls(entries.map((entry) => entry.message ?? {})));
    return this.ties.get(entries);
  }

  row(row, at, stage, side) {
    if (row.gap) return gapRow(row, () => this.choose({ only: "0" }));
    const left = row.left >= 0 ? stage.left[row.left] : null;
    const right = row.right >= 0 ? stage.right[row.right] : null;
    const key = `${stage.key}.${row.left}.${row.right}`;
    if (!this.opened.has(key)) this.opened.set(key, new Map());
    const shared = { opened: this.opened.get(key), redraw: () => this.list.renew(at) };
    const both = row.state === "changed";
    const notes = () => (row.notes.length ? el("div", { class: "notes" }, row.notes.map(noteOf)) : null);
    // The notes stand where there is room: across from a turn that has no other side, else below both.
    const across = side && !(left && right);
    const below = side && !across && row.notes.length;
    const cell = (entry, entries, place, name, other, noted) => el("div", { class: `cell ${name}${entry ? "" : " void"}` },
      this.gutter(entries, place, at, name, entry),
      el("div", { class: "stack" },
        entry ? turnCard({ entry, ties: this.tiesOf(entries)[place], other, side: name, mark: markOf(row.state, name), quiet: row.state === "same" && !row.notes.length, ...shared }) : null,
        noted ? notes() : null));
    const cells = [];
    const leftShown = stage.left !== null && (side || (left && row.state !== "same"));
    const rightShown = side || Boolean(right);
    if (leftShown) cells.push(cell(left, stage.left, row.left, "left", both ? right.message : null, across ? !left : !rightShown));
    if (rightShown) cells.push(cell(right, stage.right, row.right, "right", both ? left.message : null, across ? !right : !below));
    const entry = right ?? left;
    const label = `${entry.origin === null ? "New message" : `messages[${entry.origin}]`}, ${entry.message?.role ?? "?"}${SAID[row.state] ?? ""}`;
    return el("div", { role: "listitem", tabindex: "-1", class: `row row-${row.state}`, "aria-label": label },
      el("div", { class: "cells" }, cells), below ? notes() : null);
  }

  /** The lines between calls and results; beside an empty place they run through. */
  gutter(entries, place, at, name, entry) {
    const ties = this.tiesOf(entries);
    let lanes;
    if (entry) lanes = ties[place].lanes;
    else {
      let above = at - 1;
      while (above >= 0 && !(this.rows[above][name] >= 0)) above -= 1;
      lanes = above >= 0 ? ties[this.rows[above][name]].open : [];
    }
    return el("div", { class: "gutter", "aria-hidden": "true" },
      lanes.map((lane) => el("span", { class: `lane lane-${lane.lane} part-${lane.part} hue-${lane.hue}` })));
  }

  seek(direction) {
    const row = document.activeElement?.closest?.("[data-row]");
    const here = row && byId("turns").contains(row) ? Number(row.dataset.row) : this.reached ?? -1;
    const next = direction > 0 ? this.changed.find((at) => at > here) ?? this.changed[0] : this.changed.findLast((at) => at < here) ?? this.changed.at(-1);
    if (next === undefined) return;
    this.reached = next;
    this.list.reach(next, this.roomAbove);
  }

  move(event) {
    const row = event.target.closest?.("[data-row]");
    if (event.target !== row || event.altKey || event.ctrlKey || event.metaKey) {
      if (event.target !== byId("turns") || event.key !== "ArrowDown") return;
      event.preventDefault();
      this.list.reach(0);
      return;
    }
    const at = Number(row.dataset.row);
    const steps = { ArrowDown: at + 1, j: at + 1, ArrowUp: at - 1, k: at - 1, Home: 0, End: this.rows.length - 1 };
    const walks = { ArrowLeft: -1, ArrowRight: 1 };
    if (event.key === "n" || event.key === "p") {
      event.preventDefault();
      this.seek(event.key === "n" ? 1 : -1);
    } else if (event.key in walks) {
      event.preventDefault();
      this.walk(walks[event.key]);
    } else if (event.key in steps) {
      event.preventDefault();
      this.list.reach(steps[event.key], this.roomAbove);
    }
  }
}

const QUIET = new Set(["same", "plain"]);
const SAID = { removed: ", removed", inserted: ", inserted", changed: ", changed", moved_from: ", moved from here", moved_to: ", moved to here", faulty: ", a provider would refuse it" };

const markOf = (state, side) => (state === "changed" ? (side === "left" ? "changed_before" : "changed_after") : QUIET.has(state) || state === "faulty" ? "" : state);

/** Leave only what changed, with a little around it; the rest becomes gaps. */
function gather(rows) {
  const near = new Uint8Array(rows.length);
  rows.forEach((row, at) => {
    if (QUIET.has(row.state) && !row.notes.length) return;
    near.fill(1, Math.max(0, at - AROUND), Math.min(rows.length, at + AROUND + 1));
  });
  const kept = [];
  rows.forEach((row, at) => {
    if (near[at]) kept.push(row);
    else if (kept.at(-1)?.gap) kept.at(-1).gap += 1;
    else kept.push({ gap: 1, state: "same", notes: [], left: -1, right: -1 });
  });
  return kept;
}

function gapRow(row, open) {
  return el("div", { role: "listitem", tabindex: "-1", class: "row gap", "aria-label": `${some(row.gap, "unchanged message")}` },
    button(`${some(row.gap, "unchanged message")} · show all`, open, { class: "more" }));
}
