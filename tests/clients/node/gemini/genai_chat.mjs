/** The chat of @google/genai, which calls the functions of the application by itself. */

import { Report } from "../reporting.mjs";
import { PROMPT, TOOLS } from "../tools.mjs";
import { DECLARED } from "./asked.mjs";

/** Print the calls of each round as the chat gave them to the application, and the last text. */
export async function chat({ client, model, stream }) {
  const report = new Report();
  const callable = {
    tool: async () => DECLARED,
    callTool: async (calls) => {
      report.beginRound();
      return calls.map(({ id, name, args }) => ({
        functionResponse: { id, name, response: { result: TOOLS[name](report.called(id, name, args)) } },
      }));
    },
  };
  const held = client().chats.create({ model, config: { tools: [callable] } });
  if (stream) {
    report.text = "";
    for await (const chunk of await held.sendMessageStream({ message: PROMPT })) {
      report.text += chunk.text ?? "";
    }
  } else {
    const { text } = await held.sendMessage({ message: PROMPT });
    report.text = text;
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
