"""Rewrites a request's tools in the schema dialect of a deployment."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock
from types import MappingProxyType
from typing import Any

import orjson

from proxy.core.chat_request import LARGEST_KNOWN, MAX_KNOWN, KnownTools
from proxy.core.deployment import Deployment
from proxy.core.errors import UnrepairableHistory
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

_MAX_LISTED = 20

_CACHE: dict[tuple[KnownTools, Target], CleanedTools] = {}
"""The results of the newest cleanings. Worker threads plan requests too, so a writer holds the lock."""

_CACHE_LOCK = Lock()
_CACHE_SIZE = 2 * MAX_KNOWN

_SCHEMA_BYTE_COST = 256
"""The cost of one schema byte, in bytes of history. Cleaning 4,000 properties (155 KB) took 0.25 s. Planning a history
of 354 KB took 2 ms."""


def target_of(deployment: Deployment, profile: Profile) -> Target:
    """Return the schema dialects that the tools for *deployment* are cleaned for.

    Gemini's field ``parametersJsonSchema`` can express more than ``parameters``. The generativelanguage API takes this
    field, and models since 2.5 are known to read it (gemini-cli#4196, goose#6555). litellm writes only ``parameters``.
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
    """Return *parameters* with their tools cleaned for *target*, and the changes.

    Without changes, *parameters* itself is returned. *known* is the cached list of the tools that the client sent.
    Raises :class:`sanitizers.Unrepairable` as :func:`clean_tools` does.
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
    """Return the cost of cleaning tools, in bytes of a usual history. Tools that were cleaned before cost nothing.

    *known* is the cached list of tools. Without *known*, *most* is an upper bound of the tools' bytes.
    """
    if known is None:
        return _SCHEMA_BYTE_COST * most
    return 0 if (known, target) in _CACHE else _SCHEMA_BYTE_COST * known.size


def _clean_known(known: KnownTools, target: Target) -> CleanedTools:
    """Return *known* tools cleaned for *target*.

    The result is cached unless it is too large. Schemas grow when their references are written out.
    """
    key = known, target
    kept = _CACHE.get(key)
    if kept is not None:
        return kept
    cleaned = clean_tools(known.tools, target)
    try:
        fits = len(orjson.dumps(cleaned.tools)) <= 2 * LARGEST_KNOWN
    except orjson.JSONEncodeError:
        fits = False
    if fits:
        with _CACHE_LOCK:
            while len(_CACHE) >= _CACHE_SIZE:
                del _CACHE[next(iter(_CACHE))]
            _CACHE[key] = cleaned
    return cleaned


def refuse_tools(changes: tuple[Change, ...]) -> UnrepairableHistory:
    """Return the 400 that mode ``strict`` sends for tools that would have to be changed."""
    listed = "; ".join(f"{_path_of(change)}: {change.reason}" for change in changes[:_MAX_LISTED])
    return UnrepairableHistory(
        f"The tools would have to be changed (mode 'strict'). {listed}.",
        param=_path_of(changes[0]),
    )


def _path_of(change: Change) -> str:
    """Return the path of the tool that was changed.

    The detail of a change begins with ``functions`` for a tool of that older list.
    """
    return f"{'functions' if change.detail.startswith('functions') else 'tools'}[{change.index}]"
