/** anthropic's TypeScript client over a tool loop: `create`, or the helper `stream`. Its history is the answers' blocks. */

import assert from "node:assert";

import { Report } from "../reporting.mjs";
import { MOST_ROUNDS, PROMPT, TOOLS } from "../tools.mjs";
import { DECLARED } from "./asked.mjs";

/** Run the tool loop until an answer has no calls, and print the report. */
export async function tools({ client, model, stream }) {
  const anthropic = client();
  const report = new Report();
  const messages = [{ role: "user", content: PROMPT }];
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const settings = { model, max_tokens: 4096, messages, tools: DECLARED, thinking: { type: "adaptive" } };
    const message = stream
      ? await anthropic.messages.stream(settings).finalMessage()
      : await anthropic.messages.create(settings);
    assert.equal(message.model, model);
    assert(message.usage.input_tokens + (message.usage.cache_read_input_tokens ?? 0) > 0);
    messages.push({ role: "assistant", content: message.content });
    const calls = message.content.filter(({ type }) => type === "tool_use");
    if (calls.length === 0) {
      assert.equal(message.stop_reason, "end_turn");
      report.text = message.content.map(({ text }) => text ?? "").join("");
      break;
    }
    assert.equal(message.stop_reason, "tool_use");
    report.beginRound();
    const content = calls.map(({ id, name, input }) => ({
      type: "tool_result",
      tool_use_id: id,
      content: TOOLS[name](report.called(id, name, input)),
    }));
    messages.push({ role: "user", content });
  }
  report.write();
}
