/** The chat of @google/genai, which calls the functions of the application by itself. */

import { Report } from "../reporting.mjs";
import { PROMPT, TOOLS } from "../tools.mjs";
import { DECLARED, textOf } from "./asked.mjs";

/** Print the calls of each round as the chat's history has them, and the last text.
 *
 * The history of a stream has a content for each chunk.
 */
export async function chat({ client, model, stream }) {
  const callable = {
    tool: async () => DECLARED,
    callTool: async (calls) =>
      calls.map(({ id, name, args }) => ({
        functionResponse: { id, name, response: { result: TOOLS[name](args) } },
      })),
  };
  const held = client().chats.create({ model, config: { tools: [callable] } });
  if (stream) {
    for await (const chunk of await held.sendMessageStream({ message: PROMPT })) {
      void chunk;
    }
  } else {
    await held.sendMessage({ message: PROMPT });
  }
  const report = new Report();
  let isCalling = false;
  for (const { role, parts } of held.getHistory()) {
    const calls = parts.map(({ functionCall }) => functionCall).filter(Boolean);
    if (calls.length > 0 && !isCalling) report.beginRound();
    isCalling = role === "model" && (isCalling || calls.length > 0);
    for (const { id, name, args } of calls) report.called(id, name, args);
    report.text = role === "model" ? (report.text ?? "") + textOf(parts) : "";
  }
  report.write();
}

/** Print the texts that answer each further argument in one chat without functions. */
export async function talk({ client, model, stream, more }) {
  const held = client().chats.create({ model });
  const texts = [];
  for (const message of more) {
    if (stream) {
      const pieces = [];
      for await (const { text } of await held.sendMessageStream({ message })) {
        pieces.push(text ?? "");
      }
      texts.push(pieces.join(""));
    } else {
      texts.push((await held.sendMessage({ message })).text);
    }
  }
  console.log(JSON.stringify({ texts }));
}
