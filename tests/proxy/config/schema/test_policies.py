"""Tests of the sections ``sanitize``, ``turns`` and ``budget``."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from proxy.config import load_settings
from proxy.config.schema.policies import Budget
from tests.proxy.config.samples import faults_of, load, text_of


@pytest.mark.parametrize("word", ["off", "'off'", "false", "Off", "no"])
def test_every_spelling_of_off_is_read(word: str) -> None:
    """Every spelling of ``off`` is read as ``off``, although YAML 1.1 reads the bare word as false."""
    text = (
        text_of().decode()
        + f"sanitize: {{mode: {word}}}\nturns: {{mode: {word}}}\nbudget: {{preset: {word}}}\n"
    )
    settings = load_settings(text.encode(), {}).settings

    assert (settings.sanitize.mode, settings.turns.mode, settings.budget.preset) == ("off", "off", "off")


def test_mode_may_be_an_environment_variable() -> None:
    """The mode of ``sanitize`` may come from an environment variable."""
    settings = load(sanitize={"mode": "os.environ/MODE"}, environ={"MODE": "strict"}).settings

    assert settings.sanitize.mode == "strict"


def test_the_low_mark_is_below_the_high_one() -> None:
    """A budget whose low mark is not below its high mark is refused."""
    assert Budget.model_validate({"high": 0.7, "low": 0.5}).low == 0.5
    with pytest.raises(ValidationError, match=r"must be below budget\.high"):
        Budget.model_validate({"high": 0.5, "low": 0.5})


def test_cap_without_room_for_its_marker_is_refused() -> None:
    """A ``cap`` below 400 characters is a fault, since the text that marks a cut would not fit."""
    assert faults_of(budget={"cap": 400}) == []
    ((path, _),) = faults_of(budget={"cap": 399})

    assert path == "budget.cap"
