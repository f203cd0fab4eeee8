"""Builders of configurations, for the tests of this folder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from proxy.config import ConfigurationError, Loaded, Settings, load_settings

ENTRY: dict[str, Any] = {"model_name": "gemini", "litellm_params": {"model": "gemini/gemini-2.5-flash"}}


def entry(name: str = "gemini", model: str = "gemini/gemini-2.5-flash", **params: Any) -> dict[str, Any]:
    """Return one entry of ``model_list``, with *params* as its ``litellm_params``."""
    return {"model_name": name, "litellm_params": {"model": model, **params}}


def text_of(*entries: Mapping[str, Any], **sections: Any) -> bytes:
    """Return a configuration file with *entries* (``ENTRY`` if there are none) and *sections*."""
    return yaml.safe_dump({"model_list": list(entries) or [ENTRY], **sections}).encode()


def load(*entries: Mapping[str, Any], environ: Mapping[str, str] | None = None, **sections: Any) -> Loaded:
    """Load a configuration file with *entries* and *sections*."""
    return load_settings(text_of(*entries, **sections), environ or {})


def settings_of(*entries: Mapping[str, Any], **sections: Any) -> Settings:
    """Return the settings of a configuration file with *entries* and *sections*."""
    return load(*entries, **sections).settings


def faults_in(
    text: bytes | None, environ: Mapping[str, str] | None = None, *, strict: bool = False
) -> list[tuple[str, str]]:
    """Return the faults of *text* as pairs of path and text; the list is empty for a text that loads."""
    try:
        load_settings(text, environ or {}, strict=strict)
    except ConfigurationError as error:
        return [(fault.path, fault.text) for fault in error.faults]
    return []


def faults_of(
    *entries: Mapping[str, Any], environ: Mapping[str, str] | None = None, **sections: Any
) -> list[tuple[str, str]]:
    """Return the faults of a configuration file with *entries* and *sections*."""
    return faults_in(text_of(*entries, **sections), environ)


def file_with(where: str, key: str, value: Any) -> bytes:
    """Return a valid configuration file that has *key* with *value* in the section *where*."""
    match where:
        case "":
            return text_of(**{key: value})
        case "model_list[]":
            return text_of({**entry(), key: value})
        case "model_list[].litellm_params":
            return text_of(entry(**{key: value}))
        case "model_list[].model_info":
            return text_of({**entry(), "model_info": {key: value}})
        case section:
            return text_of(**{section: {key: value}})


def path_in(where: str, key: str) -> str:
    """Return the path of *key* in the file of ``file_with``."""
    return f"{where.replace('[]', '[0]')}.{key}" if where else key
