"""The words under which a repair is learned: phrases of the repair table, and the name of a refused parameter.

A provider's error may hold any text of a client. So nothing of the error itself is kept. The phrases are enough to make
the same repair again, since repairs read nothing else of an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from proxy.planning.learned.features import LEARNED_FIELDS, NAMED_FAULTS
from proxy.planning.repairs.repair_row import Learning, Row
from proxy.planning.repairs.repair_table import TABLE
from proxy.resilience.read_error import NO_ERROR_FACTS, ProviderError
from proxy.state.repairs.repair_key import RepairKey

VALUE = "unsupported value: '"
"""The phrase by which providers refuse a parameter's value, and not the parameter (vscode#253673)."""

_PARAMETER = "unsupported parameter: '"
_FIELD = re.compile(r"unknown field: parameter '(\w{1,64})' is not a valid field")
_NAMED = re.compile(rf"(?:{re.escape(_PARAMETER)}|{re.escape(VALUE)})(\w{{1,64}})'")
_TYPE = "missing required parameter: 'messages[0].tool_calls[0].type'"
"""An error about one call. The repair adds the type to every call that lacks it."""


def words_for_parameter(name: str, *, of_value: bool) -> str:
    """Return the words by which a provider refuses the parameter *name*, or only its value."""
    return f"{VALUE if of_value else _PARAMETER}{name}'"


def words_for_field(name: str) -> str:
    """Return the words by which a provider refuses the field *name* of a call."""
    return f"unknown field: parameter '{name}' is not a valid field"


def words_for_fault(fault: str, error: ProviderError, table: Sequence[Row] = TABLE) -> str:
    """Return all phrases of *fault* that *error* contains, one on each line."""
    if fault == "call_type":
        return _TYPE
    return "\n".join(phrase for phrase in _phrases(fault, table) if error.says(phrase))


def rows_for(key: RepairKey, table: Sequence[Row] = TABLE) -> tuple[Row, ...]:
    """Return the rows that make the repair of *key*, none where its words are not those of this table.

    The key may come from another version of the proxy, through the store.
    """
    rows = tuple(row for row in table if row.fault == key.fault and row.learning is not Learning.NEVER)
    if not rows or key.loosens is not (rows[0].learning is Learning.LOOSENS):
        return ()
    return rows if _is_known(key, table) else ()


def error_for(key: RepairKey) -> ProviderError:
    """Return an error with the words of *key* alone, so that the rows make the same repair again."""
    return replace(NO_ERROR_FACTS, words=key.words)


def is_named(key: RepairKey, error: ProviderError) -> bool:
    """Return True where *error* names the fault of *key*, and the same parameter or field if the fault has one."""
    name = key.feature.partition("=")[0] if key.fault in NAMED_FAULTS else ""
    is_there = not name or re.search(rf"(?<!\w){re.escape(name)}(?!\w)", error.words) is not None
    return is_there and any(row.fits(error) for row in rows_for(key))


def _is_known(key: RepairKey, table: Sequence[Row]) -> bool:
    if key.fault in NAMED_FAULTS:
        found = (_NAMED if key.fault == "parameter" else _FIELD).fullmatch(key.words)
        is_learned = key.fault == "parameter" or key.feature in LEARNED_FIELDS
        return is_learned and found is not None and found[1] == key.feature.partition("=")[0]
    known = {_TYPE} if key.fault == "call_type" else set(_phrases(key.fault, table))
    return known.issuperset(key.words.split("\n"))


def _phrases(fault: str, table: Sequence[Row]) -> Iterator[str]:
    phrases = (
        phrase for row in table if row.fault == fault for phrase in (*row.says, *row.beside, *row.reads)
    )
    yield from dict.fromkeys(phrases)
