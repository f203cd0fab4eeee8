"""Tests of the warnings of direct calls where the environment names a forward proxy."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.config import load_settings
from proxy.upstream.transports import transport_of

PROXY = {"HTTPS_PROXY": "http://user:secret@proxy.test:3128"}
END = (
    "directly, and the direct transport does not use the forward proxy of HTTPS_PROXY: set transport: litellm, or name "
    "the host in NO_PROXY"
)


def entry(model: str, transport: str = "auto", **params: Any) -> dict[str, Any]:
    """Return an entry of ``model_list``."""
    return {"model_name": model, "transport": transport, "litellm_params": {"model": model, **params}}


def warnings_of(environ: dict[str, str], *entries: dict[str, Any], **sections: Any) -> list[str]:
    """Return the warnings about forward proxies that the loader gives for *entries*."""
    loaded = load_settings(json.dumps({"model_list": entries, **sections}).encode(), environ)
    return [warning for warning in loaded.warnings if "forward proxy" in warning]


@pytest.mark.parametrize(
    ("entries", "hosts"),
    [
        ([entry("openai/m")], ["api.openai.com"]),
        ([entry("openai/*")], ["api.openai.com"]),
        ([entry("gemini/gemini-3.6-flash")], ["generativelanguage.googleapis.com"]),
        ([entry("groq/m", "direct")], ["api.groq.com"]),
        ([entry("groq/m")], []),
        ([entry("anthropic/m")], []),
        ([entry("openai/m", "litellm")], []),
        ([entry("openai/m", api_base="http://127.0.0.1:1/v1")], []),
        ([entry("openai/m", api_base="https://own.test/v1")], ["own.test"]),
        ([entry("*")], ["api.openai.com"]),
        ([entry("*", "litellm")], []),
    ],
)
def test_each_host_that_is_called_directly_is_named(entries: list[dict[str, Any]], hosts: list[str]) -> None:
    """``auto`` leaves other providers to litellm, which uses the proxy. With ``*``, keys in the environment count."""
    found = warnings_of({**PROXY, "OPENAI_API_KEY": "k", "GROQ_API_KEY": "k"}, *entries)

    assert found == [f"model_list[0].transport: calls {host} {END}" for host in hosts]


def test_one_warning_is_given_for_a_host() -> None:
    """The first entry is named, and the others are counted."""
    entries = [entry("groq/m"), *(entry(f"openai/m{at}") for at in range(3))]

    end = END.replace("directly", "directly, as does one more entry", 1)

    assert warnings_of(PROXY, *entries[:3]) == [f"model_list[1].transport: calls api.openai.com {end}"]
    assert "directly, as do 2 more entries, and" in warnings_of(PROXY, *entries)[0]


@pytest.mark.parametrize(
    "environ",
    [{}, {**PROXY, "NO_PROXY": "openai.com"}, {"HTTP_PROXY": "http://proxy.test:3128"}],
)
def test_host_without_a_proxy_is_not_warned_of(environ: dict[str, str]) -> None:
    """``NO_PROXY`` names it, or no variable is meant for its scheme."""
    assert warnings_of(environ, entry("openai/m")) == []


@pytest.mark.parametrize(("environ", "taken"), [({}, "direct"), (PROXY, "litellm")])
def test_loader_gives_the_proxies_to_each_deployment(environ: dict[str, str], taken: str) -> None:
    """Variables of the file are not those of the process, and litellm does not see them."""
    text = json.dumps({"model_list": [entry("groq/m"), entry("groq/*")], "environment_variables": PROXY})
    routes = load_settings(text.encode(), environ).settings.routes
    pools = [
        *routes.exact.values(),
        *routes.wildcards.values(),
        routes.named(routes.wildcards["groq/"], "groq/x"),
    ]

    assert [transport_of(deployment) for pool in pools for deployment in pool] == [taken] * 3


def test_warning_holds_no_secret() -> None:
    """The proxy's address may hold a password."""
    assert "secret" not in "".join(warnings_of(PROXY, entry("openai/m")))
