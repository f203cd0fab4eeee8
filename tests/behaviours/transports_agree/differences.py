"""The table of differences between the requests that litellm and the direct transport send.

A difference that is not in the table fails a test, and so does a row whose difference does not occur. A row names
models and requests. A provider's prefix stands for all of its models in
:mod:`tests.behaviours.transports_agree.targets`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tests.behaviours.transports_agree.requests import MARK, REQUESTS, SCHEMA, TOOLS
from tests.support.builders import image, text

ABSENT = "absent"

Places = Mapping[str, tuple[Any, Any]]
"""Each path that differs, with the values that litellm and the direct transport send."""


def stands_for(name: str, model: str) -> bool:
    """Tell whether *name* is *model*, or the prefix of its provider."""
    return name in (model, model.partition("/")[0])


@dataclass(frozen=True, slots=True)
class Difference:
    """One row: the reason, the models and requests that it concerns, and the paths that differ.

    *requests* is None for all requests that arrive. *when* restricts the row to whole answers or to streams.
    """

    reason: str
    models: str
    requests: tuple[str, ...] | None
    places: Places
    when: Literal["whole", "stream"] | None = None

    def concerns(self, model: str, request: str, *, stream: bool) -> bool:
        """Tell whether the row holds for a request to a model."""
        if self.when is not None and stream != (self.when == "stream"):
            return False
        if self.requests is not None and request not in self.requests:
            return False
        return any(stands_for(name, model) for name in self.models.split())


_SHORT = (
    "ai21_chat baseten deepinfra featherless_ai hyperbolic inception morph nadir nscale sambanova v0 volcengine "
    "zai"
)
"""Providers for which litellm's table has few parameters."""

_FILE = (
    "apertis assemblyai charity_engine chutes cognition cortecs darkbloom helicone libertai meta nano-gpt neosantara "
    "parasail pinstripes poe prism publicai scaleway scx-ai synthetic tensormesh xiaomi_mimo"
)
"""Providers of litellm's data file whose models litellm calls through one class of its own."""

_AS_SERVERS = "abliteration aihubmix crusoe empiriolabs gmi llamagate sarvam veniceai"
"""Providers of litellm's data file that litellm calls as any server with OpenAI's API."""

_WITHOUT_TOOLS = f"{_FILE} featherless_ai morph nadir nscale sambanova"

_GENERAL = (
    "cometapi compactifai edenai empower friendliai galadriel lambda_ai meta_llama nebius novita ovhcloud tencent "
    "vercel_ai_gateway"
)
"""Providers for which litellm has no rules of its own."""

_QWEN = "dashscope qwen_ai_platform qwencloud"
_SERVERS = "custom_openai docker_model_runner lemonade llamafile lm_studio xinference"

_LACKING: tuple[tuple[str, str], ...] = (
    ("frequency_penalty presence_penalty", "ai21_chat inception morph sambanova v0 zai"),
    ("logit_bias", "ai21_chat baseten hyperbolic inception morph nadir sambanova v0 zai"),
    (
        "logprobs top_logprobs",
        "ai21_chat baseten cerebras deepinfra featherless_ai hyperbolic inception morph nadir sambanova v0 zai",
    ),
    ("modalities prompt_cache_key store", f"{_SHORT} xai"),
    ("safety_identifier service_tier", f"{_SHORT} azure/gpt-4o xai"),
    ("prediction", f"{_SHORT} cerebras xai"),
    ("n", "baseten cerebras inception morph nadir sambanova v0 zai"),
    ("parallel_tool_calls", "ai21_chat baseten cerebras deepinfra hyperbolic inception v0 volcengine zai"),
    (
        "reasoning_effort",
        "ai21_chat aiml baseten cerebras/llama-3.3-70b deepinfra featherless_ai fireworks_ai heroku "
        "huggingface hyperbolic minimax modelscope morph nadir nscale nvidia_nim perplexity sambanova together_ai "
        f"v0 volcengine zai {_FILE} {_AS_SERVERS} {_GENERAL} {_SERVERS}",
    ),
    (
        "response_format",
        "databricks/databricks-claude-sonnet-4-5 featherless_ai morph v0 volcengine zai",
    ),
    ("seed", "deepinfra featherless_ai inception morph nadir nscale sambanova v0 zai"),
    ("stop", "morph nadir v0"),
    ("temperature", "morph v0"),
    ("top_p", "ai21_chat inception morph v0"),
    (
        "top_k",
        "ai21_chat baseten databricks deepinfra featherless_ai heroku huggingface hyperbolic inception minimax "
        "modelscope morph nadir nscale perplexity sail v0 volcengine wandb zai "
        f"{_FILE} {_GENERAL} {_QWEN}",
    ),
    (
        "user",
        "ai21_chat aiml azure/o_series/mine deepinfra featherless_ai groq heroku huggingface inception minimax "
        "modelscope moonshot morph nadir nscale sambanova v0 volcengine wandb zai "
        f"{_FILE} {_AS_SERVERS} {_GENERAL} {_QWEN}",
    ),
    (
        "verbosity",
        "aiml heroku hosted_vllm huggingface minimax modelscope openai openrouter sail together_ai wandb xai "
        f"{_SHORT} {_FILE} {_AS_SERVERS} {_GENERAL} {_QWEN} {_SERVERS}",
    ),
)
"""Parameters that litellm's table of a provider lacks, and the models."""


