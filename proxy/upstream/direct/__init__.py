"""Calls providers over HTTP, in the formats of :mod:`proxy.upstream.wires.table`.

The modules, in the order of the data:

    request_head    the URL and the head of a request, kept for the next request to the same URL
    connector       the pool of connections
    exchange        one request and the head of its answer
    content_kind    whether an answer is JSON or an event stream
    answer_bodies   the body of an answer, with limits in size and time
    transport       the calls, built from the files above
"""
