"""A judge of Bedrock's Converse API: botocore's model of it, with botocore's validator.

botocore's validator does not check patterns, lengths and allowed values of texts, although the model has them. This
judge checks them too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from botocore.loaders import Loader  # type: ignore[import-untyped]
from botocore.model import ServiceModel  # type: ignore[import-untyped]
from botocore.validate import ParamValidator  # type: ignore[import-untyped]

from tests.judges.workers.answering import answer_questions

SHAPE = (
    ServiceModel(Loader().load_service_model("bedrock-runtime", "service-2"))
    .operation_model("Converse")
    .input_shape
)


def judge_converse(body: dict[str, Any]) -> None:
    """Raise ValueError where Converse would refuse *body*, the body of a request to ``/model/…/converse``."""
    given = {"modelId": "m", **body}
    report = ParamValidator().validate(given, SHAPE)
    if report.has_errors():
        raise ValueError(report.generate_report())
    for words in _unknown_values(given, SHAPE, "body"):
        raise ValueError(words)


def _unknown_values(value: Any, shape: Any, place: str) -> Iterator[str]:
    """Yield a line for each text with another form or value than the model allows."""
    if shape.type_name == "structure" and not shape.metadata.get("document"):
        for name, inner in value.items():
            yield from _unknown_values(inner, shape.members[name], f"{place}.{name}")
    elif shape.type_name == "list":
        for at, inner in enumerate(value):
            yield from _unknown_values(inner, shape.member, f"{place}[{at}]")
    elif shape.type_name == "string":
        pattern, most = shape.metadata.get("pattern"), shape.metadata.get("max")
        if shape.enum and value not in shape.enum:
            yield f"{place}: not one of {shape.enum}"
        if pattern is not None and not re.fullmatch(pattern, value):
            yield f"{place}: does not match {pattern}"
        if most is not None and len(value) > most:
            yield f"{place}: longer than {most}"


if __name__ == "__main__":
    answer_questions({"converse": judge_converse})
