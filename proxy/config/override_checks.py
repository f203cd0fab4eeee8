"""Checks of names in ``per_model`` and ``per_key``, and of the models that write the summaries of compaction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from proxy.config.faults import Fault, path_of
from proxy.config.raw_names import NOT_SERVED, is_served, named_entries, text_of

_LISTS = (
    ("per_model", "model", NOT_SERVED),
    ("per_key", "key", "names no key of general_settings.keys"),
)
"""The lists of overrides, each with the field that names a model or key, and the fault of an unknown name."""


def check_overrides(
    raw: Mapping[object, object], models: Set[str], environ: Mapping[str, str]
) -> Iterator[Fault]:
    """Yield the faults of the overrides in *raw*, the parsed configuration file.

    *models* are the names that clients can send.
    """
    for section in ("turns", "compaction"):
        yield from _named_places(raw, section, models, environ)
    compaction = raw.get("compaction")
    if isinstance(compaction, dict) and _is_enabled_anywhere(compaction):
        yield from _summarizers(compaction, models, environ)


def _named_places(
    raw: Mapping[object, object], section: str, models: Set[str], environ: Mapping[str, str]
) -> Iterator[Fault]:
    keys = {name for _, name in named_entries(raw.get("general_settings"), "keys", "name", environ)}
    for listed, field, unknown in _LISTS:
        seen: set[str] = set()
        for position, name in named_entries(raw.get(section), listed, field, environ):
            path = path_of((section, listed, position, field))
            if name in seen:
                yield Fault(path, "is there twice")
            elif name not in keys if field == "key" else not is_served(name, models):
                yield Fault(path, unknown)
            seen.add(name)


def _is_enabled_anywhere(compaction: Mapping[object, object]) -> bool:
    entries = (entry for _, _, entry in _entries(compaction))
    return any(section.get("enabled") is True for section in (compaction, *entries))


def _summarizers(
    compaction: Mapping[object, object], models: Set[str], environ: Mapping[str, str]
) -> Iterator[Fault]:
    """Yield a fault for each unknown summarizing model, and where compaction is enabled without such a model."""
    entries = list(_entries(compaction))
    yield from _summarizer(("compaction", "model"), compaction.get("model"), models, environ)
    for listed, position, entry in entries:
        place = ("compaction", listed, position, "summary_model")
        yield from _summarizer(place, entry.get("summary_model"), models, environ)
    if compaction.get("model") is not None:
        return
    if compaction.get("enabled") is True:
        yield Fault(
            path_of(("compaction", "model")),
            "is required where compaction is enabled: name a model of model_list that writes the summaries",
        )
        return
    for listed, position, entry in entries:
        if entry.get("enabled") is True and entry.get("summary_model") is None:
            yield Fault(
                path_of(("compaction", listed, position, "summary_model")),
                "is required where compaction is enabled and compaction.model is not set",
            )


def _summarizer(
    place: tuple[str | int, ...], value: object, models: Set[str], environ: Mapping[str, str]
) -> Iterator[Fault]:
    name = text_of(value, environ)
    if name is not None and "*" in name:
        yield Fault(path_of(place), "must be a model, not a wildcard")
    elif name is not None and not is_served(name, models):
        yield Fault(path_of(place), NOT_SERVED)


def _entries(compaction: Mapping[object, object]) -> Iterator[tuple[str, int, Mapping[object, object]]]:
    """Yield each entry of the lists of overrides, after the list's name and the entry's position."""
    for listed, _, _ in _LISTS:
        entries = compaction.get(listed)
        for position, entry in enumerate(entries if isinstance(entries, list) else ()):
            if isinstance(entry, dict):
                yield listed, position, entry
