"""Checks of client keys and teams against each other and against the served models."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Set
from functools import cache, partial

from proxy.config.faults import Fault, path_of
from proxy.config.raw_names import NOT_SERVED, is_served, named_entries, text_of
from proxy.config.schema.keys import digest_of

_GENERAL = "general_settings"
_HASH = re.compile(r"sha256:([0-9a-fA-F]{64})")


def check_keys(general: object, models: Set[str], environ: Mapping[str, str]) -> Iterator[Fault]:
    """Yield the faults of the client keys and teams in *general*, the section ``general_settings`` of a parsed file.

    *models* are the names that clients can send.
    """
    yield from _names(general, "keys", "is the name of another key", environ)
    yield from _secrets(general, environ)
    yield from _names(general, "teams", "is the name of another team", environ)
    teams = {name for _, name in named_entries(general, "teams", "name", environ)}
    for position, name in named_entries(general, "keys", "team", environ):
        if name not in teams:
            yield Fault(
                path_of((_GENERAL, "keys", position, "team")), "names no team of general_settings.teams"
            )
    is_reached = cache(partial(_is_reached, models))  # many keys list the same models
    for listed in ("keys", "teams"):
        for position, entry in _entries(general, listed):
            yield from _limits(entry, (_GENERAL, listed, position), is_reached, environ)


def _entries(general: object, listed: str) -> Iterator[tuple[int, Mapping[object, object]]]:
    entries = general.get(listed) if isinstance(general, dict) else None
    for position, entry in enumerate(entries if isinstance(entries, list) else ()):
        if isinstance(entry, dict):
            yield position, entry


def _names(general: object, listed: str, fault: str, environ: Mapping[str, str]) -> Iterator[Fault]:
    seen: set[str] = set()
    for position, name in named_entries(general, listed, "name", environ):
        if name in seen:
            yield Fault(path_of((_GENERAL, listed, position, "name")), fault)
        seen.add(name)


def _secrets(general: object, environ: Mapping[str, str]) -> Iterator[Fault]:
    """Yield a fault for each entry without exactly one secret, and for each secret that two entries have.

    The hash of a key counts as the key itself.
    """
    master = text_of(general.get("master_key"), environ) if isinstance(general, dict) else None
    seen = set() if master is None else {_digest(master)}
    for position, entry in _entries(general, "keys"):
        place = (_GENERAL, "keys", position)
        given = [field for field in ("key", "key_hash") if field in entry]
        if not given:
            yield Fault(path_of((*place, "key")), "is missing; give key, or key_hash in its place")
        elif len(given) == 2:
            yield Fault(path_of((*place, "key_hash")), "stands beside key; give one of the two")
        for field in given:
            text = text_of(entry[field], environ)
            if text is None:
                continue
            hashed = _HASH.fullmatch(text) if field == "key_hash" else None
            digest = _digest(text) if hashed is None else hashed[1].lower()
            if digest in seen and given == [field]:
                yield Fault(path_of((*place, field)), "is the same as another key")
            seen.add(digest)


def _digest(key: str) -> str:
    return digest_of(key.encode("utf-8", "surrogateescape"))


def _limits(
    entry: Mapping[object, object],
    place: tuple[str | int, ...],
    is_reached: Callable[[str], bool],
    environ: Mapping[str, str],
) -> Iterator[Fault]:
    if "budget_duration" in entry and "max_budget" not in entry:
        yield Fault(path_of((*place, "budget_duration")), "has no effect without max_budget")
    listed = entry.get("models")
    for position, value in enumerate(listed if isinstance(listed, list) else ()):
        name = text_of(value, environ)
        if name is not None and not is_reached(name):
            yield Fault(path_of((*place, "models", position)), NOT_SERVED)


def _is_reached(models: Set[str], pattern: str) -> bool:
    """Return True where *pattern* stands for a served model, or for some of those that a wildcard serves."""
    if is_served(pattern, models):
        return True
    return pattern.endswith("*") and any(model.startswith(pattern[:-1]) for model in models)
