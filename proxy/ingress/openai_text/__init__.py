"""OpenAI's formats without a history: embeddings and text completions.

- format: the formats that forwarding uses
- requests: the parser of a request into a :class:`proxy.core.text_request.TextRequest`,
  with the parameters that a client may set
"""
