"""The types of settings that are JSON of any shape, such as ``extra_body`` and the facts of ``model_info``.

LiteLLM resolves references to variables at any depth of its parameters. So do the types that fill in variables:
FilledMapping, SecretMapping and SecretDocument.
"""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Callable, Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, ValidationInfo

from proxy.config.faults import refusal
from proxy.config.references import from_environment, variable_of
from proxy.config.values import DocumentSecret
from proxy.core.hidden_text import HiddenText

_OnText = Callable[[str], str]


def _json_value(value: Any, on_text: _OnText = str) -> Any:
    """Return *value* with its dates as texts, and with each text replaced by what *on_text* returns for the text.

    Any other value that JSON cannot express is refused.
    """
    if isinstance(value, str):
        return on_text(value)
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise refusal("a key must be text; put it in quotes")
        return {key: _json_value(item, on_text) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_json_value(item, on_text) for item in value]
    if value is None or isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise refusal("holds a value that JSON has not")


def as_written(value: Any) -> Any:
    """Return *value* as a JSON value. References in it stay as they are."""
    return _json_value(value)


def filled(value: Any, info: ValidationInfo) -> Any:
    """Return *value* as a JSON value. Each text that is a reference is replaced by the variable's value."""
    return _json_value(value, lambda text: str(from_environment(text, info)))


def _filled_unseen(value: Any, info: ValidationInfo) -> Any:
    def fill(text: str) -> str:
        return text if variable_of(text) is None else HiddenText(from_environment(text, info))

    return _json_value(value, fill)


def _secret_document(value: Any, info: ValidationInfo) -> Any:
    """Return the JSON text of a mapping, since LiteLLM accepts a service account as a mapping.

    A text stays as it is.
    """
    return json.dumps(filled(value, info)) if isinstance(value, dict) else value


SecretDocument = Annotated[DocumentSecret, BeforeValidator(_secret_document)]
"""A secret that is JSON: written as a mapping, as text, or as the path of the file with the JSON."""

JsonValue = Annotated[Any, BeforeValidator(as_written)]
"""Any JSON value. YAML's dates are read as texts. References stay as they are."""

JsonMapping = Annotated[Mapping[str, Any], BeforeValidator(as_written)]
"""A JSON object. References stay as they are."""

FilledMapping = Annotated[Mapping[str, Any], BeforeValidator(filled)]
"""A JSON object. A text that stands for a variable is replaced by its value, at any depth."""

SecretMapping = Annotated[Mapping[str, Any], BeforeValidator(_filled_unseen)]
"""As FilledMapping, but values of variables are hidden wherever the object is shown (:class:`HiddenText`)."""
