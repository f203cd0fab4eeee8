"""No cookie is kept: what a provider sets in one client's answer must not go out with another's request.

litellm shares its HTTP clients between all who ask, and gives those of its own handlers a jar that takes nothing. Those
that it builds around OpenAI's SDK, which most routes use, have a jar that does (run on 1.105.3).
"""

from __future__ import annotations

from http.cookiejar import DefaultCookiePolicy
from typing import Any


def refuse_cookies(maker: Any) -> None:
    """Make *maker*, litellm's class that makes clients for OpenAI's SDK, make them forget cookies; once."""
    make = maker._get_async_http_client
    if make.__name__ == "make_without_cookies":
        return

    def make_without_cookies(*given: Any, **named: Any) -> Any:
        client = make(*given, **named)
        client.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=()))
        return client

    maker._get_async_http_client = staticmethod(make_without_cookies)
