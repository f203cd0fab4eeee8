"""OpenAI's chat format: reads the bytes of a request into a :class:`proxy.core.chat_request.ChatRequest`.

- format: the format that forwarding uses
- read_request: the parser of a request
- parameters: the parameters that a client may set
- known_tools: a cache of checked tool lists
"""
