"""Error bodies of providers that quote the client, and the same bodies without the quotations."""

from __future__ import annotations

import html
import json
import random
import unicodedata
import urllib.parse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.learned.refused_requests import FIELDS, NAMES
from proxy.core.failures import Evidence
from proxy.planning.repairs.repair_table import TABLE
from proxy.resilience.read_error import ProviderError, read_error
from proxy.resilience.request_words import NO_WORDS, RequestWords
from tests.proxy.planning.repairs.cases import CASES

_CUT = "…"
"""Stands for each quotation in the provider's own words."""

_REFUSALS = (
    "Unsupported parameter: '{}' is not supported with this model.",
    "Unsupported value: '{}' does not support 7 with this model.",
    "Unknown parameter: '{}'.",
    "Unrecognized request argument supplied: {}",
    "Unrecognized request arguments supplied: {}, {}",
    "[{{'type': 'extra_forbidden', 'loc': ('body', '{}'), 'msg': 'Extra inputs are not permitted'}}]",
)
_FIELD_REFUSALS = (
    "unknown field: parameter '{}' is not a valid field",
    "Unknown parameter: 'messages[1].tool_calls[0].{}'.",
    "messages.1.assistant.tool_calls.0.{}\n  Extra inputs are not permitted",
)
_CODES = (
    "function_declaration",
    "generation_config",
    "invalid_function_parameters",
    "string_above_max_length",
    "thought_signature",
    "unknown_parameter",
)
_REMARKS = (
    "Request contains an invalid argument. ",
    "The prompt was not accepted: ",
    "Invalid value in function_declarations[0]: ",
    "Error at tools[0]: ",
    "Error in messages[1].tool_calls[0]: ",
    "Invalid tool name: ",
    "Field generation_config: ",
    "Message roles: ",
    "Parameter: ",
    "Please check your input. ",
)
"""Words of a provider around a quotation. Some hold the second phrase of a row that needs two."""


class HostileTexts:
    """Draws texts of a client that look like a provider's refusals."""

    def __init__(self, draw: random.Random) -> None:
        self._draw = draw
        self._kinds: Sequence[Callable[[], str]] = (
            self._case,
            self._phrases,
            self._names,
            self._fields,
            self._long_list,
            self._error,
            self._code,
            self._mixture,
        )

    def draw(self) -> str:
        """Return one text."""
        said = self._draw.choice(self._kinds)()
        return _odd(self._draw, said) if self._draw.random() < 0.25 else said

    def _case(self) -> str:
        return self._draw.choice(CASES).words

    def _phrases(self) -> str:
        row = self._draw.choice(TABLE)
        beside = [self._draw.choice(row.beside)] if row.beside else []
        return " ".join((self._draw.choice(row.says), *beside))

    def _names(self) -> str:
        return self._draw.choice(_REFUSALS).format(*self._draw.sample(NAMES, 2))

    def _fields(self) -> str:
        return self._draw.choice(_FIELD_REFUSALS).format(self._draw.choice(FIELDS))

    def _long_list(self) -> str:
        pattern = self._draw.choice(_REFUSALS[:4])
        return " ".join(pattern.format(*self._draw.choices(NAMES, k=2)) for _ in range(60))

    def _error(self) -> str:
        said = {"message": self._draw.choice((self._case, self._names))(), "code": self._code()}
        return json.dumps({"error": said} if self._draw.random() < 0.5 else said)

    def _code(self) -> str:
        """Return a code or a place, which may also be the name of a tool."""
        return self._draw.choice(_CODES)

    def _mixture(self) -> str:
        return "\n".join(self._draw.choice(self._kinds[:4])() for _ in range(self._draw.randint(2, 5)))


def _odd(draw: random.Random, said: str) -> str:
    """Return *said* with other letters, or with letters between, that a provider may remove."""
    return draw.choice(
        (
            str.upper,
            lambda text: "".join(
                chr(ord(letter) + 0xFEE0) if "!" <= letter <= "~" else letter for letter in text
            ),
            lambda text: "\u200b".join(text),
            lambda text: text.replace(" ", "\u00a0"),
            lambda text: text.replace("a", "\u0430").replace("e", "\u0435"),
            lambda text: "".join(f"\\u{ord(letter):04x}" for letter in text),
            urllib.parse.quote,
            lambda text: f"\u202e{text}\u202c",
            lambda text: f"\ud800{text}\U0001f600",
        )
    )(said)


