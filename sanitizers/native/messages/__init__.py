"""The messages of Anthropic's Messages API, as chat messages and back.

places              the places of messages and blocks, with the refusals and needs that name them
envelope            what clients carry for the proxy in the signature of a thinking block
read_parts          the blocks of the client's as parts of chat messages
server_blocks       the calls that Anthropic ran, and their results, as texts
open_turn           the open turn of the model
turn_reader         the blocks of the model's messages into its open turn
usual_contents      the contents of nearly all messages of agents as chat messages
message_reader      one message after the other as chat messages
project             a request's messages as chat messages, with the places of the messages
write_messages      chat messages as the system field and the messages of a request
write_turn          an assistant's message as blocks, with thinking in its places
write_blocks        the other contents as blocks
changed_messages    messages after changes, with their places before
find_sources        the messages and blocks that a changed chat message was made of
rewrite_turn        a changed turn, with the blocks that stay
apply               changed chat messages as messages, with the messages that stay
violations          the provider's rules for blocks
sound_messages      the messages of nearly all agents, which break no rule
mend_blocks         changes to the blocks of one message that the provider would refuse
mend_limits         cache marks and media above the provider's limits
mend                changes to messages that the provider would refuse
open_thinking       the thinking of the open turn, which stays as it was or goes
"""
