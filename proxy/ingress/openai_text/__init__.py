"""OpenAI's formats without a history: embeddings and text completions.

format      the formats as forwarding uses them
requests    the bytes of a request, read into a :class:`proxy.core.text_request.TextRequest`
parameters  the parameters that a client may set
"""
