"""What only a provider can serve in a request: objects that it holds, contents that it sealed, tools that it runs."""

from __future__ import annotations

from sanitizers.record import record


@record
class Need:
    """One place of a request that only the provider of the request's own format can serve.

    *message*, *rule* and *param* are those of the refusal, as in :class:`~sanitizers.errors.Unrepairable`.
    *names_object* is true for the id of an object in the provider's account. With *holds_history*, the provider holds a
    part of the conversation, so that the request has only the rest of it. What *can_be_left_out* is left out of a chat
    and reported.
    """

    message: str
    rule: str
    param: str
    names_object: bool = False
    holds_history: bool = False
    can_be_left_out: bool = False
