"""The headers of the inspector's page, and of every answer that holds its data.

The middlewares also add these headers to errors on the page's paths. The headers are therefore defined here, not in
:mod:`proxy.inspector`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The page's permissions in a browser: it may fetch only from this process, and run only its own scripts."""

GUARDED: Mapping[str, str] = MappingProxyType(
    {
        "Content-Security-Policy": POLICY,
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
    }
)
"""The headers of every file of the page."""

PRIVATE: Mapping[str, str] = MappingProxyType({**GUARDED, "Cache-Control": "no-store"})
"""The headers of every answer that holds the page's data, and of errors on the page's paths."""
