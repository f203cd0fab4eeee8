"""Tests of which model answers: aliases, orders, weights, fallbacks, and models that are absent."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from proxy.config import Settings, load_settings
from proxy.core.errors import UpstreamFault
from proxy.upstream.select_transport import SelectingUpstream
from tests.proxy.config.samples import entry, text_of
from tests.proxy.conftest import LogLines
from tests.support.openai_emulator import OpenAIEmulator
from tests.support.proxied import Proxied, Reply, chat, proxied, settings_of
from tests.support.scripted_upstream import GOOD_ANSWER, GOOD_STREAM, ScriptedUpstream, answer, chunk

REFUSED = "Your request was refused by the content management policy."
FILTERED: dict[str, Any] = {"status": 400, "message": REFUSED, "code": "content_filter"}
BROKEN: dict[str, Any] = {"status": 500, "message": "broken"}


def settings_at(openai: OpenAIEmulator, *entries: dict[str, Any], **router: Any) -> Settings:
    """Return settings of *entries*, each with the emulator's address. A request has two retries."""
    for each in entries:
        each["litellm_params"].update(api_base=openai.base_url, api_key="k")
    text = text_of(*entries, router_settings={"num_retries": 2, **router})
    return load_settings(text, {}).settings


async def asked(
    openai: OpenAIEmulator, settings: Settings, *bodies: dict[str, Any]
) -> tuple[list[Reply], list[str]]:
    """Send *bodies* one after another. Return the answers, and the models that the provider was asked for."""
    async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
        replies = [await proxy.post(body) for body in bodies]
    return replies, [received.body["model"] for received in openai.requests]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("alias", ["gpt-4", "hidden"])
