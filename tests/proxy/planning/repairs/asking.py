"""Builders of a provider's refusal, and of the repair of the refused request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from proxy.core.failures import Evidence
from proxy.emulator import judge
from proxy.emulator.errors import Refusal
from proxy.planning.repairs import Repaired, repair_request
from proxy.planning.repairs.draft import Draft
from proxy.planning.repairs.repair_row import Row
from proxy.planning.repairs.repair_table import TABLE
from proxy.resilience.read_error import ProviderError, read_error
from proxy.upstream.wires.gemini import build_request
from sanitizers import Profile
from sanitizers.messages import Entry
from sanitizers.profiles import OPENAI

History = list[dict[str, Any]]


def refusal(message: str, **more: Any) -> ProviderError:
    """Return a 400 with *message* in the envelope that OpenAI and Gemini share."""
    body = orjson.dumps({"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT", **more}})
    return read_error(400, Evidence(400, {}, body), now=0.0)


def repaired(
    message: str,
    messages: History,
    parameters: Mapping[str, Any] | None = None,
    profile: Profile = OPENAI,
    *,
    without: Row | None = None,
    **more: Any,
) -> Repaired | None:
    """Return the repair of a request that was refused with *message*, by the table *without* one row."""
    table = [row for row in TABLE if row is not without]
    return repair_request(messages, parameters or {}, profile, refusal(message, **more), table=table)


def judged(model: str, messages: Any, parameters: Mapping[str, Any], profile: Profile) -> Refusal | None:
    """Return the strict emulator's refusal of the request in Gemini's format, or None for an accepted request."""
    return judge(model, build_request(messages, parameters, profile, model))


def draft_of(
    messages: History, parameters: Mapping[str, Any] | None = None, profile: Profile = OPENAI
) -> Draft:
    """Return the draft of a refused request, as each repair gets it."""
    entries = tuple(Entry(message, at) for at, message in enumerate(messages))
    return Draft(entries, parameters or {}, profile)


def listed(draft: Draft) -> list[tuple[str, int, str, str]]:
    """Return the kind, index, reason and detail of each change."""
    return [(change.kind, change.index, change.reason, change.detail) for change in draft.changes]
