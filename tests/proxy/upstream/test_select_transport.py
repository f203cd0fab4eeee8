"""Tests that each deployment's calls go to its transport, and that litellm is imported only if needed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from typing_extensions import override

from proxy.config import resolve
from proxy.upstream.direct.transport import DirectUpstream
from proxy.upstream.select_transport import SelectingUpstream
from proxy.upstream.transports import uses_litellm
from tests.support.litellm_noise import LITELLM_NOISE
from tests.support.openai_emulator import serving_openai
from tests.support.proxied import GEMINI, chat, proxied, settings_of

pytestmark = LITELLM_NOISE


def entries(*models: tuple[str, str | None]) -> list[dict[str, Any]]:
    """Return a model list with an entry for each pair of a model and its transport.

    Each entry has the name of its model.
    """
    return [
        {
            "model_name": model,
            "litellm_params": {"model": model, "api_base": "http://127.0.0.1:1/v1"},
            **({"transport": transport} if transport else {}),
        }
        for model, transport in models
    ]


class Noting:
    """A transport that notes its starts and closes."""

    def __init__(self, name: str, notes: list[str]) -> None:
        self._name, self._notes = name, notes

    async def start(self) -> None:
        """Note it."""
        self._notes.append(f"{self._name} start")

    async def close(self) -> None:
        """Note it."""
        self._notes.append(f"{self._name} close")

    def unsupported(self, deployment: Any, parameters: Any) -> frozenset[str]:
        """Return the transport's name, so that a test sees which transport was asked."""
        return frozenset({self._name})


