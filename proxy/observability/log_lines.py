"""Formats one log event as one line: as JSON for machines, or in columns for a terminal.

An event is one line whatever its values are. No value can move a terminal's cursor. JSON has every field. Columns leave
out fields that are None, and fields of a request that only machines need.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Literal, TypeAlias

import orjson

FormatLine: TypeAlias = Callable[[str, str, Mapping[str, object], datetime], str]
"""Formats a line, with its newline, from level, event, fields and time (with its zone)."""

REQUEST = "request_finished"
"""The event of a finished request, whose readable line has columns."""

_LINE = orjson.OPT_APPEND_NEWLINE | orjson.OPT_UTC_Z

_GREEN, _YELLOW, _RED, _DIM = "32", "33", "31", "2"
_OF_LEVEL: Mapping[str, str] = {"warning": _YELLOW, "error": _RED}
_OF_STATUS: Mapping[int, str] = {2: _GREEN, 4: _YELLOW, 5: _RED}

_NOT_NAMED = frozenset(
    {
        "attempts",
        "budget",
        "duration_ms",
        "input_tokens",
        "messages",
        "mode",
        "model",
        "outcome",
        "output_tokens",
        "overhead_ms",
        "request_id",
        "route",
        "status",
        "stream",
        "upstream_ms",
    }
)
"""Fields of a request that have a column of their own, or that only machines need."""


FormatName: TypeAlias = Literal["json", "readable"]


def choose_format(configured: Literal["auto", "json", "readable"], *, at_terminal: bool) -> FormatName:
    """Return the format that is *configured*. For ``auto`` the format depends on whether the log goes to a terminal."""
    if configured == "auto":
        return "readable" if at_terminal else "json"
    return configured


def line_format(name: FormatName, *, colours: bool) -> FormatLine:
    """Return the line formatter called *name*. *colours* apply to readable lines alone."""
    if name == "json":
        return json_line

    def readable_line(level: str, event: str, fields: Mapping[str, object], now: datetime) -> str:
        parts = _request(fields) if event == REQUEST else _other(level, event, fields)
        shown = (_coloured(text, colour) if colours else text for text, colour in parts)
        moment = now.astimezone().strftime("%H:%M:%S.%f")[:-3]
        return f"{_coloured(moment, _DIM) if colours else moment}  {'  '.join(shown).rstrip()}\n"

    return readable_line


def json_line(level: str, event: str, fields: Mapping[str, object], now: datetime) -> str:
    """Return an event as a JSON object: its fields, then its name, level and time."""
    line = {**fields, "event": event, "level": level, "timestamp": now}
    return orjson.dumps(line, default=str, option=_LINE).decode()


def _request(fields: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield a request's columns with their colours. Values without a fixed width come last."""
    status, outcome = fields.get("status"), fields.get("outcome")
    colour = _OF_STATUS.get(status // 100, "") if isinstance(status, int) else ""
    yield _word(status or "---"), colour or _RED
    yield f"{_word(fields.get('model')):<20}", ""
    yield f"{_word(str(fields.get('route')).removeprefix('/v1/')):<16}", ""
    yield f"{_duration(fields.get('duration_ms')):>7}", ""
    yield f"{'+' + _duration(fields.get('overhead_ms')):>8}", ""
    yield f"{_word(fields.get('attempts'))}x", ""
    tokens = f"{_or_dash(fields.get('input_tokens'))}>{_or_dash(fields.get('output_tokens'))}"
    yield f"{tokens:>13}", ""
    if outcome != "ok":
        yield _word(outcome), colour or _RED
    yield f"{_word(fields.get('request_id')):<28}", _DIM
    for name, value in fields.items():
        quiet = name == "rounds" and ";" not in str(value)  # the rounds hold no warning
        if name not in _NOT_NAMED and value not in (None, "", 0) and not quiet:
            yield f"{name}={_word(value)}", ""


def _other(level: str, event: str, fields: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    yield f"{level:<7}", _OF_LEVEL.get(level, "")
    yield event, _OF_LEVEL.get(level, "")
    for name, value in fields.items():
        if value is not None:
            yield f"{name}={_word(value)}", ""


def _coloured(text: str, colour: str) -> str:
    return f"\033[{colour}m{text}\033[0m" if colour else text


def _duration(milliseconds: object) -> str:
    if not isinstance(milliseconds, int | float):
        return "-"
    if milliseconds < 100:
        return f"{milliseconds:.1f}ms"
    return f"{milliseconds:.0f}ms" if milliseconds < 10_000 else f"{milliseconds / 1000:.1f}s"


def _or_dash(value: object) -> str:
    return "-" if value is None else _word(value)  # providers send counts of any type


def _word(value: object) -> str:
    """Return *value* as one word. A text with spaces or unprintable characters is quoted and escaped."""
    text = str(value)
    if text.isprintable() and text and " " not in text:
        return text
    return ascii(text)