def _as_normal(text: str) -> str:
    return unicodedata.normalize("NFKC", text).replace("\u200b", "")


_STYLES: Sequence[Callable[[str], str]] = (
    str,
    str,
    repr,
    json.dumps,
    lambda text: json.dumps(text, ensure_ascii=False),
    lambda text: json.dumps(json.dumps(text)),
    lambda text: " ".join(text.split()),
    lambda text: text[: max(1, len(text) * 2 // 3)] + "...",
    lambda text: "..." + text[len(text) // 5 :],
    str.upper,
    html.escape,
    urllib.parse.unquote,
    _as_normal,
    lambda text: f"`{text}`",
    lambda text: "> " + text.replace("\n", "\n> "),
)
"""The ways in which a provider may write a text of the request into its error."""


@dataclass(frozen=True, slots=True)
class HostileError:
    """An error's *body*, and the *own* body: the same with an ellipsis for each quotation of the request."""

    body: bytes
    own: bytes

    def read(self, request: RequestWords) -> ProviderError:
        """Return the facts of the error, as an answer with status 400."""
        return read_error(400, Evidence(400, {}, self.body), now=0.0, request=request)

    def read_own(self) -> ProviderError:
        """Return the facts of the provider's own words."""
        return read_error(400, Evidence(400, {}, self.own), now=0.0, request=NO_WORDS)


class ErrorTexts:
    """Draws errors of a provider that refuses a request."""

    def __init__(self, draw: random.Random) -> None:
        self._draw = draw

    def draw(self, texts: Sequence[str]) -> HostileError:
        """Return an error that quotes *texts* of the client. Most errors also name a fault in the provider's words."""
        draw = self._draw
        pieces: list[tuple[str, bool]] = []
        for said in texts:
            pieces.append((draw.choice(_REMARKS), False))
            pieces.append((draw.choice(_STYLES)(said), True))
        codes: dict[str, Any] = {}
        for _ in range(draw.choice((0, 1, 1, 1, 2))):
            words, more = self._fault()
            codes |= more
            pieces.insert(draw.randrange(0, len(pieces) + 1, 2), (f" {words} ", False))
        bodies = self._bodies(pieces, codes)
        return HostileError(*(json.dumps(body).encode() for body in bodies))

    def _fault(self) -> tuple[str, dict[str, Any]]:
        kind = self._draw.random()
        if kind < 0.5:
            case = self._draw.choice(CASES)
            return case.words, case.more
        if kind < 0.85:
            return self._draw.choice(_REFUSALS).format(*self._draw.sample(NAMES, 2)), {}
        return self._draw.choice(_FIELD_REFUSALS).format(self._draw.choice(FIELDS)), {}

    def _bodies(self, pieces: Sequence[tuple[str, bool]], codes: dict[str, Any]) -> tuple[Any, Any]:
        """Return the body with the quotations, and the one without, in one of the envelopes that providers use."""
        texts = [
            "".join(text for text, _ in pieces),
            "".join(_CUT if quoted else text for text, quoted in pieces),
        ]
        kind = self._draw.randrange(6)
        if kind == 0:
            wrapped: Any = [{"message": text, "object": "error", **codes} for text in texts]
        elif kind == 1:
            wrapped = [
                [{"error": {"code": 400, "message": text, "status": "INVALID_ARGUMENT", **codes}}]
                for text in texts
            ]
        elif kind == 2:
            wrapped = [
                {"error": {"message": json.dumps({"error": {"message": text, **codes}})}} for text in texts
            ]
        elif kind == 3:
            first, quoted = (texts[1], [text for text, is_quoted in pieces if is_quoted])
            raw = [{"description": text} for text in quoted]
            wrapped = [
                {"error": {"message": first, **codes, "details": raw}},
                {"error": {"message": first, **codes, "details": []}},
            ]
        elif kind == 4:
            quoted = [text for text, is_quoted in pieces if is_quoted]
            wrapped = [
                {
                    "detail": [{"type": "value_error", "loc": ["body", "messages"], "msg": text, **more}],
                    **codes,
                }
                for text, more in zip(texts, ({"input": quoted}, {}), strict=True)
            ]
        else:
            wrapped = [
                {"error": {"message": text, "type": "invalid_request_error", **codes}} for text in texts
            ]
        return wrapped[0], wrapped[1]
