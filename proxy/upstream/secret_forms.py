"""The encodings in which a secret may appear in a provider's message."""

from __future__ import annotations

import json
from base64 import b64encode
from html import escape
from urllib.parse import quote

_SHORTEST_BASE64 = 8
"""The length of the shortest base64 form that is masked. Shorter forms could be ordinary words."""

_TO_URL_SAFE = str.maketrans("+/", "-_")


def plain_forms(secret: str) -> set[str]:
    """Return *secret* as it is, and as URLs, JSON and HTML encode it."""
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
    """Return the letters that stand in every base64 text that contains *secret*.

    An example is ``Basic`` authentication, which encodes ``user:secret``. Base64 makes four letters of three bytes. So
    the letters depend on the secret's offset modulo three, and there is one form for each offset. A letter at either
    end is left out if it also holds bits of a neighbouring byte.
    """
    data = secret.encode("utf-8", "surrogatepass")
    forms = set()
    for before in range(3):
        first, end = -(-before * 8 // 6), (before + len(data)) * 8 // 6
        letters = b64encode(bytes(before) + data).decode()[first:end]
        if len(letters) >= _SHORTEST_BASE64:
            forms |= {letters, letters.translate(_TO_URL_SAFE), quote(letters, safe="")}
    return forms
