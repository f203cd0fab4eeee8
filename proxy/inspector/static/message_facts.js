// What a message holds, in the order in which it is shown. Pure: message in, values out.

import { bytes, count } from "./format.js";

const SIGNATURE = /(^|_)signatures?$/i;
const TOLD = new Set(["role", "content", "tool_calls", "tool_call_id", "name", "function_call"]);

/**
 * Return {role, name, answers, blocks, signatures}.
 *
 * A block is {kind: "text" | "call" | "media" | "field", label, text, name, id, place}; signatures are {place, size}.
 */
export function readMessage(message) {
  if (message === null || typeof message !== "object") {
    return { role: "?", name: "", answers: null, blocks: [{ kind: "field", label: "not a message", text: show(message) }], signatures: [] };
  }
  const blocks = [...contentBlocks(message.content), ...callBlocks(message)];
  for (const [name, value] of Object.entries(message)) {
    if (TOLD.has(name) || value === null || value === undefined || SIGNATURE.test(name)) continue;
    blocks.push({ kind: "field", label: name, text: typeof value === "string" ? value : show(withoutSignatures(value)) });
  }
  return {
    role: typeof message.role === "string" ? message.role : "?",
    name: typeof message.name === "string" ? message.name : "",
    answers: typeof message.tool_call_id === "string" ? bareId(message.tool_call_id) : null,
    blocks,
    signatures: findSignatures(message),
  };
}

function contentBlocks(content) {
  if (content === null || content === undefined) return [];
  if (typeof content === "string") return [{ kind: "text", label: "", text: content }];
  if (!Array.isArray(content)) return [{ kind: "field", label: "content", text: show(content) }];
  return content.map((part, place) => ({ place, ...partBlock(part) }));
}

function partBlock(part) {
  if (part === null || typeof part !== "object") return { kind: "field", label: "part", text: show(part) };
  if (part.type === "text" && typeof part.text === "string") return { kind: "text", label: "", text: part.text };
  if (typeof part.thinking === "string") return { kind: "field", label: "thinking", text: part.thinking };
  if (typeof part.refusal === "string") return { kind: "field", label: "refusal", text: part.refusal };
  const media = mediaFact(part);
  return media ? { kind: "media", label: media.label, text: media.text } : { kind: "field", label: String(part.type ?? "part"), text: show(withoutSignatures(part)) };
}

function mediaFact(part) {
  const kind = String(part.type ?? "");
  const holder = part[kind];
  if (["image_url", "audio_url", "video_url"].includes(kind)) {
    const url = typeof holder === "string" ? holder : holder?.url;
    const detail = typeof holder?.detail === "string" ? ` · detail ${holder.detail}` : "";
    return { label: kind.replace("_url", ""), text: addressFact(url) + detail };
  }
  if (kind === "input_audio") return { label: "audio", text: `${holder?.format ?? "unknown format"} · ${sizeOf(holder?.data)}` };
  if (kind === "file") {
    const name = holder?.filename ?? holder?.file_id ?? "unnamed";
    return { label: "file", text: `${name} · ${holder?.file_data ? addressFact(holder.file_data) : "by its id"}` };
  }
  return null;
}

function addressFact(url) {
  if (typeof url !== "string") return "no address";
  if (!url.startsWith("data:")) return `${url.length > 200 ? `${url.slice(0, 200)}…` : url} (not fetched)`;
  const type = /^data:([^;,]*)/.exec(url)[1] || "no type";
  return `${type} · ${sizeOf(url.slice(url.indexOf(",") + 1))}`;
}

const sizeOf = (base64) => (typeof base64 === "string" ? bytes(Math.floor(base64.replace(/=+$/, "").length * 0.75)) : "no data");

function callBlocks(message) {
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  const blocks = calls.map((call, place) => {
    const held = call?.function ?? call?.custom ?? {};
    const given = held.arguments ?? held.input ?? "";
    return {
      kind: "call", place, id: bareId(call?.id), name: String(held.name ?? "(no name)"),
      text: typeof given === "string" ? given : show(given), further: furtherOf(call),
    };
  });
  const legacy = message.function_call;
  if (legacy && typeof legacy === "object") {
    const given = legacy.arguments ?? "";
    blocks.push({ kind: "call", id: "function_call", name: String(legacy.name ?? "(no name)"), text: typeof given === "string" ? given : show(given) });
  }
  return blocks;
}

function furtherOf(call) {
  const { id: _id, type: _type, function: _function, custom: _custom, ...further } = call ?? {};
  const shown = withoutSignatures(further);
  return Object.keys(shown).length ? show(shown) : "";
}

/** An id may carry a signature behind `__thought__`; that is told apart. */
const bareId = (id) => (typeof id === "string" ? id.split("__thought__")[0] : id === undefined || id === null ? "(no id)" : show(id));

function findSignatures(message) {
  const found = [];
  const look = (value, place) => {
    if (found.length >= 20 || value === null || typeof value !== "object") return;
    for (const [name, held] of Object.entries(value)) {
      const at = Array.isArray(value) ? `${place}[${name}]` : place ? `${place}.${name}` : name;
      if (typeof held === "string") {
        if (SIGNATURE.test(name) && held) found.push({ place: at, size: `${count(held.length)} characters` });
        else if (name === "id" || name === "tool_call_id") {
          const behind = held.split("__thought__")[1];
          if (behind) found.push({ place: `${at} (behind __thought__)`, size: `${count(behind.length)} characters` });
        }
      } else if (Array.isArray(held) && SIGNATURE.test(name)) {
        found.push({ place: at, size: `${count(held.length)} of them` });
      } else look(held, at);
    }
  };
  look(message, "");
  return found;
}

function withoutSignatures(value) {
  if (Array.isArray(value)) return value.map(withoutSignatures);
  if (value === null || typeof value !== "object") return value;
  const kept = {};
  for (const [name, held] of Object.entries(value)) {
    if (SIGNATURE.test(name)) continue;
    const inner = withoutSignatures(held);
    if (inner !== null && typeof inner === "object" && !Object.keys(inner).length) continue;
    kept[name] = inner;
  }
  return kept;
}

const show = (value) => JSON.stringify(value, null, 1) ?? String(value);
