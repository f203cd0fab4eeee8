"""JSON text is not decoded where its value would take many times the size of the text."""

from __future__ import annotations

import orjson
import pytest

from sanitizers import find_violations, profile_for, sanitize
from sanitizers.messages import are_objects, is_too_dense, parse_arguments
from tests.support.builders import assistant, call, tool, user

DENSE = '{"a":[' + "{}," * 400_000 + "{}]}"
LONG = '{"a":"' + "word " * 400_000 + '"}'
MANY = orjson.dumps({"rows": [{"id": at, "name": "row"} for at in range(60_000)]}).decode()


@pytest.mark.parametrize(("text", "dense"), [(DENSE, True), (LONG, False), (MANY, False), ("{}", False)])
def test_long_texts_are_decoded_and_millions_of_empty_objects_are_not(text: str, dense: bool) -> None:
    """The number of containers decides, and not the length."""
    assert is_too_dense(text) is dense
    assert (parse_arguments(text) is None) is dense
    assert are_objects([text, "{}"]) is not dense


def test_dense_arguments_are_kept_as_a_text() -> None:
    """The checker and the ``shape`` step treat dense arguments as no object, and keep the text word for word."""
    profile = profile_for("gemini/gemini-3.6-flash")
    history = [user(), assistant(None, [call("c1", arguments=DENSE)]), tool("c1"), user()]

    done = sanitize(history, profile)

    assert find_violations(done.messages, profile) == ()
    assert DENSE in orjson.loads(done.messages[1]["tool_calls"][0]["function"]["arguments"]).values()
    assert [change.kind for change in done.changes] == ["replaced"]
