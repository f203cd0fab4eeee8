"""Judges a provider's reply to one history: it agrees with the profile, differs, or tells nothing about the rule."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from proxy.planning.probe.choose_cases import Case, Expected
from proxy.planning.repairs.repair_table import TABLE
from proxy.resilience.failure_table import Kind
from proxy.resilience.read_error import NO_ERROR_FACTS, ProviderError
from proxy.resilience.read_subject import Subject


class Reaction(StrEnum):
    """The outcome of one request."""

    ACCEPTED = "accepted"
    REFUSED = "refused"
    FAILED = "failed"
    """The provider is overloaded, down or silent, or could not be reached.

    Or the provider refused for a reason that is not the history.
    """

    STOPPED = "stopped"
    """The provider will take no more requests of this probe: it refused the rate, the quota, the key or the model."""

    NOT_SENT = "not_sent"
    """The transport could not write the history in the provider's format."""

    NOTHING = "nothing"
    """Nothing was sent."""


class Verdict(StrEnum):
    """The result for one history."""

    AGREES = "agrees"
    DIFFERS = "differs"
    NOT_ASKED = "not_asked"
    """The provider could not be asked, or its answer tells nothing about the rule."""

    PRECAUTION = "careful"
    """The provider accepts a history that the profile forbids only as a precaution. The profile need not be changed."""

    HIDDEN = "hidden"
    """The history is not sent, or the transport cannot write it, so the provider cannot be asked."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply to one request. *kind* is None for a faultless answer. *error* and *shown* must hold no secrets."""

    kind: Kind | None = None
    status: int | None = None
    error: ProviderError = field(default=NO_ERROR_FACTS)
    shown: str = ""
    """The provider's error message, for the table and the JSON output, and not for the report."""

    @property
    def reaction(self) -> Reaction:
        """The outcome of the request."""
        if self.kind is None or self.kind in _ANSWERS:
            return Reaction.ACCEPTED
        if self.kind is Kind.CONVERSION:
            return Reaction.NOT_SENT
        if self.kind in _STOPS:
            return Reaction.STOPPED
        of_all_requests = self.error.refusal.subject is not Subject.NONE
        if of_all_requests and self.kind in (Kind.MODEL_GONE, Kind.NOT_ALLOWED_HERE):
            return Reaction.STOPPED
        return Reaction.REFUSED if self.kind in _REFUSALS else Reaction.FAILED


@dataclass(frozen=True, slots=True)
class Finding:
    """The result for one case.

    *row* is the fault of the repair table that the error matches, and *words* the phrase that matched.
    """

    case: Case
    verdict: Verdict
    reaction: Reaction
    status: int | None = None
    row: str = ""
    words: str = ""
    shown: str = ""
    why: str = ""
    """The reason why the provider could not be asked, or why its refusal does not count."""


_ANSWERS = frozenset(
    {
        Kind.EMPTY,
        Kind.INVALID_ARGUMENTS,
        Kind.MALFORMED_CALL,
        Kind.ODD_END,
        Kind.THINKING_ONLY,
        Kind.TRUNCATED,
        Kind.UNDECLARED_CALL,
        Kind.UNEXPECTED_CALL,
    }
)
"""Kinds of a faulty answer. The provider answered, so it has accepted the history."""

_REFUSALS = frozenset({Kind.INVALID_REQUEST, Kind.MODEL_GONE, Kind.OTHER_REFUSAL})
"""Kinds that count as a refusal of the history.

MODEL_GONE is one, since OpenRouter answers 404 to an image for a text-only model.
"""

_STOPS = frozenset({Kind.KEY_REFUSED, Kind.QUOTA_EXHAUSTED, Kind.RATE_LIMITED})

