"""The type of a text of the operator's instructions: written in the configuration, or read from a file beside it.

A file is read by the function that the caller passed in (``Context.read_file``). Windows' line ends become plain ones,
as in YAML. So the same words have the same length and digest wherever they stand. One line end at the end of a text is
dropped, and so is a file's byte order mark.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeAlias

from pydantic import PlainValidator, ValidationInfo
from pydantic_core import PydanticCustomError

from proxy.config.faults import refusal
from proxy.config.references import Context, environ_of, resolve_reference
from proxy.core.combine_instructions import digest_of

MAX_FILE_BYTES = 2**20
"""The most bytes of a file with a text."""

_WANTED = "must be text, or a mapping with the key file alone, which names a file"
_BESIDE = "a relative path begins at the configuration's folder"
_MARK = "\ufeff"

ReadFile: TypeAlias = Callable[[str, int], bytes]
"""Returns the beginning of the file with a path, at most a number of bytes. Raises :class:`OSError`."""


@dataclass(frozen=True, slots=True)
class InstructionText:
    """A text of the operator. *bytes* is its length in UTF-8, and *digest* its name wherever it is not shown."""

    text: str = field(repr=False)
    bytes: int
    digest: str


def read_instructions(value: Any, context: Context) -> InstructionText:
    """Return the text that *value* of the parsed configuration gives: a text, or a mapping with a file's path.

    Raises :class:`PydanticCustomError` for any other value, and for a text that cannot be used. The error's text holds
    nothing of the value.
    """
    if isinstance(value, InstructionText):
        return value
    if isinstance(value, dict):
        return _made(_read_file(value, context))
    if not isinstance(value, str):
        raise refusal(_WANTED)
    return _made(resolve_reference(value, context.environ))


def _made(text: str) -> InstructionText:
    text = text.replace("\r\n", "\n").removesuffix("\n")
    if not text.strip():
        raise refusal("is empty")
    if "\0" in text:
        raise refusal("holds a NUL character: is it text in UTF-8?")
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise refusal("holds a character that UTF-8 cannot express") from None
    return InstructionText(text, size, digest_of(text))


def _read_file(value: dict[Any, Any], context: Context) -> str:
    path = value.get("file")
    if value.keys() != {"file"} or not isinstance(path, str):
        raise refusal(_WANTED)
    path = resolve_reference(path, context.environ)
    if not path.strip() or not path.isprintable():
        raise refusal("names no file")
    if path.startswith("~"):
        raise refusal(f"begins with ~, which is not expanded: write the whole path; {_BESIDE}")
    try:
        held = context.read_file(path, MAX_FILE_BYTES + 1)
    except FileNotFoundError:
        raise refusal(f"names a file that does not exist; {_BESIDE}") from None
    except IsADirectoryError:
        raise refusal("names a folder, not a file") from None
    except OSError as error:
        raise refusal(f"names a file that cannot be read: {error.strerror or 'no reason is known'}") from None
    if len(held) > MAX_FILE_BYTES:
        raise refusal("names a file of more than 1 MiB")
    try:
        text = held.decode()
    except UnicodeDecodeError:
        raise refusal("names a file that is not UTF-8") from None
    return text.removeprefix(_MARK)


def text_or_none(value: Any, context: Context) -> InstructionText | None:
    """Return what :func:`read_instructions` returns, or None where it refuses *value*, or there is no value."""
    if value is None:
        return None
    try:
        return read_instructions(value, context)
    except PydanticCustomError:
        return None


def _validated(value: Any, info: ValidationInfo) -> InstructionText:
    context = info.context if isinstance(info.context, Context) else Context(environ_of(info))
    return read_instructions(value, context)


Instruction = Annotated[InstructionText, PlainValidator(_validated)]
"""A text of the operator's instructions: a text, or ``{file: PATH}``."""
