// The page: what is looked at, for which target, in which tab. Everything else has a file of its own.

import { Failed, forgetKey, get, hasKey, onKeyWanted, post, textOf } from "./api.js";
import { drawBudget } from "./budget_view.js";
import { announce, byId, copyButton, el, put, rove } from "./dom.js";
import { some } from "./format.js";
import { drawBaseUrl, drawModels as drawFirstModels, drawRate } from "./first_view.js";
import { HistoryView } from "./history_view.js";
import { fieldOf, writeJson } from "./json_text.js";
import { askForKey } from "./key_dialog.js";
import { drawKeys } from "./keys_view.js";
import { LiveView } from "./live_view.js";
import { OtherModels } from "./other_models.js";
import { privacy } from "./privacy_line.js";
import { drawRecent } from "./recent_view.js";
import { drawResult } from "./result_view.js";
import { drawSend } from "./send_view.js";
import { SourcePanel } from "./source_panel.js";
import { startShortcuts } from "./shortcuts.js";
import { countsOf } from "./stages.js";
import { listTargets } from "./target_list.js";
import { startTheme } from "./theme.js";
import { readTarget, readView, writeTarget, writeView } from "./view_link.js";

const TABS = ["history", "budget", "models", "send", "recent", "live", "keys"];
const OTHERS = new Set(["recent", "live", "keys"]);
const EVERY_MS = { live: 2000, first: 10000 }; // the live view is asked for so often in its tab, and before a look
const NARROW = matchMedia("(max-width: 60rem)"); // there the field for a request would hide what stands below
const page = { view: {}, models: null, text: null, look: null, entry: null, picked: null, asking: null };

const historyView = new HistoryView((patch) => setView(patch));
const live = new LiveView(byId("panel-live"), askLive);
const others = new OtherModels(byId("panel-models"), (signal) => post("verdicts", wrap(null), signal), chooseTarget);
const source = new SourcePanel((text) => use(text));

function setView(patch) {
  page.view = { ...page.view, ...patch };
  writeView(page.view);
}

// --- what is looked at

function use(text) {
  const entry = page.picked ?? (text === page.text ? page.entry : null);
  if (text !== page.text || entry !== page.entry) {
    others.forget();
  }
  page.text = text;
  page.entry = entry;
  if (text !== null && OTHERS.has(tabNow())) openTab("history"); // what becomes of it is not shown there
  return text === null ? showLook(null) : look();
}

async function look() {
  if (page.text === null) return;
  page.asking?.abort();
  const asking = (page.asking = new AbortController());
  busy(true);
  if (!page.look) put(byId("result"), el("p", { class: "under" }, "Looking at it…"));
  try {
    const answer = await post("look", wrap(readTarget(page.view.target)), asking.signal);
    showLook(answer);
    makeRoom();
    announce(`${answer.verdict}: ${some(countsOf(historyView.stages).changes, "change")}`);
  } catch (error) {
    if (error.name === "AbortError") return;
    showLook(null, error);
  } finally {
    if (page.asking === asking) busy(false);
  }
}

/**
 * The request goes as the text that was given: what JavaScript's numbers cannot hold is kept. Without a target the
 * process takes the request's own model, else its first; for a recent request, where that went.
 */
const wrap = (target) => `{${target ? `"target":${JSON.stringify(target)},` : ""}${page.entry ? `"recent":${JSON.stringify(page.entry.id)},` : ""}"request":${page.text}}`;

/** The request is folded away for what became of it. What it is looked at for can still be chosen. */
function makeRoom() {
  const within = byId("source-details").contains(document.activeElement);
  byId("source-details").open = false;
  if (within) byId("result").focus();
}

function busy(on) {
  document.body.classList.toggle("busy", on);
  byId("look").disabled = on;
  byId("result").setAttribute("aria-busy", String(on));
}

function showLook(answer, error = null) {
  page.look = answer;
  historyView.show(answer, page.view);
  drawResult(byId("result"), answer, error, historyView.stages, page.entry !== null);
  if (answer && !historyView.stages.some((stage) => stage.key === page.view.step)) setView({ step: "" });
  drawTab();
}

// --- tabs

function openTab(name, focus = false) {
  const tab = TABS.includes(name) ? name : "history";
  for (const one of TABS) {
    const knob = byId(`tab-${one}`);
    knob.setAttribute("aria-selected", String(one === tab));
    knob.tabIndex = one === tab ? 0 : -1;
    byId(`panel-${one}`).hidden = one !== tab;
  }
  const knob = byId(`tab-${tab}`);
  if (focus) knob.focus();
  if (byId("tabs").scrollWidth > byId("tabs").clientWidth) byId("tabs").scrollLeft = knob.offsetLeft - byId("tabs").offsetLeft - 40;
  if (OTHERS.has(tab)) makeRoom();
  else if (page.text === null && !NARROW.matches) byId("source-details").open = true;
  byId("target-field").hidden = OTHERS.has(tab);
  byId("result").hidden = OTHERS.has(tab); // these are not of the request that is looked at
  setView({ tab: tab === "history" ? "" : tab });
  drawTab();
}

