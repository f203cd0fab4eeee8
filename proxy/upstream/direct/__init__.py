"""Asks providers over HTTP, on the wires of :mod:`proxy.upstream.wires.table`.

In the order of the data:

request_head   the URL, the headers and the checks of an address
connector      connections that are kept and used again
exchange       one request and the head of its answer
content_kind   whether an answer is JSON, a stream, or neither
answer_bodies  whole bodies, bounded in size and time
transport      the calls, from all of these
"""
