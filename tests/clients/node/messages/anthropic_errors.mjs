/** Asks once with each key of the command line, and tells which exception of anthropic's client each failure became. */

import { asked } from "./asked.mjs";

const { Anthropic, client, model, stream, more } = await asked();
const errors = [];
for (const [index, key] of more.entries()) {
  const { messages } = client(key);
  const asking = [{ role: "user", content: `Hello for the ${index + 1}. time.` }];
  const settings = { model, max_tokens: 64, messages: asking };
  try {
    await (stream ? messages.stream(settings).finalMessage() : messages.create(settings));
    errors.push(null);
  } catch (error) {
    if (!(error instanceof Anthropic.APIError)) throw error;
    const body = error.error;
    const hasId = Boolean(error.requestID) && error.requestID === body.request_id;
    errors.push([error.constructor.name, error.status ?? null, body.error.type, body.error.message, hasId]);
  }
}
console.log(JSON.stringify({ errors }));
