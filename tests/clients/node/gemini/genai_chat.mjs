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
  const talk = client().chats.create({ model, config: { tools: [callable] } });
  if (stream) {
    report.text = "";
    for await (const chunk of await talk.sendMessageStream({ message: PROMPT })) {
      report.text += chunk.text ?? "";
    }
  } else {
    const { text } = await talk.sendMessage({ message: PROMPT });
    report.text = text;
  }
  report.write();
}
