"""Tell what an address in ``fileData`` names: an object of an account, a video that Gemini alone finds, or a page.

A file of Google's is an object in the account of its key ("You do not have permission to access the File", 403). Google
reads a public page by its https address (ai.google.dev/gemini-api/docs/file-input-methods).
"""

from __future__ import annotations

import re
from typing import Literal

_PAGE = re.compile(
    r"https?://([a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{0,5})?(?:[/?#]|$)", re.ASCII | re.I
)
_ODD = re.compile(r"[\x00-\x20\x7f\\]")

_GOOGLE = "googleapis.com"
_PUBLIC_HOSTS = frozenset({"storage.googleapis.com"})
"""Hosts of Google's that are read as any other page: without the account's key."""

_VIDEO_HOSTS = ("youtube.com", "youtu.be")


def kind_of_address(address: str) -> Literal["object", "video", "web", "inline"]:
    """Return what *address* names. Whatever is neither a plain page nor inline data is an object.

    So an address that is written in an unusual way is never another client's object by mistake.
    """
    if address[:5].lower() == "data:":
        return "inline"
    page = _PAGE.match(address)
    if page is None or _ODD.search(address):
        return "object"
    host = page[1].lower().rstrip(".")
    if _is_under(host, _GOOGLE) and host not in _PUBLIC_HOSTS:
        return "object"
    return "video" if any(_is_under(host, known) for known in _VIDEO_HOSTS) else "web"


def _is_under(host: str, name: str) -> bool:
    return host == name or host.endswith(f".{name}")
