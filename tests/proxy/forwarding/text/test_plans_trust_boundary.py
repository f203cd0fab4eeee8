"""Tests that a request for embeddings or texts decides neither its address nor its key."""

from __future__ import annotations

import inspect
import json
from typing import Any

import pytest

from proxy.config import resolve
from proxy.core.upstream_call import TextCall, Timeouts
from proxy.ingress.openai_text.requests import COMPLETION_PARAMETERS, EMBEDDING_PARAMETERS
from proxy.upstream.litellm.arguments import build_embedding_arguments
from proxy.upstream.litellm.transport import LiteLLMUpstream
from proxy.upstream.select_transport import SelectingUpstream
from tests.behaviours.test_trust_boundary import TYPED, Attacker, attacker, redirecting
from tests.proxy.conftest import OUR_KEY, TRANSPORTS, settings_on
from tests.proxy.emulator.conftest import Client as GeminiEmulator
from tests.proxy.forwarding.text.asking import COMPLETIONS, EMBEDDINGS
from tests.support.litellm_noise import LITELLM_NOISE
from tests.support.openai_emulator import OpenAIEmulator
from tests.support.proxied import Proxied, proxied, settings_of

pytestmark = LITELLM_NOISE

__all__ = ["attacker"]

TIMEOUTS = Timeouts(1, 1, 1, 1)
OURS = """
    model input encoding_format dimensions user api_key api_base timeout max_retries drop_params
    allowed_openai_params extra_headers extra_body
"""


@pytest.fixture
async def plain(openai: OpenAIEmulator, gemini: GeminiEmulator, transport: str) -> Any:
    """Serve the proxy in front of both emulators, with models named by what they do."""
    ours = {"api_base": openai.base_url, "api_key": OUR_KEY}
    google = {"api_base": f"{gemini.base}/v1beta", "api_key": OUR_KEY}
    models = {
        "embeds": {"model": "openai/text-embedding-3-small", **ours},
        "writes": {"model": "openai/gpt-3.5-turbo-instruct", **ours},
        "embeds-too": {"model": "gemini/gemini-embedding-001", **google},
        "chats": {"model": "gemini/gemini-3.6-flash", **google},
    }
    settings = settings_on(transport, models)
    async with proxied(settings, SelectingUpstream.for_settings(settings)) as served:
        yield served


@pytest.mark.parametrize("kinds", [EMBEDDING_PARAMETERS, COMPLETION_PARAMETERS])
def test_allow_lists_have_no_control_name(kinds: Any) -> None:
    """The allow-lists hold no parameter that controls litellm."""
    assert kinds.keys() & TYPED == set()


def test_every_argument_of_litellms_embedding_is_classified(litellm: Any) -> None:
    """Each argument of the pinned litellm's embedding is the client's, the proxy's, or never given."""
    named = inspect.signature(litellm.embedding).parameters.keys()
    never = {"api_type", "caching", "custom_llm_provider", "litellm_call_id", "logger_fn", "kwargs"}
    assert named - set(OURS.split()) - {"api_version"} == never


def test_arguments_of_an_embedding_are_a_closed_set() -> None:
    """A call with every parameter and setting gives litellm only the listed arguments."""
    entry = {
        "model": "openai/x",
        "api_key": OUR_KEY,
        "api_base": "http://127.0.0.1:1/v1",
        "extra_headers": {"x-team": "blue"},
        "allowed_openai_params": ["input_type"],
    }
    [deployment] = resolve(settings_of({"m": entry}), "m")
    parameters = {"input": "a", "dimensions": 8, "user": "u", "encoding_format": "base64"}
    call = TextCall(deployment, parameters, TIMEOUTS, extra_body={"input_type": "query"})
    arguments = build_embedding_arguments(call)

    assert arguments.keys() == set(OURS.split())
    assert arguments["allowed_openai_params"] == ["dimensions", "input_type"]
    assert (arguments["max_retries"], arguments["api_base"]) == (0, entry["api_base"])


