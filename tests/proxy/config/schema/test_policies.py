"""The sections that are turnright's own."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from proxy.config import load_settings
from proxy.config.schema.policies import Budget
from tests.proxy.config.samples import faults_of, load, text_of


@pytest.mark.parametrize("word", ["off", "'off'", "false", "Off", "no"])
def test_off_is_understood(word: str) -> None:
    """YAML 1.1 reads the bare word as false; every spelling means off."""
    text = (
        text_of().decode()
        + f"sanitize: {{mode: {word}}}\nturns: {{mode: {word}}}\nbudget: {{preset: {word}}}\n"
    )
    settings = load_settings(text.encode(), {}).settings

    assert (settings.sanitize.mode, settings.turns.mode, settings.budget.preset) == ("off", "off", "off")


def test_a_word_may_come_from_the_environment() -> None:
    """A mode is text, so that it may be a variable."""
    settings = load(sanitize={"mode": "os.environ/MODE"}, environ={"MODE": "strict"}).settings

    assert settings.sanitize.mode == "strict"


def test_the_low_mark_is_below_the_high_one() -> None:
    """Marks the wrong way round are refused."""
    assert Budget.model_validate({"high": 0.7, "low": 0.5}).low == 0.5
    with pytest.raises(ValidationError, match=r"must be below budget\.high"):
        Budget.model_validate({"high": 0.5, "low": 0.5})


def test_a_cap_that_leaves_no_room_for_its_marker() -> None:
    """It is refused when the file is read, not with every request."""
    assert faults_of(budget={"cap": 400}) == []
    ((path, _),) = faults_of(budget={"cap": 399})

    assert path == "budget.cap"
