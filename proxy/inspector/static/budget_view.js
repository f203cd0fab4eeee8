// The budget as a picture: what came in and what goes out, part by part, against the window.

import { el, put, svg } from "./dom.js";
import { brief, count, percent, some, title } from "./format.js";

const PARTS = ["system", "tools", "first_goal", "older_rounds", "current_round"];
const MARKS = [["low", "cut down to"], ["high", "cut above"], ["hard", "refused above"], ["limit", "limit"], ["window", "window"]];
const COUNTED = new Set(["limit", "window"]); // from nothing; the other marks count from above what is fixed
const ROLES = ["system", "user", "assistant", "tool"];
const NARROW = matchMedia("(max-width: 60rem)");
const BAR = 40;

/** The pictures' units: on a phone fewer of them, so that what is written in them stays readable. */
const widthNow = () => (NARROW.matches ? 400 : 1000);

/** Show `look.budget` in `host`; `counted` is the provider's own {input_tokens, estimate}, or null. */
export function drawBudget(host, look, counted) {
  const budget = look?.budget;
  if (!look) return put(host, el("p", { class: "empty" }, "Look at a request first: its budget is drawn here."));
  if (!budget) {
    return put(host, el("p", { class: "empty" }, look.refusal?.message
      ? `There is no budget to draw: the request is refused. ${look.refusal.message}`
      : "Nothing was counted for this request."));
  }
  const facts = factsOf(budget);
  return put(host,
    el("h2", { class: "offscreen" }, "Budget"),
    budget.would ? el("p", { class: "lead-text" }, look.mode === "repair"
      ? "The request is refused, and nothing is sent: this is what it had come to."
      : `Mode ${look.mode} ${look.body ? "cuts nothing, and sends what came in" : "refuses the request, and nothing is sent"}: this is what mode repair would make of it.`) : null,
    summary(budget, counted),
    figure(budget, facts),
    table(facts, budget),
    removedTable(budget),
    turnsChart(budget),
    roundsOf(look),
  );
}

/** Return {before, after}, tokens by part, whatever parts there are. */
function factsOf(budget) {
  const { before, after } = budget.parts ?? {};
  if (!before || !after) return { before: [["all", budget.estimate]], after: [["all", budget.sent]] };
  const read = (parts) => PARTS.filter((name) => typeof parts[name] === "number").map((name) => [name, parts[name]]);
  return { before: read(before), after: read(after) };
}

const goesOut = (budget) => (budget.would ? "Would go out" : "Goes out");
const sum = (parts) => parts.reduce((total, [, tokens]) => total + tokens, 0);

function summary(budget, counted) {
  const facts = [
    ["Came in", `${count(budget.estimate)} tokens`], [goesOut(budget), `${count(budget.sent)} tokens`],
    ["Limit for the prompt", budget.limit ? `${count(budget.limit)} tokens` : "unknown", budget.used_percent === undefined ? "" : `${budget.used_percent} % of it used`],
    ["Window", budget.window ? `${count(budget.window)} tokens` : "unknown", budget.window_source ? title(budget.window_source).toLowerCase() : ""],
  ];
  if (budget.rounds_left !== undefined && budget.limit) facts.push(["A round so far", `${count(budget.round_mean)} tokens`, budget.rounds_left === 1 ? "one more fits" : `${count(budget.rounds_left)} more fit`]);
  if (budget.factor) facts.push(["Calibrated by", `× ${Number(budget.factor).toFixed(2)}`, "the provider's tokens to one estimated"]);
  facts.push(["The provider's own count", ...providers(counted, budget)]);
  return el("dl", { class: "facts" }, facts.map(([name, value, under]) => el("div", {}, el("dt", {}, name), el("dd", {}, value, under ? el("span", { class: "under" }, under) : null))));
}

function providers(counted, budget) {
  const real = counted?.input_tokens;
  if (!real) return ["none yet", "it comes with a recent request that was answered"];
  const guess = counted.estimate ?? (budget.would ? budget.estimate : budget.sent);
  return [`${count(real)} tokens`, `the estimate of ${count(guess)} is off by ${percent(guess / real - 1, true)}`];
}

