"""Tests of the types of values, with valid and invalid values of each."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import SecretStr, TypeAdapter, ValidationError

from proxy.config import values
from proxy.config.references import Context

ENVIRON = {"NAME": "given", "EMPTY": "", "NUMBER": "7", "NESTED": "os.environ/NAME"}


def parse(kind: Any, value: object) -> Any:
    """Return *value* validated as *kind*, with the variables in ``ENVIRON``."""
    return TypeAdapter(kind).validate_python(value, context=Context(ENVIRON))


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (values.Text, "plain", "plain"),
        (values.Text, "os.environ/NAME", "given"),
        (values.Text, "os.environ/NESTED", "os.environ/NAME"),
        (values.Text, "gr\u00fcn", "gr\u00fcn"),
        (values.KeySecret, "os.environ/NAME", SecretStr("given")),
        (values.KeySecret, SecretStr("k"), SecretStr("k")),
        (values.DocumentSecret, "{\n}", SecretStr("{\n}")),
        (values.HeaderSecret, "Bearer k", SecretStr("Bearer k")),
        (values.BaseUrl, "https://h:8443/v1//", "https://h:8443/v1"),
        (values.BaseUrl, "http://[::1]:1", "http://[::1]:1"),
        (values.StoreUrl, "sqlite:///f", "sqlite:///f"),
        (values.Seconds, 1, 1.0),
        (values.SecondsOrZero, 0, 0.0),
        (values.CountOrZero, 0, 0),
        (values.Ratio, 1, 1.0),
        (values.Seconds, "300", 300.0),
        (values.Seconds, "0.5", 0.5),
        (values.Seconds, "os.environ/NUMBER", 7.0),
        (values.CountOrZero, "${NUMBER}", 7),
        (values.Count, "12", 12),
        (values.Ratio, "1", 1.0),
        (values.Port, "os.environ/NUMBER", 7),
        (values.Port, 0, 0),
        (values.Port, 65535, 65535),
    ],
)
def test_valid_value_is_normalized(kind: Any, value: object, expected: object) -> None:
    """A valid value is normalized: variables are resolved and trailing slashes are cut."""
    assert parse(kind, value) == expected


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        *((values.Text, bad) for bad in ("", " a", "a\n", "\x7f", 3, None, True, b"a", "os.environ/ABSENT")),
        *((values.Text, bad) for bad in ("os.environ/", "os.environ/a b", "os.environ/EMPTY")),
        *(
            (values.KeySecret, bad)
            for bad in ("", " ", "a b", "a\n", "\u00e4", 3, None, ["a"], "os.environ/EMPTY")
        ),
        *((values.OptionalGatewayKey, bad) for bad in (None, "", False)),
        *((values.HeaderSecret, bad) for bad in ("a\r\nX: y", "a\x00", 3)),
        *((values.HeaderName, bad) for bad in ("", "a b", "a:", "a\n", "\u00e4", 3)),
        *(
            (values.BaseUrl, bad)
            for bad in ("h/v1", "ftp://h", "http://", "http://h:99999", "http://[", "http:///p")
        ),
        *(
            (values.BaseUrl, bad)
            for bad in ("http://u:p@h", "http://u@h", "http://@h", "http://h?a", "http://h#", 3)
        ),
        *((values.BaseUrl, bad) for bad in ("http://h/\n", "http://h/a b", "http://h?")),
        *((values.StoreUrl, bad) for bad in ("memory", "file:///f", "", "MEMORY://", "redis://\n")),
        *(
            (values.Seconds, bad)
            for bad in (0, -1, float("nan"), float("inf"), True, "5s", "1e3", None, 10**400, 1e12)
        ),
        *((values.SecondsOrZero, bad) for bad in (-0.1, float("-inf"), False)),
        *((values.Count, bad) for bad in (0, 1.0, True, "one", "1.5", "0", 10**30)),
        *((values.Ratio, bad) for bad in (0, 1.1, True, float("nan"))),
        *((values.Port, bad) for bad in (-1, 65536, True, "http", "65536")),
        *((values.Flag, bad) for bad in (0, 1, "true", None)),
    ],
)
def test_invalid_value_is_a_validation_error(kind: Any, value: object) -> None:
    """An invalid value raises a ValidationError and is never coerced."""
    with pytest.raises(ValidationError):
        parse(kind, value)


@pytest.mark.parametrize(("value", "word"), [(False, "off"), ("off", "off"), (True, True), (0, 0)])
def test_only_false_is_read_as_off(value: object, word: object) -> None:
    """Only false is read as ``off``, since YAML 1.1 reads the bare word as false."""
    assert values.read_off(value) is word or values.read_off(value) == word
