"""turnright: an OpenAI-compatible LLM proxy that makes every chat history legal for the provider that reads it.

    client ─▶ ingress ─▶ forwarding ─▶ planning ─▶ upstream ─▶ provider
    client ◀─────────── forwarding ◀─ answers ◀── upstream ◀─────┘

The packages are called rooms, and are listed here from the top to the bottom. Each room imports only rooms below it in
this list:

    cli            a command line becomes one call
    server         the life of the process
    inspector      the page that shows what was done
    ingress        what clients send becomes a request
    forwarding     a request goes through its attempts, and its answer to the client
    observability  logs, metrics, traces, recent requests
    answers        what came back, in canonical form
    planning       what is sent to one deployment, and why
    state          what outlives a request
    upstream       the providers
    resilience     what follows a failure
    config         the settings
    core           what rooms exchange
    conformance    the public corpus, and the judge of gateways; it imports no other room
    emulator       a Gemini that refuses what Gemini refuses; it imports no other room

``docs/architecture.md`` describes the rooms, and the way of a request through them. The package :mod:`sanitizers` lies
below all rooms.
"""

__version__ = "0.1.0"
