"""Reads ``environment_variables`` of a LiteLLM file: values for the file's references to variables.

LiteLLM sets each of these variables in its process, unless the environment already has one of that name. turnright only
resolves references with these variables. It does not set them, so that no library and no child process gets them. A
variable of the environment wins over one of the file with the same name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pydantic_core import PydanticCustomError

from proxy.config.faults import Fault, path_of
from proxy.config.like_references import looks_like_reference
from proxy.config.references import resolve_reference, variable_of

SECTION = "environment_variables"

_NO_TEXT = "ignored; it is no text"
_REFERENCE = "ignored; it looks like a reference, and within a text none is resolved"


class FileVariables(NamedTuple):
    """A parsed file without its section of variables, and the environment with these variables added."""

    raw: dict[object, object]
    environ: Mapping[str, str]
    warnings: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()


def read_variables(raw: Mapping[object, object], environ: Mapping[str, str]) -> FileVariables:
    """Return *raw* without its variables, and *environ* with the variables that it lacks.

    The arguments are not changed.

    A value that is a reference is resolved by *environ* alone. A variable is not added if it has no value, or if its
    value refers to a variable that is not set.
    """
    rest = {key: value for key, value in raw.items() if key != SECTION}
    given = raw.get(SECTION)
    if given is not None and not isinstance(given, dict):
        return FileVariables(rest, environ, (), (Fault(SECTION, "must be a mapping of keys to values"),))
    variables: dict[str, str] = {}
    warnings: list[str] = []
    for name, value in (given or {}).items():
        reason = _ignored(value, environ)
        if reason is not None:
            warnings.append(f"{path_of((SECTION, name))}: {reason}")
        else:
            variables.update((str(name), text) for text in _texts(value, environ))
    return FileVariables(rest, {**variables, **environ}, tuple(warnings))


def _ignored(value: object, environ: Mapping[str, str]) -> str | None:
    """Return the reason why the value of a variable is ignored, or None where the value is used."""
    if value is not None and not isinstance(value, str | int | float):
        return _NO_TEXT
    if not isinstance(value, str) or _is_variable(value):
        return None
    return _REFERENCE if looks_like_reference(value, environ) else None


def _is_variable(text: str) -> bool:
    try:
        return variable_of(text) is not None
    except PydanticCustomError:
        return False


def _texts(value: object, environ: Mapping[str, str]) -> Iterator[str]:
    """Yield the text of *value* with its reference resolved.

    Yield nothing for None, or for a reference to an unset variable.
    """
    if value is None:
        return
    try:
        yield resolve_reference(str(value), environ)
    except PydanticCustomError:
        return
