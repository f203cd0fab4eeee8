/** openai-node's `runTools`, which runs the loop and the tools itself; streamed, it puts the messages together too. */

import OpenAI from "openai";

import { asked, Report } from "./reporting.mjs";
import { DESCRIPTIONS, MOST_ROUNDS, PARAMETERS, PROMPT, TOOLS } from "./tools.mjs";

const { baseURL, model, stream } = asked();
const client = new OpenAI({ baseURL, apiKey: "none", maxRetries: 0 });
const tools = Object.entries(TOOLS).map(([name, run]) => ({
  type: "function",
  function: {
    name,
    description: DESCRIPTIONS[name],
    parameters: PARAMETERS[name],
    parse: JSON.parse,
    function: run,
  },
}));

const messages = [{ role: "user", content: PROMPT }];
const runner = client.chat.completions.runTools(
  { model, messages, tools, stream },
  { maxChatCompletions: MOST_ROUNDS },
);
const report = new Report();
report.text = await runner.finalContent();
for (const { tool_calls: calls } of runner.messages) {
  if (calls?.length) {
    report.beginRound();
    for (const call of calls) {
      report.called(call.id, call.function.name, call.function.arguments);
    }
  }
}
report.write();
