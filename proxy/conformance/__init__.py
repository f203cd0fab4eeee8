"""The public conformance corpus: broken histories as data, and a judge of what a gateway makes of them. Pure.

The package imports no other package of the project, and shares no code with the repairs of :mod:`sanitizers`. So the
judge measures turnright as it measures any other gateway. ``docs/conformance.md`` has the format of the data.

known.json       histories of public reports, which a provider refused
rules.json       a history for each rule of the checker, and histories that break none
case             one history, and what must hold
corpus           reads the data of the package
ask_gateway      a case as a chat request, with a text that identifies the case
gemini_request   reads the texts, results and media of a request in Gemini's format
judge            compares a case with the requests that arrived
"""
