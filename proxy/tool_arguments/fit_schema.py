"""Whether a value fits a tool's schema, in bounded time and without asking anybody. Pure.

The schema is the client's, and the event loop waits: regular expressions are not run (they can take exponential time),
nor what compares everything with everything, references must lead into the schema itself, and every check has a
number of steps that it may take. What cannot be checked under these rules counts as fitting: the tool is the judge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

import orjson

from proxy.tool_arguments.schema_shape import is_usable

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

LARGEST = 64 * 1024
"""Bytes of a schema that is used."""

MOST_STEPS = 10_000
"""Keywords, with what they hold and look at, that one check may go through: well below a tenth of a second."""

_KEPT = 128
_MOST_TOLD = 3
_TOLD_LENGTH = 200

_DRAFTS = {
    "http://json-schema.org/draft-04/schema": "Draft4Validator",
    "http://json-schema.org/draft-06/schema": "Draft6Validator",
    "http://json-schema.org/draft-07/schema": "Draft7Validator",
    "https://json-schema.org/draft/2019-09/schema": "Draft201909Validator",
    "https://json-schema.org/draft/2020-12/schema": "Draft202012Validator",
}
_LATEST = "https://json-schema.org/draft/2020-12/schema"

_CHECKED = frozenset(
    {
        "$ref", "additionalProperties", "allOf", "anyOf", "const", "contains", "dependentRequired", "enum",
        "exclusiveMaximum", "exclusiveMinimum", "if", "items", "maxItems", "maxLength", "maxProperties", "maximum",
        "minItems", "minLength", "minProperties", "minimum", "multipleOf", "not", "oneOf", "prefixItems", "properties",
        "propertyNames", "required", "type",
    }
)  # fmt: skip
"""Left out: pattern, patternProperties, format (regular expressions), uniqueItems, unevaluated*, dynamic references."""

_SAYS_NOTHING = frozenset({"$schema", "additionalProperties", "description", "properties", "title", "type"})


class _TooMuchError(Exception):
    """A check has taken all of its steps."""


@dataclass(slots=True)
class _Meter:
    left: int = 0

    def take(self, value: Any, instance: Any) -> None:
        for each in (value, instance):
            if isinstance(each, (dict, list)):
                self.left -= len(each)
        self.left -= 1
        if self.left < 0:
            raise _TooMuchError


def misfits(value: dict[str, Any], schema: Any) -> list[str]:
    """Return what is wrong with *value* under *schema*, in short words, the first few; nothing where it fits."""
    if not isinstance(schema, dict) or _says_nothing(schema):
        return []
    try:
        key = orjson.dumps(schema)
    except orjson.JSONEncodeError:
        return []  # nested too deeply
    compiled = _compile(key) if len(key) <= LARGEST else None
    return compiled.misfits(value) if compiled else []


def _says_nothing(schema: dict[str, Any]) -> bool:
    """Tell whether every object fits, by a look at the top: so are tools without arguments declared."""
    return (
        schema.keys() <= _SAYS_NOTHING
        and not schema.get("properties")
        and schema.get("type", "object") == "object"
        and schema.get("additionalProperties", True) is True
    )


@dataclass(frozen=True, slots=True)
class _Compiled:
    validator: Validator
    meter: _Meter

    def misfits(self, value: dict[str, Any]) -> list[str]:
        self.meter.left = MOST_STEPS
        try:
            return [_tell(error) for error in islice(self.validator.iter_errors(value), _MOST_TOLD)]
        except Exception:  # noqa: BLE001 - a schema that breaks the validator is one that says nothing
            return []


@lru_cache(maxsize=_KEPT)
def _compile(key: bytes) -> _Compiled | None:
    """Return the check for the schema whose JSON is *key*, or None for a schema that cannot be used."""
    import jsonschema  # late: a start must not wait for it
    from referencing import Registry

    schema = orjson.loads(key)
    dialect = schema.pop("$schema", _LATEST)
    name = _DRAFTS.get(dialect.rstrip("#")) if isinstance(dialect, str) else None
    # The library changes to another class, without the bounds, wherever a schema names a dialect.
    if name is None or not is_usable(schema) or b'"$schema":"' in orjson.dumps(schema):
        return None
    draft = getattr(jsonschema, name)
    meter = _Meter()
    keywords = {
        word: _metered(check, word, meter) if word in _CHECKED else _nothing
        for word, check in draft.VALIDATORS.items()
    }
    bounded = jsonschema.validators.extend(draft, keywords)  # type: ignore[no-untyped-call]  # the stubs have no types
    registry: Registry[Any] = Registry()  # one that fetches nothing
    return _Compiled(bounded(schema, registry=registry), meter)


_Keyword = Callable[[Any, Any, Any, Any], "Iterator[Any] | None"]


def _nothing(*_: Any) -> None:
    """Check nothing."""


def _metered(check: _Keyword, word: str, meter: _Meter) -> _Keyword:
    """Return *check* with its steps counted, and with OpenAPI's ``nullable``, which Gemini's clients write."""

    def metered(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any] | None:
        meter.take(value, instance)
        if instance is None and word in ("enum", "type") and schema.get("nullable") is True:
            return None
        if word == "additionalProperties" and "patternProperties" in schema:
            return None
        return check(validator, value, instance, schema)

    return metered


def _tell(error: Any) -> str:
    text = f"{error.json_path}: {error.message}"
    return text if len(text) <= _TOLD_LENGTH else text[: _TOLD_LENGTH - 1] + "…"
