/** openai-agents for JavaScript over the Responses API. Chained, the history is a conversation of the server. */

import { Agent, OpenAIResponsesModel, run, setTracingDisabled, tool } from "@openai/agents";
import OpenAI from "openai";

import { Report } from "../reporting.mjs";
import { DESCRIPTIONS, MOST_ROUNDS, TOOLS } from "../tools.mjs";
import { asked, INPUTS, WEATHER } from "./asked.mjs";

setTracingDisabled(true);
const { baseURL, model, stream, store, isChained, isStructured, prompts } = asked();
const client = new OpenAI({ baseURL, apiKey: "none", maxRetries: 0 });
const agent = new Agent({
  name: "guide",
  model: new OpenAIResponsesModel(client, model),
  modelSettings: { store },
  ...(isStructured
    ? { outputType: WEATHER }
    : {
        tools: Object.entries(TOOLS).map(([name, execute]) =>
          tool({ name, description: DESCRIPTIONS[name], parameters: INPUTS[name], execute }),
        ),
      }),
});
const conversationId = isChained ? (await client.conversations.create()).id : undefined;

const report = new Report();
let history = [];
for (const prompt of prompts) {
  const fresh = { role: "user", content: prompt };
  const given = isChained ? [fresh] : [...history, fresh];
  const done = await run(agent, given, { stream, conversationId, maxTurns: MOST_ROUNDS });
  if (stream) {
    for await (const _ of done) {
      // the run keeps what its events say
    }
    await done.completed;
  }
  history = done.history;
  for (const { output } of done.rawResponses) {
    const calls = output.filter(({ type }) => type === "function_call");
    if (calls.length > 0) {
      report.beginRound();
    }
    for (const call of calls) {
      report.called(call.callId, call.name, call.arguments);
    }
  }
  report.text = isStructured ? JSON.stringify(done.finalOutput) : done.finalOutput;
}
report.write();
