"""Tests of ``POST /v1/responses/compact``."""

from __future__ import annotations

import pytest

from tests.proxy.ingress.routes.responses.asking import MODEL, PATH, ask, sent, serving
from tests.support.scripted_upstream import answer

COMPACT = f"{PATH}/compact"


async def test_compaction_stands_for_the_conversation() -> None:
    async with serving([answer("They met.")]) as (proxy, upstream):
        made = await proxy.post(
            {"model": MODEL, "input": "A long story.", "instructions": "Be brief."}, COMPACT
        )
        asked = sent(upstream)
        await ask(proxy, [*made.json["output"], {"role": "user", "content": "Who?"}])
    assert (made.status, made.json["object"]) == (200, "response.compaction")
    assert made.json.keys() == {"id", "object", "created_at", "output", "usage"}
    assert asked[:2] == [("system", "Be brief."), ("user", "A long story.")]
    assert "They met." in str(sent(upstream))
    assert "A long story." not in str(sent(upstream))


@pytest.mark.parametrize("said", [answer(""), answer("  ")])
async def test_summary_without_words_is_an_error(said: dict[str, object]) -> None:
    """An empty compaction would lose the conversation."""
    async with serving([said], [said], [said]) as (proxy, _):
        assert (await proxy.post({"model": MODEL, "input": "A long story."}, COMPACT)).status >= 500
