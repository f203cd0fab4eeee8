"""Reads requests for embeddings: the texts for any provider, and the source for Gemini.

The parts of one content are one vector (google-genai 3.4, run in 2026-11). A batch may have other settings in each
request, and newer models embed media too. Both go to Gemini alone, and so do ``taskType`` and ``title``. Sources:
ai.google.dev/api/embeddings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from proxy.core.text_request import MAX_TEXTS, EmbeddingSource, TextRequest
from proxy.ingress.gemini_native.field_types import read_text, read_whole, refuse_field
from proxy.ingress.parameter_limits import check_unknown
from proxy.ingress.provider_needs import provider_need
from sanitizers.native.gemini.parts import SIGNATURE_KEYS, data_of, unknown_data
from sanitizers.native.gemini.read_parts import PartReader, needs_of_data
from sanitizers.native.gemini.spellings import as_list, both_spellings, path_of, read_object
from sanitizers.native.protocol import HELD_PLACEHOLDER, Need, add_needs
from sanitizers.work_limit import metered

_DIMENSIONS = "outputDimensionality"
_SENT_TO_ALL = both_spellings("content", "model", _DIMENSIONS)
_REQUEST = both_spellings("content", "model", _DIMENSIONS, "taskType", "title")
_CONTENT = both_spellings("parts", "role")


def read_embedding_request(
    fields: Mapping[str, Any], body: bytes, *, model: str, is_batch: bool, weight: int
) -> TextRequest:
    """Return the request in *fields*, which *body* was decoded to. Its first model counts where *model* is empty.

    Raises :class:`proxy.core.errors.InvalidRequest` or :class:`~sanitizers.errors.Unrepairable`, with the path in
    ``param``, for what no provider could embed.
    """
    requests = _requests_of(fields) if is_batch else [fields]
    place = "requests[{}]" if is_batch else ""
    reader = _Reader()
    for at, given in enumerate(metered(requests)):
        reader.add(given, place.format(at))
    model = model or reader.model
    if not model:
        refuse_field("model", "must be a string that is not empty")
    parameters: dict[str, Any] = {"input": reader.texts}
    if reader.dimensions is not None:
        parameters["dimensions"] = reader.dimensions
    needs = tuple(map(provider_need, reader.needs))
    source = EmbeddingSource(body, fields, is_batch, tuple(reader.own), needs)
    return TextRequest(
        model, False, False, MappingProxyType(parameters), MappingProxyType({}), weight, source
    )


def _requests_of(fields: Mapping[str, Any]) -> Sequence[Any]:
    requests = fields.get("requests")
    if not isinstance(requests, list) or not requests:
        refuse_field("requests", "must be a list that is not empty")
    if len(requests) > MAX_TEXTS:
        refuse_field("requests", f"has too many entries: at most {MAX_TEXTS} are taken")
    if not isinstance(fields.get("model"), str | None):
        refuse_field("model", "must be a string")
    return requests


class _Reader:
    """Reads one request after the other. *dimensions* and *own*, the fields of Gemini's, are those of the first."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.needs: list[Need] = []
        self.model = ""
        self.dimensions: int | None = None
        self.own: Mapping[str, Any] = {}
        self._first: tuple[Mapping[str, Any], Mapping[str, Any]] | None = None

    def add(self, given: Any, place: str) -> None:
        """Add the request *given* at *place*."""
        if not isinstance(given, dict):
            refuse_field(place, "must be an object")
        known = read_object(given, _REQUEST, place)
        self.texts.append(self._read_content(known.pop("content", None), path_of(place, "content")))
        named = read_text(path_of(place, "model"), known.pop("model", ""))
        self.model = self.model or named.removeprefix("models/")
        if not isinstance(known.get("taskType"), str | int | None):
            refuse_field(path_of(place, "taskType"), "must be a string or a number")
        read_text(path_of(place, "title"), known.get("title", ""))
        dimensions = known.get(_DIMENSIONS)
        if dimensions is not None:
            dimensions = read_whole(path_of(place, _DIMENSIONS), dimensions, 1)
        own = {name: value for name, value in given.items() if name not in _SENT_TO_ALL and value is not None}
        check_unknown(own)
        if self._first is None:
            self._first = known, own
            self.dimensions, self.own = dimensions, own
        elif self._first != (known, own):
            words = f"'{place}' must have the fields of the first request, apart from its content, for this model."
            add_needs(self.needs, [Need(words, "embedding_fields", place)])

    def _read_content(self, content: Any, place: str) -> str:
        """Return the text of *content*, whose parts become lines."""
        if not isinstance(content, dict):
            refuse_field(place, "must be an object with 'parts'")
        known = read_object(content, _CONTENT, place)
        read_text(f"{place}.role", known.get("role", ""))
        parts = as_list(known.get("parts"))
        if not parts:
            refuse_field(f"{place}.parts", "must be a list that is not empty")
        return "\n".join(
            [self._read_part(part, f"{place}.parts[{at}]") for at, part in enumerate(metered(parts))]
        )

    def _read_part(self, part: Any, place: str) -> str:
        """Return the text of *part*, or a placeholder for what Gemini alone can embed."""
        if not isinstance(part, dict):
            refuse_field(place, "must be an object")
        data = data_of(part)
        key = data.key or unknown_data(part)
        if key is None:
            refuse_field(place, "must have a text, or media")
        if data.several:
            refuse_field(place, "must have one kind of data")
        if not isinstance(part.get("thought"), bool | None):
            refuse_field(f"{place}.thought", "must be a boolean")
        for name in SIGNATURE_KEYS:
            if not isinstance(part.get(name), str | None):
                refuse_field(f"{place}.{name}", "must be a string")
        if data.kind == "text":
            return read_text(f"{place}.text", data.value)
        add_needs(
            self.needs,
            [Need(f"'{place}' must have a text: this model embeds nothing else.", "embedding_part", place)],
        )
        if data.kind in ("fileData", "inlineData"):
            reader = PartReader()
            reader.read({data.key: data.value}, data, place, 0, media=True)  # a thought would not be read
            add_needs(self.needs, reader.needs)
        else:
            add_needs(self.needs, needs_of_data(part[key], f"{place}.{key}"))
        return HELD_PLACEHOLDER
