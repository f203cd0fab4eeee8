"""turnright: an OpenAI-compatible LLM proxy that makes every chat history legal for the provider that reads it.

One straight line::

    client ─HTTP─▶ routes ─▶ wire.parse ─▶ plan: deployment, profile, sanitize ─▶ upstream ─▶ provider
    client ◀─bytes─ streaming.relay ◀─ normalize ◀─────────────────────────── direct | litellm ──┘
                      └─ once, at the end: one log line, metrics, response headers

Data goes right as frozen values; nothing on the right knows the request object, the logger or the metrics.
What decides is pure; sockets, the clock and the log live in a few thin modules (``server``, ``streaming``,
``upstream``, ``observation``). :mod:`sanitizers` never imports this package.
"""

__version__ = "0.1.0"
