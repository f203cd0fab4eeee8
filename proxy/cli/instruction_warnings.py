"""Warnings about the operator's instructions: texts that are valid but probably a mistake. No warning holds a text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from proxy.cli.instruction_texts import placed_texts
from proxy.config import Settings
from proxy.planning.compact.blank_secrets import blank_secrets
from proxy.upstream.known_secrets import KnownSecrets

_PATH = re.compile(r"(?:~?\.{0,2}/)?(?:[\w.-]+/)*[\w-]+\.(?:md|mdx|markdown|txt|rst|prompt)", re.IGNORECASE)
"""A text that is nothing but the path of a text file."""


def find_instruction_warnings(settings: Settings) -> Iterator[str]:
    """Yield a warning for each text that holds a credential or is a path, and for each team that has no keys."""
    known = KnownSecrets(settings)
    for path, _, held in placed_texts(settings):
        if known.mask(held.text) != held.text:
            yield f"{path}: holds a key of this configuration: {_REPEATED}"
        elif blank_secrets(held.text) != held.text:
            yield f"{path}: holds what looks like a credential: {_REPEATED}"
        if _PATH.fullmatch(held.text):
            yield f"{path}: looks like a path, and is sent as it stands: write {{file: PATH}} for a file's text"
    general = settings.general_settings
    named = {key.team for key in general.keys}
    for position, team in enumerate(general.teams):
        if team.name not in named:
            yield f"general_settings.teams[{position}].name: no key of general_settings.keys has this team"


_REPEATED = "a model may repeat its instructions to any client"
