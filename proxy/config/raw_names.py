"""Reads names from a parsed configuration file that is not validated yet. Values of the wrong shape give no name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from pydantic_core import PydanticCustomError

from proxy.config.references import resolve_reference

NOT_SERVED = "names no model of model_list"
"""The text of a fault, where a name is not that of a model."""


def text_of(value: object, environ: Mapping[str, str]) -> str | None:
    """Return the text *value*, or the value of the variable of *environ* that it refers to.

    Returns None for other values and unset variables.
    """
    if not isinstance(value, str):
        return None
    try:
        return resolve_reference(value, environ)
    except PydanticCustomError:
        return None


def named_entries(
    section: object, key: str, field: str, environ: Mapping[str, str]
) -> Iterator[tuple[int, str]]:
    """Yield the position and the name of each entry in a section's list *key* that has a name in *field*."""
    entries = section.get(key) if isinstance(section, dict) else None
    for position, entry in enumerate(entries if isinstance(entries, list) else ()):
        name = text_of(entry.get(field), environ) if isinstance(entry, dict) else None
        if name is not None:
            yield position, name


def given_text(
    raw: Mapping[object, object], params: Mapping[object, object], name: str, environ: Mapping[str, str]
) -> str | None:
    """Return the text of the setting *name* in an entry's *params*, or in the credential that the entry names.

    *raw* is the whole file. An empty text counts as missing, and so does a reference to a variable that is not set.
    """
    credential = text_of(params.get("litellm_credential_name"), environ)
    listed = raw.get("credential_list")
    named = [
        each.get("credential_values")
        for each in (listed if isinstance(listed, list) else ())
        if isinstance(each, dict)
        and credential is not None
        and text_of(each.get("credential_name"), environ) == credential
    ]
    sources = (params, *(each for each in named[-1:] if isinstance(each, dict)))
    texts = (text_of(source.get(name), environ) for source in sources)
    return next((text for text in texts if text is not None and text.strip()), None)


def is_served(name: str, names: Set[str]) -> bool:
    """Return True where *name* is one of *names*, or matches one that ends in ``*``."""
    return name in names or any(
        known.endswith("*") and name.startswith(known[:-1]) and len(name) >= len(known) for known in names
    )
