"""What the emulated model says: calls for the tools that a prompt names, reports on results, echoes."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.emulator import judge
from proxy.emulator.answers import Answer, Script, compose
from proxy.emulator.arguments import value_for
from proxy.emulator.judge import read_request
from proxy.emulator.models import generation_of
from proxy.emulator.replies import chunks, whole
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
    """Return the answer of the model *name*, which must take the body."""
    assert judge(name, given) is None
    request, _ = read_request(given)
    generation = generation_of(name)
    assert generation is not None
    return compose(name, request, generation, seed=seed, script=script)


def called(given: Answer) -> list[str]:
    """Return the names of the calls."""
    return [part["functionCall"]["name"] for part in given.parts if "functionCall" in part]


def prompt(words: str, **rest: Any) -> dict[str, Any]:
    """Return a body with one prompt and the tools."""
    return body(user(text(words)), tools=TOOLS, **rest)


def choice(mode: str, *names: str) -> dict[str, Any]:
    """Return a tool choice."""
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
    """Each mention of a declared tool is a call, in order."""
    assert called(answer(name, prompt(words))) == expected


def test_tool_choice_is_kept() -> None:
    """ANY forces a call among the allowed ones, NONE forbids, AUTO leaves it to the prompt."""
    assert called(answer(V2_5, prompt("hello", toolConfig=choice("ANY")))) == ["get_weather"]
    assert called(answer(V2_5, prompt("get_weather", toolConfig=choice("ANY", "get_time")))) == ["get_time"]
    assert called(answer(V2_5, prompt("get_weather", toolConfig=choice("NONE")))) == []
    assert called(answer(V2_5, prompt("hello", toolConfig=choice("AUTO")))) == []


@pytest.mark.parametrize("name", SIGNED)
def test_calls_have_ids_and_one_signature(name: str) -> None:
    """From generation 3 on, every call has its own id, and the first one a signature."""
    parts = whole(answer(name, prompt("get_weather get_time")))["candidates"][0]["content"]["parts"]

    assert ["thoughtSignature" in part for part in parts] == [True, False]
    assert len({part["functionCall"]["id"] for part in parts}) == 2


@pytest.mark.parametrize("name", UNSIGNED)
def test_old_calls_have_neither(name: str) -> None:
    """Up to 2.5 a call has no id and no signature."""
    parts = whole(answer(name, prompt("get_weather")))["candidates"][0]["content"]["parts"]

    assert parts == [{"functionCall": {"name": "get_weather", "args": {"city": "Paris"}}}]


@pytest.mark.parametrize("name", SIGNED)
def test_answer_can_be_sent_back(name: str) -> None:
    """What the model says is legal history, over several rounds."""
    contents = [user(text("get_weather get_time"))]
    for _ in range(3):
        said = whole(answer(name, body(*contents, tools=TOOLS)))["candidates"][0]["content"]
        calls = [part["functionCall"] for part in said["parts"] if "functionCall" in part]
        results = [fr(call["name"], call_id=call["id"]) for call in calls]
        contents += [said, user(*(results or [text("get_time")]))]

    assert judge(name, body(*contents, tools=TOOLS)) is None


def test_results_are_read() -> None:
    """After responses the model says how many it read and quotes them."""
    given = body(
        user(), model(fc("f"), fc("g", sign=False)), user(fr("f", {"result": "sunny"}), fr("g", {"a": [1]}))
    )

    assert answer(V3_6, given).parts == ({"text": "I read 2 tool results: f: sunny; g: [1]"},)


def test_prompt_is_echoed() -> None:
    """Without tools the model repeats the start of the prompt."""
    assert answer(V2_5, body(user(text("a" * 200)))).parts == ({"text": f"You said: {'a' * 80}"},)
    assert answer(V2_5, body(user(image()))).parts == ({"text": "I got 1 part(s) and no text."},)


def test_text_beside_a_response_gets_an_empty_candidate() -> None:
    """On generation 3 a prompt merged into a response is answered with no parts."""
    given = body(user(), model(fc()), user(fr(), text("go on")))

    candidate = whole(answer(V3, given))["candidates"][0]
    assert candidate == {"content": {"role": "model"}, "finishReason": "STOP", "index": 0}
    assert answer(V2_5, given).parts


def test_output_limit_and_stop_sequences_are_kept() -> None:
    """A text is cut at the token limit with MAX_TOKENS, and at a stop sequence with STOP."""
    cut = answer(V2_5, body(user(text("some words")), generationConfig={"maxOutputTokens": 2}))
    stopped = answer(V2_5, body(user(text("one two")), generationConfig={"stopSequences": [" two"]}))
    no_call = answer(V2_5, prompt("get_weather", generationConfig={"max_output_tokens": 1}))

    assert (cut.parts, cut.finish_reason) == (({"text": "You said"},), "MAX_TOKENS")
    assert (stopped.parts, stopped.finish_reason) == (({"text": "You said: one"},), "STOP")
    assert (no_call.parts, no_call.finish_reason) == ((), "MAX_TOKENS")


def test_usage_adds_up() -> None:
    """The total is prompt, answer and thoughts, which only thinking models have."""
    for name in (V2_5, V3):
        usage = answer(name, prompt("hello")).usage
        parts = usage["promptTokenCount"] + usage["candidatesTokenCount"] + usage["thoughtsTokenCount"]
        assert usage["totalTokenCount"] == parts
    assert "thoughtsTokenCount" not in answer(V2_0, prompt("hello")).usage


def test_candidates_json_and_thoughts() -> None:
    """Several candidates, JSON output by schema and thoughts are given when asked for."""
    two = whole(answer(V2_5, body(user(), generationConfig={"candidateCount": 2})))
    json_config = {"responseMimeType": "application/json", "responseSchema": schema(n={"type": "INTEGER"})}
    json_config["responseSchema"] |= {"required": ["n"]}  # type: ignore[operator]  # a dict of mixed values
    said = answer(V3, body(user(), generationConfig=json_config))
    thinking = answer(V3, body(user(), generationConfig={"thinkingConfig": {"includeThoughts": True}}))

    assert [candidate["index"] for candidate in two["candidates"]] == [0, 1]
    assert said.parts == ({"text": '{"n": 1}'},)
    assert thinking.parts[0]["thought"] is True


def test_seed_varies_ids_only() -> None:
    """Another seed gives other ids; the same request and seed give the same answer."""
    first, again, other = (answer(V3, prompt("get_time"), seed=seed) for seed in (0, 0, 1))

    assert first == again
    assert first.response_id != other.response_id
    assert called(first) == called(other)


def test_scripted_parts_are_completed() -> None:
    """A scripted call gets the id and the signature that it lacks, from generation 3 on."""
    script = Script(({"functionCall": {"name": "x", "args": {}}},), "STOP")

    part = dict(answer(V3, body(user()), script).parts[0])
    assert part["functionCall"]["id"]
    assert judge(V3, body(user(), model(part), user(fr("x", call_id=part["functionCall"]["id"])))) is None
    assert answer(V2_5, body(user()), script).parts == script.parts


def test_stream_of_a_text() -> None:
    """A text comes in several chunks that join to the whole, and its signature on an empty part at the end."""
    given = answer(V3, body(user(text("one two three four"))))

    parts = [chunk["candidates"][0]["content"]["parts"][0] for chunk in chunks(given)]
    assert "".join(part["text"] for part in parts) == given.parts[0]["text"]
    assert len(parts) > 3
    assert parts[-1] == {"text": "", "thoughtSignature": given.text_signature}
    assert [chunk["candidates"][0].get("finishReason") for chunk in chunks(given)][-2:] == [None, "STOP"]


def test_each_streamed_call_is_whole_in_its_chunk() -> None:
    """Each call is whole in its chunk; from generation 3 on an empty text follows with STOP."""
    old, new = (
        [chunk["candidates"][0] for chunk in chunks(answer(name, prompt("get_weather get_time")))]
        for name in (V2_5, V3)
    )

    assert [list(candidate["content"]["parts"][0]) for candidate in old] == [["functionCall"]] * 2
    assert [candidate.get("finishReason") for candidate in old] == [None, "STOP"]
    assert [candidate.get("finishReason") for candidate in new] == [None, None, "STOP"]
    assert new[-1]["content"]["parts"] == [{"text": ""}]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"type": "STRING", "enum": ["x", "y"]}, "x"),
        ({"type": ["null", "integer"]}, 1),
        ({"type": "INTEGER", "minimum": 5}, 5),
        ({"type": "NUMBER", "maximum": 0.5}, 0.5),
        ({"type": "BOOLEAN"}, True),
        ({"type": "array", "items": {"type": "integer"}, "minItems": "2"}, [1, 1]),
        ({"anyOf": [{"type": "null"}, {"type": "boolean"}]}, True),
        ({"const": 7}, 7),
        ({"type": "STRING", "format": "date-time"}, "2026-01-01T00:00:00Z"),
        ({"type": "string", "maxLength": 3}, "exa"),
        ({"$ref": "#/$defs/A", "$defs": {"A": {"type": "integer"}}}, 1),
        ({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}}, "example value"),
        ({"type": "object", "properties": {"a": {"type": "null"}}, "required": ["a", "b"]}, {"a": None}),
        (True, "example value"),
    ],
)
def test_value_for_a_schema(given: Any, expected: Any) -> None:
    """A value fits its schema, in both dialects."""
    assert value_for(given) == expected
