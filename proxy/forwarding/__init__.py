"""Carries one request through its attempts, and its answer to the client.

This package also waits before retries.

The files, in the order of the data:

    answer_format    the protocol of a client's format, which answers are written in
    gateway          the objects that every handler may need, and the keys under which a request holds them
    fallback_chain   the pools and fallback models of a request, and the tries it has used up
    summary_jobs     the summaries that this process writes in the background
    attempt_planner  the protocol of a planner, which prepares a request for each deployment
    attempts         the steps between the calls upstream: retries, repairs, fallbacks
    plan_attempt     the next deployment, its plan, and the limits that the call has to fit
    attempt          one call upstream, with its deadline
    limits           the limits of the client's key and of deployments, which a request is held to
    metering         what each attempt used, and what it cost
    read_failure     the failure-table row of a failed attempt; final_failure chooses the error for the client
    chat             planning, forwarding and answering of chats
    text             the same for embeddings and text completions
    relay            the chunks of a stream on their way to the client
    next_chunk       the wait for the next chunk of a provider's stream
    answer_buffer    a streamed answer that is held back until it is complete
    answer_stamp     the id and the time of an answer whose provider gave none
    write_events     the choice between a provider's own events and canonical chunks
    event_stream     a server-sent response, written event by event; end_stream ends it
    whole_answer     a response that is written in one piece; json_response writes JSON
    deliver          the write of a whole response, with a time limit
    end_request      the error for a request that the proxy cancelled
    calibrate        the correction of token estimates by an answer's usage
"""
