"""Tests that each row has the address and the variables that litellm takes, or an exception with its reason."""

from __future__ import annotations

import os
from typing import Any

import pytest

from proxy.config.providers.provider_row import ProviderRow
from proxy.config.providers.provider_rows import ROWS, SERVERS
from tests.proxy.config.providers.asked_litellm import address_and_key, key_in, request_of
from tests.support.litellm_noise import LITELLM_NOISE

pytestmark = LITELLM_NOISE

OTHER_ADDRESSES = {
    "docker_model_runner": (
        "http://localhost:22088/engines/llama.cpp",
        "litellm assumes a server on this machine, where the direct transport wants api_base",
    ),
    "lemonade": (
        "http://localhost:8000/api/v1",
        "litellm assumes a server on this machine, where the direct transport wants api_base",
    ),
    "llamafile": (
        "http://127.0.0.1:8080/v1",
        "litellm assumes a server on this machine, where the direct transport wants api_base",
    ),
}
"""litellm's address of each provider whose row has another one or none, and the reason."""

IN_THE_CALL: dict[str, tuple[str, dict[str, str], str]] = {
    "azure": (
        "azure/some-model",
        {"api_base": "https://res.test", "api_version": "2024-10-21"},
        "https://res.test/openai/deployments/some-model/chat/completions?api-version=2024-10-21",
    ),
    "cometapi": ("cometapi/some-model", {}, "https://api.cometapi.com/v1/chat/completions"),
    "compactifai": ("compactifai/some-model", {}, "https://api.compactif.ai/v1/chat/completions"),
    "databricks": (
        "databricks/some-model",
        {"api_base": "https://adb.test/serving-endpoints"},
        "https://adb.test/serving-endpoints/chat/completions",
    ),
    "huggingface": ("huggingface/org/name", {}, "https://router.huggingface.co/v1/chat/completions"),
    "minimax": ("minimax/some-model", {}, "https://api.minimax.io/v1/chat/completions"),
    "ollama_chat": ("ollama_chat/some-model", {}, "http://localhost:11434/api/chat"),
    "openai": ("openai/some-model", {}, "https://api.openai.com/v1/chat/completions"),
    "openrouter": ("openrouter/some-model", {}, "https://openrouter.ai/api/v1/chat/completions"),
    "ovhcloud": (
        "ovhcloud/some-model",
        {},
        "https://oai.endpoints.kepler.ai.cloud.ovh.net/v1/chat/completions",
    ),
}
"""The providers whose address and key litellm finds only within a call: the model, the arguments and the URL."""

BASES_IN_THE_CALL = ("edenai",)
"""The further providers whose variable of the address litellm reads only within a call."""

LOOKED_UP = sorted(ROWS.keys() - IN_THE_CALL.keys())


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in tuple(os.environ):
        if name.endswith(("_KEY", "_TOKEN", "_API_BASE", "_BASE_URL")):
            monkeypatch.delenv(name)


@pytest.mark.parametrize("prefix", LOOKED_UP)
def test_address_of_a_row_is_litellm_s(litellm: Any, prefix: str) -> None:
    """A difference is an exception with litellm's address and a reason."""
    base, _ = address_and_key(litellm, prefix)

    if prefix in OTHER_ADDRESSES:
        assert (base, base != ROWS[prefix].base) == (OTHER_ADDRESSES[prefix][0], True)
    else:
        assert base == ROWS[prefix].base


@pytest.mark.parametrize("prefix", [prefix for prefix in LOOKED_UP if ROWS[prefix].keys])
def test_variables_of_a_row_are_litellm_s_in_its_order(
    litellm: Any, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each variable alone gives the key. The first of several takes precedence."""
    for position, name in enumerate(reversed(ROWS[prefix].keys)):
        monkeypatch.setenv(name, f"k-{position}")
        assert address_and_key(litellm, prefix)[1] == f"k-{position}", name


@pytest.mark.parametrize("prefix", IN_THE_CALL)
def test_address_and_variables_of_a_call_are_litellm_s(
    litellm: Any, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Litellm looks them up in the function that sends the request, so a request is caught."""
    row: ProviderRow = ROWS[prefix]
    model, arguments, url = IN_THE_CALL[prefix]

    assert url.startswith(row.base or arguments["api_base"])
    for position, name in enumerate(reversed(row.keys)):
        monkeypatch.setenv(name, f"k-{position}")
        request = request_of(litellm, monkeypatch, model, **arguments)
        assert (str(request.url), key_in(request)) == (url, f"k-{position}"), name


@pytest.mark.parametrize("prefix", [prefix for prefix in LOOKED_UP if prefix not in BASES_IN_THE_CALL])
def test_variables_of_an_address_are_litellm_s_in_its_order(
    litellm: Any, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each variable alone gives the address. Without variables in the row, the name that most have gives none."""
    bases = ROWS[prefix].bases
    usual, _ = address_and_key(litellm, prefix)
    for position, name in enumerate(reversed(bases or (f"{prefix.upper()}_API_BASE",))):
        monkeypatch.setenv(name, f"https://h-{position}.test/v1")
        given = f"https://h-{position}.test/v1" if bases else usual
        assert address_and_key(litellm, prefix)[0] == given, name


@pytest.mark.parametrize("prefix", [*BASES_IN_THE_CALL, *sorted(IN_THE_CALL.keys() - {"openai"})])
def test_variables_of_a_call_s_address_are_litellm_s(
    litellm: Any, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``openai/`` is exempt: its row has no variable."""
    model, arguments, _ = IN_THE_CALL.get(prefix, (f"{prefix}/some-model", {}, ""))
    further = {name: value for name, value in arguments.items() if name != "api_base"}
    for name in ROWS[prefix].bases or (f"{prefix.upper()}_API_BASE",):
        monkeypatch.setenv(name, "https://h.test/v1")
        url = str(request_of(litellm, monkeypatch, model, api_key="k", **further).url)
        assert url.startswith("https://h.test/v1") is bool(ROWS[prefix].bases), name


def test_server_has_neither_an_address_nor_a_variable() -> None:
    """Without ``api_base``, litellm sends the requests to some of these servers to OpenAI, with a key for OpenAI."""
    assert {prefix for prefix, row in ROWS.items() if row.base is None and not row.keys} == set(SERVERS)


@pytest.mark.parametrize("prefix", ROWS)
def test_key_of_openai_is_sent_to_openai_alone(prefix: str) -> None:
    """Litellm sends ``OPENAI_API_KEY`` to each of 66 hosts whose own variable is not set."""
    assert ("OPENAI_API_KEY" in ROWS[prefix].keys) is (prefix == "openai")


@pytest.mark.parametrize("prefix", ROWS)
def test_address_has_no_slash_at_its_end_and_tls_beyond_this_machine(prefix: str) -> None:
    """A path is appended to the address, and the key goes there."""
    base = ROWS[prefix].base

    assert base is None or (base.startswith("https://") and not base.endswith("/")) or prefix == "ollama_chat"
