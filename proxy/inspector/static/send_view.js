// What would be sent, and the buttons that copy it.

import { textOf } from "./api.js";
import { add, button, copyButton, el, put } from "./dom.js";
import { bytes, count } from "./format.js";
import { fieldOf, fieldsOf, writeJson } from "./json_text.js";
import { pathOf } from "./request_format.js";

const SHOWN = 20000;
const WIRES = { gemini: "Gemini's own format", openai: "OpenAI's own format", openai_responses: "The Responses API", anthropic_messages: "Anthropic's Messages API" };

/** Show the body of `look` in `host`; `asked` is the request's own JSON text, `chosen` the target that the reader chose. */
export function drawSend(host, look, asked, chosen) {
  if (!look) return put(host, el("p", { class: "empty" }, "Look at a request first: what would be sent stands here."));
  const wire = look.wire ?? {};
  const raw = wire.body ?? (wire.refusal || !look.body ? null : fieldOf(textOf(look), "body"));
  const body = raw === null ? null : writeJson(raw, 2);
  const dropped = look.parameters_dropped ?? look.dropped_parameters ?? [];
  put(host,
    el("h2", { class: "offscreen" }, "What is sent"),
    el("div", { class: "toolbar" },
      body ? copyButton("Copy the body", () => raw) : null,
      copyButton("Copy as curl", () => curlOf(asked, look, chosen)),
      copyButton("Copy the changes as JSON", () => JSON.stringify(look.changes ?? [], null, 2)),
    ),
    el("p", { class: "lead-text" }, "The curl command sends the request as it came to this turnright. It names the key by ", el("code", {}, "$TURNRIGHT_KEY"), "; no key is copied."),
    dropped.length ? el("p", {}, el("strong", {}, "Parameters that are not sent: "), dropped.map((name) => [el("code", {}, typeof name === "string" ? name : JSON.stringify(name)), " "])) : null,
  );
  if (!body) return add(host, el("p", { class: "empty" }, "Nothing would be sent: the request is refused.", wire.refusal ? ` ${wire.refusal}` : null));
  let shown = SHOWN;
  const text = el("pre", { class: "body", tabindex: "0", "aria-label": "The body that would be sent" });
  const more = button("", () => { shown *= 10; draw(); }, { class: "more" });
  const draw = () => {
    put(text, body.slice(0, shown), body.length > shown ? "\n…" : "");
    more.hidden = body.length <= shown;
    more.textContent = `Show more of ${count(body.length)} characters`;
  };
  draw();
  return add(host, whereTo(wire, bytes(new Blob([raw]).size)), text, more);
}

/** Say whose format the body has and where it goes; headers are not shown, since they hold the key. */
function whereTo(wire, size) {
  const by = { class: "lead-text", id: "send-wire" };
  if (!wire.body) return el("p", by, el("strong", {}, `As it is given to litellm, in OpenAI's format. `), `litellm writes the request of `, el("code", {}, wire.provider ?? "the provider"), " from it, and only while it sends it.");
  const format = WIRES[wire.wire] ?? `${wire.wire}'s own format`;
  return el("p", by, el("strong", {}, `${format}, as it is sent. `), el("code", { class: "address" }, `POST ${wire.address}`), ` · ${size}${wire.stream ? " · a stream is asked for" : ""}`);
}

/** Return a command for a shell. The JSON is one line in a quoted here-document: nothing in it is expanded. */
export function curlOf(asked, look, chosen) {
  const text = asked.trim();
  const fields = text.startsWith("[") ? [["messages", text]] : fieldsOf(text);
  const named = fields.some(([name, value]) => name === "model" && /^"./.test(value) && value !== '""');
  const model = chosen?.model ?? (named ? null : look.target?.model);
  const kept = model ? [["model", JSON.stringify(model)], ...fields.filter(([name]) => name !== "model")] : fields;
  const request = `{${kept.map(([name, value]) => `${JSON.stringify(name)}:${writeJson(value)}`).join(",")}}`;
  const address = new URL(`../v1/${pathOf(Object.fromEntries(kept))}`, import.meta.url).href;
  return [
    `curl -sS '${address.replaceAll("'", "%27")}' \\`,
    "  -H 'Content-Type: application/json' \\",
    "  -H \"Authorization: Bearer $TURNRIGHT_KEY\" \\",
    "  --data-binary @- <<'TURNRIGHT_BODY'",
    request,
    "TURNRIGHT_BODY",
    "",
  ].join("\n");
}
