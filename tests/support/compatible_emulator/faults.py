"""The faults that a judge may find in a request. The provider's words are in ``words.py``."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["field", "message_field", "role", "value", "words", "key", "model"]


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: its kind, the *name* of a field or a text, and the place in the history where it has one.

    For the kind ``words``, *name* is the provider's whole message.
    """

    kind: Kind
    name: str
    index: int = 0
    role: str = ""
