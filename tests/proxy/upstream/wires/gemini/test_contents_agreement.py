"""Tests that the contents of the proxy's Gemini wire equal litellm's, apart from the differences listed here.

litellm runs in this process, without a socket.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.upstream.wires.gemini import build_request
from sanitizers import Unrepairable, profile_for, sanitize
from tests.sanitizers.test_pipeline_agreement import gemini_body
from tests.support.gemini_body import as_sent
from tests.support.strategies import any_histories, damaged_histories, legal_histories

MODELS = ["gemini-2.5-pro", "gemini-3-pro-preview", "gemini-3.6-flash"]

histories = st.one_of(any_histories(), damaged_histories(), legal_histories())

Body = dict[str, Any]
FILLER = {"text": " "}


def spelled_in_camel_case(value: Any) -> Any:
    """Spelling: litellm mixes two spellings of names. This wire writes all names in camel case."""
    if isinstance(value, list):
        return [spelled_in_camel_case(item) for item in value]
    if not isinstance(value, dict):
        return value
    free = ("args", "response")  # structs hold the tools' own names
    return {
        re.sub(r"_([a-z])", lambda m: m[1].upper(), name): item
        if name in free
        else spelled_in_camel_case(item)
        for name, item in value.items()
    }


def without_filler(body: Body) -> Body:
    """Filler: litellm adds " " to media without a text. No model since 2.0 needs that."""

    def cleaned(parts: list[Body]) -> list[Body]:
        is_filled = (
            parts[-1:] == [FILLER] and len(parts) > 1 and all("inlineData" in part for part in parts[:-1])
        )
        return parts[:-1] if is_filled else parts

    return {**body, "contents": [{**one, "parts": cleaned(one["parts"])} for one in body["contents"]]}


def with_media_beside(body: Body) -> Body:
    """Media of results: litellm nests it for every model. Models before Gemini 3 have no field for nested media."""
    contents: list[Body] = []
    for content in body["contents"]:
        parts = [dict(part) for part in content["parts"]]
        responses = [part for part in parts if "functionResponse" in part]
        media: list[Body] = []
        for part in responses:
            part["functionResponse"] = dict(part["functionResponse"])
            media += part["functionResponse"].pop("parts", [])
        if media and len(responses) == 1:
            parts += media
        contents.append({**content, "parts": parts})
        if media and len(responses) > 1:
            contents.append({"role": "user", "parts": media})
    return {**body, "contents": contents}


def with_user_neighbours_merged(body: Body) -> Body:
    """User neighbours: this wire joins media after parallel results with the user's next text."""
    contents = body["contents"][:1]
    for before, content in pairwise(body["contents"]):
        plain = all(not any("functionResponse" in part for part in one["parts"]) for one in (before, content))
        if plain and before["role"] == content["role"] == "user":
            contents[-1] = {**content, "parts": contents[-1]["parts"] + content["parts"]}
        else:
            contents.append(content)
    return {**body, "contents": contents}


def with_media_types_mended(body: Body) -> Body:
    """Types: litellm keeps the client's type. This wire writes `image/jpeg` for `image/jpg`."""
    for content in body["contents"]:
        for part in content["parts"]:
            blob = part.get("inlineData")
            if blob and blob["mimeType"] == "image/jpg":
                blob["mimeType"] = "image/jpeg"
    return body


def with_system_as_one_text(body: Body) -> Body:
    """System texts: litellm joins the parts of a message. This wire keeps each text as a part."""
    parts = body.get("systemInstruction", {}).get("parts", [])
    return {**body, "systemInstruction": "".join(part["text"] for part in parts)}


ALWAYS: tuple[Callable[[Body], Body], ...] = (
    spelled_in_camel_case,
    without_filler,
    with_media_types_mended,
    with_system_as_one_text,
)
BEFORE_GEMINI_3: tuple[Callable[[Body], Body], ...] = (with_media_beside, with_user_neighbours_merged)
"""The functions that undo the intended differences. Each function's docstring names its difference.

Other differences do not occur in these strategies. litellm makes an image of a result whose text is a data URL, and
this wire keeps the text. litellm joins equal calls, and may give calls with a shared id a wrong name. The sanitizer
repairs such histories first.
"""


@pytest.mark.usefixtures("litellm")
@pytest.mark.filterwarnings("ignore")
@given(histories, st.sampled_from(MODELS))
def test_contents_are_those_of_litellm(history: list[dict[str, Any]], model: str) -> None:
    """Contents, system instruction and signatures equal those of litellm, apart from the listed differences."""
    profile = profile_for(f"gemini/{model}")
    try:
        done = sanitize(history, profile)
    except Unrepairable:
        return
    if done.violations:
        return

    messages = as_sent(done.messages, profile)
    theirs = gemini_body(list(messages), model)
    for mend in (*ALWAYS, *(() if profile.call_ids else BEFORE_GEMINI_3)):
        theirs = mend(theirs)

    assert with_system_as_one_text(build_request(messages, {}, profile, model)) == theirs