async def test_second_name_is_answered_by_its_model(
    openai: OpenAIEmulator, log_lines: LogLines, alias: str, stream: bool
) -> None:
    """A request for an alias is answered by the alias's model, and the log holds both names."""
    aliases = {"gpt-4": "mini", "hidden": {"model": "mini", "hidden": True}}
    settings = settings_at(openai, entry("mini", "openai/gpt-4.1-mini"), model_group_alias=aliases)
    (reply,), models = await asked(openai, settings, chat(model=alias, stream=stream))

    assert (reply.status, models) == (200, ["gpt-4.1-mini"])
    (line,) = (line for line in log_lines() if line["event"] == "request_finished")
    assert (line["model"], line["asked_model"]) == ("mini", alias)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("fault", "router", "models"),
    [
        pytest.param(BROKEN, {"default_fallbacks": ["spare"]}, ["gpt-4.1", "gpt-4o"], id="default"),
        pytest.param(
            FILTERED, {"default_fallbacks": ["spare"]}, ["gpt-4.1"], id="filtered, not named for it"
        ),
        pytest.param(
            FILTERED,
            {"content_policy_fallbacks": [{"main": ["spare"]}]},
            ["gpt-4.1", "gpt-4o"],
            id="filtered",
        ),
        pytest.param(
            FILTERED,
            {"content_policy_fallbacks": [{"*": ["spare"]}]},
            ["gpt-4.1", "gpt-4o"],
            id="filtered, any",
        ),
        pytest.param(
            BROKEN,
            {"content_policy_fallbacks": [{"main": ["spare"]}]},
            ["gpt-4.1"] * 3,
            id="broken, not filtered",
        ),
    ],
)
async def test_fallback_is_asked_for_its_kind_of_failure(
    openai: OpenAIEmulator,
    fault: Any,
    router: dict[str, Any],
    models: list[str],
    stream: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A request that a content filter refuses falls back only to models in ``content_policy_fallbacks``.

    Requests that fail otherwise do not fall back to these models.
    """
    monkeypatch.setattr("proxy.resilience.decide_action._BASE_S", 0.005)
    settings = settings_at(openai, entry("main", "openai/gpt-4.1"), entry("spare", "openai/gpt-4o"), **router)
    openai.faults.extend([fault] * (3 if models[-1] == "gpt-4.1" else 1 if fault is FILTERED else 3))
    (reply,), sent = await asked(openai, settings, chat(model="main", stream=stream))

    assert list(dict.fromkeys(sent)) == list(dict.fromkeys(models))
    if "gpt-4o" in models:
        assert reply.status == 200
    elif fault is FILTERED:
        assert (len(sent), reply.status, reply.error["code"]) == (1, 400, "content_filter")
    else:
        assert reply.status == 500


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("named", [False, True])
async def test_prompt_that_gemini_filters_in_a_200_goes_to_the_named_model(named: bool, stream: bool) -> None:
    """A filtered 200 goes to the named fallback model; without one, the client gets ``content_filter``."""
    router = {"content_policy_fallbacks": [{"gemini": ["other"]}]} if named else {}
    settings = settings_of(
        {"gemini": "gemini/gemini-3.6-flash", "other": "openai/gpt-4o"}, router_settings=router
    )
    filtered = answer("")
    filtered["choices"][0]["finish_reason"] = "content_filter"
    first = (
        [chunk({"role": "assistant", "content": ""}), chunk(finish="content_filter")]
        if stream
        else [filtered]
    )
    upstream = ScriptedUpstream(first, GOOD_STREAM if stream else GOOD_ANSWER)
    async with proxied(settings, upstream) as proxy:
        reply = await proxy.post(chat(stream=stream))

    assert reply.status == 200
    assert [call.deployment.name for call in upstream.calls] == ["gemini", "other"][: 1 + named]
    choices = [event["choices"] for event in reply.events[:-1]] if stream else [reply.json["choices"]]
    reasons = [each[0]["finish_reason"] for each in choices if each]
    assert reasons[-1] == ("stop" if named else "content_filter")


@pytest.mark.parametrize("stream", [False, True])
async def test_filtered_request_is_told_so_where_the_named_model_fails_too(stream: bool) -> None:
    """The client learns of the content filter even if the fallback fails."""
    settings = settings_of(
        {"gemini": "openai/gpt-4.1", "other": "openai/gpt-4o"},
        router_settings={"content_policy_fallbacks": [{"gemini": ["other"]}]},
    )
    filtered = answer("")
    filtered["choices"][0]["finish_reason"] = "content_filter"
    first = [chunk(finish="content_filter")] if stream else [filtered]
    upstream = ScriptedUpstream(first, [UpstreamFault("broken", upstream_status=500)])
    async with proxied(settings, upstream) as proxy:
        reply = await proxy.post(chat(stream=stream))

    assert len(upstream.calls) == 2
    assert "content_filter" in reply.raw.decode()


async def test_higher_order_is_asked_only_where_the_lower_one_fails(openai: OpenAIEmulator) -> None:
    """The entries' ``order`` decides which deployment is asked first, not their position in the configuration."""
    settings = settings_at(
        openai,
        entry("m", "openai/gpt-4o", order=2),
        entry("m", "openai/gpt-4.1", order=1),
    )
    good = [chat(model="m")] * 3
    _, models = await asked(openai, settings, *good)
    assert models == ["gpt-4.1"] * 3
    openai.clear()
    openai.faults.append({"status": 500})
    (reply,), models = await asked(openai, settings, chat(model="m"))

    assert (reply.status, models) == (200, ["gpt-4.1", "gpt-4o"])


async def test_higher_orders_are_asked_without_retries_too(openai: OpenAIEmulator) -> None:
    """Each higher ``order`` is a fallback of the lower ones, whatever ``num_retries`` is."""
    settings = settings_at(
        openai,
        *[
            entry("m", model, order=order)
            for order, model in enumerate(("openai/a", "openai/b", "openai/c"), 1)
        ],
        entry("m", "openai/d"),
        num_retries=0,
    )
    openai.faults.extend([{"status": 500}] * 3)
    (reply,), models = await asked(openai, settings, chat(model="m"))

    assert (reply.status, models) == (200, ["a", "b", "c", "d"])


async def test_requests_are_shared_by_weight(openai: OpenAIEmulator) -> None:
    """Deployments with weights of 3 and 1 get 9 and 3 of twelve requests."""
    settings = settings_at(
        openai,
        entry("m", "openai/gpt-4o", weight=1),
        entry("m", "openai/gpt-4.1", weight=3),
    )
    replies, models = await asked(openai, settings, *[chat(model="m")] * 12)

    assert {reply.status for reply in replies} == {200}
    assert Counter(models) == {"gpt-4.1": 9, "gpt-4o": 3}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("model", "hint"),
    [
        ("openai/gpt-4oo", " Did you mean openai/gpt-4o"),
        ("openai/gpt-4o", None),
        ("second", None),
        ("mine", None),
    ],
)
async def test_typo_behind_a_wildcard_is_answered_with_the_nearest_names(
    openai: OpenAIEmulator, model: str, hint: str | None, stream: bool
) -> None:
    """The provider's 404 is followed by the nearest model names if the client may have mistyped the name."""
    settings = settings_at(
        openai,
        entry("openai/*", "openai/*"),
        entry("mine", "openai/gpt-4oo"),
        model_group_alias={"second": "openai/gpt-4oo"},
    )
    words = "The model does not exist."
    openai.faults.append({"status": 404, "message": words, "code": "model_not_found"})
    (reply,), _ = await asked(openai, settings, chat(model=model, stream=stream))

    assert reply.status == 404
    assert reply.error["message"].startswith(words + (hint or ""))
    assert ("Did you mean" in reply.error["message"]) is (hint is not None)


LEFT_OUT = load_settings(
    text_of(
        entry("fast", "openai/gpt-4.1"),
        entry("slow", "openai/gpt-4o", api_key="os.environ/ABSENT_KEY"),
        entry("far/*", "anthropic/*", api_key="os.environ/ABSENT_KEY"),
        entry("gemini/*", "gemini/*"),
        router_settings={
            "model_group_alias": {
                "quick": "fast",
                "secret": {"model": "fast", "hidden": True},
                "sluggish": "slow",
            }
        },
    ),
    {},
).settings


