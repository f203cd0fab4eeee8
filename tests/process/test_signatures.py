"""Tests of thought signatures in the running process: chains of proxies, refusals and counters."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from proxy.emulator.signatures import DUMMIES, sign_call, verify
from tests.process.asking import function_tool
from tests.process.emulators import Gemini
from tests.process.running import Served, serve

MODEL = "gemini-3.6-flash"
FOREIGN = "Zm9yZWlnbiBzaWduYXR1cmU="
TOOLS = [function_tool("f"), function_tool("g")]
CALLS = [{"functionCall": {"name": name, "args": {"city": name}}} for name in "fg"]


def deployment(name: str, model: str, base: str, transport: str) -> dict[str, Any]:
    """Return an entry of the model list."""
    params = {"model": model, "api_key": "emulated", "api_base": base}
    return {"model_name": name, "transport": transport, "litellm_params": params}


@pytest.fixture(scope="module")
def inner(directory: Path, gemini_process: Gemini, transport: str) -> Iterator[Served]:
    """Run the proxy in front of Gemini's emulator."""
    entry = deployment("gemini-pro-of-ours", f"gemini/{MODEL}", gemini_process.api_base, transport)
    with serve(directory, {"model_list": [entry], "general_settings": {"drain_delay": 0}}) as process:
        yield process


@pytest.fixture(scope="module")
def outer(directory: Path, inner: Served) -> Iterator[Served]:
    """Run a second proxy in front of ``inner``, as a sidecar stands in front of a gateway."""
    entry = deployment("m", "openai/gemini-pro-of-ours", inner.base_url, "direct")
    with serve(directory, {"model_list": [entry], "general_settings": {"drain_delay": 0}}) as process:
        yield process


def ask(http: httpx.Client, served: Served, model: str, messages: list[dict[str, Any]]) -> httpx.Response:
    """Send *messages* with tools, without streaming, and return the answer. Fails if its status is not 200."""
    body = {"model": model, "messages": messages, "tools": TOOLS}
    answer = http.post(f"{served.base_url}/chat/completions", json=body)
    assert answer.status_code == 200, answer.text
    return answer


def bare(message: dict[str, Any]) -> dict[str, Any]:
    """Return the message as a client keeps it that knows OpenAI's format alone."""
    calls = [{name: call[name] for name in ("id", "type", "function")} for call in message["tool_calls"]]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def signatures_sent(gemini: Gemini) -> list[list[str | None]]:
    """Return the signatures on the calls of each content of the newest request, None for a call without one."""
    contents = gemini.journal()[-1]["body"]["contents"]
    sent: list[list[str | None]] = []
    for content in contents:
        parts = [part for part in content["parts"] if "functionCall" in part or "function_call" in part]
        if parts:
            sent.append([part.get("thoughtSignature", part.get("thought_signature")) for part in parts])
    return sent


@pytest.mark.parametrize("which", ["inner", "outer"])
def test_through_one_proxy_and_through_two(
    which: str, inner: Served, outer: Served, gemini: Gemini, http: httpx.Client
) -> None:
    """Genuine signatures reach Gemini through one proxy and through two proxies in a row."""
    served, model = (outer, "m") if which == "outer" else (inner, "gemini-pro-of-ours")
    history: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for _ in range(3):
        gemini.answer(*CALLS)
        message = ask(http, served, model, history).json()["choices"][0]["message"]
        assert message["tool_calls"][0]["extra_content"]["google"]["thought_signature"]
        history.append(bare(message))
        history += [
            {"role": "tool", "tool_call_id": call["id"], "content": "ok"} for call in message["tool_calls"]
        ]
    gemini.say("done")

    answer = ask(http, served, model, history)

    sent = signatures_sent(gemini)
    assert len(sent) == 3
    for first, *others in sent:
        assert first is not None
        assert first not in DUMMIES
        assert verify(first, {"functionCall": CALLS[0]["functionCall"]}) is None
        assert others == [None]
    assert "x-turnright-changes" not in answer.headers


def test_a_retry_keeps_it(inner: Served, gemini: Gemini, http: httpx.Client) -> None:
    """A retry sends the genuine signatures too: each round fails once before it is answered."""
    history: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for _ in range(3):
        gemini.fault(status=503)
        gemini.answer(*CALLS)
        answer = ask(http, inner, "gemini-pro-of-ours", history)
        assert answer.headers["x-turnright-attempts"] == "2"
        message = answer.json()["choices"][0]["message"]
        history.append(bare(message))
        history += [
            {"role": "tool", "tool_call_id": call["id"], "content": "ok"} for call in message["tool_calls"]
        ]
    gemini.fault(status=503)
    gemini.say("done")

    ask(http, inner, "gemini-pro-of-ours", history)

    sent = signatures_sent(gemini)
    assert len(sent) == 3
    for first, *_ in sent:
        assert first is not None
        assert verify(first, {"functionCall": CALLS[0]["functionCall"]}) is None


