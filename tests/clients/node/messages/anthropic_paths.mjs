/** The other paths of anthropic's TypeScript client: the count of tokens, the list of models, and one model. */

import { DECLARED } from "./asked.mjs";

/** Print what the client says of each path, as JSON. */
export async function paths({ client, model }) {
  const anthropic = client();
  const messages = [{ role: "user", content: "Hello there." }];
  const few = await anthropic.messages.countTokens({ model, messages });
  const many = await anthropic.messages.countTokens({ model, messages, tools: DECLARED, system: "Be brief." });
  const page = await anthropic.models.list({ limit: 1 });
  const one = await anthropic.models.retrieve(model);
  const models = [];
  for await (const { id } of anthropic.models.list()) {
    models.push(id);
  }
  console.log(
    JSON.stringify({
      counts: few.input_tokens,
      "counts more with tools": many.input_tokens > few.input_tokens,
      models: models.sort(),
      "a page": [page.data.length, page.has_more],
      model: [one.type, one.id],
      "is in time": !Number.isNaN(Date.parse(one.created_at)),
    }),
  );
}
