"""The headers of a client that go to Anthropic with its own body, and their bounds.

Credentials are never among them. A version and the betas belong to the body: a field of a beta without its header is
refused (sub2api#2726), and so is a version that the proxy would invent (conductai#2179).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from sanitizers.record import record

_NAMES = frozenset({"anthropic-beta", "anthropic-version", "user-agent", "x-app"})
_PREFIX = "x-stainless-"
_MOST, _LONGEST = 32, 4_096
_PRINTABLE = re.compile(r"[\x20-\x7e]{1,4096}")
_BETA_QUERY = "beta=true"


@record
class ClientHeaders:
    """The *fields* of a request's head that may go on, with names in lower case, and the *query* of its address."""

    fields: Mapping[str, str]
    query: str = ""


NO_HEADERS = ClientHeaders(MappingProxyType({}))


def read_headers(headers: Mapping[str, str], query: Mapping[str, str]) -> ClientHeaders:
    """Return the headers among *headers* that may go to Anthropic.

    Several lines of one header become one. A value that is too long, or has other characters than ASCII's printable
    ones, is left out. Of *query*, only ``beta=true`` goes on.
    """
    fields: dict[str, str] = {}
    for given, value in headers.items():
        name = given.lower()
        if (name in _NAMES or name.startswith(_PREFIX)) and _PRINTABLE.fullmatch(value):
            joined = f"{fields[name]},{value}" if name in fields else value
            if (name in fields or len(fields) < _MOST) and len(joined) <= _LONGEST:
                fields[name] = joined
    return ClientHeaders(MappingProxyType(fields), _BETA_QUERY if query.get("beta") == "true" else "")
