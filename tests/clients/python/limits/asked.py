"""The command line of the scripts that ask with limited keys: ``ORIGIN MODEL KEY:RETRIES…``."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from typing import Any


def steps_of(arguments: Iterable[str]) -> list[tuple[str, int]]:
    """Return the key of each request, with the number of times that the client may repeat the request."""
    pairs = (argument.rpartition(":") for argument in arguments)
    return [(key, int(retries)) for key, _, retries in pairs]


def tell(arguments: Iterable[str], ask: Callable[[str, int], list[Any] | None]) -> None:
    """Print what *ask* returns for each step of *arguments*: None for an answer, or the facts of an exception."""
    told = [ask(key, retries) for key, retries in steps_of(arguments)]
    sys.stdout.write(json.dumps({"told": told}) + "\n")
