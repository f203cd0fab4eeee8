"""The providers' wires: what is sent for a call and what comes back, as values. Pure, without I/O.

protocol         what a wire is asked
table            the list of wires, and the wire of a deployment
request_headers  headers that every wire sends
openai, gemini   one folder for each provider, with its ``wire`` on top
sse_decoder      the bytes of a stream as the payloads of its events
native_events    what was sent, attached to an answer for clients of the wire's own format
payloads         the JSON in an answer, or in one event
"""
