// The verdict on the request that is looked at, above all its views.

import { el, put } from "./dom.js";
import { some } from "./format.js";
import { countsOf } from "./stages.js";
import { verdictTag } from "./verdicts_view.js";

/** Show in `host` what became of the request: `answer` of /ui/api/look, or `error`, or nothing; `stages` are what stands below, `recent` says that it is a recent one. */
export function drawResult(host, answer, error, stages, recent) {
  host.className = `result result-${error ? "refused" : answer?.verdict ?? "none"}`;
  if (error) {
    return put(host, el("p", { role: "alert" }, el("strong", {}, error.status === 404 ? "Not known here. " : "It could not be looked at. "), error.message));
  }
  if (!answer) return put(host);
  const refusal = answer.refusal;
  return put(host,
    el("p", { class: "verdict-line" }, verdictTag(answer.verdict), " ", el("span", {}, sentence(answer, countsOf(stages), stages.at(-1)?.changes ?? []))),
    refusal ? el("div", { class: "refusal" }, el("p", {}, refusal.message), refusal.param || refusal.code ? el("p", { class: "under" }, [refusal.code, refusal.param].filter(Boolean).join(" · ")) : null) : null,
    el("dl", { class: "result-facts" },
      fact("For", el("code", {}, answer.target?.model ?? answer.target?.profile ?? "–")), recent ? senderOf(answer.sent_by) : null,
      fact("Deployment", el("code", {}, answer.deployment ?? "–")), fact("Profile", el("code", {}, answer.profile ?? "–")), fact("Mode", answer.mode ?? "–"),
      answer.learned ? fact("In advance", some(answer.learned.length, "learned repair")) : null));
}

/** Whose limits of rounds hold for a recent request; null where that is nothing to speak of. */
function senderOf(sender) {
  if (!sender) return fact("Sent by", "no longer known: looked at as yours");
  const limit = sender.max_rounds ? `at most ${some(sender.max_rounds, "round")}` : null;
  if (!sender.key) return limit ? fact("Sent with", limit) : null;
  return fact("Sent by", [el("code", {}, sender.key), limit ? `, ${limit}` : null]);
}

const fact = (name, value) => el("div", {}, el("dt", {}, name), el("dd", {}, value));

/** The numbers are those of the steps below. */
function sentence(answer, { found, changes }, made) {
  if (answer.verdict === "repaired" && made.length && made.every((change) => change.step === "instructions")) return "It goes out as it came, behind the operator's instructions.";
  switch (answer.verdict) {
    case "unchanged": return "It goes out as it came.";
    case "refused": return "turnright refuses it, and nothing is sent.";
    case "sent_as_is": return `${some(found, "finding")}: it goes as it came, by the mode.`;
    case "repaired": return `${found ? `${some(found, "finding")} a provider would refuse, mended by ` : "Made to fit the provider by "}${some(changes, "change")}.`;
    default: return "";
  }
}
