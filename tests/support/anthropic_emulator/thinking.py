"""Checks what thinking requires of the parameters and of the blocks in the history.

Sources. The block before the calls: openai-agents#1704, opencode#3077, haystack#2146. Only the message that opens the
last run of calls and results must begin with a thought (docs.anthropic.com/en/docs/build-with-claude/extended-thinking,
"interleaved thinking"). Adaptive thinking does not require that thought (its page, "Validation changes"). Temperature:
one-hub#529. The last block: forgecode#2107; a thought at the end while thinking is off, forgecode#1195. Budget,
`top_p`, `top_k`, forced tools and the kinds of thinking: the same page, their texts from memory.
"""

from collections.abc import Iterator
from typing import Any

from tests.support.anthropic_emulator.models import Claude
from tests.support.anthropic_emulator.pairing import blocks_of
from tests.support.anthropic_emulator.signatures import INVALID, INVALID_DATA, is_redacted, is_signed

DOCS = "https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking"
MISSING = (
    "messages.{index}.content.0.type: Expected `thinking` or `redacted_thinking`, but found `{found}`. When "
    "`thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the "
    "lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from "
    "previous turns. To avoid this requirement, disable `thinking`. Please consult our documentation at "
    + DOCS
)
BUDGET_LOW = "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"
BUDGET_HIGH = (
    "`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at "
    f"{DOCS}#max-tokens-and-context-window-size"
)
TEMPERATURE = (
    "`temperature` may only be set to 1 when thinking is enabled. Please consult our documentation at "
    f"{DOCS}#important-considerations-when-using-extended-thinking"
)
TOP_P = "`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled."
TOP_K = "`top_k` must be unset when thinking is enabled."
FORCED = "Thinking may not be enabled when tool_choice forces tool use."
LAST_BLOCK = "messages.{index}: The final block in an assistant message cannot be `thinking`."
OFF = (
    "messages.{index}.content.0: When thinking is disabled, an `assistant` message in the final position cannot "
    "contain `thinking`. To use thinking blocks, enable `thinking` in your request."
)
UNSUPPORTED = "'{model}' does not support thinking."
NO_ADAPTIVE = "adaptive thinking is not supported on this model"
NO_DISABLED = '"thinking.type.disabled" is not supported for this model.'
DISPLAY = "thinking.{kind}.display: Input should be 'summarized' or 'omitted'"
NO_ENABLED = (
    '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and '
    '"output_config.effort" to control thinking behavior.'
)
TAGS = (
    "thinking: Input tag '{kind}' found using 'type' does not match any of the expected tags: "
    "'adaptive', 'disabled', 'enabled'"
)


def is_thinking(body: dict[str, Any]) -> bool:
    """Return whether thinking is switched on."""
    return (body.get("thinking") or {}).get("type") in ("enabled", "adaptive")


def thinking_faults(body: dict[str, Any], model: Claude) -> Iterator[str]:
    """Yield the error text of each fault in a request's thinking settings, or in its history's thinking blocks."""
    thinking = body.get("thinking") or {"type": "disabled"}
    if thinking["type"] == "disabled" and "thinking" in body and not model.takes_disabled_thinking:
        yield NO_DISABLED
    if thinking.get("display") not in (None, "omitted", "summarized"):
        yield DISPLAY.format(kind=thinking["type"])
    if thinking.get("type") not in ("enabled", "adaptive", "disabled"):
        yield TAGS.format(kind=thinking.get("type"))
    if is_thinking(body):
        yield from _kind_faults(thinking["type"], body["model"], model)
        yield from _parameter_faults(body, thinking)
    for index, message in enumerate(body["messages"]):
        yield from _block_faults(index, message)
    if thinking["type"] == "enabled":
        yield from _missing_faults(body["messages"])
    elif not is_thinking(body):
        yield from _off_faults(body["messages"])


def _kind_faults(kind: str, name: str, model: Claude) -> Iterator[str]:
    if not model.thinking_kinds:
        yield UNSUPPORTED.format(model=name)
    elif kind not in model.thinking_kinds:
        yield NO_ADAPTIVE if kind == "adaptive" else NO_ENABLED


def _parameter_faults(body: dict[str, Any], thinking: dict[str, Any]) -> Iterator[str]:
    if thinking["type"] == "enabled":
        budget = thinking.get("budget_tokens")
        if not isinstance(budget, int):
            yield "thinking.enabled.budget_tokens: Field required"
            return
        if budget < 1024:
            yield BUDGET_LOW
        if body.get("max_tokens", budget + 1) <= budget:
            yield BUDGET_HIGH
    if body.get("temperature") not in (None, 1):
        yield TEMPERATURE
    top_p = body.get("top_p")
    if top_p is not None and top_p < 0.95:
        yield TOP_P
    if body.get("top_k") is not None:
        yield TOP_K
    if (body.get("tool_choice") or {}).get("type") in ("any", "tool"):
        yield FORCED


def _block_faults(index: int, message: dict[str, Any]) -> Iterator[str]:
    blocks = blocks_of(message)
    for place, block in enumerate(blocks):
        path = f"messages.{index}.content.{place}"
        if block["type"] == "thinking" and not is_signed(block["thinking"], block["signature"]):
            yield INVALID.format(path=path)
        if block["type"] == "redacted_thinking" and not is_redacted(block["data"]):
            yield INVALID_DATA.format(path=path)
    if blocks and blocks[-1]["type"] in ("thinking", "redacted_thinking"):
        yield LAST_BLOCK.format(index=index)


def _off_faults(messages: list[dict[str, Any]]) -> Iterator[str]:
    last = messages[-1]
    kinds = [block["type"] for block in blocks_of(last)]
    if last["role"] == "assistant" and {"thinking", "redacted_thinking"} & set(kinds):
        yield OFF.format(index=len(messages) - 1)


def _missing_faults(messages: list[dict[str, Any]]) -> Iterator[str]:
    opening: int | None = None
    for index in range(len(messages) - 1, -1, -1):
        if messages[index]["role"] == "system":
            continue
        kinds = [block["type"] for block in blocks_of(messages[index])]
        if messages[index]["role"] == "assistant":
            opening = index
        elif "tool_result" not in kinds:
            break
    if opening is None:
        return
    blocks = blocks_of(messages[opening])
    found = blocks[0]["type"] if blocks else "text"
    if found not in ("thinking", "redacted_thinking"):
        yield MISSING.format(index=opening, found=found)
