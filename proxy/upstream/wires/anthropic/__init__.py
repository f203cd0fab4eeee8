"""Anthropic's Messages API.

    wire            the wire's methods for chats
    native_wire     those for requests in their client's own form
    native_requests the client's own bytes, with what the plan has changed
    eligibility     whether a call goes out in its client's own form
    addresses       the URL and the headers
    requests        a chat as the body of a request
    limits          the limit of an answer that the request does not name
    tools           tools and tool choice
    server_tools    tools that Gemini would run, as those that Anthropic runs
    thinking        a reasoning effort as thinking
    answers         a whole message as a chat completion
    streams         the events of a stream as chunks
    layout          the order of thoughts, texts and calls
    finishing       stop reasons
    usage           token counts
    count_tokens    the number of a request's tokens, in place of an answer
    refusals        errors, whole and in a stream

Servers of other vendors speak this API too, at an address of their own. Sources: docs.anthropic.com/en/api (2026-11),
and recordings of Anthropic's own clients.
"""
