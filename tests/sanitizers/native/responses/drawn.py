"""Strategies for lists of items: likely ones, and ones whose fields hold anything."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from sanitizers.native.responses import pack_summary
from tests.sanitizers.native.responses.building import Item, sealed
from tests.support.builders import PNG_URL

IDS = ["a", "b", "c", "call_1"]
TEXT = {"type": "input_text", "text": "words"}
PARTS: list[Any] = [
    TEXT,
    {"type": "output_text", "text": "said", "annotations": []},
    {"type": "input_image", "image_url": PNG_URL, "detail": "original"},
    {"type": "input_image", "file_id": "file-1"},
    {"type": "input_file", "file_data": "data:text/plain;base64,YQ==", "filename": "a.txt"},
    {"type": "input_audio", "input_audio": {"data": "YQ==", "format": "wav"}},
    {"type": "refusal", "refusal": "no"},
    {"type": "unheard_of"},
]
CONTENTS: list[Any] = ["words", "", None, [], [TEXT], [TEXT, TEXT], *([part] for part in PARTS), PARTS[:3]]
OUTPUTS: list[Any] = [*CONTENTS, {"a": 1}, ["bare"], 7]
ENVELOPES: list[Any] = [
    None,
    "",
    sealed("hm", a="SIG"),
    sealed("", "TEXT_SIG"),
    sealed("hm")[:-1],
    "gAAAAABforeign",
    pack_summary("so far"),
]
THOUGHTS: list[Any] = [None, [], [{"type": "summary_text", "text": "thought"}], [{"text": None}]]
ACTIONS: list[Any] = [{"type": "exec", "command": ["ls"], "env": {}}, {"commands": ["ls"]}, None]

FIELDS: dict[str, dict[str, list[Any]]] = {
    "message": {"role": ["user", "assistant", "system", "developer", "tool"], "content": CONTENTS},
    "function_call": {
        "call_id": IDS,
        "name": ["f", "g", ""],
        "arguments": ["{}", "", "{", '"x"', '{"a": 1}'],
    },
    "function_call_output": {"call_id": IDS, "output": OUTPUTS},
    "custom_tool_call": {"call_id": IDS, "name": ["f"], "input": ["text", ""], "namespace": ["n", None]},
    "custom_tool_call_output": {"call_id": IDS, "output": OUTPUTS},
    "reasoning": {"id": ["rs_1"], "summary": THOUGHTS, "content": THOUGHTS, "encrypted_content": ENVELOPES},
    "item_reference": {"id": ["rs_1", "msg_1"]},
    "local_shell_call": {"id": ["lsh_1"], "call_id": IDS, "action": ACTIONS},
    "local_shell_call_output": {"id": ["lsh_1", "a"], "output": ["done"]},
    "shell_call": {"call_id": IDS, "action": ACTIONS},
    "shell_call_output": {
        "call_id": IDS,
        "output": [[{"stdout": "x", "stderr": "", "outcome": {"type": "exit"}}]],
    },
    "apply_patch_call": {"call_id": IDS, "operation": [{"type": "delete_file", "path": "a"}, None]},
    "apply_patch_call_output": {"call_id": IDS, "status": ["completed", "failed"], "output": ["done", None]},
    "computer_call": {"call_id": IDS, "action": [{"type": "screenshot"}]},
    "computer_call_output": {
        "call_id": IDS,
        "output": [{"type": "computer_screenshot", "image_url": PNG_URL}],
    },
    "mcp_call": {
        "id": ["mcp_1", "a"],
        "name": ["f"],
        "server_label": ["s"],
        "output": ["x", None],
        "error": [None, "e"],
    },
    "code_interpreter_call": {
        "id": ["ci_1"],
        "code": ["1"],
        "outputs": [None, [], [{"type": "logs", "logs": "1"}]],
    },
    "web_search_call": {"id": ["ws_1"]},
    "unheard_of": {"content": ["words"]},
    "additional_tools": {"role": ["developer"], "tools": [[{"type": "function", "name": "f"}]]},
    "tool_search_output": {"tools": [[{"type": "function", "name": "g"}], None]},
    "compaction": {"encrypted_content": ENVELOPES},
    "compaction_trigger": {},
}

_LIKELY = ("message", "function_call", "function_call_output", "reasoning")
_TYPES = (*FIELDS, *_LIKELY, *_LIKELY, *_LIKELY)

ODD: list[Any] = [
    None,
    "",
    0,
    1.5,
    True,
    [],
    {},
    "odd",
    ["odd"],
    {"type": "odd"},
    [{"type": "input_text"}],
    [None],
]


@st.composite
def items(draw: st.DrawFn, *, odd: bool = False) -> list[Any]:
    """Draw a list of items of any type. With *odd*, a field may hold anything, or may be missing."""
    return [draw(_item(odd)) for _ in range(draw(st.integers(0, 10)))]


@st.composite
def _item(draw: st.DrawFn, odd: bool) -> Any:
    kind = draw(st.sampled_from(_TYPES))
    item: Item = {"type": kind}
    for name, values in FIELDS[kind].items():
        item[name] = draw(st.sampled_from(values))
    if odd and item and draw(st.booleans()):
        name = draw(st.sampled_from([*item, "namespace", "extra_content"]))
        if draw(st.booleans()):
            item[name] = draw(st.sampled_from(ODD))
        else:
            item.pop(name, None)
    return draw(st.sampled_from(ODD)) if odd and draw(st.integers(0, 40)) == 40 else item
