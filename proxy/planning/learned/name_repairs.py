"""Names the repairs of a refused request, so that they can be made in advance for later requests.

A provider may quote the request in its error. A row counts only where its phrases are the provider's own. Otherwise a
client could teach a repair that the provider never asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from proxy.planning.learned.features import LEARNED_FIELDS, NAMED_FAULTS, feature_of, named_value
from proxy.planning.learned.own_phrases import own_phrases
from proxy.planning.learned.repair_words import (
    VALUE,
    error_for,
    words_for_fault,
    words_for_field,
    words_for_parameter,
)
from proxy.planning.repairs.draft import Draft
from proxy.planning.repairs.repair_request import MadeRepair, repair_request, without_inputs
from proxy.planning.repairs.repair_row import Learning, Row
from proxy.resilience.read_error import NO_ERROR_FACTS, ProviderError
from proxy.resilience.request_words import RequestWords
from proxy.state.repairs.repair_key import RepairKey
from sanitizers import Change

_MAX_KEYS = 4
"""The most repairs that one refusal teaches. Providers rarely list more, and a made-up error may list any number."""

_CUT = "\n\n"
"""Stands for a phrase that may be quoted. No phrase and no name contains it."""


def name_repairs(
    made: Iterable[MadeRepair], refused: Draft, error: ProviderError, request: RequestWords
) -> tuple[RepairKey, ...]:
    """Return the names of the repairs *made* after *error*, none where a repair is never learned or was quoted.

    *refused* is the request as it was refused, and *request* holds its words.
    """
    error = without_inputs(error)
    keys: dict[RepairKey, None] = {}  # the rows of one fault may both have changed something
    for repair in made:
        row = repair.row
        if row.learning is Learning.NEVER:
            continue
        own = own_phrases(row.fault, error, request)
        if row.fault in NAMED_FAULTS:
            keys |= dict.fromkeys(_named(row, refused, error, _without_quotations(row, error, own)))
            continue
        said = replace(NO_ERROR_FACTS, words="\n".join(own))
        if row.fits(said):
            words, feature = words_for_fault(row.fault, said), feature_of(row.fault, refused)
            keys[RepairKey(row.fault, feature, words, row.learning is Learning.LOOSENS)] = None
    return tuple(keys) if len(keys) <= _MAX_KEYS else ()


def _without_quotations(row: Row, error: ProviderError, own: Iterable[str]) -> ProviderError:
    """Return *error* without the phrases of *row* that may be quoted, so that no quotation names anything."""
    words = error.words
    for phrase in set(row.says).difference(own):
        words = words.replace(phrase, _CUT)
    return replace(error, words=words)


def _named(row: Row, refused: Draft, error: ProviderError, own: ProviderError) -> Iterator[RepairKey]:
    """Yield the key of each parameter or field that *own* names, if the key alone asks for the same change as *error*.

    *own* is *error* without quotations. There is no key where it names too many.
    """
    details = {change.detail for change in _changes_by(row, refused, own)}
    names = {name for detail in details for name in detail.split(",")}
    for name in sorted(names) if len(names) <= _MAX_KEYS else ():
        key = _key_of(row, name, refused, own)
        if row.fault == "call_field":
            is_same = name in LEARNED_FIELDS and _changes_by(row, refused, error_for(key)) != ()
        else:  # a limit is dropped where both of its names are refused, and else renamed
            single = replace(refused, entries=(), parameters={name: refused.parameters[name]})
            is_same = _changes_by(row, single, error) == _changes_by(row, single, error_for(key))
        if is_same:
            yield key


def _key_of(row: Row, name: str, refused: Draft, error: ProviderError) -> RepairKey:
    """Return the key of the parameter or field *name*, which *error* refuses."""
    loosens = row.learning is Learning.LOOSENS
    if row.fault == "call_field":
        return RepairKey(row.fault, name, words_for_field(name), loosens)
    of_value = f"{VALUE}{name}'" in error.words
    feature = named_value(name, refused.parameters.get(name)) if of_value else name
    return RepairKey(row.fault, feature, words_for_parameter(name, of_value=of_value), loosens)


def _changes_by(row: Row, refused: Draft, error: ProviderError) -> tuple[Change, ...]:
    repaired = repair_request(refused.messages, refused.parameters, refused.profile, error, table=(row,))
    return () if repaired is None else repaired.changes
