"""Values and mechanisms that several packages share. No product rule is in this package.

The modules that hold values, in the order in which the data reach them:

    deployment      one model at one provider, with the credentials for it
    source          the body of a request and the events of an answer, with the format they are in
    chat_request    one chat request as the client meant it, with its tools
    text_request    the same for embeddings and text completions, with their texts
    canonical_chat  the keys of a chat message, which is a plain dict
    upstream_call   one call to a provider, and the shapes of what comes back
    usage_so_far    the usage that a provider reports before its answer is complete
    strict_chunk    the keys of a streamed answer's chunk, once it is normalized
    instructions    the operator's instructions for one request
    forward_proxies the forward proxies that the environment names, and the hosts without one
    failures        the facts of a failed call
    charge          the use of one attempt, and its cost
    errors          the errors that a client can get, with status, code and retryability
    key_errors      those of client keys, their limits and spend limits

The modules that hold mechanisms:

    clients           the name of a client, under which scarce resources are shared
    lifecycle         starting, ready, draining; the requests in flight
    deadlines         time limits for a request and its steps, with one timer for all
    tenant_lru        a bounded map in which no tenant evicts the entries of the others
    fair_queue        the order in which clients get a worker thread
    worker_threads    the worker threads
    offload           CPU work on large bodies, run in a worker thread
    fair_turns        the order in which waiting clients get scarce places
    fair_places       scarce places that coroutines wait for
    connection_table  the open connections, and the one to close when there are too many
    memory_limit      the memory that the process may use, by its cgroup or the machine
    json_size         the memory that decoding a JSON body takes, estimated from its bytes
    dollars           amounts of money as text
    json_text         values written as JSON and as server-sent events; one value of a JSON body
    combine_instructions  the operator's texts, joined and cut
    hidden_text       texts that are sent and not shown
    error_place       the path of a fault in a request, as pydantic names it
    nesting           the depth of a JSON value
    unpack_body       gzip and deflate, with limits
    close_unread      the end of a connection whose request was refused before its body was read
"""
