/** Asks with limited keys by anthropic's client, and tells which exception each refusal has become. */

import { tell } from "../limits/steps.mjs";

/** Print the class, the status, the type and the code of each exception. */
export async function limits({ Anthropic, client, model, more }) {
  await tell(more, async (key, maxRetries) => {
    const { messages } = client(key).withOptions({ maxRetries });
    try {
      await messages.create({ model, max_tokens: 16, messages: [{ role: "user", content: "Hello." }] });
      return null;
    } catch (error) {
      if (!(error instanceof Anthropic.APIError)) throw error;
      const { type, details } = error.error.error;
      return [error.constructor.name, error.status, type, details.error_code];
    }
  });
}
