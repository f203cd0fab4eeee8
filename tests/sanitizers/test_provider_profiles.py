"""Tests of the other providers' profiles, each compared with OpenAI's rules."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sanitizers import Profile, find_violations, sanitize
from sanitizers.gemini_profiles import GEMMA
from sanitizers.profiles import OPENAI
from sanitizers.provider_profiles import PROVIDER_PROFILES
from tests.support.builders import (
    assistant,
    call,
    developer,
    image,
    legacy_call,
    legacy_result,
    system,
    text,
    tool,
    user,
)

History = list[dict[str, Any]]

ROWS = {profile.name: profile for profile in PROVIDER_PROFILES}
ID, OTHER_ID = "abcdefgh1", "abcdefgh2"  # legal everywhere
GO, ANSWER = user("go"), assistant("b", reasoning_content="hm")
CUSTOM = {"id": ID, "type": "custom", "custom": {"name": "f", "input": "x"}}
PARSED = call(ID)
PARSED["function"]["parsed_arguments"] = None
SPOKEN = {"reasoning_content": "hm"}


def asks(*calls: dict[str, Any], content: Any = None) -> dict[str, Any]:
    """Return an assistant message with *calls*, by default one call of `f`."""
    return assistant(content, calls=calls or [call(ID)])


EXAMPLES: dict[str, tuple[str, History]] = {
    "model first": ("first_turn_not_user", [ANSWER, GO]),
    "model last": ("trailing_model_turn", [GO, assistant("b")]),
    "model last, with prefix": ("trailing_model_turn", [GO, assistant("b", prefix=True)]),
    "model last, with a space": ("trailing_space", [GO, assistant("b ")]),
    "model runs": ("same_role_neighbours", [GO, ANSWER, ANSWER, GO]),
    "user runs": ("same_role_neighbours", [GO, GO]),
    "user after result": ("user_after_result", [GO, asks(), tool(ID), GO]),
    "text beside calls": ("text_beside_calls", [GO, asks(content="b"), tool(ID)]),
    "calls at once": (
        "parallel_calls",
        [GO, asks(call(ID), call(OTHER_ID, "g")), tool(ID), tool(OTHER_ID)],
    ),
    "no reasoning": ("reasoning_missing", [GO, asks(), tool(ID)]),
    "empty reasoning": ("reasoning_missing", [GO, {**asks(), "reasoning_content": ""}, tool(ID)]),
    "answer without reasoning": ("reasoning_missing", [GO, assistant("b"), GO]),
    "system": ("system_unsupported", [system(), GO]),
    "two systems": ("many_systems", [system(), system(), GO]),
    "late system": ("system_after_start", [GO, system(), GO]),
    "system alone": ("no_turn", [system()]),
    "developer": ("developer_role", [developer(), GO]),
    "empty text": ("empty_text", [GO, user("")]),
    "blank text": ("blank_text", [GO, user(" ")]),
    "empty result": ("blank_result", [GO, asks(), tool(ID, "")]),
    "results in any order": (
        "result_order",
        [GO, asks(call(ID), call(OTHER_ID, "g")), tool(OTHER_ID), tool(ID)],
    ),
    "arguments are no object": ("arguments_not_an_object", [GO, asks(call(ID, arguments="[1]")), tool(ID)]),
    "legacy forms": ("legacy_function", [GO, legacy_call(), legacy_result()]),
    "custom call": ("custom_call", [GO, asks(CUSTOM), tool(ID)]),
    "id of other signs": ("call_id_illegal", [GO, asks(call("f.g:0")), tool("f.g:0")]),
    "id of another length": ("call_id_illegal", [GO, asks(call("toolu_01")), tool("toolu_01")]),
    "id used again": ("call_id_repeated", [GO, asks(), tool(ID), ANSWER, GO, asks(), tool(ID)]),
    "empty name": ("result_name_empty", [GO, asks(), tool(ID, name="")]),
    "index on a call": ("unknown_field", [GO, asks(call(ID, index=0)), tool(ID)]),
    "field of a function": ("unknown_field", [GO, asks(PARSED), tool(ID)]),
    "name of a user": ("unknown_field", [user("a", name="bob")]),
    "name of a user alone": ("refused_field", [user("a", name="bob")]),
    "name of the model": ("refused_field", [GO, assistant("b", name="bo"), GO]),
    "name of a tool": ("refused_field", [GO, asks(), tool(ID, name="f")]),
    "name of a function": ("refused_field", [GO, legacy_call(), legacy_result()]),
    "field of its own": ("unknown_field", [user("a", x_own=1)]),
}
"""Histories that OpenAI accepts, by name, each with the rule that it breaks at other providers."""

_PLAIN = {"developer", "legacy forms", "custom call"}
_ANTHROPIC = _PLAIN | {
    *("model first", "late system", "system alone", "empty text", "blank text"),
    *("arguments are no object", "id of other signs", "id used again"),
}
_BEDROCK_CLAUDE = _ANTHROPIC | {"model runs", "user runs", "empty result"}
_CLOSED = {"model last", "model last, with prefix"}
_TEMPLATE = _PLAIN | {
    *("model first", "model runs", "user runs", "user after result", "results in any order"),
    *("two systems", "late system", "system alone", "empty text", "arguments are no object"),
}
_CALL_FIELDS = {"index on a call", "field of a function"}
_LISTED = _CALL_FIELDS | {"name of a user", "field of its own"}
_ROLE_NAMES = {"name of the model", "name of a tool"}
_ALL_NAMES = _ROLE_NAMES | {"name of a user alone"}
_NINE = {"id of other signs", "id of another length", "id used again"}

_DATABRICKS = _CALL_FIELDS | _ROLE_NAMES | {"empty text", "two systems"}
_UNTHOUGHT = {"answer without reasoning", "no reasoning"}

REFUSED = {
    "anthropic": _ANTHROPIC | {"model last, with a space"},
    "anthropic-strict": _ANTHROPIC | _CLOSED,
    "bedrock-claude": _BEDROCK_CLAUDE | {"model last, with a space"},
    "bedrock-claude-strict": _BEDROCK_CLAUDE | _CLOSED,
    "bedrock": _BEDROCK_CLAUDE | _CLOSED | {"user after result", "text beside calls"},
    "mistral": _PLAIN
    | _NINE
    | {
        *("model first", "model last", "model runs", "user after result", "late system", "system alone"),
        *("empty text", "blank text", "empty result", "arguments are no object", "empty name"),
    }
    | _LISTED,
    "deepseek": _PLAIN,
    "deepseek-thinking": _PLAIN | _UNTHOUGHT,
    "deepseek-reasoner": _PLAIN | _UNTHOUGHT | {"model runs", "user runs", "model last"},
    "cohere": _PLAIN | {"empty text", "blank text", "arguments are no object"} | _LISTED,
    "databricks": _DATABRICKS | {"calls at once"},
    "databricks-claude": _DATABRICKS,
    "fireworks": _CALL_FIELDS,
    "groq": _CALL_FIELDS | _ALL_NAMES,
    "kimi": {"empty reasoning", "no reasoning"},
    "minimax": {"late system", "two systems"},
    "perplexity": {
        *("late system", "model first", "model runs", "system alone", "user runs"),
        *_CLOSED,
        *_CALL_FIELDS,
        *_ALL_NAMES,
    },
    "xai": {"empty result", "empty text"} | _ROLE_NAMES,
    "chat-template": _TEMPLATE,
    "chat-template-mistral": _TEMPLATE | _NINE | _CLOSED | _LISTED | {"empty name"},
    "chat-template-gemma": _TEMPLATE - {"two systems"} | {"system"},  # one is too many
}
"""The names of the examples that each profile refuses. The profile accepts all other examples."""

_THOUGHTS = {"reasoning", "reasoning_content", "reasoning_details", "thinking_blocks"}
_TEMPLATE_FIELDS = {"cache_control", "reasoning_details", "thinking_blocks"}

REFUSED_FIELDS = {
    "anthropic": set(),
    "anthropic-strict": set(),
    "bedrock-claude": set(),
    "bedrock-claude-strict": set(),
    "bedrock": _THOUGHTS,
    "mistral": _THOUGHTS | {"audio", "cache_control", "images", "provider_specific_fields"},
    "deepseek": {"thinking_blocks"},
    "deepseek-thinking": {"thinking_blocks"},
    "deepseek-reasoner": {"thinking_blocks"},
    "cohere": {"cache_control"},
    "databricks": _THOUGHTS | {"annotations", "provider_specific_fields"},
    "databricks-claude": _THOUGHTS | {"annotations", "provider_specific_fields"},
    "fireworks": {"annotations", "cache_control", "provider_specific_fields", "thinking_blocks"},
    "groq": _THOUGHTS | {"annotations", "cache_control", "provider_specific_fields"},
    "kimi": set(),
    "minimax": set(),
    "perplexity": _THOUGHTS | {"annotations", "cache_control", "provider_specific_fields"},
    "xai": set(),
    "chat-template": _TEMPLATE_FIELDS,
    "chat-template-mistral": _TEMPLATE_FIELDS,
    "chat-template-gemma": _TEMPLATE_FIELDS,
}
"""The fields of an assistant message that each profile refuses. All profiles also refuse ``extra_content``."""

FIELDS = _THOUGHTS | {"annotations", "audio", "cache_control", "images", "provider_specific_fields"}

TAKE_IMAGES_IN_RESULTS = [name for name in ROWS if name.startswith(("anthropic", "bedrock"))]

rows = pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)


def rules(history: History, profile: Profile) -> set[str]:
    """Return the names of the rules that *history* breaks."""
    return {violation.rule for violation in find_violations(history, profile)}


def test_every_row_has_a_list_of_examples() -> None:
    """A new profile needs its lists in this file."""
    assert set(ROWS) == set(REFUSED) == set(REFUSED_FIELDS)
    assert len(ROWS) == len(PROVIDER_PROFILES)


def test_openai_takes_every_example() -> None:
    """Each example breaks only rules of other providers."""
    for name, (_, history) in EXAMPLES.items():
        assert rules(history, OPENAI) == set(), name


@rows
def test_row_refuses_exactly_the_examples_of_its_list(row: Profile) -> None:
    """Each refused example breaks the rule that it stands for."""
    assert REFUSED[row.name] == {
        name for name, (rule, history) in EXAMPLES.items() if rule in rules(history, row)
    }


@rows
def test_each_row_refuses_exactly_the_fields_of_its_list(row: Profile) -> None:
    """A field that is null does not count."""
    assert REFUSED_FIELDS[row.name] | {"extra_content"} == {
        name
        for name in {*FIELDS, "extra_content"}
        if "refused_field" in rules([GO, assistant("b", **{name: "x"})], row)
    }
    assert not any("refused_field" in rules([GO, {**assistant("b"), name: None}], row) for name in FIELDS)


@rows
def test_each_example_becomes_legal(row: Profile) -> None:
    """Accepted histories come back as the same object. An outline of the history hides no violation."""
    for name, (_, history) in EXAMPLES.items():
        done = sanitize(history, row)

        assert done.found == find_violations(history, row), name
        assert done.violations == (), name
        assert bool(done.found) == bool(done.changes) == (done.messages is not history), name


@rows
def test_refused_field_is_dropped_and_named(row: Profile) -> None:
    """A field that the profile accepts is sent."""
    for name in {*FIELDS, "extra_content"} - {"reasoning_content"}:
        done = sanitize([GO, assistant("b", **SPOKEN, **{name: "x"}), GO], row)

        assert done.violations == (), name
        refused = name == "extra_content" or name in REFUSED_FIELDS[row.name] or row.only_fields is not None
        assert refused != any(name in message for message in done.messages), name
        assert refused == (
            (1, "refused_field", name) in [(c.index, c.reason, c.detail) for c in done.changes]
        )


@pytest.mark.parametrize("name", TAKE_IMAGES_IN_RESULTS)
def test_claude_takes_what_openai_refuses(name: str) -> None:
    """Claude accepts ids of 64 characters and images in results. Thinking and cache marks are sent unchanged."""
    row = ROWS[name]
    long = "x" * 64
    history = [
        user([text("a", cache_control={"type": "ephemeral"})], cache_control={"type": "ephemeral"}),
        assistant(None, calls=[call(long)]),
        tool(long, [image()], cache_control={"type": "ephemeral"}),
    ]
    if name != "bedrock":
        history[1]["thinking_blocks"] = [{"type": "thinking", "thinking": "hm", "signature": "c2ln"}]

    assert {"call_id_too_long", "media_in_result"} == rules(history, OPENAI)
    assert sanitize(history, row).messages is history
    assert "call_id_too_long" in rules([GO, asks(call("x" * 65)), tool("x" * 65)], row)


@pytest.mark.parametrize("name", ["anthropic", "anthropic-strict", "bedrock-claude"])
def test_claude_s_own_api_alone_has_the_mark_of_a_failed_call(name: str) -> None:
    """The mark is lost on litellm's way without a word, so that the step must name it."""
    history = [GO, asks(), {**tool(ID, "no"), "is_error": True}]
    own = ROWS[name].over_messages(is_claude=True, takes_systems=True)

    assert rules(history, ROWS[name]) == {"refused_field"}
    assert rules(history, own) == set()


