/** The other paths of @google/genai: the count of tokens, the list of models, one model, and embeddings. */

/** Print what the client says of each path, as JSON. The further argument is the model of the embeddings. */
export async function paths({ client, model, more }) {
  const { models } = client();
  const few = await models.countTokens({ model, contents: "Hello there." });
  const many = await models.countTokens({ model, contents: ["Hello there.", "And a text of more words."] });
  const one = await models.get({ model });
  const { embeddings } = await models.embedContent({
    model: more[0],
    contents: ["The first text.", "The second text."],
    config: { outputDimensionality: 8 },
  });
  const vectors = embeddings.map(({ values }) => values);
  const names = [];
  for await (const { name } of await models.list()) {
    names.push(name);
  }
  console.log(
    JSON.stringify({
      counts: few.totalTokens,
      "counts more": many.totalTokens > few.totalTokens,
      models: names.sort(),
      model: [one.name, one.inputTokenLimit ?? null, one.supportedActions ?? null],
      vectors: vectors.map(({ length }) => length),
      "vectors differ": JSON.stringify(vectors[0]) !== JSON.stringify(vectors[1]),
    }),
  );
}
