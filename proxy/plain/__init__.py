"""Embeddings and text completions: forwarded as they are, through the same attempts as a chat.

Nothing is sanitized and nothing is cut, since there is no history: what a client gets wrong is told to it, and what its
provider cannot be asked is refused before anything is sent. On the way up:

    inputs       texts and tokens, one or many       parameters   what a client may set
    requests     bytes to request                    plans        which parameters go to whom
    planning     the plans, for the attempts         as_chat      a text completion for models that only chat

On the way down, ``embeddings`` and ``texts`` check an answer and write it alike whoever gave it; ``embedding`` and
``completing`` make the calls, ``forwarding`` and ``streaming`` answer the client.
"""
