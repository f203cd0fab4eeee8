"""Reads a request of the inspector's page: a client's request, and the target for which the request is inspected.

The client's request is parsed from the pasted bytes, by the parser for real requests. It is a chat request, or a
request of the Responses API, of Anthropic's Messages API or of Gemini's API. A list is read as the messages of a chat.
A request without a model gets the target's model.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, NoReturn

import orjson

from proxy.core.chat_request import ChatRequest
from proxy.core.errors import InvalidRequest
from proxy.core.json_text import find_value
from proxy.core.source import ANTHROPIC_MESSAGES, GEMINI_NATIVE, OPENAI_RESPONSES
from proxy.ingress.anthropic_messages.fields import MessagesFields
from proxy.ingress.anthropic_messages.fields import read_fields as read_message_fields
from proxy.ingress.gemini_native.fields import GeminiFields
from proxy.ingress.gemini_native.fields import read_fields as read_content_fields
from proxy.ingress.json_fields import load_object
from proxy.ingress.openai_chat.read_request import parse_chat_request
from proxy.ingress.openai_responses.fields import ResponsesFields, read_fields
from proxy.inspector.find_format import READ, find_format
from proxy.inspector.targets import MODELS

_OF_PAGE = ("request", "target", "compact", "recent")
_OF_CLIENT = ("model", *READ)


class Target(NamedTuple):
    """The model or the profile that a request is inspected for.

    *position* chooses a deployment by its index in ``model_list``. None chooses the first deployment of the model.
    """

    kind: Literal["model", "profile"]
    name: str
    position: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the target in the form of the page's request."""
        fields: dict[str, Any] = {self.kind: self.name}
        return fields if self.position is None else {**fields, "position": self.position}


class Query(NamedTuple):
    """The page's request. Without a *target* the chat request's own model is the target.

    *names_model* is True where the chat request names a model. *compact* asks that unchanged messages be shown by their
    positions alone. *recent* is the id of the recent request that is inspected, if any. *chosen* is True where a target
    was named.
    """

    chat: ChatRequest
    target: Target
    names_model: bool
    compact: bool
    recent: str | None = None
    chosen: bool = True


class MessagesQuery(NamedTuple):
    """The page's request with a request of the Messages API. *recent* is the id of the recent request, if any."""

    fields: MessagesFields
    recent: str | None
    query: Callable[[ChatRequest], Query]
    """Returns the query of the chat that the request is converted to."""


class ContentsQuery(NamedTuple):
    """The page's request with a request of Gemini's API. *recent* is the id of the recent request, if any."""

    fields: GeminiFields
    recent: str | None
    query: Callable[[ChatRequest], Query]
    """Returns the query of the chat that the request is converted to."""


class ItemsQuery(NamedTuple):
    """The page's request with a request of the Responses API, whose stored conversation is not read yet."""

    fields: ResponsesFields
    recent: str | None
    query: Callable[[ChatRequest], Query]
    """Returns the query of the chat that the request is converted to."""


def read_query(
    body: bytes, *, max_nesting: int, mends: bool, default: str
) -> Query | ContentsQuery | ItemsQuery | MessagesQuery:
    """Return the page's request in *body*. *default* is the model where neither target nor request names a model.

    Raises :class:`InvalidRequest` for a body that cannot be read, and for a target or an id that is not valid.
    """
    values = _split(body, _OF_PAGE)
    raw = values.get("request")
    if raw is None:
        load_object(body)  # raises the exact error where the body is not JSON
        raise InvalidRequest(
            "'request' is required: a request of a client, or a list of messages.", param="request"
        )
    target, recent = _read_target(values.get("target")), _read_recent(values.get("recent"))
    own = _split(raw, _OF_CLIENT)
    names_model = "model" in own and own["model"][:1] == b'"' and own["model"] != b'""'
    if target is not None or not names_model:
        raw = with_model(raw, target.name if target is not None else default)
    compact, chosen = values.get("compact") != b"false", target is not None

    def query_of(chat: ChatRequest) -> Query:
        return Query(chat, target or Target("model", chat.model), names_model, compact, recent, chosen=chosen)

    named = find_format(own)
    if named == OPENAI_RESPONSES:
        return ItemsQuery(read_fields(raw, max_nesting=max_nesting, mends=mends), recent, query_of)
    if named == ANTHROPIC_MESSAGES:
        read = read_message_fields(raw, max_nesting=max_nesting, mends=mends, wants_answer=False)
        return MessagesQuery(read, recent, query_of)
    if named == GEMINI_NATIVE:
        return ContentsQuery(
            read_content_fields(raw, model="", max_nesting=max_nesting, mends=mends), recent, query_of
        )
    return query_of(parse_chat_request(raw, max_nesting=max_nesting, mends=mends))


