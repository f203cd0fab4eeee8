"""Properties of any contents that Gemini gets in their client's own form. The emulator judges them."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.core.errors import InvalidRequest
from proxy.core.json_text import write_json
from proxy.emulator import judge
from proxy.planning.plan import Plan
from tests.proxy.planning.test_native_contents import OLDER, STRICT, planned, sent
from tests.support.strategies.contents import any_contents, damaged_contents, legal_contents

DEPLOYMENTS = {"gemini-3.6-flash": STRICT, "gemini-2.5-flash": OLDER}
CONTENTS = st.one_of(any_contents(), damaged_contents(), legal_contents())


def attempted(model: str, body: bytes) -> tuple[Plan | None, str]:
    """Return the plan of *body*, or the words of its refusal."""
    try:
        return planned(DEPLOYMENTS[model], body=body), ""
    except InvalidRequest as refused:
        return None, str(refused)


@pytest.mark.long
@settings(max_examples=25)
@pytest.mark.parametrize("model", DEPLOYMENTS)
@given(contents=CONTENTS)
def test_what_goes_out_is_legal_named_and_not_changed_again(
    model: str, contents: list[dict[str, Any]]
) -> None:
    """A legal list goes out as its bytes, but for one that the model begins. One of thoughts alone is refused."""
    body = {"contents": contents}
    raw = write_json(body)
    is_legal = judge(model, copy.deepcopy(body)) is None and contents[0].get("role") != "model"
    plan, words = attempted(model, raw)
    if plan is None:
        assert "There is nothing to send" in words
        return
    out = sent(plan)

    assert judge(model, json.loads(out)) is None
    assert out == raw or not is_legal
    assert out == raw or plan.changes or plan.signatures["replaced"]
    assert sent(planned(DEPLOYMENTS[model], body=out)) == out