/** Two bars to one scale, the window among them, with marks across both. */
function figure(budget, facts) {
  const width = widthNow();
  const margin = budget.margin ?? 0;
  const whole = Math.max(sum(facts.before), sum(facts.after), 1);
  const window = budget.window ?? 0;
  const reserve = window ? window - (budget.limit ?? window) : 0;
  // A window of a million would leave a small request invisible: then the picture is of the request, and says so. A
  // request of many windows would squeeze these: then its bar runs out of the picture.
  const scale = !window || window > whole * 25 ? whole * 1.15 : Math.min(Math.max(window, whole) * 1.02, window * 2);
  const x = (tokens) => Math.min(1, tokens / scale) * width;
  const picture = svg("svg", { role: "img", class: "budget", "aria-labelledby": "budget-title budget-desc" },
    svg("title", { id: "budget-title" }, "Tokens by part, against the window"),
    svg("desc", { id: "budget-desc" }, `Came in: ${spoken(facts.before)}. ${goesOut(budget)}: ${spoken(facts.after)}. Window ${budget.window ?? "unknown"}, reserve ${reserve}.`),
    patterns(),
  );
  const cut = Math.max(0, sum(facts.before) - sum(facts.after));
  const edges = window > 0 && window <= scale * 1.0001;
  const labels = [];
  const row = (y, label, parts, lost) => {
    picture.append(svg("text", { x: 0, y: y - 8, class: "axis" }, label));
    picture.append(svg("rect", { x: 0, y, width, height: BAR, class: "track", rx: 4 }));
    let so = 0;
    for (const [name, tokens] of parts) {
      labels.push(block(picture, x(so), x(so + tokens), y, `part part-${name}`, title(name), tokens));
      so += tokens;
    }
    labels.push(block(picture, x(so), x(so + lost), y, "part-cut", "Cut", lost));
    if (so + lost > scale) picture.append(svg("text", { x: width, y: y - 8, class: "axis end" }, `goes on to ${brief(so + lost)} »`));
    if (!edges) return;
    const limit = budget.limit ?? window;
    for (const [name, tokens, start] of [["reserve", reserve, limit], ["margin", margin, limit - margin]]) {
      if (tokens > 0) picture.append(svg("rect", { x: x(start), y: y + BAR - 10, width: x(tokens), height: 10, class: `edge edge-${name}`, fill: `url(#${name})` }, svg("title", {}, `${title(name)}: ${count(tokens)} tokens`)));
    }
  };
  row(38, `Came in: ${count(sum(facts.before))}`, facts.before, 0);
  row(116, `${goesOut(budget)}: ${count(sum(facts.after))}`, facts.after, cut);
  const lines = drawMarks(picture, budget, scale, x, width);
  picture.append(...labels.flat()); // over the marks, which would go through them
  picture.setAttribute("viewBox", `0 0 ${width} ${164 + lines * 18}`);
  const words = !window ? "the window is unknown" : edges ? "" : `the window, ${brief(window)}, is ${Math.round(window / whole)} times as wide`;
  return el("figure", { class: "picture" }, picture, words ? el("p", { class: "under" }, title(words), ".") : null,
    el("figcaption", {}, legend(facts, edges ? reserve : 0, edges ? margin : 0, cut)));
}

/** Draw a piece of a bar; return its name and number as text where there is room. */
function block(picture, start, end, y, kind, name, tokens) {
  if (!tokens) return [];
  const wide = Math.max(1, end - start);
  picture.append(svg("rect", { x: start, y, width: wide, height: BAR, class: kind, fill: kind === "part-cut" ? "url(#cut)" : null }, svg("title", {}, `${name}: ${count(tokens)} tokens`)));
  const label = [`${name} ${brief(tokens)}`, brief(tokens)].find((words) => words.length * 7.5 + 16 < wide);
  return label ? [svg("text", { x: start + wide / 2, y: y + 25, class: `within within-${kind.split(" ").at(-1)}` }, label)] : [];
}

