/** Other tasks of @google/genai: a search with Google, and a function that returns a picture. */

import { PROMPT } from "../tools.mjs";
import { DECLARED, answered, collected, textOf } from "./asked.mjs";

/** Print the text of an answer to a request with Google's search, alone or beside the two functions. */
export async function search(given) {
  const tools = [{ googleSearch: {} }, ...(given.more.includes("beside") ? [DECLARED] : [])];
  await say(given, "Look it up.", { tools });
}

/** Return a picture from the function that the model calls, and print the text of the next answer. */
export async function picture(given) {
  const config = { tools: [DECLARED] };
  const history = [{ role: "user", parts: [{ text: PROMPT }] }];
  const { parts } = await collected(answered(given, history, config));
  const { id, name } = parts.map(({ functionCall }) => functionCall).find(Boolean);
  const inlineData = { mimeType: "image/png", data: given.more[0] };
  const functionResponse = { id, name, response: { result: "See the picture." }, parts: [{ inlineData }] };
  history.push({ role: "model", parts }, { role: "user", parts: [{ functionResponse }] });
  await say(given, history, config);
}

async function say(given, contents, config) {
  const { parts } = await collected(answered(given, contents, config));
  console.log(JSON.stringify({ text: textOf(parts) }));
}
