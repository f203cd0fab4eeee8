"""The facts of one request that its answer needs: the response's id, the repeated fields, and the client's tools."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from typing import Any

from proxy.ingress.openai_responses.echo import ResponseHead
from proxy.ingress.openai_responses.fields import LOGPROBS
from sanitizers.native import Span
from sanitizers.native.responses.tools import ToolTable


class AnswerContext:
    """The facts of one request.

    *head* has the response's id, its time and the repeated fields. *table* restores the client's tools. *include* is
    the request's field. With *shows_thoughts*, thoughts are shown as summaries. *clock* returns unix seconds, for
    ``completed_at``. *spans* and *earlier* connect messages with items (:func:`.errors.rename_param`). With
    *relays_ids* the provider stores its responses, so that its ids reach the client.
    """

    def __init__(
        self,
        head: ResponseHead,
        table: ToolTable,
        *,
        include: Set[str] = frozenset(),
        shows_thoughts: bool = False,
        clock: Callable[[], float] | None = None,
        spans: Sequence[Span] = (),
        earlier: int = 0,
        relays_ids: bool = False,
    ) -> None:
        self.head = self.own_head = head
        self.table = table
        self.shows_thoughts = shows_thoughts
        self.shows_logprobs = LOGPROBS in include
        self.spans = spans
        self.earlier = earlier
        self.relays_ids = relays_ids
        self.finished: dict[str, Any] | None = None
        """The finished response object: completed, incomplete or failed. None until the answer is known."""

        self._clock = clock

    def completed_at(self, created_at: int) -> int:
        """Return the time, in unix seconds. Without a clock it is *created_at*."""
        return created_at if self._clock is None else int(self._clock())

    def head_for(self, model: str, created: int = 0) -> ResponseHead:
        """Return the head with the name of the *model* that answers. An empty name keeps the request's.

        *created* is the time of the answer's chunks, for a head without a time.
        """
        echo = {**self.head.echo, "model": model} if model else self.head.echo
        return ResponseHead(self.head.id, self.head.created_at or created, echo)
