"""Carries one request through its attempts, and its answer to the client. Retries wait here.

In the order of the data:

    answer_format   the protocol of a client's format, which answers are written in
    gateway         what every handler may need, and the keys under which a request holds it
    fallback_chain  where a request may go, and what it has used up there
    attempts        the calls upstream: retries, repairs, fallbacks, deadlines
    next_chunk      the next chunk of a stream, or the end of the client's patience
    chat            how a chat is planned, forwarded and answered
    text            the same for embeddings and text completions
    event_stream    a response that is sent event by event; stream_end is its end
    whole_answer    a response that is sent at once; json_response writes JSON
    deliver         the moment at which an answer goes out
    end_request     a request that ends without an answer
    calibrate       what the usage of an answer teaches
"""