const fixed = (budget) => budget.fixed ?? (budget.tools ?? 0) + (budget.system ?? 0);
const spoken = (parts) => parts.map(([name, tokens]) => `${title(name).toLowerCase()} ${count(tokens)}`).join(", ");

/** Draw the marks across both bars; return how many lines of words stand below. */
function drawMarks(picture, budget, scale, x, width) {
  const places = MARKS.filter(([key]) => typeof budget[key] === "number" && !(key === "window" && budget.window === budget.limit))
    .map(([key, label]) => [key, label, budget[key] + (COUNTED.has(key) ? 0 : fixed(budget))])
    .filter(([, , tokens]) => tokens <= scale * 1.0001);
  const ends = [-1, -1, -1, -1, -1];
  const texts = [];
  for (const [key, label, tokens] of places.sort((a, b) => a[2] - b[2])) {
    const at = x(tokens);
    const words = `${label} ${brief(tokens)}`;
    const wide = words.length * 8 + 10;
    const end = at + wide > width;
    const start = end ? at - wide : at;
    const free = ends.findIndex((taken) => taken < start);
    const line = free < 0 ? ends.length - 1 : free;
    ends[line] = start + wide;
    picture.append(svg("line", { x1: at, x2: at, y1: 38, y2: 164 + line * 18, class: `mark mark-${key}` }));
    texts.push(svg("text", { x: at + (end ? -5 : 5), y: 174 + line * 18, class: `axis ${end ? "end" : ""}` }, words));
  }
  picture.append(...texts);
  return ends.filter((taken) => taken >= 0).length;
}

function patterns() {
  const stripes = (id, angle) => svg("pattern", { id, width: 8, height: 8, patternUnits: "userSpaceOnUse", patternTransform: `rotate(${angle})` },
    svg("rect", { width: 8, height: 8, class: `fill-${id}` }), svg("line", { x1: 0, y1: 0, x2: 0, y2: 8, class: `stripe-${id}` }));
  return svg("defs", {}, stripes("cut", 45), stripes("reserve", 0), stripes("margin", 90));
}

function legend(facts, reserve, margin, cut) {
  const keys = facts.before.filter(([, tokens]) => tokens).map(([name]) => [`part-${name}`, title(name)]);
  if (cut) keys.push(["cut", "Cut"]);
  if (reserve) keys.push(["reserve", "Reserve for the answer"]);
  if (margin) keys.push(["margin", "Margin of the estimate"]);
  return el("ul", { class: "legend" }, keys.map(([key, label]) => el("li", {}, el("span", { class: `swatch swatch-${key}`, "aria-hidden": "true" }), label)));
}

function table(facts, budget) {
  const after = new Map(facts.after);
  const rows = facts.before.map(([name, tokens]) => [title(name), count(tokens), count(after.get(name)), cutOf(tokens, after.get(name))]);
  rows.push(["In all", count(sum(facts.before)), count(sum(facts.after)), cutOf(sum(facts.before), sum(facts.after))]);
  if (budget.reserve && budget.window > budget.limit) rows.push(["Reserve for the answer", "", count(budget.reserve), ""]);
  if (budget.margin) rows.push(["Margin for the estimate's error", "", count(budget.margin), ""]);
  return numbers("Tokens by part", ["Part", "Came in", goesOut(budget), "Cut"], rows);
}

const cutOf = (before, after) => (before > (after ?? 0) ? `−${count(before - (after ?? 0))}` : "");

function removedTable(budget) {
  const rows = Object.entries(budget.removed ?? {}).map(([reason, cut]) => [title(reason), count(cut.messages), count(cut.results), count(cut.tokens)]);
  return rows.length ? numbers(budget.would ? "What would be cut" : "What was cut", ["How", "Messages", "Results", "Tokens"], rows) : el("p", { class: "calm" }, budget.would ? "✓ Nothing would be cut." : "✓ Nothing was cut.");
}

