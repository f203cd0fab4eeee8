"""The messages of Anthropic's Messages API, as chat messages and back.

project             a request's messages as chat messages, with the places of the messages
write_messages      chat messages as the system field and the messages of a request
write_turn          an assistant's message as blocks, with thinking in its places
write_blocks        the other contents as blocks
"""
