"""One request for embeddings or for a text completion, as all rooms read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class TextRequest:
    """One request as the client meant it.

    *parameters* holds ``input`` or ``prompt`` and the known parameters that were set, without the stream options. Null
    counts as not set. *unknown* holds everything else, which goes upstream only if the deployment allows it by name.
    """

    model: str
    stream: bool
    include_usage: bool
    parameters: Mapping[str, Any]
    unknown: Mapping[str, Any]
    weight: int = 0
    """The cost of working on the request, as a number of bytes of a usual body."""
