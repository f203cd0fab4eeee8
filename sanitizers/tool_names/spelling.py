"""How an illegal name is written so that every provider takes it."""

from __future__ import annotations

import hashlib
import re

_LONGEST = 64
_DIGITS = 8
_OTHERS = re.compile(r"[^A-Za-z0-9_-]+")


def spell_legal(name: str, attempt: int = 0) -> str:
    """Return *name* in letters, digits, ``_`` and ``-``, cut to fit, with a digest of the whole of it behind.

    The result depends on *name* and nothing else, so that a tool has one name in all requests and at all providers,
    and a cached prefix stays what it was. The digest tells ``a.b`` from ``a/b``, and both from a tool that is really
    called ``a_b``; a further *attempt* has another one. What has no Latin letter or digit is called ``tool``.
    Source of the form: the part that Gemini's, OpenAI's, Anthropic's, Mistral's and Bedrock's rules have in common.
    """
    seed = f"{attempt}:{name}" if attempt else name
    digest = hashlib.sha256(seed.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    stem = _OTHERS.sub("_", name[: 2 * _LONGEST]).strip("_-") or "tool"
    if stem[0].isdigit():
        stem = f"_{stem}"
    return f"{stem[: _LONGEST - _DIGITS - 1]}_{digest}"
