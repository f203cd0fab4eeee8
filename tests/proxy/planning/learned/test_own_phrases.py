"""Tests of telling a provider's phrases from quotations of the request."""

from __future__ import annotations

import pytest

from proxy.planning.learned.own_phrases import own_phrases
from proxy.resilience.request_words import NO_WORDS, RequestWords
from tests.proxy.planning.repairs.asking import refusal
from tests.proxy.planning.repairs.cases import object_of, tools_of
from tests.support.builders import user

ENUM = "tools[0].function_declarations[0].parameters.properties[a].enum: only allowed for STRING type"


def found(fault: str, words: str, *texts: str, schema: object = None) -> list[str]:
    """Return the own phrases of an error, after a request with *texts* and with a tool."""
    tools = tools_of(object_of(a=schema or {"type": "string"}))
    return [*own_phrases(fault, refusal(words), RequestWords([user(text) for text in texts], tools))]


@pytest.mark.parametrize(
    ("texts", "own"),
    [
        ([], ["roles must alternate", "conversation roles must alternate user/assistant"]),
        (["The roles must alternate."], ["conversation roles must alternate user/assistant"]),
        (["Conversation roles must alternate user/assistant/..."], []),
        (["CONVERSATION ROLES", "must alternate user", "assistant"], []),
    ],
)
def test_long_phrase_of_the_request_is_a_quotation(texts: list[str], own: list[str]) -> None:
    """A phrase that contains a quoted phrase may still be the provider's own."""
    assert found("alternation", "Conversation roles must alternate user/assistant/...", *texts) == own


def test_phrase_that_changes_a_repair_always_counts() -> None:
    """Such a phrase makes the repair smaller."""
    words = "After the optional system message, conversation roles must alternate user/assistant/..."

    assert found("alternation", words, words) == ["optional system message"]


def test_code_is_the_providers_own() -> None:
    """Codes that may be quoted were left out of the error's codes already."""
    error = refusal("Bad.", code="invalid_function_parameters")

    assert own_phrases("schema", error, RequestWords("invalid_function_parameters")) == (
        "invalid_function_parameters",
    )


@pytest.mark.parametrize(
    ("words", "texts", "is_own"),
    [
        (ENUM, [], True),
        (ENUM, ["the number of rows"], True),
        (f"Bad tool: '{ENUM}'", [ENUM], False),
        ("In function_declarations[0]: the enum: red or blue is odd", ["the enum: red or blue"], False),
        (
            f"In function_declarations[0]: the enum: red or blue is odd. {ENUM}",
            ["the enum: red or blue"],
            True,
        ),
    ],
)
def test_short_phrase_is_told_by_the_words_after_it(words: str, texts: list[str], is_own: bool) -> None:
    """Most requests hold the letters of ``enum`` somewhere. A schema may also hold the path before it."""
    schema = {"enum": [1, 2]}

    assert ("enum:" in found("schema", words, *texts, schema=schema)) is is_own


@pytest.mark.parametrize(
    ("words", "texts", "is_own"),
    [
        ("Unknown name \"x\" at 'tools[0].function_declarations[0]': Cannot find field.", [], True),
        ("Unknown name \"x\" at 'tools[0]': Cannot find field.", ["my tools[1] are odd"], True),
        ('Unknown name "x" in: my tools[1] are odd', ["This is in: my tools[1] are odd"], False),
        ('Unknown name "x" in: tools[1] are odd', ["tools[1] are odd"], False),
        (
            'Unknown name "x" in: "its\\u00a0\\ntools[\\u00a01] are odd"',
            ["its\u00a0\ntools[\u00a01] are odd"],
            False,
        ),
        ("Unknown name 'my tools[0]' in tools", ["Unknown name 'my tools["], False),
        ("Unknown name 'my tools[", ["my tools["], False),
    ],
)
def test_name_of_a_field_is_told_by_the_words_on_both_sides(
    words: str, texts: list[str], is_own: bool
) -> None:
    """Every request with tools has a field ``tools``. A provider may escape what it quotes."""
    assert ("tools[" in found("schema", words, *texts)) is is_own


def test_legacy_field_of_a_request_does_not_hide_the_place_that_a_provider_names() -> None:
    error = refusal("Unknown name \"id\" at 'contents[1].parts[0].function_call': Cannot find field.")

    assert "function_call" in own_phrases("call_ids", error, RequestWords({"function_call": "auto"}))


def test_place_that_is_no_field_is_a_quotation_where_the_request_holds_it() -> None:
    """A tool may be named like it."""
    assert found("schema", f"Wrong: {ENUM}", "function_declaration") == ["enum:", "tools["]
    assert found("schema", f"Wrong: {ENUM}") == ["enum:", "function_declaration", "tools["]


def test_only_the_first_occurrences_are_compared() -> None:
    """The work is bounded. Further occurrences count as quotations."""
    quoted, own = "my tools[1] are odd. ", f"Wrong: {ENUM}"

    assert "tools[" in found("schema", quoted * 7 + own, quoted)
    assert "tools[" not in found("schema", quoted * 8 + own, quoted)


def test_phrases_of_other_faults_do_not_count() -> None:
    assert own_phrases("tail", refusal(ENUM), NO_WORDS) == ()
