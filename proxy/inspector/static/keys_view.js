// The spend and the limits of each key and team, for whoever holds the master key.

import { el, put } from "./dom.js";
import { count, dollars, percent, some } from "./format.js";
import { cell, sheet } from "./sheet.js";

const HEADS = ["Requests", "Tokens", "Spend", "Left", "Limits"];
const HOUR_S = 3600;
const DAY_S = 86400;

/** Show the answer of /ui/api/keys in `host`, and in `what` how many keys there are. */
export function drawKeys(host, what, told) {
  const { keys = [], teams = [], master } = told;
  put(what, keys.length ? `${some(keys.length, "key")}${teams.length ? ` in ${some(teams.length, "team")}` : ""}. The sums are those of all replicas.`
    : "No keys are configured: these are all requests. The sums are those of all replicas.");
  const first = { ...master, name: master.is_master_key ? "the master key" : keys.length ? "no key" : "all requests" };
  const rows = keys.length && !master.is_master_key ? keys : [first, ...keys];
  put(host,
    el("h2", { class: "offscreen" }, "Keys"),
    sheet("Keys, in the order of the file", "keys", ["Key", ...HEADS], rows.map((row) => line(row))),
    teams.length ? sheet("Teams", "keys", ["Team", ...HEADS], teams.map((row) => line(row)), true) : null);
}

function line(row) {
  const about = [row.team ? `team ${row.team}` : null, row.expired ? null : expiryOf(row), modelsOf(row)].filter(Boolean).join(" · ");
  return [
    [el("span", { class: "target" }, row.name), row.expired ? el("span", { class: "chip" }, "expired") : null, about ? el("span", { class: "under" }, about) : null],
    cell({ class: "number" }, count(row.requests)),
    cell({ class: "number" }, count(row.tokens)),
    cell({ class: "number" }, el("span", {}, dollars(row.spend)), el("span", { class: "under" }, periodOf(row)), partsOf(row)),
    cell({ class: "number" }, leftOf(row)),
    cell({}, limitsOf(row)),
  ];
}

const expiryOf = (row) => (row.expires ? `until ${row.expires.slice(0, 10)}` : null);
const modelsOf = (row) => (row.models ? `only ${row.models.join(", ")}` : null);

/** The time that the spend is of. Without a limit it is counted by calendar month. */
function periodOf({ max_budget: limit, budget_duration: duration, period }) {
  if (limit === null || duration === "1mo") return `in ${period}`;
  return duration ? `in ${duration}` : "in all";
}

/** What of the spend is an estimate, and what running requests may cost beside it. */
function partsOf({ estimated_spend: estimated, reserved_spend: reserved }) {
  const parts = [estimated ? `${dollars(estimated)} estimated` : null, reserved ? `${dollars(reserved)} reserved` : null].filter(Boolean);
  return parts.length ? el("span", { class: "under" }, parts.join(" · ")) : null;
}

function leftOf({ name, max_budget: limit, remaining_budget: left, resets_in_s: ends }) {
  if (limit === null) return el("span", { class: "under" }, "no limit");
  const used = 1 - left / limit;
  return [el("span", {}, dollars(left)), el("span", { class: "under" }, `of ${dollars(limit)}${ends === null ? "" : ` · anew in ${timeOf(ends)}`}`),
    el("meter", { min: 0, max: 1, low: 0.8, high: 0.95, optimum: 0, value: used, "aria-label": `${name}: ${percent(used)} used`, title: `${percent(used)} used` })];
}

function limitsOf({ rpm_limit: requests, tpm_limit: tokens, max_parallel_requests: parallel }) {
  const limits = [requests ? `${some(requests, "request")} a minute` : null, tokens ? `${some(tokens, "token")} a minute` : null, parallel ? `${count(parallel)} at once` : null].filter(Boolean);
  return limits.length ? limits.map((one) => el("span", { class: "under" }, one)) : el("span", { class: "under" }, "none");
}

function timeOf(seconds) {
  if (seconds >= DAY_S) return some(Math.round(seconds / DAY_S), "day");
  return seconds >= HOUR_S ? some(Math.round(seconds / HOUR_S), "hour") : some(Math.max(1, Math.round(seconds / 60)), "minute");
}
