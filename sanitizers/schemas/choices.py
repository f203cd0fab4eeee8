"""What can be told of the branches of a choice by looking at them. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from sanitizers.schemas.flatten import Flat
from sanitizers.schemas.intersect import meet_types, same
from sanitizers.schemas.keywords import is_annotation
from sanitizers.schemas.told_json import as_json
from sanitizers.schemas.values import as_list, kind_of
from sanitizers.schemas.words import described

_MOST_COMPARED = 64


def is_null(branch: Flat) -> bool:
    """Tell whether nothing but null fits."""
    values = branch.schema.get("enum")
    return branch.types == ["null"] or (values == [None] and "null" in (branch.types or ["null"]))


def allows_null(flat: Flat) -> bool:
    """Tell whether null is among the types and values that it names, if it names any."""
    values = flat.schema.get("enum")
    return "null" in (flat.types or ["null"]) and (not isinstance(values, list) or None in values)


def is_enumeration(branch: Flat) -> bool:
    """Tell whether a branch only lists its values."""
    keywords = {keyword for keyword in branch.schema if not is_annotation(keyword)}
    return "enum" in keywords and keywords <= {"enum", "type"} and not branch.words


def union(branches: Sequence[Flat]) -> tuple[dict[str, Any], list[str]]:
    """Return enumerations as one, and in words what was said of single values."""
    values: list[Any] = []
    told: list[str] = []
    for branch in branches:
        # What a branch lists against its own type is not among its values.
        listed = [value for value in branch.schema["enum"] if _is_of(value, branch.types)]
        values += listed
        said = described(branch.schema.get("description") or branch.schema.get("title"), ())
        if said and (len(listed) != 1 or said != listed[0]):
            told.append(f"{', '.join(map(as_json, listed))}: {said}")
    return {"enum": values}, [f"{'; '.join(told)}."] if told else []


def _is_of(value: Any, types: list[str] | None) -> bool:
    kind = kind_of(value)
    return types is None or kind in types or (kind == "integer" and "number" in types)


def are_exclusive(branches: Sequence[Flat]) -> bool:
    """Tell whether it is sure that no value fits two of *branches*, so that ``oneOf`` and ``anyOf`` are the same."""
    if len(branches) > _MOST_COMPARED:
        return False
    return all(_exclude(one.schema, other.schema) for one, other in combinations(branches, 2))


def _exclude(one: Mapping[str, Any], other: Mapping[str, Any], *, deep: bool = True) -> bool:
    types, others = _types_of(one), _types_of(other)
    if types is not None and others is not None and not meet_types(types, others):
        return True
    values, other_values = one.get("enum"), other.get("enum")
    if isinstance(values, list) and isinstance(other_values, list):
        return not any(same(value, another) for value in values for another in other_values)
    return deep and _discriminated(one, other)


def _discriminated(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Tell whether both require a property that has different values in each."""
    if _types_of(one) != ["object"] or _types_of(other) != ["object"]:
        return False
    mine, theirs = one.get("properties"), other.get("properties")
    if not isinstance(mine, Mapping) or not isinstance(theirs, Mapping):
        return False
    required = [as_list(each.get("required")) for each in (one, other)]
    return any(
        _exclude(_constant(mine[name]), _constant(theirs[name]), deep=False)
        for name in mine
        if name in theirs and name in required[0] and name in required[1]
    )


def _constant(schema: Any) -> Mapping[str, Any]:
    """Return what *schema* says by itself about a single value: its types and values."""
    if not isinstance(schema, Mapping) or schema.get("nullable") is True:
        return {}
    return {**schema, "enum": [schema["const"]]} if "const" in schema else schema


def _types_of(schema: Mapping[str, Any]) -> list[str] | None:
    types = schema.get("type")
    types = [types] if isinstance(types, str) else types
    if types is None and isinstance(schema.get("enum"), list):
        return list(dict.fromkeys(map(kind_of, schema["enum"])))
    known = isinstance(types, list) and all(isinstance(kind, str) and kind.islower() for kind in types)
    return types if known else None
