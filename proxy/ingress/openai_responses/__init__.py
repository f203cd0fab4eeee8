"""OpenAI's Responses format: reads the bytes of a request into a chat request, and writes chat answers as responses.

Reading:

- field_types, fields: the fields of a request, with their types, and what follows from them
- known_tools: a cache of tool tables
- item_indexes: the numbers of messages as those of items
- conversation_fields: the body of a request that makes or changes a conversation
- read_request: the conversion to a :class:`proxy.core.chat_request.ChatRequest`

Writing:

- ids: the ids of responses and items
- echo: the response object, which repeats the request
- output_items: the items of an answer
- finish_response: the status of a finished response
- write_answer: a whole answer
- open_message, open_reasoning, open_call: the items of a stream, each with its events
- item_queue: the items of a stream that are open or wait
- stream_output: the numbers and places of a stream's events
- write_stream: the writer of a stream
- compaction: a summary in the place of an answer
- replay: the events of a stored response
- native_response, native_item, native_stream: answers of a provider that speaks the same API
- errors: errors in the words of the Responses API
- answer_context: the facts of a request that its answer needs
- answer: the format of one request's answer
- format: the format without the facts of a request
"""
