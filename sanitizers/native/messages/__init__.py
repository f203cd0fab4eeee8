"""The messages of Anthropic's Messages API, as chat messages and back.

places              the places of messages and blocks, with the refusals and needs that name them
envelope            what clients carry for the proxy in the signature of a thinking block
read_parts          the blocks of the client's as parts of chat messages
server_blocks       the calls that Anthropic ran, and their results, as texts
open_turn           the open turn of the model
message_reader      one message after the other as chat messages
project             a request's messages as chat messages, with the places of the messages
write_messages      chat messages as the system field and the messages of a request
write_turn          an assistant's message as blocks, with thinking in its places
write_blocks        the other contents as blocks
"""
