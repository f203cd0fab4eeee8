"""Seals the encrypted contents of items, and opens those that the same account and model got.

The seal is a digest with a key of the emulator's own. The contents are not secret. They begin as OpenAI's do.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import Any

PREFIX = "gAAAA"
_KEY = b"the emulator's own key"
_DIGEST = 16


def owner_of(headers: Mapping[str, str], body: Mapping[str, Any]) -> str:
    """Return the account and the model of a request. Contents of another owner cannot be read (litellm#18094)."""
    key = headers.get("Authorization") or headers.get("api-key") or ""
    return f"{hashlib.sha256(key.removeprefix('Bearer ').encode()).hexdigest()[:12]} {body.get('model')}"


def seal(item_id: str, owner: str, text: str = "") -> str:
    """Return the encrypted content of the item *item_id*, which holds *text*."""
    plain = json.dumps({"id": item_id, "owner": owner, "text": text}).encode()
    return PREFIX + base64.urlsafe_b64encode(_digest(plain) + plain).decode()


def unseal(content: Any, owner: str) -> dict[str, str] | None:
    """Return ``id``, ``owner`` and ``text`` of a sealed content, or None if *owner* did not get it."""
    if not isinstance(content, str) or not content.startswith(PREFIX):
        return None
    try:
        raw = base64.urlsafe_b64decode(content[len(PREFIX) :])
    except (binascii.Error, ValueError):
        return None
    digest, plain = raw[:_DIGEST], raw[_DIGEST:]
    if not hmac.compare_digest(digest, _digest(plain)):
        return None
    opened: dict[str, str] = json.loads(plain)
    return opened if opened["owner"] == owner else None


def _digest(plain: bytes) -> bytes:
    return hmac.digest(_KEY, plain, "sha256")[:_DIGEST]
