"""Tests that the values of options are read, or refused with an error text."""

from __future__ import annotations

import argparse

import pytest

from proxy.cli.option_types import port, positive_seconds


def test_values_in_bounds_are_read() -> None:
    assert [port(text) for text in ("0", "4000", "65535")] == [0, 4000, 65535]
    assert [positive_seconds(text) for text in ("0.5", "3600")] == [0.5, 3600.0]


@pytest.mark.parametrize("text", ["-1", "65536", "1.5", "many", ""])
def test_port_out_of_bounds_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="between 0 and 65535"):
        port(text)


@pytest.mark.parametrize("text", ["0", "-1", "nan", "inf", "3601", "soon", ""])
def test_seconds_out_of_bounds_are_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="over 0 and at most 3600"):
        positive_seconds(text)
