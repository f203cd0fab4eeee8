"""Embeddings and text completions: forwarded as they are, through the same attempts as a chat.

Nothing is sanitized and nothing is cut, since there is no history. What a client gets wrong is told to it. What its
provider cannot be asked is refused before anything is sent. In the order of the data:

    plans          which parameters go to whom
    plan_attempts  the plan of each attempt
    as_chat        a text completion for models that only chat
    embedding      the calls for embeddings
    completing     the calls for text completions
    forward_text   one request from its plan to its answer
    stream_text    the same as a stream
"""
