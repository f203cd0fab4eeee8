"""Forwards embeddings and text completions, through the same attempts as a chat.

The requests are not sanitized or cut, since they have no history. Errors that the client caused are returned to the
client. A request that its provider cannot serve is refused before it is sent. The files, in the order of the data:

    plans          the parameters that go to each deployment
    plan_attempts  the plan of each attempt
    as_chat        a text completion for models that only chat
    embedding      the calls for embeddings
    completing     the calls for text completions
    forward_text   one request from its plan to its whole answer
    stream_text    one request from its plan to its streamed answer
"""