def _lacking() -> Iterator[Difference]:
    """Yield a row for each parameter of :data:`_LACKING` and each request that has it."""
    for names, models in _LACKING:
        for name in names.split():
            for request, fields in REQUESTS.items():
                if name in fields:
                    kept = fields[name]
                    refused = name == "n" and kept > 1
                    places: Places = (
                        {"refused": ("n", ABSENT)} if refused else {f"body.{name}": (ABSENT, kept)}
                    )
                    yield Difference(
                        "litellm's table of the provider lacks the parameter, so litellm leaves it out. The provider "
                        "decides, and the proxy learns from a refusal.",
                        models,
                        (request,),
                        places,
                    )


_O_SERIES = "azure/o3 azure/o_series/mine"
_OLDER = "abliteration aihubmix custom_openai docker_model_runner gmi lemonade veniceai xinference"
_NEWER = "cerebras fireworks_ai github groq xai"
_WITH_TOOLS = tuple(name for name, fields in REQUESTS.items() if "tools" in fields)
_LISTS = [text("Be brief.")], [text("a"), text("b")], [text("c")], [text("one")]
_JSON_TOOL = {"type": "function", "function": {"name": "json_tool_call", "parameters": SCHEMA}}
_JSON_CHOICE = {"type": "function", "function": {"name": "json_tool_call"}}

