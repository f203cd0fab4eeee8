"""Join the branches of a choice between objects into one object with all properties, and describe the branches.

Function parameters need this, since providers refuse a choice at the top level: "not have
'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level" (google-calendar-mcp#39). A choice beside properties needs this
too, where every branch would have to repeat the properties.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sanitizers.schemas.context import Flat
from sanitizers.schemas.flatten import Flattener
from sanitizers.schemas.keywords import is_annotation
from sanitizers.schemas.values import as_list, distinct

_TOLD = {"anyOf": "At least one of", "oneOf": "Exactly one of"}


def fold_branches(flat: Flat, flattener: Flattener) -> Flat:
    """Return *flat*, an object, without ``anyOf`` and ``oneOf``."""
    while keyword := next((name for name in _TOLD if as_list(flat.schema.get(name))), None):
        flat = _folded(flat, keyword, flat.schema[keyword], flattener)
    return flat


def _folded(flat: Flat, keyword: str, given: list[Any], flattener: Flattener) -> Flat:
    context = flattener.context
    base = flat.without(keyword)
    branches = [
        flattener.flatten(branch, replace(flat.location.into(keyword, at), expand_references=True))
        for at, branch in enumerate(given)
    ]
    objects = [
        branch for branch in branches if not branch.nothing and "object" in (branch.types or ["object"])
    ]
    if len(objects) == 1:
        context.note("any_of_distributed", flat.location, keyword)
        only = objects[0]
        return flattener.join(base, replace(only, schema={**only.schema, "type": ["object"]}))
    context.note("choice_in_words", flat.location, keyword, kept=False)
    told = [_constraints(branch) for branch in given]
    words = f"{_TOLD[keyword]}: {context.spell_out_json(told)}"
    for branch in objects:
        context.count(len(_properties(branch)))
        context.count_values(len(as_list(branch.schema.get("required"))))
    properties = _union(base, objects)
    required = as_list(base.schema.get("required")) + _required_by_all(objects)
    schema = {
        **base.schema,
        **({"properties": properties} if properties else {}),
        **({"required": distinct(required)} if required else {}),
    }
    open_ = base.location.open.union(*(branch.location.open for branch in objects))
    return replace(
        base, schema=schema, location=replace(base.location, open=open_), words=(*base.words, words)
    )


def _union(base: Flat, objects: list[Flat]) -> dict[str, Any]:
    """Return every property. A property that differs by branch becomes a choice of its schemas."""
    union = dict(_properties(base))
    variants: dict[str, list[Any]] = {}
    for branch in objects:
        for name, value in _properties(branch).items():
            variants.setdefault(name, []).append(value)
    for name, given in variants.items():
        unique = distinct(given)
        choice = unique[0] if len(unique) == 1 else {"anyOf": unique}
        if name not in union:
            union[name] = choice
        elif len(given) == len(objects) and choice is not True and choice != {}:
            union[name] = {"allOf": [union[name], choice]}
    return union


def _required_by_all(objects: list[Flat]) -> list[Any]:
    """Return the names that each of *objects* requires. Values that are no text are ignored."""
    lists = [as_list(branch.schema.get("required")) for branch in objects]
    if not lists:
        return []
    common = frozenset.intersection(
        *(frozenset(name for name in names if isinstance(name, str)) for names in lists)
    )
    return [name for name in lists[0] if isinstance(name, str) and name in common]


def _constraints(branch: Any) -> Any:
    if not isinstance(branch, Mapping):
        return branch
    return {name: value for name, value in branch.items() if not is_annotation(name)}


def _properties(flat: Flat) -> Mapping[str, Any]:
    given = flat.schema.get("properties")
    return given if isinstance(given, Mapping) else {}
