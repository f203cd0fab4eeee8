/** Asks with limited keys by openai-node, and tells which exception each refusal has become. */

import OpenAI from "openai";

import { tell } from "./steps.mjs";

const [api, baseURL, model, ...steps] = process.argv.slice(2);

await tell(steps, async (apiKey, maxRetries) => {
  const client = new OpenAI({ baseURL, apiKey, maxRetries });
  try {
    if (api === "responses") {
      await client.responses.create({ model, input: "Hello.", store: false });
    } else {
      const messages = [{ role: "user", content: "Hello." }];
      await client.chat.completions.create({ model, messages, max_tokens: 16 });
    }
    return null;
  } catch (error) {
    if (!(error instanceof OpenAI.APIError)) throw error;
    return [error.constructor.name, error.status, error.type, error.code];
  }
});
