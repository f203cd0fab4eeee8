/** The AI SDK over its provider for OpenAI-compatible servers, which knows Gemini's signatures in `extra_content`. */

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, isStepCount, streamText, tool } from "ai";
import { z } from "zod";

import { asked, Report } from "./reporting.mjs";
import { DESCRIPTIONS, MOST_ROUNDS, PROMPT, TOOLS } from "./tools.mjs";

const INPUTS = {
  get_weather: z.object({ city: z.string() }),
  get_time: z.object({ city: z.string(), hours_ahead: z.number().int() }),
};

const { baseURL, model, stream } = asked();
const provider = createOpenAICompatible({ name: "turnright", baseURL, apiKey: "none" });
const settings = {
  model: provider(model),
  prompt: PROMPT,
  maxRetries: 0,
  stopWhen: isStepCount(MOST_ROUNDS),
  tools: Object.fromEntries(
    Object.entries(TOOLS).map(([name, execute]) => [
      name,
      tool({ description: DESCRIPTIONS[name], inputSchema: INPUTS[name], execute }),
    ]),
  ),
};

function failed({ error }) {
  throw error;
}

const run = stream ? streamText({ ...settings, onError: failed }) : await generateText(settings);
const report = new Report();
for (const { toolCalls: calls } of await run.steps) {
  if (calls.length > 0) {
    report.beginRound();
    for (const call of calls) {
      report.called(call.toolCallId, call.toolName, call.input);
    }
  }
}
report.text = await run.text;
report.write();
