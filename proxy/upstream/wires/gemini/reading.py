"""Reads the parts that whole answers and streams share: id, model, candidates, finish reasons and usage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from proxy.core.errors import UpstreamFault
from proxy.core.failures import Cause
from proxy.core.usage_so_far import UsageSoFar
from proxy.upstream.wires.gemini.candidates import NO_ANSWER, CandidateReader
from proxy.upstream.wires.gemini.counts import read_count
from proxy.upstream.wires.gemini.finishing import FILTERED
from proxy.upstream.wires.gemini.logprobs import read_logprobs
from proxy.upstream.wires.gemini.refusals import raise_error
from proxy.upstream.wires.gemini.usage import is_complete, read_tier, read_usage


class ChoiceDelta(NamedTuple):
    """The delta and the log probabilities that one event adds to one choice."""

    choice: int
    delta: dict[str, Any]
    logprobs: dict[str, Any] | None


class ResponseReader:
    """Reads the ``GenerateContentResponse`` objects of one answer: one object, or one for each event.

    With *relays* the client gets the answer as it came. Then media alone are no fault, and neither is an unknown finish
    reason behind a text or a call.
    """

    def __init__(self, model: str, *, relays: bool = False) -> None:
        self._relays = relays
        self.id: str | None = None
        self.model = model
        self._named = False
        self._blocked = False
        self._candidates: dict[int, CandidateReader] = {}
        self._usage: Mapping[str, Any] | None = None
        self.tier: str | None = None
        """The service tier of the last usage that was asked for, if it has prices of its own."""

        self._usage_complete = False  # complete usage came with the finish reasons, or after them

    def read(self, response: Any) -> list[ChoiceDelta]:
        """Return the deltas of *response*, without candidates that add nothing.

        Raises :class:`UpstreamFault` for an error object, with its status, and for a value that is no answer.
        """
        if type(response) is not dict or "candidates" not in response or response.get("error") is not None:
            raise_error(response)  # beside candidates an error stands under `error` only
            if not isinstance(response, dict):
                raise UpstreamFault(NO_ANSWER)
        usage = response.get("usageMetadata")
        counts = False
        if usage.__class__ is dict:
            counts = is_complete(usage)
            if counts or self._is_better(usage):
                self._usage = usage
        self._note_origin(response)
        feedback = response.get("promptFeedback")
        if isinstance(feedback, dict):
            reason = feedback.get("blockReason")
            self._blocked = self._blocked or (isinstance(reason, str) and bool(reason))
        candidates = response.get("candidates") or []
        if candidates.__class__ is not list:
            raise UpstreamFault(NO_ANSWER)
        deltas: list[ChoiceDelta] = []
        for index, candidate in _indexed(candidates).items():
            one = self._read_choice(candidate, index)
            if one.delta or one.logprobs:
                deltas.append(one)
        if counts and not self._usage_complete:
            self._usage_complete = self.may_end(1)
        return deltas

    def finish(self) -> dict[int, str]:
        """Return each choice's finish reason. A blocked prompt has one choice, with ``content_filter``.

        Raises :class:`UpstreamFault` if there is no candidate, or if a candidate is incomplete or has failed.
        """
        if self._candidates:
            return {index: candidate.finish() for index, candidate in sorted(self._candidates.items())}
        if self._blocked:
            return {0: FILTERED}
        raise UpstreamFault("The provider's answer holds no candidate.", cause=Cause.EMPTY)

    def final_deltas(self) -> dict[int, dict[str, Any]]:
        """Return the message fields that each choice gets with its finish reason: a signature that no call took."""
        return {
            index: end for index, candidate in self._candidates.items() if (end := candidate.final_delta())
        }

    def may_end(self, wanted: int) -> bool:
        """Tell whether at least *wanted* candidates were seen, and all of these have a finish reason.

        A blocked prompt has no candidates to wait for.
        """
        if len(self._candidates) < wanted or not self._candidates:
            return self._blocked and not self._candidates
        return all(candidate.ended for candidate in self._candidates.values())

    def is_over(self) -> bool:
        """Tell whether no more events are expected. Ask this only after :meth:`may_end` was true."""
        return all(candidate.is_over(counted=self._usage_complete) for candidate in self._candidates.values())

    def usage(self) -> dict[str, Any] | None:
        """Return the last complete usage, or else the last partial usage, if any.

        Each report counts the whole answer so far.
        """
        metadata = self._usage
        if metadata is None:
            return None
        if "serviceTier" in metadata or "trafficType" in metadata:
            self.tier = read_tier(metadata)
        return read_usage(metadata)

    def usage_so_far(self) -> UsageSoFar | None:
        """Return the newest report. A complete one counts the answer up to its event."""
        usage = self.usage()
        return UsageSoFar(usage, covers_text=is_complete(self._usage or {})) if usage else None

    def _note_origin(self, response: Mapping[str, Any]) -> None:
        if self.id is None:
            given_id = response.get("responseId")
            if given_id and given_id.__class__ is str:
                self.id = given_id
        if not self._named:
            version = response.get("modelVersion")
            if version and version.__class__ is str:
                self._named, self.model = True, version

    def _is_better(self, usage: Mapping[str, Any]) -> bool:
        """Tell whether *usage*, which is not complete, replaces the last report."""
        return read_count(usage.get("promptTokenCount")) is not None and not is_complete(self._usage or {})

    def _read_choice(self, candidate: Mapping[str, Any], index: int) -> ChoiceDelta:
        reader = self._candidates.get(index)
        if reader is None:
            reader = self._candidates[index] = CandidateReader(index, relays=self._relays)
        delta = reader.read(candidate, self.id or "")
        logprobs = candidate.get("logprobsResult")
        return ChoiceDelta(index, delta, None if logprobs is None else read_logprobs(logprobs))


def _indexed(candidates: Sequence[Any]) -> dict[int, Mapping[str, Any]]:
    """Return the candidates by their indices. Two candidates never share an index, which would mix their texts.

    JSON leaves out an index of zero, and some servers leave out every index. A candidate without an index gets its
    position in the list. If another candidate names that position, the candidate without an index gets the first free
    index. Raises :class:`UpstreamFault` for an invalid index, and for an index that two candidates name.
    """
    if len(candidates) == 1 and type(candidates[0]) is dict:  # nearly every event holds one
        index = candidates[0].get("index")
        if index is None or (type(index) is int and 0 <= index < 2**31):
            return {index or 0: candidates[0]}
    if not all(isinstance(candidate, dict) for candidate in candidates):
        raise UpstreamFault(NO_ANSWER)
    named = [candidate.get("index") for candidate in candidates]
    taken = [index for index in named if index is not None]
    if not all(type(index) is int and 0 <= index < 2**31 for index in taken) or len(set(taken)) < len(taken):
        raise UpstreamFault(
            "The provider's answer holds candidates with the same index, or with an invalid one."
        )
    indexed: dict[int, Mapping[str, Any]] = {}
    for place, (index, candidate) in enumerate(zip(named, candidates, strict=True)):
        if index is None:
            index = next(free for free in (place, *range(len(named))) if free not in taken)
            taken.append(index)
        indexed[index] = candidate
    return indexed
