"""Tests of repairs of contents by Google's words."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from proxy.planning.plan import Plan
from proxy.planning.repairs.refused_contents import without_refused_contents
from proxy.resilience.read_error import NO_ERROR_FACTS, ProviderError
from sanitizers.stand_ins import STAND_IN
from tests.proxy.planning.test_native_contents import BODY, CALLED, CLAUDE, planned, sent
from tests.sanitizers.native.gemini.building import answered, called, model, said, user

SIGNED_TEXT = {**said("so"), "thought_signature": "c2ln"}


def refusal(words: str) -> ProviderError:
    """Return a provider's error with *words*."""
    return replace(NO_ERROR_FACTS, words=words.lower())


def repaired(words: str, **fields: Any) -> tuple[Plan, dict[str, Any]]:
    """Return the plan of a request with *fields* after the refusal, and the body that goes out then."""
    done = without_refused_contents(planned(**fields), refusal(words))
    assert done is not None
    return done, json.loads(sent(done))


def unknown(name: str, place: str) -> str:
    """Return Google's words for a field that it does not know."""
    at = f" at '{place}'" if place else ""
    return f'Invalid JSON payload received. Unknown name "{name}"{at}: Cannot find field.'


@pytest.mark.parametrize(
    ("words", "name", "after"),
    [
        (unknown("unheardOf", ""), "unheardOf", None),
        (unknown("thinkingConfig", "generation_config"), "generationConfig", {"topK": 64}),
        (unknown("google_search", "tools[1]"), "tools", [BODY["tools"][0], {}]),
        (
            unknown("$schema", "tools[0].function_declarations[0].parameters_json_schema"),
            "tools",
            [
                {"functionDeclarations": [{"name": "f", "parametersJsonSchema": {"type": "object"}}]},
                BODY["tools"][1],
            ],
        ),
        ("Thinking level is not supported for this model.", "generationConfig", {"topK": 64}),
    ],
)
def test_field_that_is_refused_by_name_is_changed(words: str, name: str, after: Any) -> None:
    """Only the named field changes, and the change list names it."""
    done, body = repaired(words)

    assert body.get(name) == after
    assert {one: body[one] for one in BODY if one != name} == {one: BODY[one] for one in BODY if one != name}
    assert [(change.step, change.index) for change in done.changes] == [("repair", 0)]
    assert without_refused_contents(done, refusal(words)) is None


def test_penalties_go_where_the_model_has_none() -> None:
    """Both spellings are known."""
    config = {"presence_penalty": 1, "frequencyPenalty": 1, "topK": 3}
    _, body = repaired("Penalty is not enabled for this model", generationConfig=config)

    assert body["generationConfig"] == {"topK": 3}


def test_later_repair_keeps_the_earlier_ones() -> None:
    """Each is made in the request that was refused last."""
    config = {"presencePenalty": 1, "thinkingConfig": {"thinkingLevel": "HIGH"}, "topK": 3}
    first, _ = repaired("Penalty is not enabled for this model", generationConfig=config)
    first = without_refused_contents(first, refusal(unknown("unheardOf", ""))) or first
    done = without_refused_contents(first, refusal("Thinking level is not supported for this model."))

    assert done is not None
    body = json.loads(sent(done))
    assert body["generationConfig"] == {"topK": 3}
    assert "unheardOf" not in body


def test_choice_goes_where_no_function_is_declared() -> None:
    """The other settings of the field stay."""
    given = {"functionCallingConfig": {"mode": "AUTO"}, "retrievalConfig": {"languageCode": "en"}}
    words = "Function calling config is set without function_declarations."
    _, body = repaired(words, toolConfig=given)

    assert body["toolConfig"] == {"retrievalConfig": {"languageCode": "en"}}


def test_unknown_fields_of_contents_go_where_they_are_named() -> None:
    """All of them are listed in one refusal."""
    words = "\n".join(
        unknown("id", f"contents[{at}].parts[{part}].{kind}")
        for at, part, kind in ((1, 2, "function_call"), (2, 0, "function_response"))
    )
    done, body = repaired(words)

    assert "id" not in body["contents"][1]["parts"][2]["functionCall"]
    assert body["contents"][1]["parts"][:2] == CALLED["parts"][:2]
    assert "id" not in body["contents"][2]["parts"][0]["functionResponse"]
    assert [(change.reason, change.index) for change in done.changes] == [
        ("refused_field", 2),
        ("refused_field", 3),
    ]


@pytest.mark.parametrize(
    "words",
    [
        unknown("contents", ""),
        unknown("system_instruction", ""),
        unknown("tools", ""),
        unknown("text", "contents[0].parts[0]"),
        unknown("id", "contents[9].parts[0].function_call"),
        unknown("unheard", ""),
        "Request contains an invalid argument.",
    ],
)
def test_words_that_name_nothing_to_spare_change_nothing(words: str) -> None:
    """Without such a field, the request would mean something else."""
    assert without_refused_contents(planned(), refusal(words)) is None


@pytest.mark.parametrize("words", ["Thought signature is not valid.", "Invalid signature in contents"])
def test_refused_signatures_go_from_texts_and_calls(words: str) -> None:
    """A call of Gemini 3 gets a stand-in, and a text needs none."""
    contents = [user(said("go")), model(SIGNED_TEXT), *BODY["contents"], model(SIGNED_TEXT, said("b"))]
    done, body = repaired(words, contents=[*contents, user(said("and?"))])

    assert 'c2ln"' not in json.dumps(body["contents"])
    assert body["contents"][1] == model(said("so"))
    assert body["contents"][3]["parts"] == [
        *CALLED["parts"][:2],
        {**CALLED["parts"][2], "thoughtSignature": STAND_IN},
    ]
    assert body["contents"][5] == model(said("so"), said("b"))
    assert without_refused_contents(done, refusal(words)) is None
    assert {change.reason for change in done.changes} == {"signature"}


def test_signatures_of_calls_alone_are_left_to_the_repair_of_chats() -> None:
    """The chat message shows them."""
    assert without_refused_contents(planned(), refusal("Thought signature is not valid.")) is None


def test_chat_is_left_to_the_repair_of_chats() -> None:
    """Claude was asked by a chat."""
    contents = [user(said("go")), model(called("f", "a")), user(answered("f", "a"))]
    plan = planned(CLAUDE, contents=contents, tools=BODY["tools"][:1])

    assert without_refused_contents(plan, refusal(unknown("unheardOf", ""))) is None
