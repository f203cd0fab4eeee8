"""Checks a value against a tool's schema, in bounded time and without network access.

The schema is the client's, and the check runs on the event loop. Regular expressions are not run, since they can take
exponential time. Keywords that compare all values with each other are not checked. References must lead into the schema
itself. All calls of an answer share one limit of steps (:mod:`proxy.answers.tool_calls.work_limit`). A value that
cannot be checked under these rules counts as fitting. The client's tool then has to judge it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

import orjson

from proxy.answers.tool_calls.schema_shape import has_shape, is_usable
from proxy.answers.tool_calls.work_limit import WorkLimit, WorkLimitExceeded

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

LARGEST = 64 * 1024
"""The largest schema that is used, in bytes."""

_STEPS_A_SCHEMA = 8
_BYTES_A_STEP = 32
"""Bytes of a schema that are compiled in one step."""

_CHARACTERS_A_STEP = 64
"""Characters of a fault that are written in one step. jsonschema writes the whole value into every fault."""

_TEXT_A_STEP = 1024
"""Characters of a text value that are written in one step. Numbers and empty lists take far longer to write."""

_KEPT = 128
_MAX_TOLD = 3
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
"""The keywords that are checked.

Not among them are regular expressions (pattern, patternProperties, format), uniqueItems, unevaluated* and dynamic
references.
"""

_SAYS_NOTHING = frozenset({"$schema", "additionalProperties", "description", "properties", "title", "type"})


_WALKING = frozenset({"additionalProperties", "contains", "items", "propertyNames"})
"""Keywords whose check visits every member of the value."""

_QUICK = frozenset({"enum", "required"})
"""Keywords whose check takes a quarter of a step for each entry of their own list."""

_SLOW = frozenset({"$ref", "multipleOf"})

_ASKING = frozenset({"anyOf", "contains", "if", "not", "oneOf"})
"""Keywords that try other schemas on a value, and do not report the faults under those schemas."""

_NEVER: dict[str, Any] = {"not": {}}
"""Replaces the schema ``false``, which has no keyword that counts steps.

For ``false``, jsonschema also writes the whole value into its message.
"""


class _Meter(threading.local):
    """The step limit of the running check, by thread."""

    limit = WorkLimit()


_METER = _Meter()


def find_schema_faults(value: dict[str, Any], schema: Any, limit: WorkLimit | None = None) -> list[str]:
    """Return the first few faults of *value* under *schema*, as short texts. Empty where the value fits.

    The steps are taken from *limit*. When the steps are used up, every value counts as fitting.
    """
    limit = limit or WorkLimit()
    if limit.left < 0 or not isinstance(schema, dict) or _says_nothing(schema):
        return []
    _METER.limit = limit
    try:
        key = orjson.dumps(schema)
        limit.spend(_STEPS_A_SCHEMA + len(key) // _BYTES_A_STEP)
        validator = _compile(key) if len(key) <= LARGEST else None
        if validator is None:
            return []
        return [_tell(error) for error in islice(validator.iter_errors(value), _MAX_TOLD)]
    except Exception:  # noqa: BLE001 - a schema that breaks the validator has no meaning
        return []


def load_validator() -> None:
    """Load jsonschema, which takes 80 ms. The caller runs this in a worker thread, before jsonschema is needed."""
    _draft(_DRAFTS[_LATEST])


def is_validator_loaded() -> bool:
    """Return True where jsonschema is loaded."""
    return _draft.cache_info().currsize > 0


def _says_nothing(schema: dict[str, Any]) -> bool:
    """Return True where the top level of *schema* lets every object fit.

    Tools without arguments are declared like this.
    """
    return (
        schema.keys() <= _SAYS_NOTHING
        and not schema.get("properties")
        and schema.get("type", "object") == "object"
        and schema.get("additionalProperties", True) is True
    )


@lru_cache(maxsize=_KEPT)
def _compile(key: bytes) -> Validator | None:
    """Return the validator for the schema whose JSON is *key*, or None for an unusable schema."""
    schema = orjson.loads(key)
    dialect = schema.pop("$schema", _LATEST)
    name = _DRAFTS.get(dialect.rstrip("#")) if isinstance(dialect, str) else None
    if name is None or not is_usable(schema):
        return None
    word = "id" if name == "Draft4Validator" else "$id"
    schema.pop(word, None)
    # The library uses another class, without the bounds, wherever a schema names a dialect. It walks the
    # whole schema for every reference below a name.
    text = orjson.dumps(schema)
    if b'"$schema":"' in text or f'"{word}":"'.encode() in text:
        return None
    from referencing import Registry

    registry: Registry[Any] = Registry()  # this registry fetches nothing
    made: Validator = _draft(name)(schema, registry=registry)
    return made


@lru_cache(maxsize=len(_DRAFTS))
def _draft(name: str) -> Any:
    """Return jsonschema's validator class *name*, extended to count steps and to skip unchecked keywords."""
    import jsonschema  # imported late, so that the start does not wait

    draft = getattr(jsonschema, name)
    keywords = {
        word: _metered(check, word) if word in _CHECKED else _nothing
        for word, check in draft.VALIDATORS.items()
    }
    return jsonschema.validators.extend(draft, keywords)  # type: ignore[no-untyped-call]  # the stubs have no types


_Keyword = Callable[[Any, Any, Any, Any], "Iterator[Any] | None"]


def _nothing(*_: Any) -> None:
    """Check nothing."""


def _metered(check: _Keyword, word: str) -> _Keyword:
    """Return *check* with its steps counted.

    The result also allows OpenAPI's ``nullable``, which Gemini's clients write.
    """

    def metered(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
        limit = _METER.limit
        limit.spend(_steps_of(word, value, instance))
        if not has_shape(word, value):  # a reference led to an unchecked place
            raise WorkLimitExceeded
        if instance is None and word in ("enum", "type") and schema.get("nullable") is True:
            return
        if word == "additionalProperties" and "patternProperties" in schema:
            return
        if word in _ASKING:
            value = _without_false(value)
        for error in check(validator, value, instance, schema) or ():
            limit.spend(0 if error.schema_path else _steps_to_write(error.message, instance))
            yield error

    return metered


def _steps_of(word: str, value: Any, instance: Any) -> int:
    steps = 3 if word in _SLOW else 0
    if isinstance(value, (dict, list)):
        steps += len(value) // 4 if word in _QUICK else len(value)
    if word == "$ref" and isinstance(value, str):
        steps += value.count("/")
    if word == "dependentRequired" and isinstance(value, dict):
        steps += sum(len(names) for names in value.values() if isinstance(names, list))
    if word in _WALKING and isinstance(instance, (dict, list)):
        steps += len(instance)
    return steps


def _steps_to_write(message: str, instance: Any) -> int:
    text = len(instance) if isinstance(instance, str) else 0
    return text // _TEXT_A_STEP + max(0, len(message) - text) // _CHARACTERS_A_STEP


def _without_false(value: Any) -> Any:
    if isinstance(value, list):
        return [_NEVER if each is False else each for each in value]
    return _NEVER if value is False else value


def _tell(error: Any) -> str:
    text = f"{error.json_path}: {error.message}"
    return text if len(text) <= _TOLD_LENGTH else text[: _TOLD_LENGTH - 1] + "…"
