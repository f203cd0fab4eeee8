"""Tests that a request's lists and maps have limits, which are checked before their entries."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.core import text_request
from proxy.core.errors import InvalidRequest
from proxy.ingress.openai_chat.parameters import PARAMETERS
from proxy.ingress.openai_chat.read_request import parse_chat_request
from proxy.ingress.openai_text.requests import parse_completion_request, parse_embedding_request
from proxy.ingress.parameter_limits import MAX_ENTRIES, MAX_UNKNOWN, MAX_VALUES
from tests.support.builders import user

_ENTRIES: dict[str, Any] = {
    "functions": [{"name": "f"}],
    "modalities": ["text"],
    "stop": ["s"],
    "tools": [{"type": "function", "function": {"name": "f"}}],
}


def parse_chat(**parameters: Any) -> Any:
    """Read a chat request with *parameters*."""
    fields = {"model": "m", "messages": [user("Hello.")], **parameters}
    return parse_chat_request(json.dumps(fields).encode(), max_nesting=128)


def entries(name: str, count: int) -> Any:
    """Return a value for the parameter *name* with *count* legal entries."""
    if name in _ENTRIES:
        return _ENTRIES[name] * count
    return {str(at): 1 for at in range(count)}


@pytest.mark.parametrize("name", MAX_ENTRIES)
def test_as_many_entries_as_are_allowed_pass_and_one_more_is_refused(name: str) -> None:
    """The error has the limit and the number of entries."""
    most = MAX_ENTRIES[name]
    parse_chat(**{name: entries(name, most)})

    with pytest.raises(InvalidRequest) as refused:
        parse_chat(**{name: entries(name, most + 1)})

    assert refused.value.param == name
    assert str(most) in refused.value.message
    assert str(most + 1) in refused.value.message


@pytest.mark.parametrize("name", ["logit_bias", "stop", "tools"])
def test_entries_are_counted_before_their_types_are_checked(name: str) -> None:
    """Pydantic would otherwise make an error for each of the thousands of entries."""
    wrong: Any = [None] * 5_000 if name != "logit_bias" else {str(at): None for at in range(5_000)}

    with pytest.raises(InvalidRequest, match="entries are taken") as refused:
        parse_chat(**{name: wrong})

    assert refused.value.param == name


@pytest.mark.parametrize("name", MAX_VALUES)
def test_values_are_counted_in_all_levels(name: str) -> None:
    """An object of two fields may hold a list of any length."""
    too_many = {
        "type": "json_schema",
        "json_schema": {"name": "r", "schema": {"enum": [1] * MAX_VALUES[name]}},
    }

    with pytest.raises(InvalidRequest, match="in all its levels") as refused:
        parse_chat(**{name: too_many})

    assert refused.value.param == name
    assert str(MAX_VALUES[name]) in refused.value.message


def test_every_list_and_map_among_the_parameters_has_a_limit() -> None:
    """The test finds lists and maps by the values that pydantic accepts."""
    unbounded = {"response_format"}  # pydantic accepts its own fields alone
    taken = set()
    for name, kind in PARAMETERS.items():
        values: tuple[Any, ...] = ([], ["text"], {}, {"1": 1.0}, [{}])
        for value in values:
            try:
                kind.validate_python(value)
            except ValueError:
                continue
            taken.add(name)
    assert taken | unbounded <= MAX_ENTRIES.keys() | MAX_VALUES.keys()
    assert len(taken) > 8


def test_unknown_fields_are_limited_in_number() -> None:
    """The limit holds for chats and for embeddings. ``param`` names the first field over the limit."""
    fields = {f"field_{at}": 1 for at in range(MAX_UNKNOWN)}
    assert len(parse_chat(**fields).unknown) == MAX_UNKNOWN

    for parse, asked in ((parse_chat_request, "messages"), (parse_embedding_request, "input")):
        given: Any = [user("Hello.")] if asked == "messages" else "Hello."
        body = json.dumps({"model": "m", asked: given, **fields, "one_more": 1}).encode()
        with pytest.raises(InvalidRequest, match="no known parameters") as refused:
            parse(body, max_nesting=128)
        assert refused.value.param == "one_more"


@pytest.mark.parametrize(
    ("given", "limit"), [(["a"], "MAX_TEXTS"), ([[1]], "MAX_TEXTS"), ([1], "MAX_TOKENS")]
)
def test_texts_and_tokens_are_limited_in_number(
    monkeypatch: pytest.MonkeyPatch, given: list[Any], limit: str
) -> None:
    """The limits are the same for embeddings and for text completions."""
    most = 1_000
    monkeypatch.setattr(text_request, limit, most)
    for parse, name in ((parse_embedding_request, "input"), (parse_completion_request, "prompt")):
        parse(json.dumps({"model": "m", name: given * most}).encode(), max_nesting=128)
        with pytest.raises(InvalidRequest, match="are taken, and it has") as refused:
            parse(json.dumps({"model": "m", name: given * (most + 1)}).encode(), max_nesting=128)
        assert refused.value.param == name


def test_text_completions_have_the_limits_of_chats() -> None:
    """A parameter has one limit on all paths."""
    body = json.dumps({"model": "m", "prompt": "a", "stop": ["s"] * (MAX_ENTRIES["stop"] + 1)}).encode()

    with pytest.raises(InvalidRequest) as refused:
        parse_completion_request(body, max_nesting=128)

    assert refused.value.param == "stop"
