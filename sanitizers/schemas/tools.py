"""Clean the schemas of a request's tools for one dialect, and drop tools whose name is declared twice.

The same tools come with every request of a conversation, so cleaned schemas are cached.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

import orjson

from sanitizers.changes import Change
from sanitizers.errors import Unrepairable
from sanitizers.schemas.clean import clean_schema
from sanitizers.schemas.dialects import Dialect
from sanitizers.schemas.notes import CleanedSchema, Note, Schema
from sanitizers.schemas.outcome_cache import OutcomeCache

STEP = "tools"
"""The step's name in a change."""

MAX_KEPT = 8 * 1024 * 1024
"""The most bytes of all cleaned schemas in the cache.

Mutually recursive types of one kilobyte can grow to a hundred kilobytes.
"""

_LONGEST_PATH = 200

_EMPTY: Mapping[str, Callable[[], Any]] = MappingProxyType(
    {"description": str, "parameters": lambda: {"type": "object", "properties": {}}}
)
"""Functions that make the empty value of a declaration's field, by the field's name."""

_MAX_WRITTEN = 2 * 1024 * 1024
"""The most bytes of all rewritten schemas of a request.

Mutually recursive types grow a hundredfold when written out.
"""


class CleanedTools(NamedTuple):
    """A request's tools. *tools* is the given list itself where nothing was changed."""

    tools: list[dict[str, Any]]
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Outcome:
    """The cleaned schema, or None where the given schema stays, and each rewrite's reason with its first place."""

    schema: Schema | None
    rewrites: tuple[tuple[str, str], ...]
    size: int = 0
    """Bytes of *schema*."""


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """The *dialect* that tools are cleaned for.

    A schema gets the *richer* dialect where that loses less of its meaning.
    """

    dialect: Dialect
    richer: Dialect | None = None


_OUTCOMES: OutcomeCache[Target, _Outcome | Unrepairable] = OutcomeCache(MAX_KEPT)


def clean_tools(tools: list[dict[str, Any]], target: Target, place: str = "tools") -> CleanedTools:
    """Return *tools* as *target* accepts them, with a change for every kind of rewrite in each tool.

    An entry is OpenAI's ``{"type": "function", "function": {…}}``, or a bare function as in ``functions``. Where a name
    is declared several times, the first declaration stays ("Duplicate function declaration found",
    Open-WebUI-Functions#135).

    A change has the tool's index. Its detail is the path of the first rewrite, with the number of further rewrites.
    *place* precedes the path unless it is ``tools``. Raises :class:`sanitizers.errors.Unrepairable` with the place of a
    schema that is too large or too deep.
    """
    cleaned: list[dict[str, Any]] = []
    changes: list[Change] = []
    declared: set[str] = set()
    written = 0
    for index, tool in enumerate(tools):
        wrapped = isinstance(tool.get("function"), Mapping)
        function = tool["function"] if wrapped else tool
        name = function.get("name") if isinstance(function, Mapping) else None
        if isinstance(name, str) and name in declared:
            changes.append(Change(STEP, "dropped", index, "duplicate_declaration", place))
            continue
        if isinstance(name, str):
            declared.add(name)
        outcome = _outcome(function.get("parameters"), target) if isinstance(function, Mapping) else None
        if isinstance(outcome, Unrepairable):
            path = _path(place, index, wrapped=wrapped)
            raise Unrepairable(f"'{path}': {outcome.message}", rule=outcome.rule, param=path)
        if isinstance(name, str):
            filled = _filled(function, target.dialect)
            if filled is not function:
                function = filled
                tool = {**tool, "function": function} if wrapped else function
                changes.append(Change(STEP, "replaced", index, "declaration_form", _prefix(place)))
        if outcome is None or outcome.schema is None:
            cleaned.append(tool)
            continue
        written += outcome.size
        if written > _MAX_WRITTEN:
            path = _path(place, index, wrapped=wrapped)
            raise Unrepairable(
                f"'{path}': with their references followed, the schemas of these tools are too large.",
                rule="schema_too_large",
                param=path,
            )
        made = {**function, "parameters": outcome.schema}
        cleaned.append({**tool, "function": made} if wrapped else made)
        changes += _changes(outcome.rewrites, index, _prefix(place))
    return CleanedTools(cleaned, tuple(changes)) if changes else CleanedTools(tools, ())


