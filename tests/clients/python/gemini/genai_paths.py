"""Uses the other paths of google-genai: the count of tokens, the list of models, one model, and embeddings."""

from __future__ import annotations

import json
import sys

from google.genai import types

from tests.clients.python.gemini.asked import Asked


def main(asked: Asked) -> None:
    """Print what the client says of each path, as JSON. The further argument is the model of the embeddings."""
    client = asked.client()
    models = client.models
    [embedder] = asked.more
    few = models.count_tokens(model=asked.model, contents="Hello there.")
    many = models.count_tokens(model=asked.model, contents=["Hello there.", "And a text of more words."])
    one = models.get(model=asked.model)
    texts = ["The first text.", "The second text."]
    embedded = models.embed_content(
        model=embedder, contents=texts, config=types.EmbedContentConfig(output_dimensionality=8)
    )
    vectors = [vector.values or [] for vector in embedded.embeddings or ()]
    told = {
        "counts": few.total_tokens,
        "counts more": (many.total_tokens or 0) > (few.total_tokens or 0),
        "models": sorted(model.name or "" for model in models.list()),
        "model": [one.name, one.input_token_limit, one.supported_actions],
        "vectors": [len(vector) for vector in vectors],
        "vectors differ": vectors[:1] != vectors[1:],
    }
    sys.stdout.write(json.dumps(told) + "\n")
