"""Folds ``litellm_settings``, LiteLLM's second section for the router's keys, into ``router_settings``.

LiteLLM reads retries, fallbacks and timeouts from both sections, so real files use both. If the two sections set a key
to different values, the value in ``router_settings`` counts. A warning then names both keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from proxy.config.faults import Fault, Location, path_of, unknown_key
from proxy.config.schema.router import RouterSettings

SECTION = "litellm_settings"

_ALIASES = {"request_timeout": "timeout"}

TAKEN = frozenset({*RouterSettings.model_fields, *_ALIASES})
"""The keys of ``litellm_settings`` that turnright reads."""


class Folded(NamedTuple):
    """The file without ``litellm_settings``. *origins* maps the path of a moved key to the key's path in the file."""

    raw: dict[object, object]
    origins: dict[Location, Location]
    warnings: tuple[str, ...]
    faults: tuple[Fault, ...]


def fold(raw: Mapping[object, object]) -> Folded:
    """Return *raw* with the keys of ``litellm_settings`` moved to ``router_settings``. *raw* itself is not changed."""
    rest = {key: value for key, value in raw.items() if key != SECTION}
    given = raw.get(SECTION)
    if given is None:
        return Folded(rest, {}, (), ())
    if not isinstance(given, dict):
        return Folded(rest, {}, (), (Fault(SECTION, "must be a mapping of keys to values"),))
    router = rest.get("router_settings")
    if router is not None and not isinstance(router, dict):
        return Folded(rest, {}, (), ())  # validation refuses a section that is not a mapping
    merged: dict[object, object] = dict(router or {})
    origins: dict[Location, Location] = {}
    warnings: list[str] = []
    faults: list[Fault] = []
    # Aliases come last, so that the key itself wins.
    for key, value in sorted(given.items(), key=lambda item: item[0] in _ALIASES):
        path = path_of((SECTION, key))
        if not isinstance(key, str) or key not in TAKEN:
            faults.append(Fault(path, unknown_key(str(key), TAKEN)))
            continue
        target = _ALIASES.get(key, key)
        if target not in merged:
            merged[target] = value
            origins["router_settings", target] = (SECTION, key)
        elif not _same(merged[target], value):
            winner = path_of(origins.get(("router_settings", target), ("router_settings", target)))
            warnings.append(f"{path}: overridden by {winner}")
    if merged:
        rest["router_settings"] = merged
    return Folded(rest, origins, tuple(warnings), tuple(faults))


def _same(one: object, other: object) -> bool:
    return type(one) is type(other) and one == other
