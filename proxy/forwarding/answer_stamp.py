"""The id and the creation time that an answer gets where its provider gives none."""

from __future__ import annotations

import time

from proxy.forwarding.answer_format import ClientFormat
from proxy.observability.request_record import RequestRecord
from sanitizers.record import record


@record
class AnswerStamp:
    """The id and the creation time of one request's answer. Both are the same in each attempt."""

    id: str
    created: int
    """Unix time, in seconds."""


def stamp_answer(request: RequestRecord, answer_format: ClientFormat[object]) -> AnswerStamp:
    """Return the stamp of the answer to *request*."""
    created = int(time.time())  # noqa: TID251 - `created` is a wall-clock field of OpenAI's format
    return AnswerStamp(f"{answer_format.id_prefix}{request.request_id.removeprefix('req_')}", created)
