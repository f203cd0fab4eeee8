"""Spell an illegal name so that every provider accepts it."""

from __future__ import annotations

import hashlib
import re

_LONGEST = 64
_DIGITS = 8
_OTHERS = re.compile(r"[^A-Za-z0-9_-]+")


def spell_legal(name: str, attempt: int = 0) -> str:
    """Return *name* in letters, digits, ``_`` and ``-``, shortened, with a digest of the whole name behind it.

    The result depends on *name* alone. So a tool has one name in all requests and at all providers, and cached prefixes
    stay valid. The digest differs for ``a.b`` and ``a/b``, and from a tool that is really called ``a_b``. A further
    *attempt* gives another digest. A name without a Latin letter or digit becomes ``tool``.

    The form is the common part of the rules of Gemini, OpenAI, Anthropic, Mistral and Bedrock.
    """
    seed = f"{attempt}:{name}" if attempt else name
    digest = hashlib.sha256(seed.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    stem = _OTHERS.sub("_", name[: 2 * _LONGEST]).strip("_-") or "tool"
    if stem[0].isdigit():
        stem = f"_{stem}"
    return f"{stem[: _LONGEST - _DIGITS - 1]}_{digest}"
