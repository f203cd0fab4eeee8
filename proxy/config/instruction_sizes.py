"""Measures the operator's instructions for every combination of a model and a key that can occur.

The length of joined texts is the sum of the texts' lengths and of the blank lines between them. So the longest text of
the keys is the longest for every model, and no texts are joined to be measured.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from proxy.config.faults import Fault, path_of
from proxy.config.instruction_text import InstructionText, text_or_none
from proxy.config.places import Places
from proxy.config.raw_names import named_entries, text_of
from proxy.config.references import Context
from proxy.config.schema.settings import Settings
from proxy.core.combine_instructions import joined_bytes
from proxy.core.instructions import MAX_BYTES

_GENERAL = "general_settings"
_MOST_LINES = 20
"""The most combinations that are named."""

_REMEDY = f"shorten a text, or set {_GENERAL}.instructions_overflow: truncate"
_CUT = "texts are cut, from the most general on"


@dataclass(frozen=True, slots=True)
class _Text:
    """The setting of a text, and the text's length. A text of no bytes stands for none."""

    path: str
    bytes: int


_NO_TEXT = _Text("", 0)


@dataclass(frozen=True, slots=True)
class _Levels:
    """The texts that a request can get from each level. ``_NO_TEXT`` is among those of models and of keys."""

    gateway: _Text
    models: tuple[_Text, ...]
    keys: tuple[_Text, ...]

    def texts(self) -> Iterator[_Text]:
        yield from (text for text in (self.gateway, *self.models, *self.keys) if text.bytes)

    def up_to(self, most: int) -> _Levels:
        """Return the levels without texts of more than *most* bytes."""

        def kept(texts: Sequence[_Text]) -> tuple[_Text, ...]:
            return tuple(text for text in texts if text.bytes <= most)

        gateway = self.gateway if self.gateway.bytes <= most else _NO_TEXT
        return _Levels(gateway, kept(self.models), kept(self.keys))


def overflow_faults(raw: Mapping[object, object], context: Context) -> tuple[Fault, ...]:
    """Return a fault for each text of *raw*, a parsed file, that is too long alone or together with others.

    There is none where the file asks for long instructions to be cut. Texts that cannot be used are skipped, since
    validation reports them.
    """
    general = raw.get(_GENERAL)
    listed = raw.get("model_list")
    section: Mapping[object, object] = general if isinstance(general, dict) else {}
    if text_of(section.get("instructions_overflow"), context.environ) == "truncate":
        return ()
    entries = [(position, each) for position, each in enumerate(_list(listed)) if isinstance(each, dict)]
    models = [
        _text(
            path_of(("model_list", position, "instructions")), text_or_none(each.get("instructions"), context)
        )
        for position, each in entries
    ]
    levels = _Levels(
        _text(f"{_GENERAL}.instructions", text_or_none(section.get("instructions"), context)),
        tuple(dict.fromkeys((_NO_TEXT, *models))),
        tuple(dict.fromkeys((_NO_TEXT, *_raw_keys(section, context)))),
    )
    return tuple(Fault(path, f"{text}; {_REMEDY}") for path, text in _too_long(levels))


def cut_warnings(settings: Settings, places: Places) -> Iterator[str]:
    """Yield a warning for each text of *settings* because of which texts are cut, with the operator's paths."""
    general = settings.general_settings
    if general.instructions_overflow != "truncate":
        return
    teams = {team.name: (at, team.instructions) for at, team in enumerate(general.teams)}
    keys: list[_Text] = []
    for position, key in enumerate(general.keys):
        at, of_team = teams.get(key.team or "", (0, None))
        if key.instructions is not None:
            keys.append(_text(f"{_GENERAL}.keys[{position}].instructions", key.instructions))
        else:
            keys.append(_text(f"{_GENERAL}.teams[{at}].instructions", of_team))
    models = [
        _text(places.written(f"model_list[{position}].instructions"), entry.instructions)
        for position, entry in enumerate(settings.model_list)
    ]
    levels = _Levels(
        _text(f"{_GENERAL}.instructions", general.instructions),
        tuple(dict.fromkeys((_NO_TEXT, *models))),
        tuple(dict.fromkeys((_NO_TEXT, *keys))),
    )
    yield from (f"{path}: {text}; {_CUT}" for path, text in _too_long(levels))


def _raw_keys(general: Mapping[object, object], context: Context) -> Iterator[_Text]:
    """Yield the text of each key: its own, or that of its team."""
    teams = _list(general.get("teams"))
    positions = {name: at for at, name in named_entries(general, "teams", "name", context.environ)}
    for position, key in enumerate(_list(general.get("keys"))):
        if not isinstance(key, dict):
            continue
        if key.get("instructions") is not None:
            place: tuple[str | int, ...] = (_GENERAL, "keys", position, "instructions")
            yield _text(path_of(place), text_or_none(key["instructions"], context))
        elif (at := positions.get(text_of(key.get("team"), context.environ) or "")) is not None:
            team = teams[at]
            held = team.get("instructions") if isinstance(team, dict) else None
            yield _text(path_of((_GENERAL, "teams", at, "instructions")), text_or_none(held, context))


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _text(path: str, text: InstructionText | None) -> _Text:
    return _NO_TEXT if text is None else _Text(path, text.bytes)


def _too_long(levels: _Levels) -> Iterator[tuple[str, str]]:
    """Yield the setting of each text that is too long, with words that name the other texts of its worst combination.

    A text that is too long alone is named once. Other combinations are named by their model, or by their key where
    fewer keys than models are concerned.
    """
    lines: list[tuple[str, str]] = []
    for text in levels.texts():
        if text.bytes > MAX_BYTES:
            lines.append((text.path, f"has {text.bytes:,} bytes, and a request may have {MAX_BYTES:,}"))
    rest = levels.up_to(MAX_BYTES)
    longest_model, longest_key = (max(each, key=lambda text: text.bytes) for each in (rest.models, rest.keys))
    by_model = [parts for each in rest.models if (parts := _worst(rest.gateway, each, longest_key))]
    by_key = [parts for each in rest.keys if (parts := _worst(rest.gateway, each, longest_model))]
    lines += map(_line, by_key if len(by_key) < len(by_model) else by_model)
    yield from lines[:_MOST_LINES]
    if len(lines) > _MOST_LINES:
        path, _ = lines[_MOST_LINES]
        yield path, f"is one of {len(lines) - _MOST_LINES} further texts that are too long"


def _worst(gateway: _Text, named: _Text, longest: _Text) -> list[_Text]:
    """Return the combination of *named* with the *longest* text of the other level, or nothing if it is short enough.

    *named* is the first where it is a text.
    """
    parts = [text for text in (named, gateway, longest) if text.bytes]
    return parts if joined_bytes(text.bytes for text in parts) > MAX_BYTES else []


def _line(parts: Sequence[_Text]) -> tuple[str, str]:
    named, *others = parts
    total = joined_bytes(text.bytes for text in parts)
    beside = " and ".join(f"{text.path} ({text.bytes:,})" for text in others)
    return (
        named.path,
        f"has {named.bytes:,} bytes, which come to {total:,} with {beside}, and a request may have {MAX_BYTES:,}",
    )
