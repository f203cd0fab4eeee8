/** Other tasks of @google/genai: a search, a picture in a result, an object, and paths that nobody serves. */

import { ApiError, Type } from "@google/genai";

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

const TRIP = {
  type: Type.OBJECT,
  properties: {
    city: { type: Type.STRING },
    days: { type: Type.INTEGER },
    friend: { type: Type.STRING, nullable: true },
  },
  required: ["city", "days"],
};

/** Print the object of an answer. */
export async function structured({ client, model }) {
  const config = { responseMimeType: "application/json", responseSchema: TRIP };
  const { text } = await client().models.generateContent({ model, contents: "Plan it.", config });
  console.log(JSON.stringify(JSON.parse(text)));
}

/** Print the error of each path that the gateway does not serve. */
export async function missing({ client, model }) {
  const { batches, caches, files } = client();
  const contents = [{ role: "user", parts: [{ text: "Hello." }] }];
  const told = [];
  for (const ask of [
    () => caches.create({ model, config: { contents, ttl: "300s" } }),
    () => files.get({ name: "files/abc" }),
    () => batches.get({ name: "batches/abc" }),
  ]) {
    try {
      await ask();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      told.push([error.status, JSON.parse(error.message).error.status]);
    }
  }
  console.log(JSON.stringify({ errors: told }));
}

async function say(given, contents, config) {
  const { parts } = await collected(answered(given, contents, config));
  console.log(JSON.stringify({ text: textOf(parts) }));
}
