"""``limits``: rules for the limits of client keys and teams."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator

from proxy.config.references import from_environment
from proxy.config.schema.section import Section
from proxy.config.values import Ratio


class Limits(Section):
    """Rules for the limits of client keys and teams. The limits stand in the keys and teams."""

    where: ClassVar[str] = "limits"

    on_store_down: Annotated[Literal["share", "open", "refuse"], BeforeValidator(from_environment)] = "share"
    """The treatment of requests of limited keys while the store cannot be reached.

    ``share`` (default) lets each replica enforce its share of each limit. ``open`` lets every request pass. ``refuse``
    answers 503.
    """

    burst: Ratio = 1.0
    """The share of a minute's limit that may be used at once. Default 1.

    A key that was idle may then use a whole minute's limit at once, and goes on at the limit's pace. With 0.1 the use
    is smoother.
    """
