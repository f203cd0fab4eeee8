"""Tests of the lines of ``check`` about the operator's instructions."""

from __future__ import annotations

from proxy.cli.instruction_texts import instruction_lines
from proxy.core.combine_instructions import digest_of
from tests.proxy.config.samples import entry, settings_of


def test_each_text_is_shown_by_length_and_digest() -> None:
    """The lines go from the general to the special, and hold no text."""
    settings = settings_of(
        {**entry("m"), "instructions": "Model's caf\u00e9."},
        general_settings={
            "instructions": "Gateway's.",
            "teams": [{"name": "t", "instructions": "Team's."}, {"name": "none"}],
            "keys": [{"name": "k", "key": "sk-k", "team": "t", "instructions": "Key's."}],
        },
    )

    assert list(instruction_lines(settings)) == [
        "",
        "The operator's instructions.",
        "",
        f"    every request   10 bytes, digest {digest_of('Gateway' + chr(39) + 's.')}",
        f"    model m         14 bytes, digest {digest_of('Model' + chr(39) + 's caf' + chr(233) + '.')}",
        f"    team t          7 bytes, digest {digest_of('Team' + chr(39) + 's.')}",
        f"    key k           6 bytes, digest {digest_of('Key' + chr(39) + 's.')}",
    ]


def test_without_a_text_there_are_no_lines() -> None:
    """``check`` prints what it printed before."""
    assert list(instruction_lines(settings_of())) == []
