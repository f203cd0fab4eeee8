"""Tests of how each mode treats a request's parameters: fitted, reported, counted or refused."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from proxy.cli.show_explanation import show_explanation
from proxy.core.upstream_call import UpstreamCall
from tests.support.builders import assistant, call, system, text, tool, user
from tests.support.proxied import MODEL, Reply, chat, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream

TOOL = {"type": "function", "function": {"name": "look"}}
CLAUDE = "anthropic/claude-sonnet-4-5"
OLD_GEMINI = "gemini/gemini-2.5-flash"
JSON = {"type": "json_object"}


async def sent(
    model: str,
    body: dict[str, Any],
    mode: str = "repair",
    unsupported: Iterable[str] = (),
    path: str = "/v1/chat/completions",
) -> tuple[Reply, UpstreamCall | None, float]:
    """Send a body to *model*. Return the reply, the call, and the count of dropped parameters."""
    upstream = ScriptedUpstream(unsupported=unsupported)
    async with proxied(settings_of({MODEL: model}, sanitize={"mode": mode}), upstream) as proxy:
        reply = await proxy.post(body, path)
        dropped = await proxy.count("dropped_parameters_total", model=MODEL)
    return reply, upstream.calls[0] if upstream.calls else None, dropped


@pytest.mark.parametrize("mode", ["repair", "strict"])
async def test_parameters_are_fitted_and_reported(mode: str) -> None:
    """Modes repair and strict fit the parameters, and report them in a header and a counter.

    Mode strict refuses histories only.
    """
    reply, made, dropped = await sent(CLAUDE, chat(temperature=1.5, tools=[], top_k=3, foo=1), mode)

    assert reply.status == 200
    assert made is not None
    assert dict(made.parameters) == {"temperature": 1.0, "top_k": 3}
    assert reply.headers["x-turnright-changes"] == "parameters=2"
    assert dropped == 2


@pytest.mark.parametrize(("mode", "said"), [("observe", "parameters=2;observed"), ("off", None)])
async def test_modes_observe_and_off_change_nothing(mode: str, said: str | None) -> None:
    """Modes observe and off send parameters unchanged. Mode observe reports the changes."""
    reply, made, dropped = await sent(CLAUDE, chat(temperature=1.5, tools=[], n=1, foo=1), mode)

    assert made is not None
    assert dict(made.parameters) == {"temperature": 1.5, "tools": [], "n": 1}
    assert reply.headers.get("x-turnright-changes") == said
    assert dropped == 1


async def test_changes_are_counted() -> None:
    """A change of a parameter is counted like any other change."""
    upstream = ScriptedUpstream()
    async with proxied(settings_of({MODEL: CLAUDE}), upstream) as proxy:
        await proxy.post(chat(temperature=1.5))
        assert (
            await proxy.count("changes_total", step="parameters", kind="replaced", reason="out_of_range") == 1
        )


@pytest.mark.long
@pytest.mark.parametrize(
    ("body", "unsupported", "param"),
    [
        ({"n": 2}, (), "n"),
        (
            {"tools": [TOOL], "tool_choice": {"type": "function", "function": {"name": "leap"}}},
            (),
            "tool_choice",
        ),
        ({"tools": [TOOL]}, ("tools",), "tools"),
    ],
)
async def test_a_parameter_that_the_client_would_miss_is_refused(
    body: dict[str, Any], unsupported: tuple[str, ...], param: str
) -> None:
    """A parameter that the provider cannot follow, and that the client would miss, is refused by its name.

    Modes observe and off send the parameter. An unsupported parameter is dropped and counted in these modes.
    """
    reply, made, _ = await sent(CLAUDE, chat(**body), unsupported=unsupported)
    assert (reply.status, reply.error["param"], made) == (400, param, None)

    for mode in ("observe", "off"):
        reply, made, dropped = await sent(CLAUDE, chat(**body), mode, unsupported)
        assert reply.status == 200
        assert made is not None
        assert dropped == len(unsupported)


async def test_one_answer_may_be_dropped() -> None:
    """``n`` of 1 may be dropped, since the provider gives one answer without it."""
    reply, made, dropped = await sent(CLAUDE, chat(n=1), unsupported=["n"])

    assert (reply.status, dropped) == (200, 1)
    assert made is not None
    assert dict(made.parameters) == {}


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ([user("q")], ["q"]),
        ([system("s"), user("q")], ["s"]),
        ([user("q"), assistant("a"), user("r")], ["q"]),
        ([user([text("q")])], ["q"]),
    ],
)
async def test_an_answer_format_is_described_in_the_history(messages: list[Any], said: list[str]) -> None:
    """If the model has no parameter for an answer format, the first message describes the format."""
    body = {"model": MODEL, "messages": messages, "tools": [TOOL], "response_format": JSON}
    reply, made, dropped = await sent(OLD_GEMINI, body)

    assert made is not None
    assert "response_format" not in made.parameters
    assert [message["role"] for message in made.messages] == [message["role"] for message in messages]
    content = made.messages[0]["content"]
    texts = content if isinstance(content, str) else "|".join(part["text"] for part in content)
    assert texts.startswith(said[0])
    assert "JSON" in texts
    assert list(made.messages[1:]) == messages[1:]
    assert reply.headers["x-turnright-changes"] == "parameters=1"
    assert dropped == 1


async def test_thinking_waits_for_the_next_turn() -> None:
    """``reasoning_effort`` is dropped in a round of tool calls that began without thinking."""
    history = [user("q"), assistant(None, calls=[call("toolu_1", "look")]), tool("toolu_1", "r")]
    body = {"model": MODEL, "messages": history, "tools": [TOOL], "reasoning_effort": "low"}
    reply, made, _ = await sent(CLAUDE, body)

    assert made is not None
    assert "reasoning_effort" not in made.parameters
    assert "parameters=1" in reply.headers["x-turnright-changes"]


@pytest.mark.parametrize("mode", ["repair", "strict", "observe", "off"])
async def test_the_dry_run_shows_the_parameters(mode: str) -> None:
    """The dry run shows the parameters that this mode sends or refuses, and the dropped ones."""
    fitted = mode in ("repair", "strict")
    verdict = {"repair": "repaired", "strict": "repaired"}.get(mode, "sent_as_is")
    reply, made, dropped = await sent(OLD_GEMINI, chat(tools=[], seed=2**40, foo=1), mode, path="/v1/explain")
    found = reply.json
    assert (made, dropped) == (None, 0)
    assert found["verdict"] == verdict
    assert found["summary"] == "parameters=2"
    assert found["dropped_parameters"] == (["foo", "tools"] if fitted else ["foo"])
    assert found["body"]["seed"] == (0 if fitted else 2**40)

    reply, _, _ = await sent(CLAUDE, chat(n=2), mode, path="/v1/explain")
    found = reply.json
    assert found["verdict"] == ("refused" if fitted else "sent_as_is")
    assert found["refusal"]["param"] == "n"


@pytest.mark.parametrize("value", [0, -1, 1.5, True, "5"])
async def test_top_k_is_a_count(value: Any) -> None:
    """``top_k`` must be an integer of at least 1."""
    reply, _, _ = await sent(CLAUDE, chat(top_k=value))

    assert (reply.status, reply.error["param"]) == (400, "top_k")


async def test_a_parameter_s_change_has_no_message() -> None:
    """A parameter's change is shown without a message's index."""
    reply, _, _ = await sent(CLAUDE, chat(temperature=2), path="/v1/explain")
    lines = list(show_explanation({**reply.json, "before": [], "steps": []}, colours=False))

    [line] = [line for line in lines if "out_of_range" in line]
    assert line.split() == ["parameters", "replaced", "out_of_range", "temperature"]
