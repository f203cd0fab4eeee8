"""Reads ``generationConfig`` as chat parameters.

Settings that a chat has no place for are left out and reported. Those that change the kind of the answer, such as
images, are needs: only Gemini can serve them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from proxy.core.chat_request import ProviderNeed
from proxy.ingress.gemini_native.field_types import (
    check_size,
    read_flag,
    read_number,
    read_text,
    read_whole,
    refuse_field,
)
from proxy.ingress.gemini_native.response_format import FORMAT_FIELDS, read_format
from proxy.ingress.gemini_native.thinking_config import THINKING, read_thinking
from sanitizers import Change
from sanitizers.native.gemini.spellings import as_list, both_spellings, enum_word, path_of, read_object
from sanitizers.native.gemini.tools import STEP
from sanitizers.record import record
from sanitizers.work_limit import metered

CONFIG = "generationConfig"

_MOST_CANDIDATES = 8
"""The most answers of one request, for Gemini and for chats."""

_NUMBERS: Mapping[str, str] = MappingProxyType(
    {
        "frequencyPenalty": "frequency_penalty",
        "presencePenalty": "presence_penalty",
        "temperature": "temperature",
        "topP": "top_p",
    }
)

_WHOLE: Mapping[str, tuple[str, int, int]] = MappingProxyType(
    {
        "maxOutputTokens": ("max_tokens", 1, 2**53),
        "seed": ("seed", -(2**53), 2**53),
        "topK": ("top_k", 0, 2**53),
    }
)
"""The chat parameter for each setting of a whole number, with the least and the most value.

Vertex refuses a limit of 0 ("supported range is from 1 (inclusive)", from memory, 2026-11).
"""

_OTHERS = (
    "candidateCount",
    "logprobs",
    "responseLogprobs",
    "responseModalities",
    "stopSequences",
    THINKING,
)

_GEMINI_FIELDS = (
    "audioTimestamp",
    "audioTranscriptionConfig",
    "enableAffectiveDialog",
    "enableEnhancedCivicAnswers",
    "imageConfig",
    "mediaResolution",
    "modelSelectionConfig",
    "routingConfig",
    "speechConfig",
    "translationConfig",
)
"""Settings that have no place in a chat (google-genai 3.4)."""

_SPELLINGS = both_spellings(*_NUMBERS, *_WHOLE, *_OTHERS, *FORMAT_FIELDS, *_GEMINI_FIELDS)

_MODALITIES = ("MODALITY_UNSPECIFIED", "TEXT", "IMAGE", "AUDIO", "VIDEO")
"""The words of the enum, in the order of their numbers (google-ai-generativelanguage 0.12, google-genai 3.4)."""


@record
class Settings:
    """The settings of one request.

    *parameters* are those of a chat. The client gets thoughts where *include_thoughts* is true. *changes* name what a
    chat leaves out, and *needs* are what only Gemini can serve.
    """

    parameters: Mapping[str, Any]
    include_thoughts: bool = False
    changes: tuple[Change, ...] = ()
    needs: tuple[ProviderNeed, ...] = ()


def read_settings(config: Mapping[str, Any]) -> Settings:
    """Return *config*, the value of ``generationConfig``, as it was read.

    Raises :class:`proxy.core.errors.InvalidRequest` for a value of the wrong type, with the setting's path in
    ``param``. Raises :class:`~sanitizers.errors.Unrepairable` for a setting that is given in both spellings.
    """
    return _Reader(config).read()


class _Reader:
    """Reads one setting after the other, in the client's order."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self._config = config
        self._parameters: dict[str, Any] = {}
        self._changes: list[Change] = []
        self._needs: list[ProviderNeed] = []
        self._read_other: Mapping[str, Callable[[str, Any], None]] = {
            "candidateCount": self._read_count,
            "responseLogprobs": self._read_logprobs,
            "responseModalities": self._read_modalities,
            "stopSequences": self._read_stops,
        }

    def read(self) -> Settings:
        """Return the settings."""
        found = read_object(self._config, _SPELLINGS, CONFIG)
        for name, value in found.items():
            self._read(name, value)
        self._read_top_logprobs(found)
        form = read_format(found)
        if form.response_format is not None:
            self._parameters["response_format"] = form.response_format
        self._needs += form.needs
        thinking = read_thinking(found.get(THINKING))
        if thinking.effort is not None:
            self._parameters["reasoning_effort"] = thinking.effort
        if any(name not in _SPELLINGS for name in self._config):
            self._leave_out(CONFIG)  # the names of unknown settings are the client's words
        return Settings(
            MappingProxyType(self._parameters),
            thinking.include_thoughts,
            tuple(self._changes),
            tuple(self._needs),
        )

    def _read(self, name: str, value: Any) -> None:
        place = path_of(CONFIG, name)
        if name in _NUMBERS:
            self._parameters[_NUMBERS[name]] = read_number(place, value)
        elif name in _WHOLE:
            parameter, least, most = _WHOLE[name]
            number = read_whole(place, value, least, most)
            if number or name != "topK":  # 0 is no limit
                self._parameters[parameter] = number
        elif name in self._read_other:
            self._read_other[name](place, value)
        elif name in _GEMINI_FIELDS:
            self._leave_out(place)

    def _read_count(self, place: str, value: Any) -> None:
        if (count := read_whole(place, value, 0, _MOST_CANDIDATES)) > 1:
            self._parameters["n"] = count

    def _read_logprobs(self, place: str, value: Any) -> None:
        if read_flag(place, value):
            self._parameters["logprobs"] = True

    def _read_top_logprobs(self, found: Mapping[str, Any]) -> None:
        """Read ``logprobs``, the number of alternatives, which counts only beside ``responseLogprobs``."""
        if (given := found.get("logprobs")) is None:
            return
        number = read_whole(path_of(CONFIG, "logprobs"), given, 0)
        if self._parameters.get("logprobs"):
            self._parameters["top_logprobs"] = number

    def _read_stops(self, place: str, value: Any) -> None:
        stops = as_list(value)
        check_size(place, stops, "stop")
        texts = [read_text(f"{place}[{at}]", stop) for at, stop in enumerate(metered(stops))]
        if texts:
            self._parameters["stop"] = texts

    def _read_modalities(self, place: str, value: Any) -> None:
        wanted = as_list(value)
        check_size(place, wanted, "modalities")
        words = [enum_word(one, _MODALITIES) for one in wanted]
        if None in words:
            refuse_field(f"{place}[{words.index(None)}]", "must be one of TEXT, IMAGE, AUDIO and VIDEO")
        if not {*words} <= {"MODALITY_UNSPECIFIED", "TEXT"}:
            self._needs.append(
                ProviderNeed(f"'{place}' asks for media, which this model cannot return.", place)
            )

    def _leave_out(self, place: str) -> None:
        self._changes.append(Change(STEP, "dropped", 0, "gemini_field", place))