const tabNow = () => page.view.tab || "history";

/** Steps and changes stand in the history: there it is that a key for them works. */
function walk(go) {
  if (!page.look) return;
  if (tabNow() !== "history") openTab("history");
  go();
}

function drawTab() {
  const tab = tabNow();
  live.turn(tab === "live" ? EVERY_MS.live : page.models && tab === "history" && !page.look ? EVERY_MS.first : 0);
  if (tab === "history") historyView.list?.update();
  if (tab === "budget") drawBudget(byId("panel-budget"), page.look, page.entry);
  if (tab === "send") drawSend(byId("panel-send"), page.look, page.text, readTarget(page.view.target));
  if (tab === "models") others.draw(page.text, writeTarget(page.look?.target));
  if (tab === "recent") drawRecentTab();
  if (tab === "keys") drawKeysTab();
}

function chooseTarget(target) {
  const text = writeTarget(target);
  setView({ target: text });
  fillTargets();
  openTab("history");
  look();
}

async function drawRecentTab() {
  const host = byId("recent-list");
  if (!host.childNodes.length) put(host, el("p", { class: "waiting", role: "status" }, "Asking for the recent requests…"));
  try {
    drawRecent(host, privacy(await get("recent")), pickRecent);
  } catch (error) {
    put(host, el("p", { class: "failure", role: "alert" }, error.message));
  }
}

async function drawKeysTab() {
  const host = byId("keys-list");
  if (!host.childNodes.length) put(host, el("p", { class: "waiting", role: "status" }, "Asking for the keys…"));
  try {
    drawKeys(host, byId("keys-what"), await get("keys"));
  } catch (error) {
    put(byId("keys-what"));
    put(host, el("p", { class: "failure", role: "alert" }, error.message));
  }
}

async function pickRecent(entry) {
  const fault = byId("recent-fault");
  put(fault);
  try {
    const full = await get(`recent/${encodeURIComponent(entry.id)}`);
    setView({ target: "" }); // it is looked at where it went
    fillTargets();
    openTab("history");
    page.picked = full;
    source.give(writeJson(fieldOf(textOf(full), "request"), 2), `request ${entry.id}`);
  } catch (error) {
    announce(error.message);
    put(fault, el("p", { class: "failure", role: "alert" }, error.code === "body_not_kept" ? "The body of that request is not kept: paste the request instead." : error.message));
  } finally {
    page.picked = null;
  }
}

async function askLive() {
  const answer = privacy(await get("live"));
  drawRate(answer);
  return answer;
}

// --- targets

const fillTargets = () => listTargets(byId("target"), page.models, page.view.target ?? "");

async function loadModels() {
  try {
    page.models = await get("models");
    byId("version").textContent = page.models.version ?? "";
    privacy(page.models);
    drawFirstModels(page.models);
    byId("tab-keys").hidden = !page.models.operator; // the process shows other keys to the master key alone
    put(byId("start-state"));
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    const again = el("button", { type: "button", class: "quiet" }, "Try again");
    again.addEventListener("click", loadModels);
    put(byId("start-state"), el("p", { class: "failure", role: "alert" }, error.message, " ", again));
  }
  byId("forget-key").hidden = !hasKey();
  fillTargets();
  drawTab();
}

// --- the beginning

function applyView() {
  page.view = readView();
  fillTargets();
  openTab(page.view.tab);
}

onKeyWanted(askForKey);
byId("source-details").open = !NARROW.matches;
startTheme();
drawBaseUrl();
startShortcuts({
  "/": () => { byId("source-details").open = true; byId("request").focus(); },
  h: () => walk(() => historyView.walk(-1)), l: () => walk(() => historyView.walk(1)),
  p: () => walk(() => historyView.seek(-1)), n: () => walk(() => historyView.seek(1)),
  ...Object.fromEntries(TABS.map((name, at) => [String(at + 1), () => { if (!byId(`tab-${name}`).hidden) openTab(name, true); }])),
});
rove(byId("tabs"), () => TABS.map((name) => byId(`tab-${name}`)).filter((knob) => !knob.hidden), (knob) => openTab(knob.id.slice(4), true));
for (const name of TABS) byId(`tab-${name}`).addEventListener("click", () => openTab(name));
byId("target").addEventListener("change", (event) => { setView({ target: event.target.value }); look(); });
byId("skip").addEventListener("click", (event) => {
  event.preventDefault(); // what stands behind the # of the address is the view
  const turns = byId("turns");
  (turns.offsetParent ? turns : byId("main")).focus();
});
byId("refresh-recent").addEventListener("click", drawRecentTab);
byId("refresh-keys").addEventListener("click", drawKeysTab);
byId("forget-key").addEventListener("click", () => { forgetKey(); location.reload(); });
byId("links").append(copyButton("Copy link to this view", () => location.href));
addEventListener("hashchange", () => {
  const before = page.view.target;
  applyView();
  if ((page.view.target ?? "") !== (before ?? "")) look();
  else historyView.show(page.look, page.view);
});
applyView();
await loadModels();
document.body.dataset.ready = "1";
