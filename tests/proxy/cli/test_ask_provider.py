"""Tests of a probe against the emulator of each provider, with its own rules and with one rule changed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from proxy.cli.ask_provider import Prober, probe_request, without_secrets
from proxy.config.pools import choose_pool
from proxy.emulator import Refusal, serving, turns
from proxy.planning.plan_target import profile_of
from proxy.planning.probe.all_histories import HISTORIES
from proxy.planning.probe.choose_cases import choose_cases
from proxy.planning.probe.judge_reply import Finding, Verdict
from proxy.planning.probe.known_refusals import upstream_of
from proxy.planning.probe.order_requests import order_requests
from proxy.upstream.select_transport import SelectingUpstream
from tests.process.emulators import in_a_thread
from tests.process.providers import WIRES, route_of
from tests.support.emulated import Emulator
from tests.support.emulated.changed import Change, changed
from tests.support.litellm_noise import LITELLM_NOISE
from tests.support.proxied import settings_of

pytestmark = LITELLM_NOISE

KEY = "sk-the-key-of-the-operator"
Also = Callable[[Any], bool]


async def probe(model: str, address: str, transport: str = "auto", **router: Any) -> tuple[Finding, ...]:
    """Return the findings of a probe of *model* at *address*."""
    params = {"model": model, "api_base": address, "api_key": KEY}
    entry = {"model_name": "m", "litellm_params": params, "transport": transport}
    settings = settings_of(model_list=[entry], router_settings=router)
    deployment = choose_pool("m", settings)[0]
    cases = choose_cases(profile_of(deployment, settings.sanitize), upstream_of(deployment))
    return await Prober(settings, deployment, SelectingUpstream((deployment,))).run(order_requests(cases))


@contextmanager
def emulated(model: str, transport: str = "auto", change: Change | None = None) -> Iterator[Emulator]:
    """Serve the emulator of a model's wire in a thread, since litellm's call blocks the event loop for Ollama."""
    route = route_of(model)
    wire = WIRES.get(f"{transport}/{route}", WIRES[route])
    with in_a_thread({"it": wire if change is None else changed(wire, change)}) as served:
        yield served["it"]


def ids(findings: tuple[Finding, ...], verdict: Verdict) -> set[str]:
    """Return the ids of the histories with this verdict."""
    return {finding.case.history.id for finding in findings if finding.verdict is verdict}


def sendable(findings: tuple[Finding, ...]) -> list[Finding]:
    """Return the findings on the histories that may be sent."""
    return [finding for finding in findings if not finding.case.hidden]


def roles(body: Any) -> list[str]:
    """Return the roles of a body's messages."""
    return [message["role"] for message in body["messages"]]


def users_meet(body: Any) -> bool:
    """Tell whether two messages of the user stand in a row."""
    return "user user" in " ".join(roles(body))


def text_meets_call(body: Any) -> bool:
    """Tell whether a message of the model holds a text and a call, on any wire but Gemini's."""
    for message in body["messages"]:
        content = message.get("content")
        blocks = content if isinstance(content, list) else []
        kinds = {block.get("type") or next(iter(block)) for block in blocks}
        calls = message.get("tool_calls") or kinds & {"tool_use", "toolUse"}
        if calls and ("text" in kinds or message.get("tool_plan") or (content and not blocks)):
            return True
    return False


def has_cache_marks(body: Any) -> bool:
    """Tell whether a body holds a mark for the prompt cache."""
    return "cache_control" in json.dumps(body)


MODELS = (
    ("openai/gpt-4.1", "direct"),
    ("openai/gpt-4.1", "litellm"),
    *(
        (model, transport)
        for model in (
            "anthropic/claude-sonnet-4-5",
            "anthropic/claude-opus-4-6",
            "mistral/mistral-large-latest",
            "deepseek/deepseek-chat",
            "deepseek/deepseek-reasoner",
            "ollama_chat/qwen3.5",
            "hosted_vllm/meta-llama/Llama-3.3-70B-Instruct",
            "hosted_vllm/mistralai/Devstral-Small-2507",
        )
        for transport in ("direct", "litellm")
    ),
    ("cohere_chat/command-a-03-2025", "litellm"),
    ("bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0", "litellm"),
    ("bedrock/us.meta.llama4-maverick-17b-instruct-v1:0", "litellm"),
)


@pytest.mark.long
@pytest.mark.parametrize(("model", "transport"), MODELS)
async def test_nothing_differs_at_an_emulator_as_it_is(model: str, transport: str) -> None:
    """At an emulator with its own rules, no history's result differs, and at least 15 agree."""
    with emulated(model, transport) as provider:
        findings = await probe(model, provider.base_url, transport)

    assert ids(findings, Verdict.DIFFERS) == set()
    assert len(ids(findings, Verdict.AGREES)) >= 15


