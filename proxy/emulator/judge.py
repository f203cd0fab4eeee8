"""Applies all rules to a ``generateContent`` body.

The order is Google's own. First, the JSON must fit the proto messages. Then come empty fields, function names and proto
schemas. Values, tools, the order of turns, and signatures follow. The first group of rules that finds a fault decides
the answer. The first two groups report all their faults together, as the service does.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

from proxy.emulator import parts, schemas, signatures, tools, turns
from proxy.emulator.contents import view_contents
from proxy.emulator.errors import FieldViolation, Refusal, invalid_fields, invalid_payload, unknown_model
from proxy.emulator.models import Generation, generation_of, model_id, on_vertex
from proxy.emulator.proto import Message, is_too_deep, read_message

TOO_DEEP = "Invalid JSON payload received. Message too deep. Max recursion depth reached."


def judge(model: str, body: Mapping[str, Any], *, vertex: bool = False) -> Refusal | None:
    """Return the refusal of *body* by *model*, or ``None`` if it is accepted. Never raises.

    *model* is a name such as ``gemini-2.5-pro``, with or without ``models/``. *body* is the parsed JSON of a
    generateContent request, in either spelling of proto JSON. *vertex* adds Vertex AI's rules about schemas.

    Most rules name their sources. The rules depend on the model's generation (``models.FAMILIES``).
    """
    generation = generation_of(model)
    if generation is None:
        return unknown_model(model_id(model), version="v1beta", method="generateContent")
    request, refusal = read_request(body)
    return refusal or judge_request(request, on_vertex(generation) if vertex else generation)


def read_request(body: Any, kind: str = "GenerateContentRequest") -> tuple[Message, Refusal | None]:
    """Return *body* as a proto message of *kind* with names in camelCase, and the refusal if *body* does not fit.

    Source: CLIProxyAPI#97 and the other reports named in ``proto``.
    """
    if is_too_deep(body):
        return {}, invalid_payload([FieldViolation("", TOO_DEEP)])
    request, faults = read_message(kind, body)
    return request, invalid_payload(faults) if faults else None


def judge_request(request: Message, generation: Generation) -> Refusal | None:
    """Return the refusal of *request* by *generation*, or None. ``read_request`` has returned the *request*."""
    return (
        invalid_fields(
            chain(
                parts.empty_fields(request),
                tools.name_faults(request),
                schemas.schema_faults(request, generation),
            )
        )
        or parts.empty_text(request)
        or parts.struct_values(request)
        or parts.media(request, generation)
        or parts.image_alone(request, generation)
        or _first(tools.RULES, request, generation)
        or _first(turns.RULES, view_contents(request), generation)
        or signatures.present(request, generation)
        or signatures.required(view_contents(request), generation)
    )


def _first(rules: Any, subject: Any, generation: Generation) -> Refusal | None:
    return next(filter(None, (rule(subject, generation) for rule in rules)), None)
