"""Validates a parsed file into ``Settings``, with pydantic's errors put into an operator's words.

Every error becomes one fault, except at a text that stands for an unset variable. No fault holds the given value. An
error of a kind that is not in ``_WORDS`` becomes a fault with a general text.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from proxy.config.cross_checks import cross_check
from proxy.config.environment import provider_access
from proxy.config.faults import REFUSAL, Fault, Location, path_of, unknown_key
from proxy.config.instruction_sizes import overflow_faults
from proxy.config.places import Places
from proxy.config.references import Context
from proxy.config.schema.settings import SECTIONS, Settings
from proxy.config.unset_variables import Variables

_Words = Callable[[Mapping[str, Any]], str]


def _always(text: str) -> _Words:
    return lambda _: text


_MAPPING = _always("must be a mapping of keys to values")
_LIST = _always("must be a list")
_EMPTY = _always("is empty")
_LONG = _always("is too long")

_WORDS: Mapping[str, _Words] = {
    REFUSAL: lambda context: str(context["text"]),
    "missing": _always("is missing"),
    "string_type": _always("must be text; put it in quotes"),
    "literal_error": lambda context: f"must be {context['expected']}".replace("'", ""),
    "bool_type": _always("must be true or false"),
    "int_type": _always("must be a whole number"),
    "int_from_float": _always("must be a whole number"),
    "int_parsing_size": _always("is too large a number"),
    "float_type": _always("must be a number"),
    "finite_number": _always("must be a finite number"),
    "greater_than": lambda context: f"must be above {context['gt']:g}",
    "greater_than_equal": lambda context: f"must be at least {context['ge']:g}",
    "less_than": lambda context: f"must be below {context['lt']:g}",
    "less_than_equal": lambda context: f"must be at most {context['le']:.16g}",
    "model_type": _MAPPING,
    "model_attributes_type": _MAPPING,
    "dict_type": _MAPPING,
    "mapping_type": _MAPPING,
    "tuple_type": _LIST,
    "list_type": _LIST,
    "too_short": _always("must have at least one entry"),
    "string_too_short": _EMPTY,
    "string_too_long": _LONG,
    "too_long": _LONG,
    "invalid_key": _always("a key must be text; put it in quotes"),
}


def validate(
    raw: Mapping[object, object],
    context: Context,
    places: Places,
    unavailable: Mapping[str, Variables] | None = None,
    filled: Collection[str] = (),
) -> tuple[Settings | None, tuple[Fault, ...]]:
    """Return the settings of *raw* and no faults, or None and every fault.

    *raw* is a parsed file without ignored keys. *context* holds the variables for ``os.environ/NAME``, and reads the
    files of texts. The faults' paths are those that the operator wrote, by *places*. *unavailable* maps the names of
    models that were left out to the variables that they need. *filled* are the paths in *raw* of texts that stand for
    unset variables. Errors at these paths are no faults.
    """
    unavailable, environ = unavailable or {}, context.environ
    crossed = tuple(
        replace(fault, path=places.written(fault.path))
        for fault in (*cross_check(raw, environ, unavailable), *overflow_faults(raw, context))
        if not _is_at(fault.path, filled)
    )
    try:
        settings = Settings.model_validate(dict(raw), context=context)
    except ValidationError as error:
        found = (_fault(detail, places) for detail in error.errors(include_url=False, include_input=False))
        faults = (*(fault for fault in found if not _is_at(fault.path, filled)), *crossed)
        return None, faults
    if crossed:
        return None, crossed
    access = provider_access(environ) if settings.names_any_model else {}
    positions = [places.position_of(index) for index in range(len(settings.model_list))]
    return settings.with_environment(unavailable, access, positions), ()


def _is_at(path: str, places: Collection[str]) -> bool:
    """Return True where *path* is one of *places*, or lies below one."""
    return any(path == place or path.startswith((f"{place}.", f"{place}[")) for place in places)


def _fault(detail: ErrorDetails, places: Places) -> Fault:
    location = tuple(part for part in detail["loc"] if part != "[key]")
    written = places.written(path_of(location))
    if detail["type"] == "extra_forbidden":
        return Fault(written, unknown_key(str(location[-1]), _known_keys(location[:-1])))
    words = _WORDS.get(detail["type"], _always("is not a value that this key takes"))
    return Fault(written, words(detail.get("ctx", {})))


def _known_keys(location: Location) -> tuple[str, ...]:
    where = ""
    for part in location:
        where += "[]" if isinstance(part, int) else f".{part}" if where else str(part)
    section = SECTIONS.get(where)
    return tuple(section.model_fields) if section is not None else ()
