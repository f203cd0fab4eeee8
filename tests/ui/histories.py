"""Builds histories for the tests of the inspector's page: broken, long and hostile histories."""

from __future__ import annotations

import json
from typing import Any

from tests.process.running import ROOT
from tests.support.builders import assistant, call, image, system, text, tool, user

KNOWN: list[dict[str, Any]] = json.loads((ROOT / "proxy" / "conformance" / "known.json").read_text("utf-8"))

BROKEN: dict[str, list[dict[str, Any]]] = {
    "orphan_drop": [user(), tool("gone", "stray"), user("Go on.")],
    "role_merge": [user(), assistant("One."), assistant("Two."), user("Go on.")],
    "user_prepend": [assistant("Hello, how can I help?"), user("Go on.")],
    "pairing": [user(), assistant(calls=[call("a"), call("b", "g")]), tool("b", "two"), user("Go on.")],
    "shape": [user(), assistant(calls=[call("a", "f", "{broken")]), tool("a"), user("Go on.")],
    "tools": [user(), assistant(calls=[call("a", "look up!")]), tool("a"), user("Go on.")],
    "tail": [user(), assistant("I was about to")],
    "media": [user([text("See:"), image("data:image/png;base64,!!!!")]), assistant("No."), user("Go on.")],
}
"""Maps the name of each repair step to a history that this step repairs for Gemini's strict models."""

TRAP = (
    "<script>globalThis.ran = 1</script><img src=x onerror='globalThis.ran = 2'>"
    "<svg onload='globalThis.ran = 3'></svg><iframe src='javascript:parent.ran=4'></iframe>"
    "<a href='javascript:globalThis.ran=5' autofocus onfocus='globalThis.ran=6'>x</a>"
    "</textarea></script><style>body{display:none}</style>{{constructor.constructor('ran=7')()}}"
)

HOSTILE: dict[str, Any] = {
    "model": "gemini",
    "messages": [
        system(TRAP),
        user(
            [text(TRAP), image(f"data:image/svg+xml,{TRAP}"), image("https://elsewhere.invalid/x.png")],
            name=TRAP,
        ),
        assistant(
            TRAP,
            [call(TRAP, TRAP, json.dumps({"x": TRAP})), call("__proto__", "constructor", TRAP)],
            reasoning_content=TRAP,
        ),
        tool(TRAP, TRAP, name=TRAP),
        tool("toString", [text(TRAP)]),
        assistant(TRAP, **{TRAP: {TRAP: TRAP}}),
    ],
    "user": TRAP,
}


def long_history(count: int) -> list[dict[str, Any]]:
    """Return *count* messages of an agent at work. Some are results without a call."""
    messages: list[dict[str, Any]] = [user("Begin.")]
    while len(messages) < count - 1:
        number = len(messages)
        if number % 997 == 0:
            messages.append(tool(f"lost{number}", "nobody asked for this"))
        messages.append(assistant(f"Step {number}.", [call(f"c{number}", "read", json.dumps({"n": number}))]))
        messages.append(tool(f"c{number}", f"line {number}\n" * (number % 7 + 1)))
    return [*messages[: count - 1], user("Go on.")]


def heavy_history() -> list[dict[str, Any]]:
    """Return a history of some 90,000 tokens, which exceeds the window of the model ``small``."""
    messages = [system("You are a coding agent. " * 40), user("Fix the failing test. " * 20)]
    for number in range(12):
        messages.append(
            assistant(calls=[call(f"c{number}", "read_file", json.dumps({"path": f"src/{number}.py"}))])
        )
        messages.append(tool(f"c{number}", "a line of a file\n" * 1500))
    return [*messages, user("Go on.")]


def small_request() -> dict[str, Any]:
    """Return a small request with several faults, which the documentation's first picture shows."""
    return {
        "model": "gemini",
        "messages": [
            user("Compare Oslo and Rome for next weekend."),
            tool("call_gone", "Two flights on Saturday."),
            assistant(
                calls=[
                    call("c1", "get_weather", '{"city": "Oslo"}'),
                    call("c2", "get_weather", '{"city": "Rome"'),
                ]
            ),
            tool("c1", '{"temperature": 4, "sky": "rain"}'),
            assistant("Oslo will be cold and wet."),
        ],
    }


def varied_request() -> dict[str, Any]:
    """Return a request that most repair steps change, for other pictures in the documentation."""
    signed = call("c1", "get weather", '{"city": "Oslo"}')
    return {
        "model": "gemini",
        "messages": [
            system("You are a careful travel agent. Answer in one sentence."),
            tool("call_gone", "4 °C, light rain"),
            assistant("Hello! Where would you like to go?"),
            user("Compare Oslo and Rome for next weekend."),
            user([text("And this is what I have packed:"), image()]),
            assistant(calls=[signed, call("c2", "get_weather", '{"city": "Rome"')]),
            tool("c1", '{"temperature": 4, "sky": "rain"}'),
            assistant("Oslo will be cold and wet."),
            assistant("Shall I look for flights?"),
        ],
        "frequency_penalty": 0.5,
    }