def test_a_bad_signature_costs_one_refusal(inner: Served, gemini: Gemini, http: httpx.Client) -> None:
    """A signature of unknown origin is sent once, refused, and replaced in the repeated request.

    A refused signature is not sent again.
    """
    call = {
        "id": "toolu_1",
        "type": "function",
        "function": {"name": "f", "arguments": '{"city": "f"}'},
        "extra_content": {"google": {"thought_signature": FOREIGN}},
    }
    history: list[Any] = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "toolu_1", "content": "ok"},
    ]

    first = ask(http, inner, "gemini-pro-of-ours", history)
    assert [entry["verdict"]["status"] for entry in gemini.journal()] == [400, 200]
    assert first.headers["x-turnright-changes"] == "repair=1"
    gemini.clear()
    second = ask(http, inner, "gemini-pro-of-ours", [*history, {"role": "user", "content": "on"}])

    assert [entry["verdict"]["status"] for entry in gemini.journal()] == [200]
    assert "x-turnright-changes" not in second.headers


def test_a_good_signature_from_elsewhere_is_sent(inner: Served, gemini: Gemini, http: httpx.Client) -> None:
    """A valid signature that this proxy has not seen is sent.

    The call's id holds the signature, as litellm writes it.
    """
    signature = sign_call("f", {"city": "f"}, 7)
    call = {
        "id": f"call_1__thought__{signature}",
        "type": "function",
        "function": {"name": "f", "arguments": '{"city": "f"}'},
    }
    history: list[Any] = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "ok"},
    ]

    ask(http, inner, "gemini-pro-of-ours", history)

    assert signatures_sent(gemini) == [[signature]]


def test_stand_in_is_counted_where_one_is_required(inner: Served, gemini: Gemini, http: httpx.Client) -> None:
    """If no signature is known, a dummy signature is sent and counted for the first of parallel calls only."""

    def count(kind: str) -> float:
        name = f'turnright_signatures_total{{kind="{kind}",model="gemini-pro-of-ours"}} '
        lines = http.get(f"{inner.origin}/metrics").text.splitlines()
        return float(next(line for line in lines if line.startswith(name)).removeprefix(name))

    before = {kind: count(kind) for kind in ("restored", "carried", "withheld", "replaced")}
    calls = [
        {"id": f"call_{name}", "type": "function", "function": {"name": name, "arguments": "{}"}}
        for name in "fg"
    ]
    history: list[Any] = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": calls},
        *({"role": "tool", "tool_call_id": call["id"], "content": "ok"} for call in calls),
    ]

    ask(http, inner, "gemini-pro-of-ours", history)

    assert [one in DUMMIES for one in signatures_sent(gemini)[0]] == [True, False]
    assert {kind: count(kind) - was for kind, was in before.items()} == {
        "restored": 0,
        "carried": 0,
        "withheld": 0,
        "replaced": 1,
    }


@pytest.fixture(scope="module")
def shared(directory: Path, gemini_process: Gemini, transport: str) -> Iterator[Served]:
    """Run the proxy for two clients, each with a key of its own."""
    entry = deployment("m", f"gemini/{MODEL}", gemini_process.api_base, transport)
    keys = [{"name": name, "key": f"sk-of-{name}"} for name in ("one", "other")]
    general = {"drain_delay": 0, "keys": keys}
    with serve(directory, {"model_list": [entry], "general_settings": general}) as process:
        yield process


def ask_as(
    name: str,
    http: httpx.Client,
    served: Served,
    history: list[dict[str, Any]],
    path: str = "chat/completions",
) -> httpx.Response:
    """Send *history* with the key of the client *name*, and return the answer. Fails if its status is not 200."""
    answer = http.post(
        f"{served.base_url}/{path}",
        json={"model": "m", "messages": history, "tools": TOOLS},
        headers={"Authorization": f"Bearer sk-of-{name}"},
    )
    assert answer.status_code == 200, answer.text
    return answer


def test_an_id_of_another_key_gives_nothing(shared: Served, gemini: Gemini, http: httpx.Client) -> None:
    """A call id restores its signature only for the key that got the call, both upstream and in ``/v1/explain``."""
    gemini.answer(*CALLS)
    history: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    message = ask_as("one", http, shared, history).json()["choices"][0]["message"]
    signature = message["tool_calls"][0]["extra_content"]["google"]["thought_signature"]
    history.append(bare(message))
    history += [
        {"role": "tool", "tool_call_id": call["id"], "content": "ok"} for call in message["tool_calls"]
    ]

    told = {name: ask_as(name, http, shared, history, "explain").text for name in ("one", "other")}
    sent = {}
    for name in told:
        ask_as(name, http, shared, history)
        sent[name] = signatures_sent(gemini)[0][0]

    assert {name: signature in text for name, text in told.items()} == {"one": True, "other": False}
    assert sent["one"] == signature
    assert sent["other"] in DUMMIES


def test_a_refused_signature_is_refused_for_its_key_alone(
    shared: Served, gemini: Gemini, http: httpx.Client
) -> None:
    """A signature that was refused for one client's key is still sent for another key."""
    call = {
        "id": "toolu_1",
        "type": "function",
        "function": {"name": "f", "arguments": '{"city": "f"}'},
        "extra_content": {"google": {"thought_signature": FOREIGN}},
    }
    history: list[Any] = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "toolu_1", "content": "ok"},
    ]
    statuses = {}
    for name, text in (("one", "a"), ("one", "b"), ("other", "c")):
        gemini.clear()
        ask_as(name, http, shared, [*history, {"role": "user", "content": text}])
        statuses[name, text] = [entry["verdict"]["status"] for entry in gemini.journal()]

    assert statuses == {("one", "a"): [400, 200], ("one", "b"): [200], ("other", "c"): [400, 200]}
