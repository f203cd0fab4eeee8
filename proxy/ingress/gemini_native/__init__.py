"""Gemini's own format: reads the bytes of a request into a chat request, and writes chat answers as Gemini's.

Reading:

- field_types: the fields of a request, and their types
- generation_config, thinking_config, response_format: the settings of a request as chat parameters
- fields: all fields, and what follows from them
- known_tools: a cache of tools
- read_request: the conversion to a :class:`proxy.core.chat_request.ChatRequest`

Places and errors:

- places: chat messages and their parts as the client's own places
- errors: errors in Google's envelope

Writing:

- finish_reasons, usage, logprobs: the end of a candidate, the counts of an answer, and its log probabilities
- answer_context: the facts of a request that its answer needs
- write_parts: thoughts, texts and calls as parts
- write_answer: a whole answer
- held_calls, open_candidate: a candidate of a stream, and its calls until they are whole
- stream_framing: server-sent events, or one JSON array
- write_stream: the writer of a stream
- native_names: the client's names of tools in an answer of Gemini's own
- embedding_request, embeddings: requests for embeddings, and their answers
- answer: the format of one request's answer
- format: the format without the facts of a request
"""
