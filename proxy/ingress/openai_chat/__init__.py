"""OpenAI's chat format: the bytes of a request, read into a :class:`proxy.core.chat_request.ChatRequest`.

format           the format as forwarding uses it
read_request     the way in
mend_surrogates  bodies that were cut within a character
parameters       the parameters that a client may set
known_tools      lists of tools that were seen before
"""
