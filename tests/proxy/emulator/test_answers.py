"""Tests of the emulated model's answers: calls of the tools that a prompt names, quoted results and echoes."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.emulator import judge
from proxy.emulator.answers import Answer, Script, compose
from proxy.emulator.judge import read_request
from proxy.emulator.models import generation_of
from proxy.emulator.replies import whole
from tests.proxy.emulator.wire import (
    GENERATIONS,
    SIGNED,
    UNSIGNED,
    V2_0,
    V2_5,
    V3,
    V3_6,
    body,
    fc,
    fr,
    function,
    image,
    model,
    schema,
    text,
    tools,
    user,
)

WEATHER = function("get_weather", schema(city={"type": "string"}) | {"required": ["city"]})
TIME = function("get_time")
TOOLS = tools(WEATHER, TIME)


def answer(name: str, given: dict[str, Any], script: Script | None = None, seed: int = 0) -> Answer:
    """Return the answer of the model *name* to *given*, after checking that the body is legal."""
    assert judge(name, given) is None
    request, _ = read_request(given)
    generation = generation_of(name)
    assert generation is not None
    return compose(name, request, generation, seed=seed, script=script)


def called(given: Answer) -> list[str]:
    """Return the names of the calls."""
    return [part["functionCall"]["name"] for part in given.parts if "functionCall" in part]


def prompt(words: str, **rest: Any) -> dict[str, Any]:
    """Return a body with the prompt *words* and two tools."""
    return body(user(text(words)), tools=TOOLS, **rest)


def choice(mode: str, *names: str) -> dict[str, Any]:
    """Return a ``toolConfig`` with *mode* and the allowed tools *names*."""
    return {"functionCallingConfig": {"mode": mode, "allowedFunctionNames": list(names)}}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("Call get_weather.", ["get_weather"]),
        ("get_time and get_weather", ["get_time", "get_weather"]),
        ("get_time, get_time", ["get_time", "get_time"]),
        ("use get_weather twice, get_time once", ["get_weather", "get_weather", "get_time"]),
        ("forget_time get_timeout", []),
        ("hello", []),
    ],
)
@pytest.mark.parametrize("name", GENERATIONS)
def test_mentioned_tools_are_called(name: str, words: str, expected: list[str]) -> None:
    """Each mention of a tool in the prompt is one call, in the order of the prompt. The word "twice" repeats a call."""
    assert called(answer(name, prompt(words))) == expected


def test_tool_choice_forces_or_forbids_calls() -> None:
    """ANY forces a call of an allowed tool, and NONE forbids calls. With AUTO the prompt decides."""
    assert called(answer(V2_5, prompt("hello", toolConfig=choice("ANY")))) == ["get_weather"]
    assert called(answer(V2_5, prompt("get_weather", toolConfig=choice("ANY", "get_time")))) == ["get_time"]
    assert called(answer(V2_5, prompt("get_weather", toolConfig=choice("NONE")))) == []
    assert called(answer(V2_5, prompt("hello", toolConfig=choice("AUTO")))) == []


@pytest.mark.parametrize("name", SIGNED)
def test_calls_have_ids_and_one_signature(name: str) -> None:
    """From generation 3 on, each call has an id, and the first call has a signature."""
    parts = whole(answer(name, prompt("get_weather get_time")))["candidates"][0]["content"]["parts"]

    assert ["thoughtSignature" in part for part in parts] == [True, False]
    assert len({part["functionCall"]["id"] for part in parts}) == 2


@pytest.mark.parametrize("name", UNSIGNED)
def test_calls_up_to_2_5_have_no_id_and_no_signature(name: str) -> None:
    """Up to Gemini 2.5, a call has only its name and its arguments."""
    parts = whole(answer(name, prompt("get_weather")))["candidates"][0]["content"]["parts"]

    assert parts == [{"functionCall": {"name": "get_weather", "args": {"city": "Paris"}}}]


@pytest.mark.parametrize("name", SIGNED)
def test_answers_are_legal_history(name: str) -> None:
    """The emulator accepts its own answers as history, over several rounds."""
    contents = [user(text("get_weather get_time"))]
    for _ in range(3):
        said = whole(answer(name, body(*contents, tools=TOOLS)))["candidates"][0]["content"]
        calls = [part["functionCall"] for part in said["parts"] if "functionCall" in part]
        results = [fr(call["name"], call_id=call["id"]) for call in calls]
        contents += [said, user(*(results or [text("get_time")]))]

    assert judge(name, body(*contents, tools=TOOLS)) is None


def test_results_are_quoted() -> None:
    """An answer after tool results quotes them and gives their number."""
    given = body(
        user(), model(fc("f"), fc("g", sign=False)), user(fr("f", {"result": "sunny"}), fr("g", {"a": [1]}))
    )

    assert answer(V3_6, given).parts == ({"text": 'I read 2 tool results: "sunny" from f, "[1]" from g.'},)


@pytest.mark.parametrize(
    ("contents", "said"),
    [
        ([user(text("a" * 200))], f'I read your message: "{80 * "a"}"'),
        ([user(text("continue"), text("hello?"))], 'I read your message: "continue hello?"'),
        ([user(text("go on")), model(text("partial"))], 'I go on after my own words: "partial"'),
        ([user(image())], "I read 1 part and no text."),
    ],
    ids=["a long text is cut", "parts are words of their own", "the model spoke last", "no text"],
)
def test_newest_words_are_quoted(contents: list[Any], said: str) -> None:
    """An answer without tools quotes the newest words of the history."""
    assert answer(V2_5, body(*contents)).parts == ({"text": said},)


def test_text_beside_a_response_gets_an_empty_candidate() -> None:
    """From generation 3 on, text beside a tool response gets an empty candidate. Older models answer."""
    given = body(user(), model(fc()), user(fr(), text("go on")))

    candidate = whole(answer(V3, given))["candidates"][0]
    assert candidate == {"content": {"role": "model"}, "finishReason": "STOP", "index": 0}
    assert answer(V2_5, given).parts


def test_output_limit_and_stop_sequences_cut_the_answer() -> None:
    """An answer is cut at the output limit with MAX_TOKENS, and at a stop sequence with STOP."""
    cut = answer(V2_5, body(user(text("some words")), generationConfig={"maxOutputTokens": 2}))
    stopped = answer(V2_5, body(user(text("one two")), generationConfig={"stopSequences": [" two"]}))
    no_call = answer(V2_5, prompt("get_weather", generationConfig={"max_output_tokens": 1}))

    assert (cut.parts, cut.finish_reason) == (({"text": "I read y"},), "MAX_TOKENS")
    assert (stopped.parts, stopped.finish_reason) == (({"text": 'I read your message: "one'},), "STOP")
    assert (no_call.parts, no_call.finish_reason) == ((), "MAX_TOKENS")


def test_total_usage_is_the_sum_of_its_parts() -> None:
    """The total usage is the sum of prompt, answer and thoughts. Only thinking models count thoughts."""
    for name in (V2_5, V3):
        usage = answer(name, prompt("hello")).usage
        parts = usage["promptTokenCount"] + usage["candidatesTokenCount"] + usage["thoughtsTokenCount"]
        assert usage["totalTokenCount"] == parts
    assert "thoughtsTokenCount" not in answer(V2_0, prompt("hello")).usage


def test_settings_ask_for_candidates_json_and_thoughts() -> None:
    """Settings give several candidates, JSON that fits a schema, and thoughts."""
    two = whole(answer(V2_5, body(user(), generationConfig={"candidateCount": 2})))
    json_config = {"responseMimeType": "application/json", "responseSchema": schema(n={"type": "INTEGER"})}
    json_config["responseSchema"] |= {"required": ["n"]}  # type: ignore[operator]  # a dict of mixed values
    said = answer(V3, body(user(), generationConfig=json_config))
    thinking = answer(V3, body(user(), generationConfig={"thinkingConfig": {"includeThoughts": True}}))

    assert [candidate["index"] for candidate in two["candidates"]] == [0, 1]
    assert said.parts == ({"text": '{"n": 1}'},)
    assert thinking.parts[0]["thought"] is True


def test_seed_varies_ids_only() -> None:
    """Another seed changes the ids of an answer only."""
    first, again, other = (answer(V3, prompt("get_time"), seed=seed) for seed in (0, 0, 1))

    assert first == again
    assert first.response_id != other.response_id
    assert called(first) == called(other)


def test_scripted_parts_are_completed() -> None:
    """From generation 3 on, a scripted call without an id or a signature gets both."""
    script = Script(({"functionCall": {"name": "x", "args": {}}},), "STOP")

    part = dict(answer(V3, body(user()), script).parts[0])
    assert part["functionCall"]["id"]
    assert judge(V3, body(user(), model(part), user(fr("x", call_id=part["functionCall"]["id"])))) is None
    assert answer(V2_5, body(user()), script).parts == script.parts
