"""Sorts the keys of LiteLLM's sections: taken, ignored with a warning, or refused with a reason.

A key is judged in this order. A key of turnright is taken. A row of :mod:`proxy.config.refused_keys` refuses a key,
unless it is set to nothing. A row of :mod:`proxy.config.ignored_keys` ignores a key. An unlisted key that is nearly one
of turnright's, or that may guard something, is refused. Every other unlisted key of LiteLLM's own sections is ignored,
except in ``model_info``, where it is kept. In turnright's own sections unlisted keys stay, and validation refuses them.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping
from typing import NamedTuple

from proxy.config.faults import Fault, path_of
from proxy.config.file_variables import SECTION as VARIABLES
from proxy.config.ignored_keys import ignored_reason
from proxy.config.litellm_settings import SECTION, TAKEN
from proxy.config.price_fields import PRICE_NAMES, is_price
from proxy.config.refused_keys import (
    ELSEWHERE,
    FREE,
    WITHOUT,
    guard_reason,
    guards_below,
    is_nothing,
    refused_reason,
)
from proxy.config.refused_values import refused_values
from proxy.config.schema.settings import SECTIONS

_LITELLM_SECTIONS = frozenset(
    {
        "model_list[]",
        "model_list[].litellm_params",
        FREE,
        "router_settings",
        "litellm_settings",
        "general_settings",
    }
)
"""The sections in which unlisted keys are ignored, since LiteLLM has more keys than any table."""

_NEARNESS = 0.8
"""The least likeness of an unlisted key to one of turnright's that is taken for a misspelling."""

_NEARNESS_OF_FACTS = 0.92
"""The same for keys of ``model_info``, where any key is allowed and many end in ``_tokens``."""

_UNKNOWN = {
    "model_list[].litellm_params": "turnright does not know it; a field for the provider's body goes into extra_body"
}
"""The reasons for ignoring an unlisted key, by section."""

_DEFAULTS = ("router_settings", "default_litellm_params")
"""The section and the key of LiteLLM's parameters for every entry of ``model_list``."""

_ANCHORS = ("x-", "_", ".")
"""Beginnings of keys at the top that hold anchors for the rest of the file."""


class Sorted(NamedTuple):
    """A file without the keys that are ignored or refused, a warning for each ignored key, and the faults.

    *firsts* maps the path in each warning, with ``[]`` for any position, to the path of the key's first place.
    """

    raw: dict[object, object]
    warnings: tuple[str, ...]
    faults: tuple[Fault, ...]
    firsts: dict[str, str]


def sort_keys(raw: Mapping[object, object]) -> Sorted:
    """Return *raw*, the parsed file, without its ignored and refused keys. *raw* is not changed.

    A key in several entries of ``model_list`` gets one warning. A fault is reported for each entry, with its own place.
    """
    sorter = _Sorter()
    kept = sorter.sort(raw, "", ())
    sorter.faults.extend(refused_values(raw))
    return Sorted(
        kept,
        tuple(f"{path}: ignored; {reason}" for path, reason in sorter.ignored.items()),
        tuple(sorter.faults),
        sorter.firsts,
    )


class _Sorter:
    def __init__(self) -> None:
        self.ignored: dict[str, str] = {}
        self.firsts: dict[str, str] = {}
        self.faults: list[Fault] = []

    def sort(
        self, section: Mapping[object, object], where: str, place: tuple[str | int, ...]
    ) -> dict[object, object]:
        kept: dict[object, object] = {}
        known = _fields_of(where)
        for key, value in section.items():
            if not isinstance(key, str) or key in known:
                kept[key] = self._sort_below(
                    value, f"{where}.{key}" if where else str(key), (*place, str(key))
                )
                continue
            path = f"{where}.{path_of((key,))}" if where else path_of((key,))
            refused = refused_reason(where, key)
            if refused is not None and not is_nothing(key, value):
                self.faults.append(Fault(path_of((*place, key)), refused))
            elif refused is not None:
                self._ignore(path, (*place, key), "it is set to nothing")
            elif (where, key) == _DEFAULTS:
                self._sort_defaults(value, path, (*place, key))
            elif (reason := ignored_reason(where, key)) is not None:
                self._ignore(path, (*place, key), reason)
            elif not where and key.startswith(_ANCHORS):
                self._ignore(path, (*place, key), "it is not a section")
            elif (fault := _fault_of(where, key, value, known)) is not None:
                self.faults.append(Fault(path_of((*place, key)), fault))
            elif where in _LITELLM_SECTIONS:
                below = (Fault(path_of(at), text) for at, text in guards_below(where, value, (*place, key)))
                self.faults.extend(below)
                if where == FREE:
                    kept[key] = value
                else:
                    self._ignore(path, (*place, key), _UNKNOWN.get(where, "turnright does not know it"))
            else:
                kept[key] = value
        return kept

    def _ignore(self, path: str, place: tuple[str | int, ...], reason: str) -> None:
        self.ignored.setdefault(path, reason)
        self.firsts.setdefault(path, path_of(place))

    def _sort_defaults(self, value: object, path: str, place: tuple[str | int, ...]) -> None:
        """Judge ``default_litellm_params`` like the parameters of one entry.

        Those that would have an effect are faults.
        """
        sorter = _Sorter()
        kept = sorter.sort(value, "model_list[].litellm_params", place) if isinstance(value, dict) else {}
        counting = [path_of((*place, name)) for name, item in kept.items() if item is not None]
        faults = (*sorter.faults, *(Fault(at, f"{ELSEWHERE}: {WITHOUT}") for at in counting))
        self.faults.extend(faults)
        if not faults:
            self._ignore(path, place, "it sets nothing that turnright knows")

    def _sort_below(self, value: object, where: str, place: tuple[str | int, ...]) -> object:
        if where == "model_list" and isinstance(value, list):
            return [
                self._sort_below(entry, "model_list[]", (*place, position))
                for position, entry in enumerate(value)
            ]
        if where in _LITELLM_SECTIONS and isinstance(value, dict):
            return self.sort(value, where, place)
        return value


def _fields_of(where: str) -> Collection[str]:
    if where == SECTION:
        return TAKEN
    section = SECTIONS.get(where)
    fields = () if section is None else section.model_fields.keys()
    return fields if where else {*fields, SECTION, VARIABLES}


def _fault_of(where: str, key: str, value: object, known: Collection[str]) -> str | None:
    if where not in _LITELLM_SECTIONS:
        return None
    nearness = _NEARNESS_OF_FACTS if where == FREE else _NEARNESS
    if is_price(key):
        return None
    known = {*known, *PRICE_NAMES} if where == FREE else known
    near = difflib.get_close_matches(key[:80], sorted(known), n=1, cutoff=nearness)
    if near:
        return f"is not a key of turnright; did you mean {near[0]}?"
    return None if is_nothing(key, value) else guard_reason(where, key)
