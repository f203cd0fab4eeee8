/** The command line of the scripts that speak Gemini's own API, and @google/genai's client for it. */

import { GoogleGenAI } from "@google/genai";

import { DESCRIPTIONS, PARAMETERS, TOOLS } from "../tools.mjs";

/** The declarations of the two tools as Gemini's API has them. */
export const DECLARED = {
  functionDeclarations: Object.keys(TOOLS).map((name) => ({
    name,
    description: DESCRIPTIONS[name],
    parametersJsonSchema: { ...PARAMETERS[name], additionalProperties: false },
  })),
};

/** Read the command line: `TASK ORIGIN MODEL whole|stream [MORE…]`. */
export function asked() {
  const [task, baseUrl, model, way, ...more] = process.argv.slice(2);
  const client = (apiKey = "none") => new GoogleGenAI({ apiKey, vertexai: false, httpOptions: { baseUrl } });
  return { task, origin: baseUrl, client, model, stream: way === "stream", more };
}

/** Yield the answer to `contents`, or its chunks where the command line asks for a stream. */
export async function* answered({ client, model, stream }, contents, config) {
  const { models } = client();
  if (stream) {
    yield* await models.generateContentStream({ model, contents, config });
  } else {
    yield await models.generateContent({ model, contents, config });
  }
}

/** Return all parts of an answer, and its last chunk. */
export async function collected(chunks) {
  const parts = [];
  let last;
  for await (const chunk of chunks) {
    parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
    last = chunk;
  }
  return { parts, last };
}

/** Return the text of `parts` without the thoughts. */
export function textOf(parts) {
  return parts.map(({ text, thought }) => (thought ? "" : (text ?? ""))).join("");
}
