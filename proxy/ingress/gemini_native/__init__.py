"""Gemini's own format: reads the bytes of a request into a chat request, and writes chat answers as Gemini's.

Reading:

- field_types: the fields of a request, and their types
- generation_config, thinking_config, response_format: the settings of a request as chat parameters
- fields: all fields, and what follows from them
- known_tools: a cache of tools
- read_request: the conversion to a :class:`proxy.core.chat_request.ChatRequest`
"""
