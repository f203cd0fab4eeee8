// The last minutes of the process as charts and by model, asked for while somebody looks.

import { el, put } from "./dom.js";
import { brief, count, millis, some, title } from "./format.js";
import { cell, sheet } from "./sheet.js";
import { drawChart } from "./sparkline.js";

const MOST_SERIES = 6;

/** Polls by `fetchLive` while it is turned on and the page is visible, and shows what comes in `host`. */
export class LiveView {
  constructor(host, fetchLive) {
    this.host = host;
    this.fetchLive = fetchLive;
    this.every = 0;
    this.cards = new Map();
    document.addEventListener("visibilitychange", () => this.turn(this.every));
  }

  /** Poll so often, at once where that is new, or with 0 not at all. */
  turn(every) {
    const sooner = every && every < this.every;
    this.every = every;
    if (!every || document.hidden || sooner) {
      clearTimeout(this.timer);
      this.timer = undefined;
    }
    if (every && !document.hidden && !this.asking && this.timer === undefined) this.poll();
  }

  async poll() {
    this.asking = true;
    this.timer = undefined;
    try {
      this.show(await this.fetchLive());
    } catch (error) {
      if (error.status === 401) this.every = 0;
      this.fail(error);
    } finally {
      this.asking = false;
    }
    if (this.every && !document.hidden) this.timer = setTimeout(() => this.poll(), this.every);
  }

  fail(error) {
    this.state ??= el("p", { class: "live-state" });
    this.state.className = "live-state failed";
    this.state.textContent = error.status === 401 ? error.message : `${error.message} Asking again every ${this.every / 1000} seconds.`;
    if (!this.grid) put(this.host, el("h2", { class: "offscreen" }, "Live"), this.state);
  }

  show(live) {
    const buckets = live.buckets ?? [];
    const seconds = live.bucket_s || 5;
    const minutes = Math.max(1, Math.round((buckets.length * seconds) / 60));
    if (!this.grid) {
      this.state ??= el("p", { class: "live-state" });
      this.grid = el("div", { class: "charts" });
      this.models = el("div");
      put(this.host, el("h2", { class: "offscreen" }, "Live"), this.state, this.grid, this.models);
    }
    this.state.className = "live-state";
    const requests = total(buckets, "requests");
    put(this.state, el("span", { class: "pulse", "aria-hidden": "true" }), ` ${count(live.in_flight)} in flight · ${count(requests)} requests in the last ${some(minutes, "minute")}`,
      requests ? "" : " · nothing has come yet; the charts fill as requests do");
    const window = `in the last ${some(minutes, "minute")}`;
    const chart = (name, facts) => drawChart(this.card(name), { name, minutes, when: window, ...facts });
    chart("Requests", { now: count(total(buckets.slice(-Math.round(60 / seconds)), "requests")), when: "in the last minute", series: [{ name: "requests", values: buckets.map((bucket) => bucket.requests ?? 0) }], note: `a column is ${seconds} seconds` });
    const errors = byName(buckets, "errors");
    chart("Errors by class", { now: count(sumOf(errors)), series: errors, note: errors.length ? "" : "none" });
    chart("Retries", { now: count(total(buckets, "retries")), series: [{ name: "retries", values: buckets.map((bucket) => bucket.retries ?? 0) }] });
    const changes = byName(buckets, "changes");
    chart("Changes by step", { now: count(sumOf(changes)), series: changes, note: changes.length ? "" : "none" });
    chart("Tokens", { now: `${brief(total(buckets, "input_tokens"))} in`, series: [
      { name: "in", label: `in ${brief(total(buckets, "input_tokens"))}`, values: buckets.map((bucket) => bucket.input_tokens ?? 0) },
      { name: "out", label: `out ${brief(total(buckets, "output_tokens"))}`, values: buckets.map((bucket) => bucket.output_tokens ?? 0) }] });
    const busy = buckets.filter((bucket) => bucket.requests > 0 && typeof bucket.overhead_ms_mean === "number");
    const mean = busy.length ? busy.reduce((sum, bucket) => sum + bucket.overhead_ms_mean * bucket.requests, 0) / total(busy, "requests") : null;
    chart("Overhead", { now: millis(mean), unit: " ms", shape: "lines", series: [
      { name: "mean", label: "mean", values: buckets.map((bucket) => bucket.overhead_ms_mean ?? 0) },
      { name: "most", label: "most", values: buckets.map((bucket) => bucket.overhead_ms_max ?? 0) }] });
    this.showModels(live.models ?? [], window);
  }

  /** The reader's place in the table is kept: it is made anew only where its numbers are. */
  showModels(models, window) {
    const told = JSON.stringify(models);
    if (this.told === told) return;
    this.told = told;
    const caption = `By model, ${window}`;
    put(this.models, models.length ? sheet(caption, "numbers by-model", HEADS, models.map(modelLine), true) : null,
      models.length ? el("p", { class: "under" }, "Times are the median, and below it what 95 of 100 answered requests do not exceed. Only a stream has a first token.") : null);
  }

  card(name) {
    if (!this.cards.has(name)) {
      const card = el("section", { class: "chart" });
      this.cards.set(name, card);
      this.grid.append(card);
    }
    return this.cards.get(name);
  }
}

const HEADS = ["Model", "Requests", "Errors", "Latency", "First token"];

function modelLine({ model, requests, errors, duration_ms: whole, first_token_ms: first }) {
  const classes = Object.entries(errors ?? {});
  const time = (times) => cell({ class: "number" }, el("span", {}, millis(times?.p50)), times ? el("span", { class: "under" }, `95 %: ${millis(times.p95)}`) : null);
  return [model, cell({ class: "number" }, count(requests)),
    cell({}, classes.length ? el("span", { class: "chips" }, classes.map(([name, number]) => el("span", { class: "chip" }, title(name), " ", el("b", {}, count(number))))) : el("span", { class: "under" }, "none")),
    time(whole), time(first)];
}

const total = (buckets, key) => buckets.reduce((sum, bucket) => sum + (bucket[key] ?? 0), 0);
const sumOf = (series) => series.reduce((sum, one) => sum + one.total, 0);

/** Return a series for each name of the objects behind `key`, the largest first; the rest as one. */
function byName(buckets, key) {
  const totals = new Map();
  for (const bucket of buckets) for (const [name, number] of Object.entries(bucket[key] ?? {})) totals.set(name, (totals.get(name) ?? 0) + number);
  const names = [...totals].sort((a, b) => b[1] - a[1]);
  const own = names.length > MOST_SERIES ? names.slice(0, MOST_SERIES - 1) : names;
  const series = own.map(([name, number]) => ({ name, label: `${title(name)} ${count(number)}`, total: number, values: buckets.map((bucket) => bucket[key]?.[name] ?? 0) }));
  const rest = names.slice(own.length);
  if (rest.length) {
    const number = rest.reduce((sum, [, one]) => sum + one, 0);
    series.push({ name: "others", label: `Others ${count(number)}`, total: number, values: buckets.map((bucket) => rest.reduce((sum, [name]) => sum + (bucket[key]?.[name] ?? 0), 0)) });
  }
  return series;
}
