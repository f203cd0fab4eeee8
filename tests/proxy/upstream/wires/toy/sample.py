"""Sample data of the toy wire."""

from __future__ import annotations

from typing import Any

from tests.proxy.upstream.wires.samples.sample import WireSample, write_events


def _read_texts(request: Any) -> list[str]:
    return [line["line"] for line in request["conversation"]]


TOY_SAMPLE = WireSample(
    provider="toy",
    model="toy/talker",
    read_texts=_read_texts,
    key_header="X-Toy-Key",
    key_prefix="",
    answer=b'{"reply": "Good day.", "because": "finished"}',
    stream=write_events({"more": "Good "}, {"more": "day."}, {"because": "finished"}),
    refusal=b'{"trouble": "Too many tokens."}',
    unsupported="top_p",
)