@pytest.mark.parametrize(
    ("model", "transport", "words", "history"),
    [
        ("openai/gpt-4.1", "direct", "must be followed by tool messages", "missing_result"),
        ("openai/gpt-4.1", "litellm", "string too long", "call_id_too_long"),
        ("openai/gpt-4.1", "direct", "string too long", "call_id_too_long"),
        ("anthropic/claude-sonnet-4-5", "direct", "ids must be unique", "call_id_repeated"),
        ("anthropic/claude-sonnet-4-5", "litellm", "ids must be unique", "call_id_repeated"),
        ("anthropic/claude-opus-4-6", "direct", "must end with a user message", "trailing_model_turn"),
        ("anthropic/claude-opus-4-6", "litellm", "must end with a user message", "trailing_model_turn"),
        *(
            (
                "mistral/mistral-large-latest",
                transport,
                "Unexpected role 'user' after role 'tool'",
                "user_after_result",
            )
            for transport in ("direct", "litellm")
        ),
        ("deepseek/deepseek-chat", "direct", "Messages with role 'tool' must", "orphaned_result"),
        ("deepseek/deepseek-chat", "litellm", "Messages with role 'tool' must", "orphaned_result"),
        ("cohere_chat/command-a-03-2025", "litellm", "more than one tool message", "duplicate_result"),
        (
            "bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0",
            "litellm",
            "Expected toolResult blocks",
            "missing_result",
        ),
    ],
)
async def test_a_rule_that_the_provider_lacks_is_the_only_difference(
    model: str, transport: str, words: str, history: str
) -> None:
    with emulated(model, transport, Change(without=words)) as provider:
        findings = await probe(model, provider.base_url, transport)

    assert ids(findings, Verdict.DIFFERS) == {history}


@pytest.mark.long
@pytest.mark.parametrize(
    ("model", "transport", "also", "history"),
    [
        ("openai/gpt-4.1", "direct", users_meet, "same_role_neighbours"),
        ("openai/gpt-4.1", "litellm", users_meet, "same_role_neighbours"),
        ("openai/gpt-4.1", "direct", text_meets_call, "text_beside_calls"),
        ("anthropic/claude-sonnet-4-5", "direct", has_cache_marks, "refused_field"),
        ("anthropic/claude-sonnet-4-5", "litellm", has_cache_marks, "refused_field"),
        ("mistral/mistral-large-latest", "direct", text_meets_call, "text_beside_calls"),
        ("mistral/mistral-large-latest", "litellm", text_meets_call, "text_beside_calls"),
        ("deepseek/deepseek-chat", "direct", users_meet, "same_role_neighbours"),
        ("deepseek/deepseek-chat", "litellm", users_meet, "same_role_neighbours"),
        ("cohere_chat/command-a-03-2025", "litellm", text_meets_call, "text_beside_calls"),
        ("ollama_chat/qwen3.5", "direct", text_meets_call, "text_beside_calls"),
        ("ollama_chat/qwen3.5", "litellm", text_meets_call, "text_beside_calls"),
        (
            "bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0",
            "litellm",
            text_meets_call,
            "text_beside_calls",
        ),
        ("hosted_vllm/meta-llama/Llama-3.3-70B-Instruct", "direct", text_meets_call, "text_beside_calls"),
        ("hosted_vllm/meta-llama/Llama-3.3-70B-Instruct", "litellm", text_meets_call, "text_beside_calls"),
    ],
)
async def test_a_rule_that_the_profile_lacks_is_the_only_difference(
    model: str, transport: str, also: Also, history: str
) -> None:
    with emulated(model, transport, Change(also=also)) as provider:
        findings = await probe(model, provider.base_url, transport)

    assert ids(findings, Verdict.DIFFERS) == {history}


@pytest.mark.parametrize("model", ["gemini-2.5-pro", "gemini-3.1-pro", "gemini-3.6-flash"])
@pytest.mark.parametrize("transport", ["direct", "litellm"])
async def test_nothing_differs_at_geminis_emulator_as_it_is(model: str, transport: str) -> None:
    async with serving() as address:
        findings = await probe(f"gemini/{model}", f"{address}/v1beta", transport)

    assert ids(findings, Verdict.DIFFERS) == set()
    assert ids(findings, Verdict.NOT_ASKED) == set()


@pytest.mark.parametrize("transport", ["direct", "litellm"])
async def test_prefill_that_gemini_accepts_again_is_the_only_difference(
    monkeypatch: pytest.MonkeyPatch, transport: str
) -> None:
    monkeypatch.setattr(turns, "RULES", tuple(rule for rule in turns.RULES if rule is not turns.ending))

    async with serving() as address:
        findings = await probe("gemini/gemini-3.6-flash", f"{address}/v1beta", transport)

    assert ids(findings, Verdict.DIFFERS) == {"trailing_model_turn"}