def _filled(function: dict[str, Any], dialect: Dialect) -> dict[str, Any]:
    """Return *function* with the fields that the dialect requires, and without those that it refuses.

    Returns *function* itself where nothing is missing or refused.
    """
    missing = [name for name in dialect.declared if function.get(name) is None]
    missing += [name for name in dialect.never_null if name in function and function[name] is None]
    known = dialect.known
    if not missing and (known is None or function.keys() <= known):
        return function
    kept = {name: value for name, value in function.items() if known is None or name in known}
    return {**kept, **{name: _EMPTY[name]() for name in sorted(missing)}}


def _prefix(place: str) -> str:
    return "" if place == "tools" else place


def _path(place: str, index: int, *, wrapped: bool) -> str:
    return f"{place}[{index}]{'.function' if wrapped else ''}.parameters"


def _outcome(schema: Any, target: Target) -> _Outcome | Unrepairable | None:
    """Return the outcome for *schema*, or the error that refuses it, or None where the tool stays as it is.

    A tool without a schema stays. A schema without parameters stays too, except in a dialect with ``root_only``. OpenAI
    requires properties in such a schema: "object schema missing properties" (spring-ai#4776, fast-agent#143).
    """
    if not isinstance(schema, dict) or (not target.dialect.root_only and _asks_for_nothing(schema)):
        return None
    try:
        written = orjson.dumps(schema)
    except orjson.JSONEncodeError:  # a number of thirty digits, or too deep
        return _clean(schema, target)
    outcome = _OUTCOMES.find(written, target)
    if outcome is None:
        outcome = _clean(
            orjson.loads(written), target
        )  # a copy, so that the cache keeps no request in memory
        _OUTCOMES.keep(written, target, outcome, outcome.size if isinstance(outcome, _Outcome) else 0)
    return outcome


def _asks_for_nothing(schema: Schema) -> bool:
    """Tell whether a schema declares no parameters, in any spelling."""
    return (
        schema.keys() <= {"additionalProperties", "properties", "required", "type"}
        and schema.get("type") == "object"
        and not any(schema.get(name) for name in ("additionalProperties", "properties", "required"))
    )


@lru_cache(maxsize=512)
def _changes(rewrites: tuple[tuple[str, str], ...], index: int, prefix: str) -> tuple[Change, ...]:
    """Return the changes for *rewrites* of the tool at *index*.

    Making the changes takes longer than finding them in the cache.
    """
    return tuple(Change(STEP, "replaced", index, reason, f"{prefix}{detail}") for reason, detail in rewrites)


def _clean(schema: Schema, target: Target) -> _Outcome | Unrepairable:
    try:
        done = clean_schema(schema, target.dialect)
        if done.losses and target.richer is not None:
            other = clean_schema(schema, target.richer)
            done = other if other.losses < done.losses else done
    except Unrepairable as error:
        if target.richer is None:
            return _bare(error)
        try:  # the richer dialect need not write out mutually recursive types
            done = clean_schema(schema, target.richer)
        except Unrepairable:
            return _bare(error)
    if done.schema is schema:
        return _Outcome(None, ())
    return _Outcome(done.schema, _by_reason(done), _size(done.schema))


def _bare(error: Unrepairable) -> Unrepairable:
    """Return a copy of *error* without its traceback, whose frames would keep the schema in memory."""
    return Unrepairable(error.message, rule=error.rule, param=error.param)


def _size(schema: Schema) -> int:
    try:
        return len(orjson.dumps(schema))
    except orjson.JSONEncodeError:  # a number of thirty digits
        return len(str(schema))


def _by_reason(done: CleanedSchema) -> tuple[tuple[str, str], ...]:
    """Return each reason once, with the path of its first rewrite and the number of further rewrites."""
    places: dict[str, list[Note]] = {}
    for note in done.notes:
        places.setdefault(note.reason, []).append(note)
    return tuple((reason, _placed(notes[0].path, len(notes) - 1)) for reason, notes in places.items())


def _placed(path: str, more: int) -> str:
    shown = path[:_LONGEST_PATH] or "/"
    return f"{shown} +{more}" if more else shown