@TRANSPORTS
async def test_embedding_sends_our_key_and_the_clients_text_to_its_provider_alone(
    plain: Proxied, openai: OpenAIEmulator, gemini: GeminiEmulator, attacker: Attacker
) -> None:
    body = {**redirecting(attacker), "input": "Mine."}
    for model in ("embeds", "embeds-too"):
        reply = await plain.post({**body, "model": model}, EMBEDDINGS)
        assert reply.status == 200, reply.raw
    [request] = openai.requests
    [entry] = await gemini.journal()

    assert attacker.requests == []
    assert request.headers["Authorization"] == f"Bearer {OUR_KEY}"
    assert request.body.keys() <= {"model", "input", "encoding_format"}
    assert "theirs" not in f"{dict(request.headers)} {request.raw!r} {json.dumps(entry)}"


@TRANSPORTS
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_text_sends_our_key_and_the_clients_text_to_its_provider_alone(
    plain: Proxied, openai: OpenAIEmulator, gemini: GeminiEmulator, attacker: Attacker, stream: bool
) -> None:
    """A text completion goes to its provider only, also where a chat model completes the text."""
    body = {**redirecting(attacker), "prompt": "Mine.", "stream": stream}
    for model in ("writes", "chats"):
        reply = await plain.post({**body, "model": model}, COMPLETIONS)
        assert reply.status == 200, reply.raw
        assert b"stolen" not in reply.raw
    [request] = openai.requests
    [entry] = await gemini.journal()

    assert attacker.requests == []
    assert request.headers["Authorization"] == f"Bearer {OUR_KEY}"
    assert request.body == {
        "model": "gpt-3.5-turbo-instruct",
        "prompt": "Mine.",
        **({"stream": True, "stream_options": {"include_usage": True}} if stream else {}),
    }
    assert entry["body"]["contents"] == [{"role": "user", "parts": [{"text": "Mine."}]}]
    assert "theirs" not in f"{dict(request.headers)} {request.raw!r} {json.dumps(entry)}"


REFERENCES = ("gs://bucket/x.png", "files/theirs", "data:image/png;base64,AAAA")


@pytest.mark.parametrize("transport", ["litellm"])
@pytest.mark.parametrize("text", REFERENCES)
async def test_file_references_are_refused_on_litellm(
    plain: Proxied, gemini: GeminiEmulator, attacker: Attacker, text: str
) -> None:
    """A file reference is a 400 on litellm, which would read a file with the proxy's key, or fetch an address."""
    reply = await plain.post({"model": "embeds-too", "input": ["a", text]}, EMBEDDINGS)

    assert (reply.status, reply.error["param"]) == (400, "input[1]")
    assert await gemini.journal() == []


@pytest.mark.parametrize("transport", ["direct"])
@pytest.mark.parametrize("text", REFERENCES)
async def test_text_that_looks_like_a_reference_is_sent_as_text_on_our_wire(
    plain: Proxied, gemini: GeminiEmulator, text: str
) -> None:
    """A text that looks like a reference is sent as text on the direct transport, which reads no references."""
    reply = await plain.post({"model": "embeds-too", "input": text}, EMBEDDINGS)

    assert reply.status == 200
    [entry] = await gemini.journal()
    assert entry["body"]["content"] == {"parts": [{"text": text}]}


@pytest.mark.usefixtures("litellm")
@pytest.mark.parametrize(
    ("model", "taken"),
    [
        ("openai/anything", {"dimensions", "user"}),
        ("text-embedding-3-small", {"dimensions", "user"}),
        ("gemini/gemini-embedding-001", {"dimensions"}),
        ("mistral/mistral-embed", set()),
        ("voyage/voyage-3", {"dimensions"}),
        ("nonsense/x", set()),
    ],
)
async def test_parameter_that_litellm_does_not_take_is_withheld_and_reported(
    model: str, taken: set[str]
) -> None:
    """A parameter that litellm would refuse or drop silently is reported as unsupported."""
    upstream = LiteLLMUpstream()
    await upstream.start()
    [deployment] = resolve(settings_on("litellm", {"m": {"model": model}}), "m")
    given = {"input": "a", "encoding_format": "base64", "dimensions": 8, "user": "u"}

    assert upstream.unsupported_embedding(deployment, given) == {"dimensions", "user"} - taken
