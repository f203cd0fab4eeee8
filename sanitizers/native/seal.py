"""The seal: how a client carries something for the proxy in a field that it returns unread.

A prefix that no provider uses separates such texts from foreign ones, and a checksum shows damage. The checksum is no
secret: a client may write a text of its own. With a tenant, only this tenant's texts have the right checksum, so that a
text of another client is read as a damaged one.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import orjson

PREFIX = "tr1_"
"""The beginning of every sealed text, with its version."""

MAX_CHARACTERS = 2**20
"""The longest sealed text that is decoded, in characters, which takes 40 MiB at most. Longer ones are not written."""

_DIGEST = 6
MAX_BYTES = (MAX_CHARACTERS - len(PREFIX)) // 4 * 3 - _DIGEST
"""The most bytes of encoded fields that can be read again once they are sealed."""

_NOTHING: Mapping[str, Any] = MappingProxyType({})


def is_own(text: str) -> bool:
    """Tell whether *text* claims to be sealed here. It may still be damaged."""
    return text.startswith(PREFIX)


def encode_fields(fields: Mapping[str, Any]) -> bytes:
    """Return *fields* as JSON. A lone surrogate is no text, and would make the sealed text unreadable."""
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def seal(encoded: bytes, tenant: str = "") -> str:
    """Return the *encoded* fields as a text of ``[A-Za-z0-9_-]`` for *tenant*, or for everybody without one."""
    return PREFIX + base64.urlsafe_b64encode(_digest(encoded, tenant) + encoded).decode().rstrip("=")


def open_sealed(text: str, kind: str, tenant: str = "") -> Mapping[str, Any]:
    """Return the fields of a sealed *text* whose ``kind`` is *kind*.

    The result is empty for a foreign, damaged or too large text, and for one of another tenant. Never raises.
    """
    if not is_own(text) or len(text) > MAX_CHARACTERS:
        return _NOTHING
    body = text[len(PREFIX) :]
    try:
        raw = base64.b64decode(body + "=" * (-len(body) % 4), altchars=b"-_", validate=True)
        encoded = raw[_DIGEST:]
        if raw[:_DIGEST] != _digest(encoded, tenant):
            return _NOTHING
        fields = orjson.loads(encoded)
    except ValueError:
        return _NOTHING
    return fields if isinstance(fields, dict) and fields.get("kind") == kind else _NOTHING


def _digest(encoded: bytes, tenant: str) -> bytes:
    made = hashlib.sha256(encoded)
    if tenant:
        made.update(b"\0" + tenant.encode("utf-8", "replace"))
    return made.digest()[:_DIGEST]
