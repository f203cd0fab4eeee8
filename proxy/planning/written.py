"""A plan's history in the format of its client."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from sanitizers import Change
from sanitizers.native import Items
from sanitizers.record import record


@record
class Written:
    """The *items* that are sent, and the index that each had before (*origins*). *changes* are reported.

    *fields* replace those of the request's native form.
    """

    items: Items
    origins: tuple[int, ...] | None
    changes: tuple[Change, ...]
    fields: Mapping[str, Any] = field(default_factory=dict)
