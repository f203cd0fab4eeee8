/**
 * The AI SDK over its provider for OpenAI, whose default is the Responses API.
 *
 * By default it sends references to the items of its last answers. Chained, each prompt names the response before it.
 */

import { createOpenAI } from "@ai-sdk/openai";
import { generateText, isStepCount, Output, streamText, tool } from "ai";

import { Report } from "../reporting.mjs";
import { DESCRIPTIONS, MOST_ROUNDS, TOOLS } from "../tools.mjs";
import { asked, INPUTS, WEATHER } from "./asked.mjs";

const { baseURL, model, stream, store, isChained, isStructured, prompts } = asked();
const provider = createOpenAI({ baseURL, apiKey: "none" });

function failed({ error }) {
  throw error;
}

const settings = {
  model: provider(model),
  maxRetries: 0,
  stopWhen: isStepCount(MOST_ROUNDS),
  ...(isStructured
    ? { output: Output.object({ schema: WEATHER }) }
    : {
        tools: Object.fromEntries(
          Object.entries(TOOLS).map(([name, execute]) => [
            name,
            tool({ description: DESCRIPTIONS[name], inputSchema: INPUTS[name], execute }),
          ]),
        ),
      }),
};

const report = new Report();
let messages = [];
let previousResponseId;
for (const prompt of prompts) {
  messages.push({ role: "user", content: prompt });
  const asking = { ...settings, messages, providerOptions: { openai: { store, previousResponseId } } };
  const run = stream ? streamText({ ...asking, onError: failed }) : await generateText(asking);
  for (const { toolCalls: calls } of await run.steps) {
    if (calls.length > 0) {
      report.beginRound();
      for (const call of calls) {
        report.called(call.toolCallId, call.toolName, call.input);
      }
    }
  }
  if (isChained) {
    previousResponseId = (await run.finalStep).providerMetadata.openai.responseId;
    messages = [];
  } else {
    messages.push(...(await run.response).messages);
  }
  report.text = isStructured ? JSON.stringify(await run.output) : await run.text;
}
report.write();
