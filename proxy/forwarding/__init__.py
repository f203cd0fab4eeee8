"""Carries one request through its attempts, and its answer to the client. Retries wait here.

In the order of the data:

    answer_format    the protocol of a client's format, which answers are written in
    gateway          what every handler may need, and the keys under which a request holds it
    fallback_chain   where a request may go, and what it has used up there
    attempt_planner  the protocol of what makes a request ready for each deployment
    attempts         the calls upstream: retries, repairs, fallbacks, deadlines
    read_failure     what a failed attempt says; last_word chooses the failure that the client is told
    chat             how a chat is planned, forwarded and answered
    text             the same for embeddings and text completions
    relay            the chunks of a stream on their way to the client
    next_chunk       the next chunk of a stream, or the end of the client's patience
    answer_buffer    a streamed answer that is held back until it is whole
    answer_stamp     the id and the time of an answer whose provider gave none
    write_events     the choice between a provider's own events and canonical chunks
    event_stream     a response that is sent event by event; stream_end is its end
    whole_answer     a response that is sent at once; json_response writes JSON
    deliver          the moment at which an answer goes out
    end_request      a request that ends without an answer
    calibrate        what the usage of an answer teaches
"""