@pytest.mark.parametrize("name", TAKE_IMAGES_IN_RESULTS)
def test_claude_takes_images_in_no_other_role(name: str) -> None:
    """Images in messages of the assistant and of the system are dropped."""
    for history in ([GO, assistant([text("b"), image()]), GO], [system([text("s"), image()]), GO]):
        done = sanitize(history, ROWS[name])

        assert "refused_part" in rules(history, ROWS[name])
        assert done.violations == ()
        assert "image_url" not in json.dumps(done.messages)


@pytest.mark.parametrize("name", [name for name in ROWS if name not in TAKE_IMAGES_IN_RESULTS])
def test_others_take_images_where_openai_takes_them(name: str) -> None:
    """User messages may hold images, and results may not. DeepSeek accepts no images at all."""
    history = [GO, asks(), tool(ID, [text("r"), image()])]

    assert "media_in_result" in rules(history, ROWS[name])
    assert ("media_type" in rules([user([text("a"), image()])], ROWS[name])) is name.startswith("deepseek")
    assert sanitize(history, ROWS[name]).violations == ()


def test_mistral_takes_its_own_fields() -> None:
    """The fields of Mistral's API reference are sent."""
    history = [user("a"), assistant(None, calls=[call(ID)]), tool(ID, name="f"), assistant("b", prefix=True)]

    assert sanitize(history, ROWS["mistral"]).messages is history


