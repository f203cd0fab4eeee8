"""The tools of a request as a deployment takes them: which dialect its schemas are in, and the tools in it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock
from types import MappingProxyType
from typing import Any

import orjson

from proxy.core.deployment import Deployment
from proxy.core.errors import UnrepairableHistory
from proxy.core.known_tools import LARGEST_KNOWN, MOST_KNOWN, KnownTools
from proxy.upstream.transports import transport_of
from sanitizers import Change, Profile
from sanitizers.schemas import (
    DIALECTS,
    GEMINI,
    GEMINI_JSON,
    GEMINI_ON_LITELLM,
    CleanedTools,
    Target,
    clean_tools,
)

_TARGETS = {name: Target(dialect) for name, dialect in DIALECTS.items()}
_GEMINI_WITH_JSON = Target(GEMINI, richer=GEMINI_JSON)

_LISTED = 20

_KEPT: dict[tuple[KnownTools, Target], CleanedTools] = {}
"""What tools came to, those that were cleaned last. Plans are made in threads as well, so that whoever adds to it holds
the lock."""

_KEEPING = Lock()
_MOST_KEPT = 2 * MOST_KNOWN

_SCHEMA_BYTE = 256
"""Bytes of a history that take as long to plan as one of a schema to clean: 4,000 properties of 155 KB took 0.25 s, and
a history of 354 KB 2 ms."""


def target_of(deployment: Deployment, profile: Profile) -> Target:
    """Return what the tools for *deployment* are cleaned for.

    ``parametersJsonSchema`` says more than ``parameters`` does; generativelanguage has it, and the models since 2.5 are
    known to read it (gemini-cli#4196, goose#6555). litellm writes the latter alone.
    """
    if profile.schemas != GEMINI.name:
        return _TARGETS[profile.schemas]
    if transport_of(deployment) == "litellm":
        return _TARGETS[GEMINI_ON_LITELLM.name]
    reads_json = profile.call_ids or deployment.model_id.startswith("gemini-2.5")
    return _GEMINI_WITH_JSON if deployment.provider == "gemini" and reads_json else _TARGETS[GEMINI.name]


def clean_declared(
    parameters: Mapping[str, Any], target: Target, known: KnownTools | None = None
) -> tuple[Mapping[str, Any], tuple[Change, ...]]:
    """Return *parameters* with the tools that they declare as *target* takes them, and what was changed.

    The same object where nothing was. *known* is what is known of the tools that the client sent. Raises
    :class:`sanitizers.Unrepairable` as :func:`clean_tools` does.
    """
    made: dict[str, Any] = {}
    changes: list[Change] = []
    for name in ("tools", "functions"):
        given = parameters.get(name)
        if given:
            if known is not None and given is known.tools:
                cleaned = _clean_known(known, target)
            else:
                cleaned = clean_tools(given, target, name)
            changes += cleaned.changes
            made[name] = cleaned.tools
    return (MappingProxyType({**parameters, **made}), tuple(changes)) if changes else (parameters, ())


def cleaning_weight(known: KnownTools | None, most: int, target: Target) -> int:
    """Return what it takes to clean tools, as the bytes of a usual history: nothing for those that were cleaned before.

    *known* is what is known of them; of others there are *most* bytes.
    """
    if known is None:
        return _SCHEMA_BYTE * most
    return 0 if (known, target) in _KEPT else _SCHEMA_BYTE * known.size


def _clean_known(known: KnownTools, target: Target) -> CleanedTools:
    """Return *known* tools as *target* takes them, kept unless that is too large, as references written out may be."""
    key = known, target
    kept = _KEPT.get(key)
    if kept is not None:
        return kept
    cleaned = clean_tools(known.tools, target)
    try:
        fits = len(orjson.dumps(cleaned.tools)) <= 2 * LARGEST_KNOWN
    except orjson.JSONEncodeError:
        fits = False
    if fits:
        with _KEEPING:
            while len(_KEPT) >= _MOST_KEPT:
                del _KEPT[next(iter(_KEPT))]
            _KEPT[key] = cleaned
    return cleaned


def refuse_tools(changes: tuple[Change, ...]) -> UnrepairableHistory:
    """Return the 400 of mode ``strict`` for tools that would have to be changed."""
    listed = "; ".join(f"{_place_of(change)}: {change.reason}" for change in changes[:_LISTED])
    return UnrepairableHistory(
        f"The tools would have to be changed (mode 'strict'). {listed}.",
        param=_place_of(changes[0]),
    )


def _place_of(change: Change) -> str:
    """Return the place in the request, whose list a change of the older one says in its detail."""
    return f"{'functions' if change.detail.startswith('functions') else 'tools'}[{change.index}]"
