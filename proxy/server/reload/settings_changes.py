"""The differences between two configurations, and the settings that need a restart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from proxy.config import Settings
from proxy.config.schema.model_list import ModelEntry
from proxy.config.schema.section import Section

NEEDS_RESTART = (
    "general_settings.admin",
    "general_settings.logs",
    "general_settings.tracing",
    "store.url",
    "store.max_mib",
    "store.prefix",
    "store.secret",
)
"""Keys that are read only at the start, as ``section.key``. Listeners, logs, exporters and stores are opened then."""


@dataclass(frozen=True, slots=True)
class Changes:
    """The report on a new configuration for the operator: names of settings and models, never a setting's value."""

    keys: tuple[str, ...] = ()
    models_added: tuple[str, ...] = ()
    models_removed: tuple[str, ...] = ()
    models_changed: tuple[str, ...] = ()
    """Names whose entries have changed, or have another order."""

    needs_restart: tuple[str, ...] = ()
    """Keys that keep their old values until the process is restarted."""


def keep_restart_settings(running: Settings, wanted: Settings) -> tuple[Settings, tuple[str, ...]]:
    """Return *wanted* with the old values of keys that need a restart, and the names of those keys."""
    settings, kept = wanted, []
    for path in NEEDS_RESTART:
        name, _, key = path.partition(".")
        before, section = getattr(getattr(running, name), key), getattr(settings, name)
        if before != getattr(section, key):
            kept.append(path)
            settings = settings.model_copy(update={name: section.model_copy(update={key: before})})
    return settings, tuple(kept)


def find_changes(running: Settings, settings: Settings, needs_restart: tuple[str, ...] = ()) -> Changes:
    """Return the differences between *running* and *settings*. *needs_restart* is copied into the result."""
    before, after = _entries_by_name(running), _entries_by_name(settings)
    return Changes(
        keys=tuple(_changed_keys(running, settings)),
        models_added=tuple(name for name in after if name not in before),
        models_removed=tuple(name for name in before if name not in after),
        models_changed=tuple(name for name in after if name in before and before[name] != after[name]),
        needs_restart=needs_restart,
    )


def _entries_by_name(settings: Settings) -> Mapping[str, list[ModelEntry]]:
    entries: dict[str, list[ModelEntry]] = {}
    for entry in settings.model_list:
        entries.setdefault(entry.model_name, []).append(entry)
    return entries


def _changed_keys(running: Settings, settings: Settings) -> Iterator[str]:
    for name in type(settings).model_fields:
        before, after = getattr(running, name), getattr(settings, name)
        if not isinstance(after, Section):
            if before != after:
                yield name
            continue
        for key in type(after).model_fields:
            if getattr(before, key) != getattr(after, key):
                yield f"{name}.{key}"