def format_of(raw: bytes) -> str:
    """Return the name of the API that *raw*, the JSON of a client's request, was written for."""
    return find_format(_split(raw, _OF_CLIENT))


def with_model(raw: bytes, model: str) -> bytes:
    """Return a chat request, or a list of messages, as a request for *model*. Nothing else is changed.

    The model is written last, since the last of two equal keys in an object counts.
    """
    raw = raw.strip()
    if raw[:1] == b"[":
        raw = b'{"messages":' + raw + b"}"
    if raw[:1] != b"{" or raw[-1:] != b"}":
        return raw
    between = b"" if raw[1:-1].strip() == b"" else b","
    return raw[:-1] + between + b'"model":' + orjson.dumps(model) + b"}"


def _split(body: bytes, names: tuple[str, ...]) -> dict[str, bytes]:
    """Return the JSON bytes of the object's values with one of *names*. The result is empty without an object.

    The fast parser refuses lone surrogates, which can be mended in a request. Python's own parser then reads the
    object, and writes the values back with their lone surrogates.
    """
    found = {name: raw for name in names if (raw := find_value(body, name)) is not None}
    if not found and b"\\u" in body:
        try:
            fields = json.loads(body.decode(), parse_constant=_refuse_constant)
        except (ValueError, RecursionError):
            return {}
        if isinstance(fields, dict):
            return {name: json.dumps(fields[name]).encode() for name in names if name in fields}
    return found


def _refuse_constant(constant: str) -> NoReturn:
    """Refuse ``NaN`` and ``Infinity``, which are no JSON. A chat with such a constant is refused too."""
    raise ValueError(constant)


def _read_target(raw: bytes | None) -> Target | None:
    if raw is None:
        return None
    try:
        given: Any = orjson.loads(raw)
    except orjson.JSONDecodeError:
        given = 0
    if given is None or given == {}:
        return None
    if isinstance(given, dict) and "model" in given and given.keys() <= {"model", "position"}:
        model, position = given["model"], given.get("position")
        if position is not None and (position.__class__ is not int or position < 0):
            raise InvalidRequest(
                "'target.position' must be a deployment's place in model_list, from 0.",
                param="target.position",
            )
        if isinstance(model, str) and model:
            return Target("model", model, position)
    elif isinstance(given, dict) and len(given) == 1:
        profile = given.get("profile")
        if isinstance(profile, str) and profile in MODELS:
            return Target("profile", profile)
        if "profile" in given:
            raise InvalidRequest(
                f"There is no such profile. Profiles: {', '.join(MODELS)}.", param="target.profile"
            )
    raise InvalidRequest('\'target\' must be {"model": NAME} or {"profile": NAME}.', param="target")


def _read_recent(raw: bytes | None) -> str | None:
    try:
        given = orjson.loads(raw or b"null")
    except orjson.JSONDecodeError:
        given = 0
    if given is None or isinstance(given, str):
        return given or None
    raise InvalidRequest("'recent' must be the id of a recent request.", param="recent")
