"""The requests that a scripted provider got."""

from __future__ import annotations

import json
from typing import Any


class SeenRequests:
    """The paths and the bodies of the requests, in the order in which they came."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.bodies: list[bytes] = []

    @property
    def asked(self) -> Any:
        """The last body, which must be JSON."""
        return json.loads(self.bodies[-1])
