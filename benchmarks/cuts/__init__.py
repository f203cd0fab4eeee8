"""``make bench-cuts``: the cost of an agent's session of 200 requests, for several ways to fit a context window.

A provider caches the messages with which a request and the previous one both begin. Cached input costs a quarter or a
tenth of the usual price. A way to fit the window that changes the beginning of each request therefore pays the usual
price each time. Files, in the order of the data:

    window      tokens of messages, and the window that a request has to fit
    evictions   ways that only leave messages out: off, sliding, middle-out, and the preset ``balanced``
    summaries   the stand-in for a summarizing model, and the cost of its calls
    compaction  the proxy's compaction, by its own functions
    peers       the policies of context-guru, codex and langmem
    provider    the tokens that a provider counts over a session
    goals       the table of one window, and the goals
"""
