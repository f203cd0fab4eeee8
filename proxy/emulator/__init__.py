"""A strict emulator of the Gemini API: it refuses what Gemini refuses, in Gemini's words, and answers offline.

It is a judge of its own. It looks at Gemini's wire (``contents``), never at OpenAI messages, and shares no code with
the sanitizers, so that the two can be held against each other. What it knows is in tables:

    models      which rules hold for which model         errors      Google's statuses, texts and error shape
    messages    the proto messages, field by field       proto       JSON to message: names, types, base64
    parts       rules about single parts and media       tools       rules about tools, schemas and settings
    turns       rules about order and pairing            signatures  thought signatures, without state
    judge       the rules in Google's order              answers     what the model says; replies: how it is written
    faults      scripted faults and answers              journal     what came in and what became of it
    embeddings  texts as vectors                         arguments   a call's arguments, made up to a schema
    contents    turns and parts, as the rules see them   schemas     rules about schemas; json_schemas the other kind
    replies     answers as JSON and as streams           state       what one emulator holds
    generate    one call, from its bytes to its answer   control     paths for tests: faults and the journal
    app         the application                          server      the application on a port

``judge`` is the rules as a pure function, ``create_emulator`` the application, ``serving`` the application on a port.
"""

from proxy.emulator.app import create_emulator
from proxy.emulator.errors import FieldViolation, Refusal
from proxy.emulator.judge import judge
from proxy.emulator.server import run_emulator, serving

__all__ = ["FieldViolation", "Refusal", "create_emulator", "judge", "run_emulator", "serving"]
