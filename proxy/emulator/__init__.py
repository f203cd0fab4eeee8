"""A strict emulator of the Gemini API. It refuses what Gemini is reported to refuse, and needs no network.

The emulator judges requests in Gemini's own format (``contents``), never OpenAI messages. It shares no code with the
sanitizers, so that each of the two can be tested against the other.

The rules, as pure functions:

    models        the rules that hold for each model
    errors        Google's statuses, texts and error shape
    messages      the proto messages, field by field
    proto         JSON read as a proto message: names, types, base64
    contents      turns and parts, as the rules read them
    parts         rules about single parts and media
    tools         rules about tools, tool choice and settings
    schemas       rules about proto schemas
    json_schemas  rules about JSON schemas
    turns         rules about order and pairing
    signatures    thought signatures, without state
    judge         all rules in Google's order: ``judge``

The answers:

    answers       the text and calls of an answer
    arguments     a call's arguments, generated from a schema
    embeddings    texts as vectors
    faults        scripted faults and answers
    replies       answers written as JSON and as streams
    generate      one call, from its bytes to its answer

The server:

    journal       the requests that were received, with their outcomes
    state         the state of one emulator
    control       paths for tests: faults and the journal
    app           the application: ``create_emulator``
    server        the application on a port: ``serving``
"""

from proxy.emulator.app import create_emulator
from proxy.emulator.errors import FieldViolation, Refusal
from proxy.emulator.judge import judge
from proxy.emulator.server import serving

__all__ = ["FieldViolation", "Refusal", "create_emulator", "judge", "serving"]
