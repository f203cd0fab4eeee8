"""The operator's texts of a configuration with their settings, for the lines of ``turnright check``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from proxy.cli.render_lines import render_lines, two_columns
from proxy.config import Settings
from proxy.config.instruction_text import InstructionText


class PlacedText(NamedTuple):
    """A text with the path of its setting, and with the level and the name that it belongs to."""

    path: str
    owner: str
    text: InstructionText


def placed_texts(settings: Settings) -> Iterator[PlacedText]:
    """Yield each text of the operator's instructions, from the most general to the most special."""
    general = settings.general_settings
    if general.instructions is not None:
        yield PlacedText("general_settings.instructions", "every request", general.instructions)
    for position, entry in enumerate(settings.model_list):
        if entry.instructions is not None:
            path = f"model_list[{position}].instructions"
            yield PlacedText(path, f"model {entry.model_name}", entry.instructions)
    for listed, kind in (("teams", "team"), ("keys", "key")):
        for position, each in enumerate(getattr(general, listed)):
            if each.instructions is not None:
                path = f"general_settings.{listed}[{position}].instructions"
                yield PlacedText(path, f"{kind} {each.name}", each.instructions)


def instruction_lines(settings: Settings) -> Iterator[str]:
    """Yield the length and the digest of each text, as lines without a newline, or nothing without a text."""
    rows = [
        (each.owner, f"{each.text.bytes:,} bytes, digest {each.text.digest}")
        for each in placed_texts(settings)
    ]
    if rows:
        yield ""
        yield from render_lines(("The operator's instructions.", "", two_columns(rows, width=16, indent=4)))
