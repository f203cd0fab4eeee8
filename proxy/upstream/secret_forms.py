"""The spellings in which a secret may stand in a provider's words. Pure."""

from __future__ import annotations

import json
from base64 import b64encode
from html import escape
from urllib.parse import quote

_SHORTEST_BASE64 = 8
"""Letters of base64 that are told from an ordinary word."""

_TO_URL_SAFE = str.maketrans("+/", "-_")


def plain_forms(secret: str) -> set[str]:
    """Return *secret* as it is, and as an address, JSON and HTML spell it."""
    in_json = {json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
    return {
        secret,
        quote(secret),
        quote(secret, safe=""),
        escape(secret),
        *in_json,
        *(text.replace("/", "\\/") for text in in_json),
    }


def base64_forms(secret: str) -> set[str]:
    """Return what stands in every base64 text of which *secret* is a part, as in ``Basic`` of ``user:secret``.

    Three bytes make four letters. So there is one spelling for each place of the first byte among three. Letters that
    hold bits of a neighbour as well are left out; there are at most one on each side.
    """
    data = secret.encode("utf-8", "surrogatepass")
    forms = set()
    for before in range(3):
        first, end = -(-before * 8 // 6), (before + len(data)) * 8 // 6
        letters = b64encode(bytes(before) + data).decode()[first:end]
        if len(letters) >= _SHORTEST_BASE64:
            forms |= {letters, letters.translate(_TO_URL_SAFE), quote(letters, safe="")}
    return forms
