"""Tests of the paths and texts of faults."""

from __future__ import annotations

import pytest

from proxy.config.faults import ConfigurationError, Fault, path_of, unknown_key


@pytest.mark.parametrize(
    ("location", "path"),
    [
        (("model_list", 0, "litellm_params", "model"), "model_list[0].litellm_params.model"),
        (("a", "gemini/gemini-2.5", 1), "a.gemini/gemini-2.5[1]"),
        (("two\nlines",), '"two\\nlines"'),
        (("x" * 100,), '"' + "x" * 80 + '"'),
        ((None, True), "None.True"),
        ((b"bytes",), "bytes"),
        ((), ""),
    ],
)
def test_a_location_is_written_as_an_operator_does(location: tuple[object, ...], path: str) -> None:
    """The location of a fault is written as one short line, for any keys."""
    assert path_of(location) == path


def test_a_near_key_is_suggested() -> None:
    """An unknown key gets a suggestion if it is similar to a known key."""
    assert unknown_key("max_boddy_mib", ["max_body_mib", "ui"]).endswith("did you mean max_body_mib?")
    assert unknown_key("zzz", ["max_body_mib", "ui"]) == "is not a key of turnright"


def test_the_error_names_every_fault() -> None:
    """The exception's text lists every fault."""
    error = ConfigurationError([Fault("a", "is empty"), Fault("b", "is missing")])

    assert str(error) == "a: is empty; b: is missing"
    assert error.faults == (Fault("a", "is empty"), Fault("b", "is missing"))
