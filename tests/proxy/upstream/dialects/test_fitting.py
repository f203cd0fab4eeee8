"""Tests of ``Fitting``, which holds a request's parameters while rules change them."""

from __future__ import annotations

from typing import Any

from proxy.upstream.dialects.dialect import Dialect
from proxy.upstream.dialects.fitting import Fitting


def fitting(parameters: dict[str, Any], *allowed: str) -> Fitting:
    """Return a fitting of *parameters*."""
    return Fitting(parameters, Dialect("any"), [], frozenset(allowed))


def test_unchanged_parameters_are_the_object_that_was_given() -> None:
    """The caller compares the objects to see whether something changed."""
    given = {"n": 1}

    assert fitting(given).parameters is given


def test_replacing_under_another_name_keeps_the_place_and_overwrites_the_other() -> None:
    """The order of the body stays. A value under the new name is replaced."""
    given = {"a": 1, "b": 2, "c": 3}
    fitted = fitting(given)
    fitted.replace("a", 4, "why", to="c")

    assert list(fitted.parameters.items()) == [("c", 4), ("b", 2)]
    assert [(c.kind, c.reason, c.detail) for c in fitted.changes] == [("replaced", "why", "a")]
    assert given == {"a": 1, "b": 2, "c": 3}


def test_withholding_is_counted_without_a_change_and_dropping_with_one() -> None:
    """Withheld and dropped parameters are both in the list of dropped parameters."""
    fitted = fitting({"a": 1, "b": 2})
    fitted.withhold("a")
    fitted.drop("b", "why")

    assert (fitted.parameters, fitted.dropped) == ({}, ["a", "b"])
    assert [change.detail for change in fitted.changes] == ["b"]


def test_allowed_names_have_no_value_for_a_rule() -> None:
    """A rule sees no value for an allowed name, so the rule leaves the parameter unchanged."""
    assert fitting({"a": 1}, "a").value("a") is None


def test_declared_functions_are_those_of_both_forms_even_where_allowed() -> None:
    """A tool choice may name any declared function."""
    tools = [{"type": "function", "function": {"name": "f"}}]

    assert fitting({"tools": tools, "functions": [{"name": "g"}]}, "tools").declared() == ("f", "g")
