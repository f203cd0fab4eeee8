// What stands there before a request is looked at: the address for clients, the configured models, and how busy it is.

import { hasKey } from "./api.js";
import { byId, copyButton, el, put } from "./dom.js";
import { count, some } from "./format.js";
import { drawChart } from "./sparkline.js";

const MOST_MODELS = 12;
const MINUTE_S = 60;

/** The address that clients are given: this process, as the browser reaches it. */
const BASE_URL = new URL("../v1", import.meta.url).href;

/** Show the address, and a button that copies it. */
export function drawBaseUrl() {
  put(byId("base-url"), BASE_URL);
  put(byId("base-copy"), copyButton("Copy", () => BASE_URL));
}

/** Show the models of `known`, an answer of /ui/api/models. */
export function drawModels(known) {
  put(byId("base-key"), "Give it to any OpenAI client. ", hasKey() ? "The client needs a key of this turnright." : "No key is asked for: any will do.");
  const models = known.models ?? [];
  const shown = models.length > MOST_MODELS + 1 ? models.slice(0, MOST_MODELS) : models;
  put(byId("first-models"),
    shown.map(({ name, deployments = [] }) => el("li", {}, el("code", {}, name), el("span", { class: "under" }, deploymentsOf(deployments)))),
    shown.length < models.length ? el("li", { class: "under" }, `and ${some(models.length - shown.length, "other")}: see “Look at it for”`) : null);
}

function deploymentsOf(deployments) {
  const [first] = deployments;
  return first ? `${first.model}${deployments.length > 1 ? ` and ${some(deployments.length - 1, "other")}` : ""}` : "";
}

/** Show how busy the process is by `live`, an answer of /ui/api/live. The newest bucket is still filling. */
export function drawRate(live) {
  const buckets = live.buckets ?? [];
  const each = Math.max(1, Math.round(MINUTE_S / (live.bucket_s || 5)));
  const requests = buckets.map((bucket) => bucket.requests ?? 0);
  const perMinute = requests.map((_, at) => sum(requests.slice(Math.max(0, at - each + 1), at + 1)));
  const minutes = Math.max(1, Math.round(buckets.length / each));
  drawChart(byId("first-chart"), {
    name: "Requests per minute", now: count(perMinute.at(-1) ?? 0), when: "in the last minute", minutes,
    series: [{ name: "requests", values: perMinute }], headed: false,
    note: `${count(live.in_flight)} in flight · ${some(sum(requests), "request")} in ${some(minutes, "minute")}`,
  });
}

const sum = (numbers) => numbers.reduce((total, one) => total + one, 0);