@pytest.mark.parametrize("name", [name for name in ROWS if name.startswith("chat-template")])
def test_templates_take_an_empty_text_beside_calls(name: str) -> None:
    """Neither an empty text nor null beside calls is a fault. Without calls, an empty text is a fault."""
    row = ROWS[name]
    history = [GO, asks(content=""), tool(ID), ANSWER, GO]

    assert "empty_text" not in rules(history, row)
    assert sanitize(history, row).messages[1]["content"] == ""
    assert rules([GO, asks(), tool(ID)], row) == set()
    assert sanitize([GO, asks(content=[text("")]), tool(ID)], row).messages[1]["content"] == ""
    assert "empty_text" in rules([GO, assistant(""), GO], row)


def test_mistral_behind_a_template_goes_on_where_it_is_asked_to() -> None:
    """A trailing assistant message is legal for a request with ``continue_final_message``."""
    row = ROWS["chat-template-mistral"]

    assert rules([GO, assistant("b")], row) == {"trailing_model_turn"}
    assert rules([GO, assistant("b")], row.continuing()) == set()
    assert row.continuing() is row.continuing()
    assert ROWS["mistral"].continuing() is ROWS["mistral"]


def test_gemma_at_gemini_has_no_system() -> None:
    """System and developer instructions go to the beginning of the first user message."""
    done = sanitize([developer("d"), system("s"), user("a")], GEMMA)

    assert [user("d\n\ns\n\na")] == done.messages
    assert done.violations == ()