@pytest.mark.parametrize("transport", ["direct", "litellm"])
async def test_media_in_results_that_gemini_refuses_is_the_only_difference(
    monkeypatch: pytest.MonkeyPatch, transport: str
) -> None:
    def no_nested_parts(contents: turns.Contents, _: Any) -> Refusal | None:
        nested = any("parts" in response for content in contents for response in content.responses)
        return Refusal("Unsupported MIME type: image/png") if nested else None

    monkeypatch.setattr(turns, "RULES", (*turns.RULES, no_nested_parts))

    async with serving() as address:
        findings = await probe("gemini/gemini-3.6-flash", f"{address}/v1beta", transport)

    assert ids(findings, Verdict.DIFFERS) == {"media_in_result"}
    [found] = [one for one in findings if one.verdict is Verdict.DIFFERS]
    assert (found.status, found.row, found.words) == (400, "media", "unsupported mime type")


async def test_histories_arrive_as_they_are_and_each_is_sent_once() -> None:
    """The provider gets each history once, in order and with its messages unchanged, and no request streams."""
    model = "openai/gpt-4.1"
    with emulated(model) as provider:
        await probe(model, provider.base_url, num_retries=3)
        bodies = [request.body for request in provider.requests]

    settings = settings_of({"m": model})
    deployment = choose_pool("m", settings)[0]
    cases = choose_cases(profile_of(deployment, settings.sanitize), upstream_of(deployment))
    sent = [*cases.baselines, *(case.history for case in cases.sent)]
    assert [body["messages"] for body in bodies] == [list(history.messages) for history in sent]
    assert [body.get("stream") for body in bodies] == [None] * len(sent)


@pytest.mark.parametrize("status", [401, 429, 500, 503])
async def test_a_provider_that_fails_gives_an_honest_table(status: int) -> None:
    """After one failed request, every history that could be sent counts as not asked, with the failure's status."""
    with emulated("openai/gpt-4.1") as provider:
        provider.faults.extend([{"status": status}] * 100)
        findings = await probe("openai/gpt-4.1", provider.base_url)
        asked = len(provider.requests)

    assert asked == 1
    assert {finding.verdict for finding in sendable(findings)} == {Verdict.NOT_ASKED}
    assert all(str(status) in finding.why for finding in sendable(findings))


async def test_a_429_in_the_middle_keeps_what_was_found_before() -> None:
    with emulated("openai/gpt-4.1") as provider:
        provider.faults.extend([{}] * 8)
        provider.faults.append({"status": 429})
        findings = await probe("openai/gpt-4.1", provider.base_url)
        asked = len(provider.requests)

    assert asked == 9
    verdicts = [finding.verdict for finding in sendable(findings)]
    assert verdicts == [*[Verdict.AGREES] * 5, *[Verdict.NOT_ASKED] * (len(verdicts) - 5)]


async def test_a_500_at_one_history_is_not_asked_and_the_rest_is() -> None:
    with emulated("openai/gpt-4.1") as provider:
        provider.faults.extend([{}, {}, {}, {}, {"status": 500}])
        findings = await probe("openai/gpt-4.1", provider.base_url)

    assert len(ids(findings, Verdict.NOT_ASKED)) == 1
    assert ids(findings, Verdict.DIFFERS) == set()


async def test_a_server_that_is_not_there_gives_an_honest_table() -> None:
    findings = await probe("openai/gpt-4.1", "http://127.0.0.1:9/v1")

    assert {finding.verdict for finding in sendable(findings)} == {Verdict.NOT_ASKED}
    assert "unreachable" in findings[0].why


async def test_a_silent_server_gives_an_honest_table() -> None:
    with emulated("openai/gpt-4.1") as provider:
        provider.faults.append({"delay_seconds": 20})
        findings = await probe("openai/gpt-4.1", provider.base_url, timeout=1)
        asked = len(provider.requests)

    assert asked == 1

    assert {finding.verdict for finding in sendable(findings)} == {Verdict.NOT_ASKED}


async def test_the_keys_are_masked_in_the_words_of_a_refusal() -> None:
    with emulated("openai/gpt-4.1") as provider:
        provider.faults.append({"status": 400, "message": f"No {KEY} today."})
        findings = await probe("openai/gpt-4.1", provider.base_url)

    assert KEY not in repr(findings)
    assert findings[0].verdict is Verdict.NOT_ASKED


def test_secrets_are_masked_in_the_name_of_a_model() -> None:
    settings = settings_of({"m": {"model": f"openai/{KEY}", "api_key": KEY}})

    assert KEY not in without_secrets(f"openai/{KEY}", settings, choose_pool("m", settings)[0])


def test_the_messages_of_a_request_are_a_copy() -> None:
    """A request's messages are a copy of the history's, since litellm writes into image parts."""
    deployment = choose_pool("m", settings_of({"m": "openai/gpt-4.1"}))[0]
    history = next(one for one in HISTORIES if one.rule == "media_type")
    request = probe_request(history, deployment)

    assert list(request.messages) == list(history.messages)
    assert request.messages[0]["content"] is not history.messages[0]["content"]
