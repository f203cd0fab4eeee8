"""The protocol of native list formats, and the values that formats exchange with their callers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

from sanitizers.changes import Change
from sanitizers.messages import Message, Messages
from sanitizers.profiles import Profile
from sanitizers.record import record

Item: TypeAlias = dict[str, Any]
"""One entry of a native list, as it was decoded from JSON."""

Items: TypeAlias = Sequence[Item]
"""A native list, oldest item first."""


class Span(NamedTuple):
    """A range of items, and the range of the messages that were made of these items.

    One item can become several messages, and several items can become one message. The spans of a list cover all items
    and all messages in their order, each once.
    """

    items: range
    messages: range


@record
class Projection:
    """A native list as chat messages.

    A format's own subclass adds the data that the format needs to write the list again.
    """

    messages: list[Message]
    spans: list[Span]


@dataclass(frozen=True, slots=True)
class ItemViolation:
    """One broken rule of a native list: *rule* is a slug of its format, and *index* is the index of the item."""

    rule: str
    index: int


HELD_PLACEHOLDER = "[This content is stored at the provider.]"
"""The text in a message for what only the provider can read. It is never sent."""


@record
class Need:
    """One place of a request that only the provider of the request's own format can serve.

    *message*, *rule* and *param* are those of the refusal, as in :class:`~sanitizers.errors.Unrepairable`.
    *names_object* is true for the id of an object in the provider's account. With *holds_history*, the provider holds a
    part of the conversation, so that the request has only the rest of it. What *can_be_left_out* is left out of a chat
    and reported. *served_elsewhere* names a tool of another provider's that serves the same purpose, if there is one.
    """

    message: str
    rule: str
    param: str
    names_object: bool = False
    holds_history: bool = False
    can_be_left_out: bool = False
    served_elsewhere: str = ""

    def is_like(self, other: Need) -> bool:
        """Return True where *other* is of the same kind, so that whoever serves one can serve both."""
        return self.rule == other.rule and (self.names_object, self.holds_history, self.can_be_left_out) == (
            other.names_object,
            other.holds_history,
            other.can_be_left_out,
        )


def add_needs(needs: list[Need], more: Iterable[Need]) -> None:
    """Add to *needs* the first one of each further kind of *more*. One need of a kind decides for all.

    A kind is a rule with its flags. A small body could otherwise have any number of needs.
    """
    for need in more:
        if not any(map(need.is_like, needs)):
            needs.append(need)


@record
class Written:
    """A history in the format of its client: the *items* that are sent, and the index that each had (*origins*).

    *origins* is None where they are the items that came. *changes* are reported. *fields* replace those of the request
    beside its list.
    """

    items: Items
    origins: tuple[int, ...] | None
    changes: tuple[Change, ...]
    fields: Mapping[str, Any] = field(default_factory=dict)


P = TypeVar("P", bound=Projection)


class NativeListFormat(Protocol[P]):
    """A format of native lists. The methods never mutate their arguments."""

    @property
    def name(self) -> str:
        """The format's name."""

    def project(self, native: Items) -> P:
        """Return *native* as chat messages, with the spans that connect items and messages.

        Raises :class:`~sanitizers.errors.Unrepairable`, with the place, for what cannot be read.
        """

    def find_violations(self, native: Items, profile: Profile) -> tuple[ItemViolation, ...]:
        """Return the rules of the format that *native* breaks at the models of *profile*, in the order of the items.

        *native* must be a list that :meth:`project` can read.
        """

    def apply(self, native: Items, projected: P, sanitized: Messages, profile: Profile) -> Items:
        """Return *native* with the changes that *sanitized* has against ``projected.messages``.

        *projected* is the projection of *native*. *sanitized* is legal for *profile*: it comes from
        :func:`sanitizers.sanitize`, or from a later cut. Without any change *native* itself is returned. An item stays
        the same object if all messages of its span are unchanged and in their order. An item that breaks a rule by
        itself is written anew.
        """
