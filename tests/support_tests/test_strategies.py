"""Tests the Hypothesis strategies: legal histories are legal, damage can make them illegal, and texts are unique."""

import copy
import functools
import itertools
import json
import random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

from tests.support.builders import assistant, call, image, text, tool, user
from tests.support.openai_emulator import judge_openai
from tests.support.strategies import (
    DAMAGES,
    any_histories,
    damaged_histories,
    growth,
    indexed_texts_of,
    legal_histories,
    texts_of,
    tokens_of,
)
from tests.support.strategies.texts import numbers_after

History = list[dict[str, Any]]
KNOWN_ROLES = {"system", "developer", "user", "assistant", "tool", "function"}


def sample(strategy: st.SearchStrategy[History], count: int = 100) -> list[History]:
    """Return *count* examples of a strategy, the same on every run."""
    drawn: list[History] = []

    @settings(
        max_examples=count,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(history: History) -> None:
        drawn.append(copy.deepcopy(history))

    collect()
    return drawn


@functools.cache
def legal_sample() -> tuple[History, ...]:
    """Draw legal histories once for several tests, which must not change the histories."""
    return tuple(sample(legal_histories(), 300))


def roles_of(history: History) -> list[str]:
    """Return the messages' roles, without a leading system message. An assistant that calls tools is `call`."""
    roles = ["call" if message.get("tool_calls") else message["role"] for message in history]
    return roles[1:] if roles[0] == "system" else roles


FOLLOWERS = {
    "user": {"call", "assistant"},
    "call": {"tool"},
    "tool": {"tool", "call", "assistant"},
    "assistant": {"user"},
}


@given(legal_histories(allow_trailing_assistant=True, whitespace=True, id_style="mixed"))
def test_legal_histories_are_accepted(history: History) -> None:
    """OpenAI's judge accepts every history of the strategy of legal histories, with every option on."""
    assert judge_openai(history) is None


@given(legal_histories())
def test_legal_histories_are_strict(history: History) -> None:
    """By default, legal histories meet the strictest rules for turns, results, ids, texts and arguments."""
    roles = roles_of(history)
    assert roles[0] == "user"
    assert roles[-1] in {"user", "tool"}
    assert all(after in FOLLOWERS[before] for before, after in itertools.pairwise(roles))
    assert all(found.strip() for found in texts_of(history))
    expected: list[str] = []
    for message in history:
        for entry in message.get("tool_calls", ()):
            assert len(entry["id"]) == 9
            assert entry["id"].isalnum()
            assert isinstance(json.loads(entry["function"]["arguments"]), dict)
            expected.append(entry["id"])
        if message["role"] == "tool":
            assert message["tool_call_id"] == expected.pop(0)
        else:
            assert not expected or message.get("tool_calls")
    assert not expected


@given(legal_histories(media=False, extras=False, reuse_ids=False))
def test_options_switch_features_off(history: History) -> None:
    """Without media, extras and reuse, a history has no images, no unknown fields and no repeated id."""
    written = json.dumps(history)
    assert "image_url" not in written
    assert not {"x_unknown", "x_first"} & {key for message in history for key in message}
    ids = [entry["id"] for message in history for entry in message.get("tool_calls", ())]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize(
    ("name", "holds"),
    [
        ("media alone", lambda h: any(m["content"] == [image()] for m in h if m["role"] == "user")),
        ("parallel calls", lambda h: any(len(m.get("tool_calls", ())) == 3 for m in h)),
        ("unknown fields", lambda h: any("x_unknown" in m for m in h)),
        ("ids used again", lambda h: len(ids := _ids(h)) > len(set(ids))),
        ("content absent", lambda h: any("content" not in m for m in h)),
        ("ends with results", lambda h: h[-1]["role"] == "tool"),
        ("ends with user", lambda h: h[-1]["role"] == "user"),
    ],
)
def test_legal_histories_reach(name: str, holds: Any) -> None:
    """Each feature occurs at least once in 300 examples."""
    assert any(holds(history) for history in legal_sample()), name


def _ids(history: History) -> list[Any]:
    return [entry["id"] for message in history for entry in message.get("tool_calls", ())]


@given(legal_histories(allow_trailing_assistant=True))
def test_tokens_are_unique(history: History) -> None:
    """Every text of a history has one token, and no two texts share a token."""
    tokens = tokens_of(history)
    assert len(tokens) == len(set(tokens)) == len(texts_of(history))


def test_damaged_histories_are_often_refused() -> None:
    """OpenAI's judge refuses at least forty of a hundred damaged histories, and accepts some."""
    refused = [judge_openai(history) is not None for history in sample(damaged_histories())]
    assert 0.4 <= sum(refused) / len(refused) < 1


def test_arbitrary_histories_are_both() -> None:
    """OpenAI's judge refuses at least forty of a hundred arbitrary histories, and accepts some."""
    refused = [judge_openai(history) is not None for history in sample(any_histories())]
    assert 0.4 <= sum(refused) / len(refused) < 1


@given(st.one_of(damaged_histories(), any_histories()))
def test_illegal_histories_are_still_requests(history: History) -> None:
    """Illegal histories are not empty, have known roles only, and survive a round trip through JSON."""
    assert history
    assert {message["role"] for message in history} <= KNOWN_ROLES
    assert json.loads(json.dumps(history, allow_nan=False)) == history


OPENAI_LOOKS_AWAY = {"misplaced_calls", "unknown_field"}
"""Damage that OpenAI's rules do not name: OpenAI ignores calls on other roles, and unknown fields."""


@pytest.mark.parametrize("name", [name for name in DAMAGES if name not in OPENAI_LOOKS_AWAY])
def test_each_damage_of_a_history_is_refused_at_times(name: str) -> None:
    """Each kind of damage changes some histories, and makes some illegal."""
    chosen = random.Random(7)
    changed = refused = 0
    for original in legal_sample()[:100]:
        history = copy.deepcopy(original)
        place, variant = chosen.randrange(41), chosen.randrange(41)
        damaged = DAMAGES[name](history, place, variant, numbers_after(history))
        changed += damaged != original
        refused += bool(damaged) and judge_openai(damaged) is not None
    assert changed
    assert refused


@given(growth(max_added=4))
def test_growth_is_legal_after_each_piece(grown: tuple[History, list[History]]) -> None:
    """A growing history is legal at each request, and no token is used twice."""
    history, pieces = grown
    whole = list(history)
    assert pieces
    for piece in pieces:
        whole = [*whole, *piece]
        assert whole[-1]["role"] in {"user", "tool"}
        assert judge_openai(whole) is None
        roles = roles_of(whole)
        assert all(after in FOLLOWERS[before] for before, after in itertools.pairwise(roles))
    tokens = tokens_of(whole)
    assert len(tokens) == len(set(tokens))


@given(st.data())
def test_growth_of_a_given_history(data: st.DataObject) -> None:
    """A given history can grow too, even if it ends with the assistant."""
    start = [user("t1§"), assistant("t2§")]
    history, pieces = data.draw(growth(start))
    assert history == [user("t1§"), assistant("t2§")]
    assert pieces[0][0]["role"] == "user"
    assert "t1§" not in tokens_of([message for piece in pieces for message in piece])


def test_texts_are_found_with_the_index_of_their_message() -> None:
    """Texts come from strings and text parts, each with its message's index. Empty texts are left out."""
    history = [
        user([text("a"), image(), text("")]),
        assistant("b", [call("c1", "f", '{"x": "not a content"}')]),
        tool("c1", {"answer": "not a text"}),
        tool("c1", 7),
        user(""),
        assistant(None),
        user(" "),
    ]
    assert indexed_texts_of(history) == [(0, "a"), (1, "b"), (6, " ")]
    assert texts_of(history) == ["a", "b", " "]
    assert tokens_of([user("x t1§ y t12§")]) == ["t1§", "t12§"]


def test_examples_shrink_to_something_small() -> None:
    """Hypothesis shrinks a history with parallel calls to one question, two calls and two results."""
    found = find(
        legal_histories(),
        lambda history: any(len(message.get("tool_calls", ())) > 1 for message in history),
        settings=settings(max_examples=1_000, database=None, derandomize=True, deadline=None),
    )
    calls = [call("c00000002", "f", '{"n": 3}'), call("c00000004", "f", '{"n": 5}')]
    results = [tool("c00000002", "t6§"), tool("c00000004", "t7§")]
    assert found == [user("t1§"), assistant(None, calls), *results]