async def test_each_deployment_uses_its_own_transport(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every transport that is needed is started and closed. The transport of a wildcard is needed too."""
    notes: list[str] = []
    monkeypatch.setattr("proxy.upstream.select_transport.DirectUpstream", lambda: Noting("direct", notes))
    monkeypatch.setattr("proxy.upstream.litellm.transport.LiteLLMUpstream", lambda: Noting("litellm", notes))
    settings = settings_of(model_list=entries(("openai/gpt-4.1", None), ("cohere/*", None)))
    upstream = SelectingUpstream.for_settings(settings)
    await upstream.start()
    await upstream.close()

    assert sorted(notes) == ["direct close", "direct start", "litellm close", "litellm start"]
    for name, transport in {"openai/gpt-4.1": "direct", "cohere/command-x": "litellm"}.items():
        assert upstream.unsupported(resolve(settings, name)[0], {}) == {transport}


def test_client_may_name_a_provider_of_either_transport_for_any_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An entry whose model is ``*`` needs both transports, unless it names one."""
    monkeypatch.setattr("proxy.upstream.select_transport.DirectUpstream", lambda: Noting("direct", []))
    monkeypatch.setattr("proxy.upstream.litellm.transport.LiteLLMUpstream", lambda: Noting("litellm", []))
    settings = settings_of(model_list=entries(("*", None)))
    upstream = SelectingUpstream.for_settings(settings)
    for name, transport in {"openai/gpt-4.1": "direct", "cohere/command-x": "litellm"}.items():
        assert upstream.unsupported(resolve(settings, name)[0], {}) == {transport}

    assert uses_litellm(settings.routes)
    assert not uses_litellm(settings_of(model_list=entries(("*", "direct"))).routes)


async def test_prepare_starts_the_missing_transports(monkeypatch: pytest.MonkeyPatch) -> None:
    """Transports that the new settings do not need stay open until the upstream is closed."""
    notes: list[str] = []
    monkeypatch.setattr("proxy.upstream.select_transport.DirectUpstream", lambda: Noting("direct", notes))
    monkeypatch.setattr("proxy.upstream.litellm.transport.LiteLLMUpstream", lambda: Noting("litellm", notes))
    before, after = (
        settings_of(model_list=entries((model, None))) for model in ("openai/gpt-4.1", "cohere/command-x")
    )
    upstream = SelectingUpstream.for_settings(before)
    await upstream.start()

    await upstream.prepare(before)
    assert notes == ["direct start"]
    await upstream.prepare(after)
    assert notes == ["direct start", "litellm start"]
    for settings, transport in ((before, "direct"), (after, "litellm")):
        [deployment] = resolve(settings, settings.model_list[0].model_name)
        assert upstream.unsupported(deployment, {}) == {transport}
    await upstream.close()
    assert sorted(notes[2:]) == ["direct close", "litellm close"]


async def test_failed_prepare_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a failed ``prepare``, the next call tries again."""
    notes: list[str] = []

    class Failing(Noting):
        @override
        async def start(self) -> None:
            await super().start()
            raise RuntimeError

    monkeypatch.setattr("proxy.upstream.litellm.transport.LiteLLMUpstream", lambda: Failing("litellm", notes))
    upstream = SelectingUpstream.for_settings(settings_of(model_list=entries(("openai/gpt-4.1", None))))
    after = settings_of(model_list=entries(("cohere/command-x", None)))

    for _ in range(2):
        with pytest.raises(RuntimeError):
            await upstream.prepare(after)
    await upstream.close()

    assert notes == ["litellm start"] * 2


async def test_direct_transport_can_be_started_and_closed_twice() -> None:
    """A second start keeps the pool. A start after the close opens a new one."""
    upstream = DirectUpstream()
    await upstream.start()
    pool = upstream._connector
    await upstream.start()
    assert upstream._connector is pool
    assert pool is not None
    await upstream.close()
    await upstream.close()
    assert pool.closed
    await upstream.start()
    assert upstream._connector is not None
    await upstream.close()


async def test_client_may_name_a_provider_of_each_transport(monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry ``*`` takes any provider, and the client's choice is only known with the request."""
    notes: list[str] = []
    monkeypatch.setattr("proxy.upstream.select_transport.DirectUpstream", lambda: Noting("direct", notes))
    monkeypatch.setattr("proxy.upstream.litellm.transport.LiteLLMUpstream", lambda: Noting("litellm", notes))
    settings = settings_of(model_list=[{"model_name": "*", "litellm_params": {"model": "*"}}])
    upstream = SelectingUpstream.for_settings(settings)
    await upstream.start()
    await upstream.close()

    assert sorted(notes) == ["direct close", "direct start", "litellm close", "litellm start"]
    for name, transport in {
        "groq/llama": "direct",
        "gemini/g": "direct",
        "cohere/command-x": "litellm",
    }.items():
        [deployment] = resolve(settings, name)
        assert upstream.unsupported(deployment, {}) == {transport}, name


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_model_that_only_litellm_can_ask_is_refused_by_a_direct_wildcard(stream: bool) -> None:
    """The client gets a 400 with the way out, and the provider gets no request."""
    async with serving_openai() as openai:
        params = {"model": "databricks/*", "api_base": openai.base_url, "api_key": "k"}
        settings = settings_of({"databricks/*": params})
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            refused = await proxy.post(chat(model="databricks/databricks-gpt-5-5", stream=stream))
            answered = await proxy.post(chat(model="databricks/llama"))

    assert (refused.status, refused.error["param"]) == (400, "model")
    assert "List the model under its own name, or set transport: litellm." in refused.error["message"]
    assert (answered.status, len(openai.requests)) == (200, 1)


@pytest.mark.usefixtures("litellm")
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_both_transports_answer_in_one_process(stream: bool) -> None:
    """Both transports answer, with different user agents."""
    async with serving_openai() as openai:
        params = {"model": "openai/gpt-4.1", "api_base": openai.base_url, "api_key": "sk-x"}
        listed = [
            {"model_name": name, "litellm_params": params, "transport": name}
            for name in ("direct", "litellm")
        ]
        settings = settings_of(model_list=listed)
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            for name in ("direct", "litellm"):
                assert (await proxy.post(chat(model=name, stream=stream))).status == 200

    agents = [request.headers["User-Agent"] for request in openai.requests]
    assert [agent.startswith("turnright/") for agent in agents] == [True, False]


@pytest.mark.parametrize(
    ("model", "form", "whole"),
    [
        ("groq/llama-3.3-70b-versatile", {"type": "json_object"}, True),
        ("groq/llama-3.3-70b-versatile", {"type": "text"}, False),
        ("groq/llama-3.3-70b-versatile", None, False),
        ("openai/gpt-4.1", {"type": "json_object"}, False),
    ],
)
async def test_stream_in_a_format_is_cut_from_a_whole_answer_for_groq(
    model: str, form: dict[str, str] | None, whole: bool
) -> None:
    """Groq answers "response_format` does not support streaming" (langchain#23629)."""
    async with serving_openai() as openai:
        settings = settings_of({"m": {"model": model, "api_base": openai.base_url, "api_key": "sk-x"}})
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            fields = {} if form is None else {"response_format": form}
            reply = await proxy.post(chat("Give me JSON.", model="m", stream=True, **fields))

    assert (reply.status, reply.events[-1]) == (200, "[DONE]")
    [request] = openai.requests
    assert ("stream" not in request.body) is whole


PROGRAM = """
import asyncio, json, sys
from proxy.config import load_settings
from proxy.upstream.select_transport import SelectingUpstream
from proxy.upstream.transports import uses_litellm

async def main(listed):
    settings = load_settings(json.dumps({"model_list": listed}).encode(), {}).settings
    upstream = SelectingUpstream.for_settings(settings)
    await upstream.start()
    await upstream.close()

asyncio.run(main(json.loads(sys.argv[1])))
print(sorted({"litellm", "httpx", "openai"} & sys.modules.keys()))
"""


Imported = Callable[..., str]


@pytest.fixture
def imported_for(fresh_python: Callable[..., str]) -> Imported:
    """Return a function that starts the upstream in a new process and returns the heavy libraries imported there."""

    def run(*models: tuple[str, str | None]) -> str:
        return fresh_python(PROGRAM, json.dumps(entries(*models))).splitlines()[-1]

    return run


def test_direct_deployments_do_not_import_litellm(imported_for: Imported) -> None:
    """Deployments on the direct transport import neither litellm nor httpx nor OpenAI's SDK."""
    providers = [(f"{provider}/x", None) for provider in ("mistral", "groq", "hosted_vllm", "scaleway")]

    assert imported_for(("openai/gpt-4.1", None), (GEMINI, "auto"), ("gemini/*", None), *providers) == "[]"


def test_deployment_that_needs_litellm_imports_it(imported_for: Imported) -> None:
    """The start of the upstream imports litellm if one deployment needs it."""
    assert "litellm" in imported_for(("openai/gpt-4.1", None), ("cohere/command-x", None))


@pytest.mark.parametrize("transport", ["direct", "litellm"])
async def test_key_of_the_environment_is_not_used(transport: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither transport takes a key from the environment."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-environment")
    async with serving_openai() as openai:
        params = {"model": "openai/gpt-4.1", "api_base": openai.base_url}
        listed = [{"model_name": "m", "litellm_params": params, "transport": transport}]
        settings = settings_of(model_list=listed)
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            await proxy.post(chat(model="m"))

    [request] = openai.requests
    sent = request.headers.get("Authorization")
    assert sent == (None if transport == "direct" else "Bearer no-key")
