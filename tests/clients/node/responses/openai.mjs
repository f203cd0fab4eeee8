/** openai-node over the Responses API: `create` and `parse`, or the helper `stream`. Its history is the answers' items. */

import OpenAI from "openai";
import { zodTextFormat } from "openai/helpers/zod";

import { Report } from "../reporting.mjs";
import { DESCRIPTIONS, MOST_ROUNDS, PARAMETERS, TOOLS } from "../tools.mjs";
import { asked, WEATHER } from "./asked.mjs";

const { baseURL, model, stream, store, isChained, isStructured, prompts } = asked();
const client = new OpenAI({ baseURL, apiKey: "none", maxRetries: 0 });
const tools = Object.keys(TOOLS).map((name) => ({
  type: "function",
  name,
  description: DESCRIPTIONS[name],
  parameters: { ...PARAMETERS[name], additionalProperties: false },
  strict: true,
}));
const settings = {
  model,
  store,
  ...(isStructured ? { text: { format: zodTextFormat(WEATHER, "weather") } } : { tools }),
};

async function answer(given) {
  if (stream) {
    return client.responses.stream({ ...settings, ...given }).finalResponse();
  }
  return isStructured
    ? client.responses.parse({ ...settings, ...given })
    : client.responses.create({ ...settings, ...given });
}

const report = new Report();
const history = [];
let previous;
for (const prompt of prompts) {
  let fresh = [{ role: "user", content: prompt }];
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    history.push(...fresh);
    const response = await answer({ input: previous ? fresh : history, previous_response_id: previous });
    history.push(...response.output);
    previous = isChained ? response.id : undefined;
    const calls = response.output.filter(({ type }) => type === "function_call");
    if (calls.length === 0) {
      report.text = isStructured ? JSON.stringify(response.output_parsed) : response.output_text;
      break;
    }
    report.beginRound();
    fresh = calls.map(({ call_id, name, arguments: given }) => ({
      type: "function_call_output",
      call_id,
      output: TOOLS[name](report.called(call_id, name, given)),
    }));
  }
}
report.write();
