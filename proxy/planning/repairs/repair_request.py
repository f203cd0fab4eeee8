"""Repairs a refused request before it is sent again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from proxy.planning.repairs.draft import Draft
from proxy.planning.repairs.repair_row import Row
from proxy.planning.repairs.repair_table import TABLE
from proxy.resilience.read_error import ProviderError
from sanitizers import Change, Messages, Profile, Unrepairable
from sanitizers.messages import Entry
from sanitizers.work_limit import spend

_MAX_PASSES = 5
"""The most passes over the table.

Two passes were enough for every generated test case, so more than five would mean a cycle.
"""


@dataclass(frozen=True, slots=True)
class MadeRepair:
    """A row whose repair changed the request, and the changes that it listed at its first use."""

    row: Row
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Repaired:
    """The request that replaces a refused one.

    *profile* is None where the request keeps its profile. An index in *changes* is that of a message in the refused
    request. A change of a parameter has index 0, and *detail* names the parameter. *made* holds the rows that changed
    something, each once.
    """

    messages: Messages
    parameters: Mapping[str, Any]
    profile: Profile | None
    changes: tuple[Change, ...]
    made: tuple[MadeRepair, ...] = ()


def repair_request(
    messages: Messages,
    parameters: Mapping[str, Any],
    profile: Profile,
    error: ProviderError,
    *,
    table: Sequence[Row] = TABLE,
) -> Repaired | None:
    """Return the request repaired as the words of *error* require, or None where no known repair changes anything.

    *messages* are validated, and are those that were sent under *profile*. A provider lists all faults of a layer at
    once (vercel/ai#3775, CLIProxyAPI#1903), and a request is repaired once. So each named fault is repaired, in the
    table's order. Of the rows for one fault, the first that changes something counts.

    A repair may create work for another repair: pairing turns legacy forms into calls and results, which have ids and
    names. So the rows are repeated until nothing changes. For a repaired request and the same error, the result is
    None. The function raises only where a work limit ends it (:mod:`sanitizers.work_limit`). It mutates none of its
    arguments.
    """
    error = without_inputs(error)
    made: dict[int, MadeRepair] = {}
    start = draft = Draft(
        tuple(Entry(message, at) for at, message in enumerate(messages)), parameters, profile
    )
    for _ in range(_MAX_PASSES):
        before = draft
        draft = _apply_table(draft, error, table, made)
        if draft.is_same_request(before):
            break
    if draft.is_same_request(start):
        return None
    return Repaired(
        messages=messages if draft.entries is start.entries else draft.messages,
        parameters=draft.parameters,
        profile=None if draft.profile == profile else draft.profile,
        changes=draft.changes,
        made=tuple(made.values()),
    )


def _apply_table(
    draft: Draft, error: ProviderError, table: Sequence[Row], made: dict[int, MadeRepair]
) -> Draft:
    """Return *draft* after each row of *table* that fits, and add these rows to *made* by their position."""
    mended: set[str] = set()
    for position, row in enumerate(table):
        if row.fault in mended or not row.fits(error):
            continue
        changed = _apply_row(row, draft, error)
        if not changed.is_same_request(draft):
            mended.add(row.fault)
            made.setdefault(position, MadeRepair(row, changed.changes[len(draft.changes) :]))
            draft = changed
    return draft


def _apply_row(row: Row, draft: Draft, error: ProviderError) -> Draft:
    spend(len(draft.entries))
    try:
        return row.repair(draft, error)
    except Unrepairable:  # The stricter rules cannot be met. No repair is better than half of one.
        return draft


def without_inputs(error: ProviderError) -> ProviderError:
    """Return *error* with its words cut before the first input that they quote.

    vLLM writes pydantic's findings into its message as Python does (MaxKB#2912). In such a message, a user's text is
    not a separate field that :mod:`proxy.resilience.unwrap_error` could leave out.
    """
    own = error.words
    for mark in ("'input':", "input_value="):
        own = own.partition(mark)[0]
    return error if own == error.words else replace(error, words=own)
