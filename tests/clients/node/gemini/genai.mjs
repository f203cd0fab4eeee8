/** @google/genai over a tool loop: `generateContent` or its stream. The history is the answers' contents. */

import assert from "node:assert";

import { Report } from "../reporting.mjs";
import { MOST_ROUNDS, PROMPT, TOOLS } from "../tools.mjs";
import { DECLARED, answered, collected, textOf } from "./asked.mjs";

/** Run the tool loop until an answer has no calls, and print the report. */
export async function tools(given) {
  const report = new Report();
  const history = [{ role: "user", parts: [{ text: PROMPT }] }];
  const config = {
    tools: [DECLARED],
    thinkingConfig: { includeThoughts: true },
    systemInstruction: "Be brief.",
  };
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const { parts, last } = await collected(answered(given, history, config));
    assert.equal(last.candidates[0].finishReason, "STOP");
    assert(last.usageMetadata.promptTokenCount > 0);
    assert(last.responseId);
    assert(last.modelVersion);
    history.push({ role: "model", parts });
    const calls = parts.map(({ functionCall }) => functionCall).filter(Boolean);
    if (calls.length === 0) {
      report.text = textOf(parts);
      break;
    }
    report.beginRound();
    const results = calls.map(({ id, name, args }) => ({
      functionResponse: { id, name, response: { result: TOOLS[name](report.called(id, name, args)) } },
    }));
    history.push({ role: "user", parts: results });
  }
  report.write();
}
