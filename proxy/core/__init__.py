"""Values and mechanics that several rooms share. Nothing here is a rule of the product.

The values, in the order of the data:

    deployment      one model at one provider, with the credentials for it
    source          the body of a request and the events of an answer, with the format they are in
    chat_request    one chat request as the client meant it; known_tools are the tools in it
    text_request    the same for embeddings and text completions; inputs are the texts in it
    canonical_chat  the keys of a chat message, which is a plain dict
    upstream_call   one call to a provider, and the shapes of what comes back
    strict_chunk    the keys of a streamed answer's chunk, once it is normalized
    failures        the facts of a failed call
    errors          what a client can be told, with its status, code and retryability

The mechanics:

    clients           who is asking: the name under which scarce things are shared
    lifecycle         starting, ready, draining; the requests in flight
    deadlines         limits on the time of a request and of its steps
    tenant_lru        a bounded map in which no tenant pushes out what others have
    fair_queue        the order in which clients get a worker thread
    worker_threads    those threads
    offload           CPU work on large bodies, run in one of them
    fair_turns        the order in which waiting clients get scarce places
    fair_places       the same for coroutines that wait
    connection_table  the open connections, and the one to close where there are too many
    memory_limit      the memory that the process may take, as its cgroup or the machine has it
    json_size         the memory that decoding a JSON body takes, estimated from its bytes
    json_text, sse    values as JSON, and as server-sent events; find_value finds one value's bytes
    nesting           how deeply a JSON value is nested
    unpack_body       gzip and deflate, bounded
    close_unread      the end of a connection whose request was refused before its body was read
"""