@pytest.fixture
def settings() -> Settings:
    """Return settings from which two models are left out, since their variable is not set."""
    return LEFT_OUT


@pytest.mark.parametrize(
    ("name", "label"), [("slow", "slow"), ("far/claude-sonnet-4-5", "far/*"), ("sluggish", "slow")]
)
@pytest.mark.parametrize("stream", [False, True])
async def test_model_without_its_variable_is_unavailable_and_the_log_names_the_variable(
    proxy: Proxied, upstream: ScriptedUpstream, log_lines: LogLines, name: str, label: str, stream: bool
) -> None:
    """The client gets a 503 without the variable's name, and nothing is sent to a provider."""
    reply = await proxy.post(chat(model=name, stream=stream))

    assert (reply.status, reply.error["code"]) == (503, "model_unavailable")
    assert "ABSENT_KEY" not in reply.raw.decode()
    assert upstream.calls == []
    named = [line for line in log_lines() if "ABSENT_KEY" in str(line)]
    assert named, log_lines()
    (finished,) = (line for line in log_lines() if line["event"] == "request_finished")
    assert (finished["model"], finished["asked_model"]) == (label, None if name == label else name)
    rows = (await proxy.get("/ui/api/live")).json["models"]
    assert [(row["model"], row["errors"]) for row in rows] == [(label, {"model_unavailable": 1})]


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/v1/chat/completions", {}),
        ("/v1/chat/completions", {"messages": 3}),
        ("/v1/chat/completions", {"messages": [{"role": "user", "content": "Hi"}], "temperature": "hot"}),
        ("/v1/completions", {}),
        ("/v1/embeddings", {"input": "x", "dimensions": "many"}),
    ],
)
async def test_request_that_cannot_be_read_has_the_name_that_it_asks_for(
    proxy: Proxied, log_lines: LogLines, path: str, fields: dict[str, Any]
) -> None:
    """The log and the inspector name the model of a request whose other fields are invalid."""
    reply = await proxy.post({"model": "fast", **fields}, path)
    [seen] = (await proxy.get("/ui/api/recent")).json["requests"]

    assert reply.status == 400
    (finished,) = (line for line in log_lines() if line["event"] == "request_finished")
    assert finished["asked_model"] == "fast"
    assert (seen["asked_model"], seen["outcome"]) == ("fast", "invalid_request")


@pytest.mark.parametrize("path", ["/v1/models", "/models", "/v1/models/fast", "/v1/models/unheard-of"])
async def test_list_of_models_is_no_recent_request(proxy: Proxied, path: str) -> None:
    """The inspector does not show requests for the list of models.

    Every client that lets its user pick a model sends such requests.
    """
    await proxy.get(path)

    assert (await proxy.get("/ui/api/recent")).json["requests"] == []
    assert (await proxy.get("/ui/api/live")).json["models"] == []


async def test_list_has_served_names_alone(proxy: Proxied) -> None:
    """The list of models has neither models that were left out nor hidden aliases.

    A wildcard is listed as its provider's known models.
    """
    names = [model["id"] for model in (await proxy.get("/v1/models")).json["data"]]

    assert names[0] == "fast"
    assert names[-1] == "quick"
    assert "gemini/gemini-2.5-flash" in names
    assert not {"slow", "far/*", "sluggish", "secret", "gemini/*"}.intersection(names)
    assert not [name for name in names if name.startswith("far/")]


async def test_every_listed_name_is_shown_by_itself(proxy: Proxied) -> None:
    """``/v1/models/NAME`` answers for a listed name, and for a hidden alias.

    A model that was left out is unavailable.
    """
    names = [model["id"] for model in (await proxy.get("/v1/models")).json["data"]]
    for name in [*names[:5], *names[-2:], "secret"]:
        reply = await proxy.get(f"/v1/models/{name}")
        assert (reply.status, reply.json["id"]) == (200, name)
    assert (await proxy.get("/v1/models/slow")).error["code"] == "model_unavailable"


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("fasst", "Did you mean fast?"),
        ("gemni/gemini-2.5-pro", "Did you mean gemini/gemini-2.5-pro?"),
        ("gemini-2.5-pro", "Did you mean gemini/gemini-2.5-pro?"),
    ],
)
async def test_typo_is_answered_with_the_name_that_was_meant(
    proxy: Proxied, log_lines: LogLines, name: str, meant: str
) -> None:
    """The error suggests the nearest served name, and the log has the name that was asked for."""
    reply = await proxy.post(chat(model=name))

    assert (reply.status, reply.error["code"]) == (404, "model_not_found")
    assert meant in reply.error["message"]
    assert "secret" not in reply.error["message"]
    (finished,) = (line for line in log_lines() if line["event"] == "request_finished")
    assert finished["asked_model"] == name
