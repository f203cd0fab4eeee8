"""The judges' refusals that the tests allow, each with a reason that a reader can check.

A row that explains no refusal fails the test. So the row of a repaired fault must be removed from this list.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatch

from tests.judges.judging import OURS, Judged, Refusal


@dataclass(frozen=True, slots=True)
class Allowed:
    """Refusals of one kind: patterns of the target's and judge's names, a part of the error text, and the reason."""

    target: str
    judge: str
    words: str
    reason: str

    def explains(self, refusal: Refusal) -> bool:
        """Tell whether *refusal* is of this kind."""
        return (
            fnmatch(refusal.target, self.target)
            and fnmatch(refusal.judge, self.judge)
            and self.words in refusal.words
        )


ALLOWED = (
    Allowed(
        "*",
        OURS,
        "There is nothing to send",
        "The damage left only empty messages and results without calls. No provider has a request for nothing.",
    ),
    Allowed(
        "*deepseek-*",
        OURS,
        "is of a kind that this model cannot be given",
        "DeepSeek's API takes no images (api-docs.deepseek.com: content is a string). The user's newest image is "
        "refused in words, since dropping it would answer another question.",
    ),
    Allowed(
        "gemini-3.6-litellm",
        "google_types/protobuf",
        "Invalid enum value object",
        "litellm writes the types of schemas in lower case. Google's server reads both cases, and so does "
        "google-genai, whose `types.Type` is a `CaseInSensitiveEnum`. The direct wire writes upper case.",
    ),
    *(
        Allowed(
            target,
            "sdk_types/openai",
            "ChatCompletionAssistantMessageParam.tool_calls: Input should be a valid list",
            "The client sent `tool_calls: null`, which the direct wire passes on. The type has a list or nothing. "
            "Clients send the null back that `ChatCompletionMessage.model_dump()` has (openai-python#1351).",
        )
        for target in ("openai", "deepseek-*", "groq", "databricks", "fireworks")
    ),
    *(
        Allowed(
            target,
            "sdk_types/openai",
            "ChatCompletionFunctionMessageParam.content: Input should be a valid string",
            "The client sent a list of parts in a message of the deprecated role `function`. No known history has "
            "such a list: the damage `both_forms` renames the role of a result.",
        )
        for target in ("openai", "litellm-openai", "groq", "fireworks")
    ),
    Allowed(
        "databricks",
        "sdk_types/openai",
        "ChatCompletionFunctionMessageParam.name: Field required",
        "The client sent a message of the deprecated role `function`, which has a name. Databricks took no names until "
        "2025-01 (autogen#4761), and litellm sends none there either.",
    ),
    Allowed(
        "vllm-mistral",
        "mistral-1-5/*",
        "tool.content: Input should be a valid string",
        "Before 1.8, `ToolMessage.content` of mistral-common is a string alone, and then a string or a list. No "
        "model's name tells which server is behind the address.",
    ),
    Allowed(
        "vllm",
        "*/llama3*vision*",
        "after a repair: TemplateError: This model only supports single tool-calls at once!",
        "Llama 3.2's template refuses a system message beside an image first, then parallel calls. A request is "
        "repaired once (docs/failures.md).",
    ),
    Allowed(
        "vllm",
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
        if fnmatch(target, row.target)
        and any(fnmatch(judge, row.judge) for judge in asked)
        and not any(map(row.explains, judged.refusals))
    ]
