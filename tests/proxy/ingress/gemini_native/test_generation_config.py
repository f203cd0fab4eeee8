"""Tests of reading ``generationConfig`` as chat parameters."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.errors import InvalidRequest
from proxy.ingress.gemini_native.generation_config import read_settings
from proxy.ingress.openai_chat.parameters import check_parameter
from sanitizers import Unrepairable
from sanitizers.native.gemini.spellings import snake_name

CONFIG = "generationConfig"


@pytest.mark.parametrize(
    ("setting", "value", "parameters"),
    [
        ("temperature", 0, {"temperature": 0}),
        ("temperature", "0.5", {"temperature": 0.5}),
        ("topP", 0.95, {"top_p": 0.95}),
        ("topK", 64, {"top_k": 64}),
        ("topK", 64.0, {"top_k": 64}),
        ("topK", 0, {}),
        ("maxOutputTokens", "9", {"max_tokens": 9}),
        ("seed", -1, {"seed": -1}),
        ("seed", 0, {"seed": 0}),
        ("presencePenalty", 0.1, {"presence_penalty": 0.1}),
        ("frequencyPenalty", 0.1, {"frequency_penalty": 0.1}),
        ("candidateCount", 3, {"n": 3}),
        ("candidateCount", 1, {}),
        ("candidateCount", 0, {}),
        ("stopSequences", ["a", "b"], {"stop": ["a", "b"]}),
        ("stopSequences", "a", {"stop": ["a"]}),
        ("stopSequences", [], {}),
        ("responseLogprobs", True, {"logprobs": True}),
        ("responseLogprobs", False, {}),
        ("logprobs", 3, {}),
        ("responseMimeType", "application/json", {"response_format": {"type": "json_object"}}),
        ("thinkingConfig", {"thinkingBudget": 0}, {"reasoning_effort": "none"}),
        ("responseModalities", ["TEXT"], {}),
        ("responseModalities", "text", {}),
        ("temperature", None, {}),
    ],
)
def test_setting_becomes_a_chat_parameter(setting: str, value: Any, parameters: dict[str, Any]) -> None:
    """Both spellings are read alike, nothing is left out, and each parameter has the type of a chat's."""
    for name in (setting, snake_name(setting)):
        settings = read_settings({name: value})

        assert (settings.parameters, settings.changes, settings.needs) == (parameters, (), ())
        for parameter, one in settings.parameters.items():
            check_parameter(parameter, one)


def test_alternatives_count_beside_log_probabilities_alone() -> None:
    """In either order."""
    for config in (
        {"logprobs": 2, "responseLogprobs": True},
        {"responseLogprobs": True, "logprobs": 2},
    ):
        assert read_settings(config).parameters == {"logprobs": True, "top_logprobs": 2}


@pytest.mark.parametrize(
    ("config", "param"),
    [
        ({"temperature": "x"}, "temperature"),
        ({"top_p": True}, "topP"),
        ({"topK": 1.5}, "topK"),
        ({"topK": -1}, "topK"),
        ({"max_output_tokens": 0}, "maxOutputTokens"),
        ({"candidateCount": 9}, "candidateCount"),
        ({"seed": "x"}, "seed"),
        ({"stopSequences": [1]}, "stopSequences[0]"),
        ({"stopSequences": ["x"] * 1_025}, "stopSequences"),
        ({"responseLogprobs": 1}, "responseLogprobs"),
        ({"logprobs": -1}, "logprobs"),
        ({"responseModalities": ["TEXT", "SMELL"]}, "responseModalities[1]"),
        ({"responseModalities": ["TEXT"] * 17}, "responseModalities"),
        ({"responseMimeType": 1}, "responseMimeType"),
        ({"responseSchema": 1}, "responseSchema"),
        ({"thinkingConfig": 1}, "thinkingConfig"),
    ],
)
def test_value_of_the_wrong_type_is_refused_with_its_path(config: dict[str, Any], param: str) -> None:
    """The path has the names in camel case, whatever the client's spelling is."""
    with pytest.raises(InvalidRequest) as caught:
        read_settings(config)
    assert caught.value.param == f"{CONFIG}.{param}"


def test_setting_in_both_spellings_is_refused() -> None:
    """Gemini refuses it too, and other parsers take either."""
    with pytest.raises(Unrepairable, match=r"'generationConfig\.topK' is given twice"):
        read_settings({"topK": 1, "top_k": 2})


@pytest.mark.parametrize("word", ["IMAGE", "audio", "VIDEO", 2])
def test_media_in_the_answer_is_a_need(word: Any) -> None:
    """Only Gemini returns it, so that other models refuse."""
    [need] = read_settings({"responseModalities": ["TEXT", word]}).needs

    assert need.param == f"{CONFIG}.responseModalities"
    assert not need.can_be_left_out


@pytest.mark.parametrize(
    ("config", "detail"),
    [
        ({"speech_config": {}}, f"{CONFIG}.speechConfig"),
        ({"mediaResolution": "LOW"}, f"{CONFIG}.mediaResolution"),
        ({"a client's word": 1, "another": 2}, CONFIG),
    ],
)
def test_setting_without_a_place_in_a_chat_is_reported(config: dict[str, Any], detail: str) -> None:
    """An unknown setting is not named, since its name is the client's word."""
    [change] = read_settings(config).changes

    assert (change.kind, change.reason, change.detail) == ("dropped", "gemini_field", detail)


def test_settings_of_gemini_cli_are_all_read() -> None:
    """These are the settings of its chats (gemini-cli 0.52)."""
    config = {
        "temperature": 1,
        "topP": 0.95,
        "topK": 64,
        "thinkingConfig": {"includeThoughts": True, "thinkingLevel": "HIGH"},
    }
    settings = read_settings(config)

    assert settings.parameters == {"temperature": 1, "top_p": 0.95, "top_k": 64, "reasoning_effort": "high"}
    assert settings.include_thoughts
    assert (settings.changes, settings.needs) == ((), ())
