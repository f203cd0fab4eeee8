"""References to environment variables in the texts of a configuration.

A text may be given as ``os.environ/NAME``, LiteLLM's spelling, or as ``${NAME}``. The value is then read from the
environment that the caller passed in (``Context.environ``), never from ``os.environ``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationInfo

from proxy.config.faults import refusal

ENVIRONMENT_PREFIX = "os.environ/"

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_BRACES = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def no_files(path: str, most: int) -> bytes:
    """Raise :class:`FileNotFoundError` for every file: a configuration that was sent has no folder."""
    raise FileNotFoundError


@dataclass(frozen=True, slots=True)
class Context:
    """The context of a validation: *environ* holds the variables for ``os.environ/NAME``.

    *read_file* returns the beginning of the file at a path, at most a number of bytes.
    """

    environ: Mapping[str, str]
    read_file: Callable[[str, int], bytes] = no_files


def variable_of(text: str) -> str | None:
    """Return the name of the variable that *text* stands for, as ``os.environ/NAME`` or ``${NAME}``.

    Returns None for a text of any other form. Raises :class:`PydanticCustomError` where no valid name follows
    ``os.environ/``.
    """
    if braces := _BRACES.fullmatch(text):
        return braces[1]
    if not text.startswith(ENVIRONMENT_PREFIX):
        return None
    name = text.removeprefix(ENVIRONMENT_PREFIX)
    if not _VARIABLE.fullmatch(name):
        raise refusal(f"names no environment variable after {ENVIRONMENT_PREFIX}")
    return name


def resolve_reference(text: str, environ: Mapping[str, str]) -> str:
    """Return *text*, or the value of the variable that it stands for (:func:`variable_of`).

    A value is not resolved again. Raises :class:`PydanticCustomError` where the variable is not set. The error's text
    names the variable.
    """
    name = variable_of(text)
    if name is None:
        return text
    if name not in environ:
        raise refusal(f"the environment variable {name} is not set")
    return environ[name]


def from_environment(value: Any, info: ValidationInfo) -> Any:
    """Resolve a reference to a variable where *value* is a text. Any other value is returned unchanged.

    Raises :class:`PydanticCustomError`, which names the variable, where it is not set or empty.
    """
    if not isinstance(value, str):
        return value
    resolved = resolve_reference(value, environ_of(info))
    if not resolved.strip() and (name := variable_of(value)) is not None:
        raise refusal(f"the environment variable {name} is empty")
    return resolved


def environ_of(info: ValidationInfo) -> Mapping[str, str]:
    """Return the variables of the validation's context, or none without a context."""
    return info.context.environ if isinstance(info.context, Context) else {}
