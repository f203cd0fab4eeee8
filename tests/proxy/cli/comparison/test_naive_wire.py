"""Tests of the naive translation into Gemini's format, which the demo compares with the proxy's translation."""

from __future__ import annotations

from proxy.cli.comparison.naive_wire import naive_body
from tests.support.builders import assistant, call, system, tool, user


def test_each_message_is_one_content_and_nothing_is_repaired() -> None:
    """Each message becomes one content, and nothing is repaired.

    A tool result gets the name of its call, or an empty name. The first call gets a dummy signature.
    """
    messages = [system("Be brief."), user("Go."), tool("c9", "lost")]
    messages += [assistant("Yes.", [call("c1", "f", '{"a": 1}'), call("c2", "g")]), tool("c2", "done")]
    declared = [{"type": "function", "function": {"name": "f", "description": "d", "parameters": {}}}]

    assert naive_body(messages, declared) == {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "tools": [{"functionDeclarations": [{"name": "f", "description": "d"}]}],
        "contents": [
            {"role": "user", "parts": [{"text": "Go."}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "", "response": {"content": "lost"}}}]},
            {
                "role": "model",
                "parts": [
                    {"text": "Yes."},
                    {
                        "functionCall": {"name": "f", "args": {"a": 1}},
                        "thoughtSignature": "skip_thought_signature_validator",
                    },
                    {"functionCall": {"name": "g", "args": {}}},
                ],
            },
            {"role": "user", "parts": [{"functionResponse": {"name": "g", "response": {"content": "done"}}}]},
        ],
    }
