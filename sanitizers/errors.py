"""The error for a history or a tool's schema that cannot be repaired, with the place and the reason."""

from __future__ import annotations


class Unrepairable(ValueError):
    """A history or schema that cannot be made legal without inventing or losing what the client meant.

    *rule* is a stable slug. *param* is the place in OpenAI's spelling (``messages[3].content[0].type``). *index* is the
    message's position, or None where the fault is of no single message. The error's text names places, types and roles,
    and never quotes a message of the history.
    """

    def __init__(self, message: str, *, rule: str, param: str, index: int | None = None):
        super().__init__(message)
        self.message = message
        self.rule = rule
        self.param = param
        self.index = index
