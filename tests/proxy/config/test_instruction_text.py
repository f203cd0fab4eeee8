"""Tests of reading a text of the operator's instructions, from the configuration or from a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import PydanticCustomError

from proxy.config import ConfigurationError, load_settings
from proxy.config.instruction_text import MAX_FILE_BYTES, InstructionText, read_instructions, text_or_none
from proxy.config.references import Context
from tests.proxy.config.samples import entry, text_of

SECRET = "Never tell of project Nightjar."


def files(**held: bytes) -> Callable[[str, int], bytes]:
    """Return a reader of files with these names and bytes."""

    def read(path: str, most: int) -> bytes:
        if path not in held:
            raise FileNotFoundError
        return held[path][:most]

    return read


def failing(error: OSError) -> Callable[[str, int], bytes]:
    """Return a reader that raises *error* for every file."""

    def read(path: str, most: int) -> bytes:
        raise error

    return read


def read(value: Any, environ: dict[str, str] | None = None, **held: bytes) -> InstructionText:
    """Return the text of *value*."""
    return read_instructions(value, Context(environ or {}, files(**held)))


def refusal_of(value: Any, reader: Callable[[str, int], bytes] | None = None) -> str:
    """Return the words with which *value* is refused."""
    with pytest.raises(PydanticCustomError) as caught:
        read_instructions(value, Context({"EMPTY": ""}, reader or files()))
    return str(caught.value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Be good.", "Be good."),
        ("Be good.\n", "Be good."),
        ("Be\r\ngood.\r\n", "Be\ngood."),
        ("Be good.\n\n", "Be good.\n"),
        (" Be good.", " Be good."),
        ("os.environ/POLICY", "Be kind."),
        ({"file": "plain"}, "Be brief."),
        ({"file": "windows"}, "Be\nbrief."),
        ({"file": "os.environ/PATH_OF"}, "Be brief."),
    ],
)
def test_a_text_is_taken_with_plain_line_ends(value: Any, text: str) -> None:
    """A byte order mark and one line end at the end are dropped, and Windows' line ends become plain."""
    held = {"plain": b"Be brief.\n", "windows": b"\xef\xbb\xbfBe\r\nbrief.\r\n"}
    found = read(value, {"POLICY": "Be kind.", "PATH_OF": "plain"}, **held)

    assert found.text == text
    assert found.bytes == len(text.encode())


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("", "is empty"),
        (" \n", "is empty"),
        ("os.environ/EMPTY", "is empty"),
        ("os.environ/UNSET", "the environment variable UNSET is not set"),
        ("a\0b", "NUL"),
        ("\ud800", "UTF-8 cannot express"),
        (5, "must be text, or a mapping"),
        ({}, "must be text, or a mapping"),
        ({"file": 5}, "must be text, or a mapping"),
        ({"file": "a", "text": "b"}, "must be text, or a mapping"),
        ({"path": "a"}, "must be text, or a mapping"),
        ({"file": ""}, "names no file"),
        ({"file": "a\0"}, "names no file"),
        ({"file": "~/a"}, "which is not expanded"),
        ({"file": "absent"}, "names a file that does not exist"),
    ],
)
def test_a_value_that_is_no_text_is_refused(value: Any, words: str) -> None:
    """The words say what is wrong, and hold nothing of the value."""
    assert words in refusal_of(value)


@pytest.mark.parametrize(
    ("reader", "words"),
    [
        (failing(IsADirectoryError(21, "Is a directory")), "names a folder"),
        (failing(PermissionError(13, "Permission denied")), "cannot be read: Permission denied"),
        (failing(OSError()), "cannot be read: no reason is known"),
        (files(a=b"\n"), "is empty"),
        (files(a=b"\xef\xbb\xbf"), "is empty"),
        (files(a=b"\xff\xfea\0"), "not UTF-8"),
        (files(a=b"x" * (MAX_FILE_BYTES + 1)), "more than 1 MiB"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(reader: Callable[[str, int], bytes], words: str) -> None:
    """A file that is unreadable, empty, too large or not UTF-8 is refused in words."""
    assert words in refusal_of({"file": "a"}, reader)


def test_a_file_of_one_mib_is_read() -> None:
    """The largest file is read whole. Its text may still be too long for a request."""
    assert read({"file": "a"}, a=b"x" * MAX_FILE_BYTES).bytes == MAX_FILE_BYTES


def test_no_representation_holds_the_text() -> None:
    """A log of the settings shows the length and the digest alone."""
    assert SECRET not in repr(read(SECRET))
    assert SECRET not in repr(load_settings(text_of(general_settings={"instructions": SECRET}), {}).settings)


def test_all_faults_are_reported_at_once_without_a_text() -> None:
    """Each bad text is a fault with its own setting, and no fault holds a text or a path."""
    text = text_of(
        {**entry(), "instructions": {"file": SECRET}},
        general_settings={
            "instructions": [SECRET],
            "teams": [{"name": "t", "instructions": {"file": "~nightjar"}}],
            "keys": [{"name": "k", "key": "sk-k", "instructions": ""}],
        },
    )
    with pytest.raises(ConfigurationError) as caught:
        load_settings(text, {})

    assert {fault.path for fault in caught.value.faults} == {
        "model_list[0].instructions",
        "general_settings.instructions",
        "general_settings.teams[0].instructions",
        "general_settings.keys[0].instructions",
    }
    assert "ightjar" not in str(caught.value)


def test_a_file_at_several_levels_is_read_once() -> None:
    """A load reads each file once, so that no two levels get different versions."""
    asked: list[str] = []

    def reader(path: str, most: int) -> bytes:
        asked.append(path)
        return b"Be good."

    both = {**entry(), "instructions": {"file": "a"}}
    load_settings(text_of(both, general_settings={"instructions": {"file": "a"}}), {}, read_file=reader)

    assert asked == ["a"]


def test_without_a_reader_no_file_is_read() -> None:
    """A configuration that a client sent, or that a command made, can name no file."""
    with pytest.raises(ConfigurationError, match="does not exist"):
        load_settings(text_of(general_settings={"instructions": {"file": "/etc/hostname"}}), {})


def test_a_text_without_use_is_none() -> None:
    """For the measuring, a text that is refused or missing counts as none."""
    assert text_or_none("", Context({})) is None
    assert text_or_none(None, Context({})) is None
    assert text_or_none("a", Context({})) == read("a")


@given(st.binary(max_size=60))
def test_any_bytes_are_a_text_or_refused(held: bytes) -> None:
    """No file raises anything but a refusal, and a text that is taken can be written in UTF-8."""
    try:
        found = read({"file": "a"}, a=held)
    except PydanticCustomError:
        return
    assert found.bytes == len(found.text.encode())
