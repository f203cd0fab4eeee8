"""Compare the branches of a choice (``anyOf`` or ``oneOf``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from sanitizers.schemas.context import Flat
from sanitizers.schemas.descriptions import described
from sanitizers.schemas.intersect import meet_types
from sanitizers.schemas.keywords import is_annotation
from sanitizers.schemas.values import as_json, as_list, identity_of, kind_of, same

_MAX_COMPARED = 64
_MAX_VALUES = 16_384
_MAX_PAIRS = 256


def is_null(branch: Flat) -> bool:
    """Tell whether only null matches a branch."""
    values = branch.schema.get("enum")
    return branch.types == ["null"] or (values == [None] and "null" in (branch.types or ["null"]))


def allows_null(flat: Flat) -> bool:
    """Tell whether null is among the types and values that a schema names, if it names any."""
    values = flat.schema.get("enum")
    return "null" in (flat.types or ["null"]) and (not isinstance(values, list) or None in values)


def only_require(branches: Any) -> bool:
    """Tell whether every branch has ``required``, and nothing else that constrains a value."""
    return isinstance(branches, list) and all(
        isinstance(branch, Mapping)
        and "required" in branch
        and all(keyword == "required" or is_annotation(keyword) for keyword in branch)
        for branch in branches
    )


def is_enumeration(branch: Flat) -> bool:
    """Tell whether a branch only lists its values."""
    keywords = {keyword for keyword in branch.schema if not is_annotation(keyword)}
    return "enum" in keywords and keywords <= {"enum", "type"} and not branch.words


def union(branches: Sequence[Flat]) -> tuple[dict[str, Any], list[str]]:
    """Return the enumerations *branches* as one enumeration, and the branches' descriptions as text."""
    values: list[Any] = []
    told: list[str] = []
    for branch in branches:
        # A listed value of another type than the branch's does not match the branch.
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
    """Tell whether surely no value matches two of *branches*, so that ``oneOf`` and ``anyOf`` mean the same.

    Each pair is compared. For many branches, or many values in them, the answer is False.
    """
    if len(branches) > _MAX_COMPARED:
        return False
    traits = [_traits_of(branch.schema) for branch in branches]
    if sum(one.size for one in traits) > _MAX_VALUES:
        return False
    return all(_exclude(one, other) for one, other in combinations(traits, 2))


class _Traits(NamedTuple):
    """The traits that separate the values of two schemas. *constants* are the traits of required properties."""

    types: list[str] | None
    scalars: frozenset[tuple[str, Any]] | None
    """The listed scalar values, each with its kind, or None where none are listed."""

    containers: list[Any]
    """The lists and objects among the listed values."""

    constants: Mapping[str, _Traits]

    @property
    def size(self) -> int:
        """The number of values that a comparison reads."""
        listed = len(self.scalars or ()) + len(self.containers)
        return listed + sum(1 + one.size for one in self.constants.values())


def _traits_of(schema: Mapping[str, Any], *, deep: bool = True) -> _Traits:
    types, listed = _types_of(schema), schema.get("enum")
    scalars: frozenset[tuple[str, Any]] | None = None
    containers: list[Any] = []
    if isinstance(listed, list):
        containers = [value for value in listed if isinstance(value, Mapping | list)]
        scalars = frozenset(identity_of(value) for value in listed if not isinstance(value, Mapping | list))
    constants: dict[str, _Traits] = {}
    properties = schema.get("properties")
    if deep and types == ["object"] and isinstance(properties, Mapping):
        required = [name for name in as_list(schema.get("required")) if isinstance(name, str)]
        for name in required:
            if name in properties and name not in constants:
                constants[name] = _traits_of(_constant(properties[name]), deep=False)
    return _Traits(types, scalars, containers, constants)


def _exclude(one: _Traits, other: _Traits) -> bool:
    if one.types is not None and other.types is not None and not meet_types(one.types, other.types):
        return True
    if one.scalars is not None and other.scalars is not None:
        if len(one.containers) * len(other.containers) > _MAX_PAIRS:
            return False
        return one.scalars.isdisjoint(other.scalars) and not any(
            same(value, another) for value in one.containers for another in other.containers
        )
    # Or both require a property that has different values in each.
    return any(
        _exclude(one.constants[name], other.constants[name])
        for name in one.constants.keys() & other.constants
    )


def _constant(schema: Any) -> Mapping[str, Any]:
    """Return *schema* with its constant as an enumeration, or an empty schema where it allows null or is no object."""
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
