/** Asks with limited keys by @google/genai, and tells which exception each refusal has become. */

import { ApiError, GoogleGenAI } from "@google/genai";

import { tell } from "../limits/steps.mjs";

/** Print the class, the code, the status and the code of the gateway of each exception. */
export async function limits({ origin, model, more }) {
  await tell(more, async (apiKey, retries) => {
    const retryOptions = retries ? { attempts: retries + 1, initialDelay: 1, jitter: 0 } : undefined;
    const httpOptions = { baseUrl: origin, retryOptions };
    const { models } = new GoogleGenAI({ apiKey, vertexai: false, httpOptions });
    try {
      await models.generateContent({ model, contents: "Hello.", config: { maxOutputTokens: 16 } });
      return null;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { code, status, details = [] } = JSON.parse(/\{.*\}/s.exec(error.message)[0]).error;
      const own = details.find(({ metadata }) => metadata)?.metadata.code ?? null;
      return [error.name, code, status, own];
    }
  });
}
