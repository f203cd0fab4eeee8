"""Anthropic's Messages format: reads the bytes of a request into a chat request, and writes chat answers as messages.

Reading:

- field_types, thinking, server_fields, fields: the fields of a request, their types, and what follows from them
- known_tools: a cache of tools
- client_headers: the headers that go to Anthropic with the client's own body
- read_request: the conversion to a :class:`proxy.core.chat_request.ChatRequest`
- block_places, message_places: chat messages and their parts as the client's own places

Writing:

- errors: errors in Anthropic's envelope
- limit_headers: the headers about the limits of a key, with Anthropic's names
- usage, stop_reasons: the counts of an answer, and the reason of its end
- answer_context: the facts of a request that its answer needs
- write_answer: a whole answer
- open_blocks: the blocks of a stream, each with its events
- block_queue: the blocks of a stream that are open or wait
- stream_output: the events of a stream and the indexes of its blocks
- write_stream: the writer of a stream
- native_answer, native_stream: answers of a provider that speaks the same API
- answer: the format of one request's answer
- format: the format without the facts of a request
"""
