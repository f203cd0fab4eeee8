"""The headers of the inspector's page, and of every answer that its data is in.

The middlewares give them to errors on the page's paths as well, so they stand below the inspector.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""What a browser may do with the page: fetch from here, and run no script but the page's own files."""

GUARDED: Mapping[str, str] = MappingProxyType(
    {
        "Content-Security-Policy": POLICY,
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
    }
)
"""The headers of every file."""

PRIVATE: Mapping[str, str] = MappingProxyType({**GUARDED, "Cache-Control": "no-store"})
"""The headers of every answer that holds data."""
