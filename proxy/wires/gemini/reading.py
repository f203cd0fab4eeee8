"""What whole answers and streams share: who answered, what each candidate adds, how each ended, what it cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from proxy.errors import UpstreamFault
from proxy.wires.gemini.candidates import NO_ANSWER, CandidateReader
from proxy.wires.gemini.finishing import FILTERED
from proxy.wires.gemini.refusals import raise_error
from proxy.wires.gemini.usage import is_complete, read_usage


class Added(NamedTuple):
    """What one event adds to one choice."""

    choice: int
    delta: dict[str, Any]
    logprobs: dict[str, Any] | None


class ResponseReader:
    """Reads the ``GenerateContentResponse`` objects of one answer: one, or one an event."""

    def __init__(self, model: str) -> None:
        self.id: str | None = None
        self.model = model
        self._named = False
        self._blocked = False
        self._candidates: dict[int, CandidateReader] = {}
        self._usage: Mapping[str, Any] | None = None

    def read(self, response: Any) -> list[Added]:
        """Return what *response* adds; nothing for a candidate that adds nothing.

        Raises :class:`UpstreamFault` for an error object, with its status, and for what is no answer.
        """
        raise_error(response)
        if not isinstance(response, Mapping):
            raise UpstreamFault(NO_ANSWER)
        self._note_origin(response)
        feedback = response.get("promptFeedback")
        self._blocked = self._blocked or (isinstance(feedback, Mapping) and bool(feedback.get("blockReason")))
        candidates = response.get("candidates") or []
        if not isinstance(candidates, list):
            raise UpstreamFault(NO_ANSWER)
        added = (self._read_candidate(candidate, at) for at, candidate in enumerate(candidates))
        return [one for one in added if one.delta or one.logprobs]

    def finish(self) -> dict[int, str]:
        """Return each choice's finish reason: one filtered choice for a prompt that was blocked.

        Raises :class:`UpstreamFault` when nothing was answered, or any candidate did not end as an answer does.
        """
        if self._candidates:
            return {index: candidate.finish() for index, candidate in sorted(self._candidates.items())}
        if self._blocked:
            return {0: FILTERED}
        raise UpstreamFault("The provider's answer holds no candidate.")

    def usage(self) -> dict[str, Any] | None:
        """Return the usage that was reported last, if any: each report is of the whole answer so far."""
        return None if self._usage is None else read_usage(self._usage)

    def _note_origin(self, response: Mapping[str, Any]) -> None:
        given_id, version = response.get("responseId"), response.get("modelVersion")
        if self.id is None and isinstance(given_id, str) and given_id:
            self.id = given_id
        if not self._named and isinstance(version, str) and version:
            self._named, self.model = True, version
        usage = response.get("usageMetadata")
        if isinstance(usage, Mapping) and (
            is_complete(usage) or ("promptTokenCount" in usage and not is_complete(self._usage or {}))
        ):
            self._usage = usage

    def _read_candidate(self, candidate: Any, at: int) -> Added:
        if not isinstance(candidate, Mapping):
            raise UpstreamFault(NO_ANSWER)
        given = candidate.get("index")
        index = given if isinstance(given, int) else at
        reader = self._candidates.setdefault(index, CandidateReader(index))
        return Added(index, reader.read(candidate, self.id or ""), _logprobs(candidate.get("logprobsResult")))


def _logprobs(result: Any) -> dict[str, Any] | None:
    """Return OpenAI's ``logprobs`` for Gemini's, token by token; None when there are none."""
    chosen = result.get("chosenCandidates") if isinstance(result, Mapping) else None
    if not isinstance(chosen, list) or not chosen:
        return None
    rows = result.get("topCandidates")
    tops = [row.get("candidates") or [] for row in rows] if isinstance(rows, list) else []
    tops += [[]] * (len(chosen) - len(tops))
    content = [
        {**_token(one), "top_logprobs": [_token(other) for other in top]}
        for one, top in zip(chosen, tops, strict=False)
    ]
    return {"content": content, "refusal": None}


def _token(given: Mapping[str, Any]) -> dict[str, Any]:
    token = given.get("token") or ""
    # A probability of one is a logarithm of zero, which proto JSON leaves out.
    return {"token": token, "logprob": given.get("logProbability", 0.0), "bytes": list(token.encode())}