export function numbers(caption, heads, rows) {
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    el("table", { class: "numbers" }, el("caption", {}, caption),
      el("thead", {}, el("tr", {}, heads.map((head) => el("th", { scope: "col" }, head)))),
      el("tbody", {}, rows.map(([first, ...rest]) => el("tr", {}, el("th", { scope: "row" }, first), rest.map((cell) => el("td", {}, cell)))))));
}

/** A column per message, in the colour of its role; what was cut of it is hatched. Many messages share a column. */
function turnsChart(budget) {
  const before = listOf(budget.parts?.before);
  if (!before.length) return null;
  const after = new Map();
  for (const turn of listOf(budget.parts?.after)) after.set(turn.index, (after.get(turn.index) ?? 0) + turn.tokens);
  const width = widthNow();
  const per = Math.ceil(before.length / (width / 4));
  const bins = [];
  before.forEach((turn, at) => {
    const bin = (bins[Math.floor(at / per)] ??= { first: turn.index, last: turn.index, roles: new Map(), before: 0, after: 0 });
    bin.last = turn.index;
    bin.roles.set(turn.role, (bin.roles.get(turn.role) ?? 0) + turn.tokens);
    bin.before += turn.tokens;
    bin.after += Math.min(turn.tokens, after.get(turn.index) ?? 0);
  });
  const top = Math.max(...bins.map((bin) => bin.before), 1);
  const step = Math.min(width / bins.length, 48);
  const column = (bin, at, tokens, shape) => (tokens ? svg("rect", { x: at * step, y: 140 - (tokens / top) * 130, width: Math.max(1, step - (step > 5 ? 1.5 : 0)), height: (tokens / top) * 130, ...shape }) : []);
  const columns = bins.map((bin, at) => {
    const role = [...bin.roles].sort((a, b) => b[1] - a[1])[0][0];
    const place = `messages[${bin.first}${bin.last === bin.first ? "" : `…${bin.last}`}]`;
    return svg("g", {}, svg("title", {}, `${place}, ${role}: ${count(bin.before)} tokens, ${count(bin.after)} ${budget.would ? "would be sent" : "sent"}`),
      column(bin, at, bin.before, { fill: "url(#cut)" }), column(bin, at, bin.after, { class: `turn-${role}` }));
  });
  const right = step * bins.length;
  const roles = new Set(before.map((turn) => turn.role));
  return el("figure", { class: "picture" },
    el("h3", {}, "By message"),
    svg("svg", { viewBox: `0 0 ${width} 165`, role: "img", class: "budget", "aria-label": `Tokens of ${some(before.length, "message")}; the largest column has ${count(top)}` },
      columns, svg("line", { x1: 0, x2: right, y1: 140, y2: 140, class: "base" }),
      svg("text", { x: 0, y: 160, class: "axis" }, `messages[${bins[0].first}]`),
      right > 300 ? svg("text", { x: right, y: 160, class: "axis end" }, `messages[${bins.at(-1).last}]`) : []),
    el("figcaption", {}, el("ul", { class: "legend" },
      ROLES.filter((role) => roles.has(role)).map((role) => el("li", {}, el("span", { class: `swatch swatch-turn-${role}`, "aria-hidden": "true" }), title(role))),
      el("li", {}, el("span", { class: "swatch swatch-cut", "aria-hidden": "true" }), "Cut"),
      el("li", {}, `The highest column has ${count(top)} tokens${per > 1 ? `; a column is of ${per} messages` : ""}.`))));
}

const listOf = (parts) => (parts?.turns ?? []).map((turn, at) => ({ index: turn.index ?? turn.origin ?? at, role: turn.role ?? "?", tokens: turn.tokens ?? 0 }));

function roundsOf(look) {
  const turns = look.turns;
  if (!turns) return null;
  const limit = turns.limit ? ` of ${turns.limit}` : "";
  const words = [`${turns.rounds}${limit} rounds since the user last spoke (${turns.mode})`];
  if (turns.loop_period) words.push(`a loop of ${turns.loop_period}`);
  if (turns.wrap_up) words.push(`told to finish: ${turns.wrap_up}`);
  for (const event of turns.events ?? []) words.push(title(event).toLowerCase());
  return el("p", { class: "calm" }, words.join(" · "));
}
