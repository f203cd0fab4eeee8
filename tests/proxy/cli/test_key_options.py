"""Tests of the options of ``turnright key``."""

from __future__ import annotations

import pytest

from proxy.cli.main import make_parser


def test_a_key_has_a_name() -> None:
    """The action and the name are positions, as in ``turnright key new ci``."""
    options = make_parser().parse_args(["key", "new", "ci"])

    assert (options.action, options.name, options.json) == ("new", "ci", False)


@pytest.mark.parametrize("words", [[], ["new"], ["ci"], ["list", "ci"]])
def test_action_and_name_are_required(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Without an action and a name there is no key."""
    with pytest.raises(SystemExit) as ended:
        make_parser().parse_args(["key", *words])

    assert ended.value.code == 2
    assert "key" in capsys.readouterr().err