TABLE = (
    *_lacking(),
    Difference(
        "litellm's table has no tools for the model. The proxy refuses to drop tools, and the provider may have them.",
        _WITHOUT_TOOLS,
        _WITH_TOOLS,
        {"refused": ("tools", ABSENT)},
    ),
    Difference(
        "litellm's table has no functions for the model. The direct transport sends the functions.",
        f"ai21_chat baseten hyperbolic inception morph nadir nscale sambanova v0 zai {_FILE}",
        ("functions",),
        {"refused": ("functions", ABSENT)},
    ),
    Difference(
        "litellm passes the parameter to OpenAI's SDK, which fails on it. The provider has it.",
        _AS_SERVERS,
        ("top_k",),
        {"failed": ("UpstreamFault", ABSENT)},
    ),
    # limits
    Difference(
        "litellm merges the two limits, so the newer one counts under the older name. A server gets both.",
        _OLDER,
        ("limits",),
        {"body.max_tokens": (78, 77), "body.max_completion_tokens": (ABSENT, 78)},
    ),
    Difference(
        "litellm writes the older name of the limit, which the provider calls deprecated.",
        _NEWER,
        ("limits",),
        {"body.max_tokens": (78, ABSENT), "body.max_completion_tokens": (ABSENT, 78)},
    ),
    Difference(
        "litellm's table of the provider has no limit, so litellm leaves it out.",
        "morph v0",
        ("limits",),
        {"body.max_tokens": (ABSENT, 78)},
    ),
    Difference("likewise", "morph v0", ("sampling",), {"body.max_tokens": (ABSENT, 77)}),
    # reasoning
    Difference(
        "litellm turns the effort into a switch. DeepSeek takes both.",
        "deepseek/deepseek-chat",
        ("effort",),
        {"body.reasoning_effort": (ABSENT, "high")},
    ),
    Difference(
        "litellm's table lacks the effort. The model has the efforts low and high.",
        "xai/grok-3-mini",
        ("effort", "no effort"),
        {"body.reasoning_effort": (ABSENT, "low")},
    ),
    Difference(
        "Kimi K2.5 has a switch in the place of an effort. litellm sends the effort.",
        "moonshot/kimi-k2.5",
        ("no effort",),
        {"body.reasoning_effort": ("none", ABSENT), "body.thinking": (ABSENT, {"type": "disabled"})},
    ),
    Difference(
        "Claude takes one of temperature and top_p.",
        "databricks/databricks-claude-sonnet-4-5",
        ("sampling",),
        {"body.top_p": (0.5, ABSENT)},
    ),
    # formats and tools
    Difference(
        "litellm's table lacks the older format of the provider.",
        "meta_llama",
        ("json",),
        {"body.response_format": (ABSENT, {"type": "json_object"})},
    ),
    Difference(
        "litellm turns the schema into a forced tool. Databricks translates the format by itself.",
        "databricks/databricks-claude-sonnet-4-5",
        ("schema",),
        {"body.tools": ([_JSON_TOOL], ABSENT), "body.tool_choice": (_JSON_CHOICE, ABSENT)},
    ),
    Difference(
        "likewise",
        "databricks/databricks-claude-sonnet-4-5",
        ("schema and tools",),
        {"body.tools": ([*TOOLS, _JSON_TOOL], TOOLS), "body.tool_choice": (_JSON_CHOICE, ABSENT)},
    ),
    Difference(
        "Groq streams no answer in a format. Both transports ask for a whole one, and litellm writes that.",
        "groq",
        ("json", "schema"),
        {"body.stream": (False, ABSENT)},
        "stream",
    ),
    Difference(
        "litellm writes the older word, and the provider takes both.",
        "codestral fireworks_ai mistral",
        ("any tool",),
        {"body.tool_choice": ("any", "required")},
    ),
    Difference(
        "litellm leaves out every choice. DeepInfra takes these two.",
        "deepinfra",
        ("tools",),
        {"body.tool_choice": (ABSENT, "auto")},
    ),
    Difference("likewise", "deepinfra", ("no tool",), {"body.tool_choice": (ABSENT, "none")}),
    Difference(
        "litellm leaves a keyword out, since older versions of vLLM failed on it. Newer versions need it.",
        "hosted_vllm",
        _WITH_TOOLS,
        {"body.tools[0].function.parameters.additionalProperties": (ABSENT, False)},
    ),
    Difference(
        "litellm removes the cache marks of tools. Gateways to Claude read them, and other providers ignore them.",
        "ai21_chat baseten custom_openai databricks/databricks-claude-sonnet-4-5 deepinfra deepseek "
        "docker_model_runner github heroku hosted_vllm hyperbolic inception lemonade llamafile lm_studio modelscope "
        f"moonshot openrouter/x/y sail together_ai v0 volcengine wandb xai {_GENERAL} {_O_SERIES}",
        ("marked tools",),
        {"body.tools[0].cache_control": (ABSENT, MARK["cache_control"])},
    ),
    # streams
    Difference(
        "litellm writes that no stream is wanted, which is the default.",
        "azure/gpt-4o azure/gpt-5 cometapi compactifai databricks deepseek edenai fireworks_ai groq heroku "
        "hosted_vllm huggingface lemonade minimax nadir openrouter ovhcloud together_ai xai",
        None,
        {"body.stream": (False, ABSENT)},
        "whole",
    ),
    Difference(
        "litellm's table lacks stream_options, and litellm then guesses the usage. The provider counts it.",
        "ai21_chat azure/o_series/mine cerebras deepinfra featherless_ai hyperbolic morph nadir nscale nvidia_nim v0",
        None,
        {"body.stream_options": (ABSENT, {"include_usage": True})},
        "stream",
    ),
    Difference(
        "litellm's catalogue lacks the model, so litellm cuts a whole answer into chunks.",
        "azure/o_series/mine",
        None,
        {"body.stream": (ABSENT, True)},
        "stream",
    ),
    # histories
    Difference(
        "litellm leaves a null content out. Both mean a turn without a text.",
        "ai21_chat aiml azure baseten cerebras codestral custom_openai databricks/databricks-claude-sonnet-4-5 "
        "deepinfra deepseek fireworks_ai github groq heroku hyperbolic inception lemonade litellm_proxy minimax "
        "mistral modelscope moonshot nvidia_nim openai openrouter perplexity sail together_ai v0 volcengine wandb "
        f"xai zai {_AS_SERVERS} {_GENERAL} {_QWEN}",
        ("calls",),
        {"body.messages[1].content": (ABSENT, None)},
    ),
    Difference(
        "likewise, where the rules for histories write null for an empty text",
        "codestral databricks mistral openrouter/anthropic/claude-sonnet-4.5 xai",
        ("empty texts",),
        {"body.messages[1].content": (ABSENT, None)},
    ),
    Difference(
        "likewise, in each of the turns that hold one call",
        "databricks/databricks-llama-4-maverick",
        ("calls",),
        {"body.messages[1].content": (ABSENT, None), "body.messages[3].content": (ABSENT, None)},
    ),
    Difference(
        "litellm removes an empty text. A result may be empty.",
        "databricks",
        ("empty texts",),
        {"body.messages[2].content": (ABSENT, "")},
    ),
    Difference(
        "litellm's name of the role where the model is not of the o-series. Both mean the same to OpenAI.",
        "azure/gpt-4o azure/gpt-5 openai",
        ("developer",),
        {"body.messages[0].role": ("system", "developer")},
    ),
    Difference(
        "litellm makes a user of the system, which o1-preview needed. Later models take a system message.",
        _O_SERIES,
        ("names", "lists", "marks"),
        {"body.messages[0].role": ("user", "system")},
    ),
    Difference("likewise", _O_SERIES, ("names",), {"body.messages[3].role": ("user", "system")}),
    Difference(
        "likewise, without its name", _O_SERIES, ("names",), {"body.messages[0].name": (ABSENT, "sy")}
    ),
    Difference(
        "litellm drops the image though a model of the provider may see it.",
        "docker_model_runner heroku publicai sambanova",
        ("image",),
        {"body.messages[0].content": ("what?", [text("what?"), image()])},
    ),
    Difference(
        "litellm writes a list of texts as one text. Mistral takes both.",
        "codestral mistral",
        ("lists",),
        {
            "body.messages[0].content": ("Be brief.", _LISTS[0]),
            "body.messages[1].content": ("ab", _LISTS[1]),
            "body.messages[2].content": ("c", _LISTS[2]),
            "body.messages[3].content": ("one", _LISTS[3]),
        },
    ),
    Difference(
        "likewise",
        "codestral mistral",
        ("marks",),
        {
            "body.messages[0].content": ("Be brief.", _LISTS[0]),
            "body.messages[1].content": ("a", [text("a")]),
        },
    ),
    Difference(
        "litellm writes a list of one text as a text, and leaves longer lists. Both mean the same.",
        "databricks/databricks-llama-4-maverick",
        ("lists",),
        {"body.messages[1].content": (_LISTS[1], "ab")},
    ),
    Difference(
        "litellm keeps cache marks, which this model does not read.",
        "databricks/databricks-llama-4-maverick",
        ("marks",),
        {
            "body.messages[0].content": ([text("Be brief.", **MARK)], "Be brief."),
            "body.messages[1].content": ([text("a", **MARK)], "a"),
        },
    ),
    Difference(
        "litellm writes an assistant's list of texts as one text. vLLM takes both.",
        "hosted_vllm",
        ("lists",),
        {"body.messages[2].content": ("c", _LISTS[2])},
    ),
    Difference(
        "litellm writes a result's list of texts as one text.",
        "deepinfra",
        ("lists",),
        {"body.messages[3].content": ("one", _LISTS[3])},
    ),
    Difference(
        "litellm removes cache marks. Gateways to Claude read them, and other providers ignore them.",
        "ai21_chat baseten custom_openai deepinfra featherless_ai github hyperbolic inception lemonade morph nadir "
        f"nscale nvidia_nim openrouter/x/y sail together_ai v0 volcengine wandb xai {_GENERAL} "
        f"{_O_SERIES} {' '.join(name for name in _FILE.split() if name != 'publicai')}",
        ("marks",),
        {
            "body.messages[0].content[0].cache_control": (ABSENT, MARK["cache_control"]),
            "body.messages[1].content[0].cache_control": (ABSENT, MARK["cache_control"]),
        },
    ),
    # litellm's own
    Difference(
        "litellm names itself to OpenRouter. OpenRouter reports the usage unasked.",
        "openrouter",
        None,
        {
            "headers.http-referer": ("https://litellm.ai", ABSENT),
            "headers.x-title": ("liteLLM", ABSENT),
            "body.usage": ({"include": True}, ABSENT),
        },
    ),
    Difference(
        "litellm sends an argument of its own as a field of the body.",
        "huggingface",
        None,
        {"body.max_retries": (0, ABSENT)},
    ),
)
"""Every intended difference."""


def expected(model: str, request: str, *, stream: bool) -> Places:
    """Return the differences that the table holds for a request to a model.

    A request that one transport refuses, or fails to send, has no other difference.
    """
    places: dict[str, tuple[Any, Any]] = {}
    for row in TABLE:
        if row.concerns(model, request, stream=stream):
            places |= row.places
    ended = {path: values for path, values in places.items() if path in ("failed", "refused")}
    return ended or places
