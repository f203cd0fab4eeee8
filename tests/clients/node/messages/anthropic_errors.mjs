/** Asks once with each key of the command line, and tells which exception of anthropic's client each failure became. */

/** Print each exception: its class, status and type, its words, and whether it has the id of the request. */
export async function errors({ Anthropic, client, model, stream, more }) {
  const told = [];
  for (const [index, key] of more.entries()) {
    const { messages } = client(key);
    const asking = [{ role: "user", content: `Hello for the ${index + 1}. time.` }];
    const settings = { model, max_tokens: 64, messages: asking };
    try {
      await (stream ? messages.stream(settings).finalMessage() : messages.create(settings));
      told.push(null);
    } catch (error) {
      if (!(error instanceof Anthropic.APIError)) throw error;
      const body = error.error;
      const hasId = Boolean(error.requestID) && error.requestID === body.request_id;
      told.push([error.constructor.name, error.status ?? null, body.error.type, body.error.message, hasId]);
    }
  }
  console.log(JSON.stringify({ errors: told }));
}
