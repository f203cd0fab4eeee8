"""Warnings about probable mistakes in credentials, headers and addresses: unresolved references, empty addresses.

Only a text that is ``os.environ/NAME`` or ``${NAME}`` as a whole is resolved. A provider gets any other text as it
stands, and refuses that text as a key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic_core import PydanticCustomError

from proxy.config.faults import Location, path_of
from proxy.config.like_references import looks_like_reference
from proxy.config.references import ENVIRONMENT_PREFIX, variable_of
from proxy.config.schema.credentials import Credentials

_HEADERS = ("headers", "extra_headers")
_ADDRESSES = ("api_base", "base_url")
_SECTIONS = (("model_list", "litellm_params"), ("credential_list", "credential_values"))


def unresolved_texts(raw: Mapping[object, object], environ: Mapping[str, str]) -> Iterator[str]:
    """Yield a warning for each doubtful credential, header and address of *raw*, a parsed file."""
    for listed, section in _SECTIONS:
        entries = raw.get(listed)
        for position, entry in enumerate(entries if isinstance(entries, list) else ()):
            params = entry.get(section) if isinstance(entry, dict) else None
            if isinstance(params, dict):
                yield from _doubts(params, (listed, position, section), environ)


def _doubts(params: Mapping[object, object], place: Location, environ: Mapping[str, str]) -> Iterator[str]:
    for key, value in params.items():
        name = str(key)
        if name in _ADDRESSES and value == "":
            yield f"{path_of((*place, name))}: is empty, so that the provider's own address is asked"
        elif name in Credentials.model_fields and _is_unresolved(value, environ):
            yield f"{path_of((*place, name))}: {_UNRESOLVED}"
        elif name in _HEADERS and isinstance(value, dict):
            for header, text in value.items():
                if _is_unresolved(text, environ):
                    yield f"{path_of((*place, name, header))}: {_UNRESOLVED}"


def _is_unresolved(value: object, environ: Mapping[str, str]) -> bool:
    if not isinstance(value, str):
        return False
    try:
        return variable_of(value) is None and looks_like_reference(value, environ)
    except PydanticCustomError:
        return False  # validation refuses a reference without a name


_UNRESOLVED = (
    "looks like a reference to a variable, and is sent as it stands; "
    f"write {ENVIRONMENT_PREFIX}NAME as the whole text"
)
