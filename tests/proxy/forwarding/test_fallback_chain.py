"""Where a request may go: its pool, its chain of fallbacks, each model once."""

from __future__ import annotations

import pytest

from proxy.config import Settings
from proxy.core.errors import ModelNotFound
from proxy.forwarding.fallback_chain import FallbackChain
from proxy.resilience.failure_table import TABLE, Kind, Row
from proxy.resilience.read_error import NO_ERROR_FACTS
from tests.support.proxied import settings_of

ROWS: dict[Kind, Row] = {row.kind: row for row in reversed(TABLE)}
SERVER, OVERFLOW, FILTER = (
    ROWS[kind] for kind in (Kind.SERVER_ERROR, Kind.CONTEXT_OVERFLOW, Kind.CONTENT_FILTER)
)


def settings() -> Settings:
    """Return four models, with chains that lead in a circle, and a wildcard."""
    names = {name: f"openai/{name}" for name in ("a", "b", "c", "long")} | {"openai/*": "openai/*"}
    router = {
        "fallbacks": [{"a": ["b", "c"]}, {"b": ["a"]}, {"openai/*": ["c"]}],
        "context_window_fallbacks": [{"a": ["long"]}],
    }
    return settings_of(names, router_settings=router)


def names_after(course: FallbackChain, row: Row) -> list[str]:
    """Fall back until nothing is left, and return where that led."""
    found = []
    while course.can_fall_back(row):
        course.fall_back(row)
        found.append(course.pool[0].name)
    return found


def test_the_chain_of_the_model_that_was_asked_for() -> None:
    """In the file's order, each once; the chain of a fallback is not followed."""
    assert names_after(FallbackChain("a", settings()), SERVER) == ["b", "c"]


def test_an_overflow_goes_to_a_larger_window_only() -> None:
    """Another model with the same window would refuse it as well."""
    course = FallbackChain("a", settings())
    assert names_after(course, OVERFLOW) == ["long"]
    assert names_after(course, SERVER) == ["b", "c"]


def test_a_filtered_prompt_goes_nowhere() -> None:
    """What one provider found harmful is not shopped around."""
    assert names_after(FallbackChain("a", settings()), FILTER) == []


def test_a_wildcards_chain() -> None:
    """A model behind a wildcard has the wildcard's."""
    assert names_after(FallbackChain("openai/x", settings()), SERVER) == ["c"]
    assert names_after(FallbackChain("c", settings()), SERVER) == []


def test_the_chain_of_all_others() -> None:
    """LiteLLM's ``*``: for every model that has no chain of its own."""
    router = {"fallbacks": [{"a": ["b"]}, {"*": ["c"]}]}
    of = settings_of({name: f"openai/{name}" for name in "abcd"}, router_settings=router)
    assert [names_after(FallbackChain(name, of), SERVER) for name in "adc"] == [["b"], ["c"], []]


def test_every_model_has_tries_of_its_own() -> None:
    """What failed on one says nothing about the next."""
    course = FallbackChain("a", settings())
    course.count(course.pool[0], SERVER)
    vars(course)["refused_for"] = NO_ERROR_FACTS
    assert (course.tries, course.kinds, course.tried) == (1, {SERVER.kind: 1}, {0})
    course.fall_back(SERVER)
    assert (course.tries, course.kinds, course.tried) == (0, {}, set())
    assert course.repair_cause is None


def test_an_unknown_model() -> None:
    """It is not found, and nothing else happens."""
    with pytest.raises(ModelNotFound):
        FallbackChain("nope", settings())
