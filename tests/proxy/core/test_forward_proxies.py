"""Tests of which variable of the environment names a forward proxy for an address."""

from __future__ import annotations

import urllib.request
from collections.abc import Mapping

import pytest

from proxy.core.forward_proxies import ForwardProxies

HTTPS, HTTP, PROXY = "https://api.test/v1", "http://api.test:8000/v1", "http://user:secret@proxy.test:3128"


@pytest.mark.parametrize(
    ("environ", "address", "variable"),
    [
        ({}, HTTPS, None),
        ({"HTTPS_PROXY": PROXY}, HTTPS, "HTTPS_PROXY"),
        ({"https_proxy": PROXY}, HTTPS, "https_proxy"),
        ({"https_proxy": PROXY, "HTTPS_PROXY": PROXY}, HTTPS, "https_proxy"),
        ({"https_proxy": "", "HTTPS_PROXY": PROXY}, HTTPS, None),
        ({"HTTPS_PROXY": " "}, HTTPS, None),
        ({"HTTPS_PROXY": PROXY}, HTTP, None),
        ({"HTTP_PROXY": PROXY}, HTTP, "HTTP_PROXY"),
        ({"HTTP_PROXY": PROXY}, HTTPS, None),
        ({"ALL_PROXY": PROXY}, HTTPS, "ALL_PROXY"),
        ({"ALL_PROXY": PROXY, "HTTP_PROXY": PROXY}, HTTP, "HTTP_PROXY"),
        ({"HTTPS_PROXY": PROXY}, None, None),
        ({"HTTPS_PROXY": PROXY}, "https://", None),
        *(
            ({"ALL_PROXY": PROXY}, address, None)
            for address in ("http://localhost:1/v1", "http://127.0.0.2:1/v1", "http://[::1]:1/v1")
        ),
        ({"ALL_PROXY": PROXY}, "http://10.0.0.1/v1", "ALL_PROXY"),
    ],
)
def test_variable_is_found_by_the_scheme_of_an_address(
    environ: Mapping[str, str], address: str | None, variable: str | None
) -> None:
    """The lower-case spelling takes precedence. This machine is called without a proxy."""
    assert ForwardProxies.of(environ).variable_for(address) == variable


@pytest.mark.parametrize(
    "exempt",
    [
        "",
        "*",
        "api.test",
        ".test",
        "test",
        "TEST",
        "pi.test",
        "other.test, api.test",
        "other.test",
        ",",
        " * ",
    ],
)
def test_no_proxy_exempts_the_hosts_that_urllib_exempts(exempt: str) -> None:
    """Names of hosts and of domains above them count, with or without a dot at their beginning."""
    environ = {"HTTPS_PROXY": PROXY, "NO_PROXY": exempt}
    bypass = urllib.request.proxy_bypass_environment  # type: ignore[attr-defined] # not in typeshed

    found = ForwardProxies.of(environ).variable_for(HTTPS)

    assert (found is None) is bool(exempt.strip() and bypass("api.test", {"no": exempt.strip()}))


def test_address_of_a_proxy_is_not_kept() -> None:
    """The address may hold a password, and a deployment is shown in errors."""
    assert "secret" not in repr(ForwardProxies.of({"HTTPS_PROXY": PROXY, "NO_PROXY": "a.test"}))
