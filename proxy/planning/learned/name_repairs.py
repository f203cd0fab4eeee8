"""Names the repairs of a refused request, so that they can be made in advance for later requests.

A provider may quote the request in its error. A row counts only where the request does not hold the row's own phrase.
Otherwise a client could teach a repair that the provider never asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from proxy.planning.learned.features import NAMED_FAULTS, feature_of, named_value
from proxy.planning.learned.repair_words import (
    VALUE,
    words_for_fault,
    words_for_field,
    words_for_parameter,
)
from proxy.planning.repairs.draft import Draft
from proxy.planning.repairs.repair_request import MadeRepair, without_inputs
from proxy.planning.repairs.repair_row import Learning, Row
from proxy.resilience.read_error import ProviderError
from proxy.resilience.request_words import RequestWords
from proxy.state.repairs.repair_key import RepairKey

_MAX_KEYS = 4
"""The most repairs that one refusal teaches. Providers rarely list more, and a made-up error may list any number."""

_LONG_ENOUGH = 9
"""Letters and digits of a phrase that hardly stands in a request by chance. Schemas often hold ``enum``."""


def name_repairs(
    made: Iterable[MadeRepair], refused: Draft, error: ProviderError, request: RequestWords
) -> tuple[RepairKey, ...]:
    """Return the names of the repairs *made* after *error*, none where a repair is never learned or was quoted.

    *refused* is the request as it was refused, and *request* holds its words.
    """
    error = without_inputs(error)
    keys: list[RepairKey] = []
    for repair in made:
        row = repair.row
        if row.learning is Learning.NEVER or _is_quoted(row, error, request):
            continue
        loosens = row.learning is Learning.LOOSENS
        if row.fault in NAMED_FAULTS:
            keys += (
                RepairKey(row.fault, feature, words, loosens)
                for feature, words in _named(repair, refused, error)
            )
        else:
            words = words_for_fault(row.fault, error)
            keys.append(RepairKey(row.fault, feature_of(row.fault, refused), words, loosens))
    return tuple(keys) if len(keys) <= _MAX_KEYS else ()


def _named(repair: MadeRepair, refused: Draft, error: ProviderError) -> Iterator[tuple[str, str]]:
    """Yield the feature and the words of each parameter or field that the *repair* dropped or renamed."""
    names = {name for change in repair.changes for name in change.detail.split(",")}
    for name in sorted(names):
        if repair.row.fault == "call_field":
            yield name, words_for_field(name)
            continue
        of_value = f"{VALUE}{name}'" in error.words
        feature = named_value(name, refused.parameters.get(name)) if of_value else name
        yield feature, words_for_parameter(name, of_value=of_value)


def _is_quoted(row: Row, error: ProviderError, request: RequestWords) -> bool:
    """Return True where the phrases of *row* in *error* may all be quoted from the request.

    Where the row needs a second phrase, one phrase that the request does not hold is enough. Then the first phrase may
    be too short to tell.
    """
    said = [phrase for phrase in row.says if error.says(phrase)]
    beside = [phrase for phrase in row.beside if error.says(phrase)]
    if any(phrase in error.codes or not request.contains(phrase) for phrase in said):
        return False
    is_short = all(sum(map(str.isalnum, phrase)) < _LONG_ENOUGH for phrase in said)
    return not (is_short and any(not request.contains(phrase) for phrase in beside))
