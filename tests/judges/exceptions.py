"""The judges' refusals that the tests allow, each with a reason that a reader can check.

A row that explains no refusal fails the test. So the row of a repaired fault must be removed from this list.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatch

from tests.judges.judging import OURS, Judged, Refusal
from tests.judges.row_targets import JOINED, ROW_TARGETS
from tests.judges.targets import OPENAI_TYPES


@dataclass(frozen=True, slots=True)
class Allowed:
    """Refusals of one kind: patterns of the targets' and judge's names, a part of the error text, and the reason."""

    targets: tuple[str, ...]
    judge: str
    words: str
    reason: str

    def concerns(self, target: str) -> bool:
        """Tell whether the row is for the target with this name."""
        return any(fnmatch(target, pattern) for pattern in self.targets)

    def explains(self, refusal: Refusal) -> bool:
        """Tell whether *refusal* is of this kind."""
        return (
            self.concerns(refusal.target)
            and fnmatch(refusal.judge, self.judge)
            and self.words in refusal.words
        )


def _rows_but(*prefixes: str) -> list[str]:
    """Return the names of the rows' targets that OpenAI's types alone judge, without those of some providers."""
    return [
        target.name
        for target in ROW_TARGETS
        if target.judges == OPENAI_TYPES and target.templates is None and not target.name.startswith(prefixes)
    ]


_SERVERS = [target.name for target in ROW_TARGETS if target.templates == "others"]
"""The rows' targets whose bodies go to the same chat templates as those of ``vllm``."""

_NO_NULLS = (JOINED, "cerebras/", "databricks/", "fireworks_ai/", "groq/", "perplexity/")
"""Providers that are sent no nulls: those that refuse unknown fields, and a server with a chat template."""

_NO_FUNCTION_LISTS = (
    JOINED,
    "databricks/databricks-llama",
    "heroku/",
    "modelscope/",
    "moonshot/",
    "openrouter/anthropic",
    "publicai/",
    "sambanova/",
)
"""Providers whose messages of the role ``function`` hold one text, and models that have no such role."""

ALLOWED = (
    Allowed(
        ("*",),
        OURS,
        "There is nothing to send",
        "The damage left only empty messages and results without calls. No provider has a request for nothing.",
    ),
    Allowed(
        ("*deepseek-*",),
        OURS,
        "is of a kind that this model cannot be given",
        "DeepSeek's API takes no images (api-docs.deepseek.com: content is a string). The user's newest image is "
        "refused in words, since dropping it would answer another question.",
    ),
    Allowed(
        ("gemini-3.6-litellm",),
        "google_types/protobuf",
        "Invalid enum value object",
        "litellm writes the types of schemas in lower case. Google's server reads both cases, and so does "
        "google-genai, whose `types.Type` is a `CaseInSensitiveEnum`. The direct wire writes upper case.",
    ),
    Allowed(
        ("openai", "deepseek-*", "codestral/*", *_rows_but(*_NO_NULLS)),
        "sdk_types/openai",
        "ChatCompletionAssistantMessageParam.tool_calls: Input should be a valid list",
        "The client sent `tool_calls: null`, which the direct wire passes on. The type has a list or nothing. "
        "Clients send the null back that `ChatCompletionMessage.model_dump()` has (openai-python#1351).",
    ),
    Allowed(
        ("openai", "litellm-openai", "groq", "fireworks", *_rows_but(*_NO_FUNCTION_LISTS)),
        "sdk_types/openai",
        "ChatCompletionFunctionMessageParam.content: Input should be a valid string",
        "The client sent a list of parts in a message of the deprecated role `function`. No known history has "
        "such a list: the damage `both_forms` renames the role of a result.",
    ),
    Allowed(
        ("openrouter/anthropic/*",),
        "sdk_types/openai",
        "ChatCompletionToolMessageParam.content.str: Input should be a valid string",
        "OpenAI's results hold texts alone. Claude's hold images too. So does the type `ToolResponseMessageContent` of "
        "OpenRouter's own SDK, a list of `ChatMessageContentItem`.",
    ),
    Allowed(
        ("vllm-mistral",),
        "mistral-1-5/*",
        "tool.content: Input should be a valid string",
        "Before 1.8, `ToolMessage.content` of mistral-common is a string alone, and then a string or a list. No "
        "model's name tells which server is behind the address.",
    ),
    Allowed(
        ("vllm", *_SERVERS),
        "*/llama3*vision*",
        "after a repair: TemplateError: This model only supports single tool-calls at once!",
        "Llama 3.2's template refuses a system message beside an image first, then parallel calls. A request is "
        "repaired once (docs/failures.md).",
    ),
    Allowed(
        ("vllm", *_SERVERS),
        "ollama-utils/granite3-guardian:2b",
        "",
        "Granite Guardian is no chat model: its template (`risk_bank`) rates one message of the last turns for one "
        "risk, and refuses every other end of a history.",
    ),
)


def unexplained(refusals: Iterable[Refusal]) -> list[Refusal]:
    """Return the refusals that no row explains."""
    return [refusal for refusal in refusals if not any(row.explains(refusal) for row in ALLOWED)]


def unused(target: str, judged: Judged) -> list[Allowed]:
    """Return the rows for *target* and its judges that explain none of the target's refusals."""
    asked = (OURS, *judged.verdicts)
    return [
        row
        for row in ALLOWED
        if row.concerns(target)
        and any(fnmatch(judge, row.judge) for judge in asked)
        and not any(map(row.explains, judged.refusals))
    ]