_FAULTS = MappingProxyType(
    {
        "blank_result": ("empty",),
        "blank_text": ("empty",),
        "call_after_model_turn": ("alternation", "pairing"),
        "call_id_illegal": ("call_ids",),
        "call_id_missing": ("call_ids", "pairing"),
        "call_id_repeated": ("call_ids", "pairing"),
        "call_id_too_long": ("call_ids",),
        "call_unreadable": ("name",),
        "developer_role": ("alternation", "system_role"),
        "duplicate_result": ("pairing",),
        "empty_content": ("alternation", "empty"),
        "empty_text": ("alternation", "empty"),
        "first_turn_not_user": ("alternation", "pairing"),
        "identical_call": ("pairing",),
        "many_systems": ("alternation", "system_role"),
        "media_in_result": ("media",),
        "media_mistyped": ("media",),
        "media_type": ("media",),
        "media_unreadable": ("media",),
        "misplaced_calls": ("pairing",),
        "missing_result": ("pairing",),
        "no_turn": ("alternation", "empty"),
        "orphaned_result": ("pairing",),
        "parallel_calls": ("parallel_calls",),
        "reasoning_missing": ("reasoning",),
        "refused_field": ("parameter",),
        "refused_part": ("media",),
        "remote_media": ("media",),
        "result_order": ("pairing",),
        "same_role_neighbours": ("alternation",),
        "signature_unreadable": ("signature",),
        "system_after_start": ("alternation", "system_role"),
        "system_misplaced": ("alternation", "system_role"),
        "system_unsupported": ("alternation", "system_role"),
        "thought_unsigned": ("thoughts",),
        "tool_name_illegal": ("name",),
        "trailing_model_turn": ("alternation", "tail"),
        "trailing_space": ("tail",),
        "unknown_field": ("parameter",),
        "user_after_result": ("alternation", "result_then_user"),
    }
)
"""For each rule, the faults of the repair table whose phrases can report that it is broken.

Few other rules have such phrases.
"""

_ACCEPTED = MappingProxyType(
    {
        Expected.ACCEPTED: Verdict.AGREES,
        Expected.EITHER: Verdict.PRECAUTION,
        Expected.REFUSED: Verdict.DIFFERS,
    }
)
"""The verdict if the provider accepts the history, by the expected reaction."""

_KNOWN_FAULTS = frozenset(fault for faults in _FAULTS.values() for fault in faults)


def judge_reply(case: Case, reply: Reply) -> Finding:
    """Return the result of *case*.

    A failure of the provider is never a difference. But the words of a failure may prove that the profile is right,
    since llama.cpp reports a refusal by its template with status 500.
    """
    reaction = reply.reaction
    own = _FAULTS.get(case.history.rule, ())
    row, words = ("", "") if reaction is Reaction.ACCEPTED else find_words(reply.error, own)
    verdict, why = Verdict.AGREES, ""
    if reaction is Reaction.STOPPED:
        verdict, why = Verdict.NOT_ASKED, "the provider takes no more requests"
    elif reaction is Reaction.FAILED:
        if not case.forbidden or row not in own:
            verdict, why = Verdict.NOT_ASKED, f"the provider failed ({reply.kind})"
    elif reaction is Reaction.NOT_SENT:
        verdict, why = Verdict.HIDDEN, "the transport cannot write it"
        if not case.forbidden:
            verdict, why = Verdict.DIFFERS, "the transport cannot write what the profile allows"
    elif reaction is Reaction.ACCEPTED:
        verdict = _ACCEPTED[case.expected]
    elif case.expected is Expected.ACCEPTED:
        verdict = Verdict.DIFFERS
    elif case.expected is Expected.REFUSED and own and row not in own and row in _KNOWN_FAULTS:
        verdict, why = Verdict.NOT_ASKED, f"refused for another reason ({row})"
    return Finding(case, verdict, reaction, reply.status, row, words, reply.shown, why)


def find_words(error: ProviderError, faults: tuple[str, ...] = ()) -> tuple[str, str]:
    """Return the fault of the repair table's row that *error* matches, and the phrase that matches.

    Rows of *faults* come first.
    """
    rows = [row for row in TABLE if row.fits(error)]
    rows.sort(key=lambda row: row.fault not in faults)
    for row in rows:
        return row.fault, next(phrase for phrase in row.says if error.says(phrase))
    return "", ""
