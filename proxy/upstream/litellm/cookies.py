"""Makes litellm's HTTP clients forget cookies, so that one client's cookie never goes out with another's request.

litellm shares its HTTP clients between all requests. Those of its own handlers take no cookies. Those that it builds
around OpenAI's SDK do, and most routes use them (run on 1.105.3).
"""

from __future__ import annotations

from http.cookiejar import DefaultCookiePolicy
from typing import Any


def refuse_cookies(maker: Any) -> None:
    """Wrap the method of *maker*, litellm's class that makes clients for OpenAI's SDK. A second call does nothing."""
    make = maker._get_async_http_client
    if make.__name__ == "make_without_cookies":
        return

    def make_without_cookies(*given: Any, **named: Any) -> Any:
        client = make(*given, **named)
        client.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=()))
        return client

    maker._get_async_http_client = staticmethod(make_without_cookies)
