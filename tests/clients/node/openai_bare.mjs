/**
 * openai-node with a history written by hand: of a call the id, the name and the arguments, and nothing else.
 *
 * Streamed, the deltas are put together by index, as OpenAI's guide does it.
 */

import OpenAI from "openai";

import { asked, Report } from "./reporting.mjs";
import { DESCRIPTIONS, MOST_ROUNDS, PARAMETERS, PROMPT, TOOLS } from "./tools.mjs";

const { baseURL, model, stream } = asked();
const client = new OpenAI({ baseURL, apiKey: "none", maxRetries: 0 });
const tools = Object.keys(TOOLS).map((name) => ({
  type: "function",
  function: { name, description: DESCRIPTIONS[name], parameters: PARAMETERS[name] },
}));

function called(id, name, given) {
  return { id, type: "function", function: { name, arguments: given } };
}

function told(answer) {
  const { content, tool_calls: calls } = answer.choices[0].message;
  return {
    text: content ?? "",
    calls: (calls ?? []).map((call) => called(call.id, call.function.name, call.function.arguments)),
  };
}

async function joined(chunks) {
  let text = "";
  const calls = [];
  for await (const chunk of chunks) {
    for (const { delta } of chunk.choices) {
      text += delta.content ?? "";
      for (const part of delta.tool_calls ?? []) {
        calls[part.index] ??= called("", "", "");
        calls[part.index].id += part.id ?? "";
        calls[part.index].function.name += part.function?.name ?? "";
        calls[part.index].function.arguments += part.function?.arguments ?? "";
      }
    }
  }
  return { text, calls };
}

const report = new Report();
const messages = [{ role: "user", content: PROMPT }];
for (let round = 0; round < MOST_ROUNDS; round += 1) {
  const answer = await client.chat.completions.create({ model, messages, tools, stream });
  const { text, calls } = stream ? await joined(answer) : told(answer);
  if (calls.length === 0) {
    report.text = text;
    break;
  }
  report.beginRound();
  messages.push({ role: "assistant", content: text || null, tool_calls: calls });
  for (const call of calls) {
    const given = report.called(call.id, call.function.name, call.function.arguments);
    messages.push({ role: "tool", tool_call_id: call.id, content: TOOLS[call.function.name](given) });
  }
}
report.write();
