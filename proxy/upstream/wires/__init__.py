"""The providers' wires: they write a request as bytes, and read an answer from bytes.

The modules:

    protocol          the methods of a wire
    table             the list of wires, and the wire of a deployment
    request_headers   headers that every wire sends
    openai, gemini    one folder for each provider, with its ``wire`` on top
    anthropic         the same for Anthropic, and for other servers with its API
    openai_responses  the Responses API of OpenAI, Azure and xAI
    sse_decoder       the bytes of a stream as the payloads of its events
    payloads          the JSON of an answer or of one event
    usage_in_body     the usage in a whole answer that is of no use otherwise
    raw_values        values that are sent as the client wrote them
    kept_tools        if a plan has left the client's tools as they came
    native_events     attaches the provider's own answer for clients of the same format
"""
