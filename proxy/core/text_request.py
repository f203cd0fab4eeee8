"""One request for embeddings or for a text completion, as every room reads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class TextRequest:
    """One request as the client meant it.

    *parameters* holds ``input`` or ``prompt``, and the known parameters that were set (null counts as not set), without
    the stream switches; *unknown* everything else, which goes upstream only where the deployment allows it by name.
    """

    model: str
    stream: bool
    include_usage: bool
    parameters: Mapping[str, Any]
    unknown: Mapping[str, Any]
    weight: int = 0
    """What work on it costs, as the bytes of a usual body."""
