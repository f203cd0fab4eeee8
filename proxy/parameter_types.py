"""The types of request parameters, and the error for a value of another."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from proxy.errors import InvalidRequest

Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Count = Annotated[int, Field(strict=True, ge=1)]
Text = Annotated[str, Field(strict=True)]
Flag = Annotated[bool, Field(strict=True)]


def check_type(name: str, value: Any, kind: TypeAdapter[Any]) -> None:
    """Raise :class:`InvalidRequest`, with the parameter *name* in ``param``, unless *value* is of *kind*."""
    try:
        kind.validate_python(value)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        place = "".join(f"[{part}]" if isinstance(part, int) else "" for part in first["loc"])
        raise InvalidRequest(
            f"Invalid value for '{name}{place}': {first['msg']}.", param=f"{name}{place}"
        ) from None
