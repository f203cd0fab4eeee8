"""The rules of the providers whose pages and errors tell more than a name for the limit.

Sources beside those in ``words.py`` and ``histories.py``. Groq: console.groq.com/docs/openai (names),
docs/reasoning (efforts), docs/api-reference. Cerebras: inference-docs.cerebras.ai/resources/openai (400), the types of
its SDK. NVIDIA: docs.api.nvidia.com/nim/reference. Databricks: "Foundation model REST API reference", continue#12936,
autogen#4761. Fireworks: docs.fireworks.ai/api-reference/post-chatcompletions. Perplexity:
docs.perplexity.ai/api-reference. Moonshot: platform.moonshot.cn/docs ("migrating from OpenAI"), llmgateway#2159,
promptfoo#9672. Kimi's choice of tools: harn-vm 0.10.34. DeepSeek: pydantic-ai#3644, koog#2042. xAI: docs.x.ai.
DeepInfra: deepinfra.com/docs/advanced/function_calling. LM Studio: lmstudio-bug-tracker#670. Azure:
learn.microsoft.com ("API version lifecycle", "reasoning models"). Ollama: docs.ollama.com/capabilities/thinking.
"""

from dataclasses import replace

from tests.support.chat_emulator import judge_deepseek, judge_mistral
from tests.support.compatible_emulator import histories
from tests.support.compatible_emulator.rules import CHOICES, EVERY_ROLE, Rules

_BASICS = frozenset(
    {"max_tokens", "messages", "model", "stop", "stream", "temperature", "tool_choice", "tools", "top_p"}
)
_USAGE = frozenset({"stream_options"})
PENALTIES = frozenset({"frequency_penalty", "presence_penalty"})
MAX_TOKENS = frozenset({"max_tokens"})
_BARE = frozenset({"content", "name", "role", "tool_call_id", "tool_calls"})

_OPENAI = Rules(roles=EVERY_ROLE, refused=frozenset({"top_k"}))
GPT_4O = replace(_OPENAI, refused=_OPENAI.refused | {"reasoning_effort", "verbosity"})
GPT_5 = replace(
    _OPENAI,
    refused=_OPENAI.refused
    | PENALTIES
    | {"logit_bias", "logprobs", "max_tokens", "stop", "top_logprobs", "top_p"},
    fixed={
        "temperature": (1, "Unsupported value: 'temperature' does not support this value with this model.")
    },
)
O_SERIES = replace(GPT_5, refused=GPT_5.refused | {"parallel_tool_calls", "verbosity"})
GROQ = Rules(
    fields=_BASICS
    | _USAGE
    | PENALTIES
    | {
        *("function_call", "functions", "include_reasoning", "max_completion_tokens", "metadata", "n"),
        *("parallel_tool_calls", "reasoning_effort", "reasoning_format", "response_format", "seed"),
        *("service_tier", "user"),
    },
    message_fields=_BARE | {"function_call", "reasoning"},
    named_roles=frozenset(),
    tool_marks=False,
    part_marks=False,
    efforts=frozenset(),
    effort_words="reasoning_effort is not supported with this model",
)
CEREBRAS = Rules(
    fields=_BASICS
    | _USAGE
    | {
        *("logprobs", "max_completion_tokens", "n", "parallel_tool_calls", "reasoning_effort"),
        *("response_format", "seed", "top_logprobs", "user"),
    },
    message_fields=_BARE,
    tool_marks=False,
    part_marks=False,
    ranges={"temperature": (0, 1.5)},
)
NVIDIA = Rules(
    fields=_BASICS
    | _USAGE
    | PENALTIES
    | {"parallel_tool_calls", "reasoning_effort", "response_format", "seed"},
    tool_marks=False,
)
DATABRICKS = Rules(
    fields=_BASICS | {"n", "reasoning_effort", "response_format", "thinking", "top_k"},
    message_fields=_BARE,
    named_roles=frozenset({"user"}),
)
FIREWORKS = Rules(
    refused=frozenset({"modalities", "safety_identifier", "store", "verbosity"}),
    message_fields=_BARE | {"function_call", "reasoning_content"},
    tool_marks=False,
    part_marks=False,
)
PERPLEXITY = Rules(
    refused=frozenset({"parallel_tool_calls", "tool_choice", "tools"}),
    message_fields=frozenset({"content", "role"}),
    ranges={"temperature": (0, 2)},
    histories=(histories.perplexity_turns,),
)
MOONSHOT = Rules(
    text_lists=False,
    limits=MAX_TOKENS,
    ranges={"temperature": (0, 1)},
    choices=CHOICES - {"required"},
    choice_words="tool_choice 'required' is not supported",
)
_ONE_TEMPERATURE = "invalid temperature: only 1 is allowed for this model"
KIMI = replace(
    MOONSHOT,
    ranges={},
    fixed={
        "temperature": (1, _ONE_TEMPERATURE),
        "top_p": (0.95, "invalid top_p: only 0.95 is allowed for this model"),
        **{name: (0, f"invalid {name}: only 0 is allowed for this model") for name in sorted(PENALTIES)},
    },
    choices=frozenset({"auto", "none"}),
    choice_words="tool_choice 'required' is incompatible with thinking enabled",
    histories=(histories.kimi_thoughts,),
)
DEEPSEEK = Rules(judge=judge_deepseek, text_lists=False, limits=MAX_TOKENS)
DEEPSEEK_THINKING = replace(
    DEEPSEEK,
    choices=frozenset({"auto", "none"}),
    choice_words="deepseek-reasoner does not support this tool_choice",
)
_XAI = Rules(named_roles=frozenset({"user"}), histories=(histories.empty_contents,))
GROK_4 = replace(
    _XAI,
    refused=PENALTIES | {"stop"},
    efforts=frozenset(),
    effort_words="Argument not supported on this model: reasoningEffort",
)
MISTRAL = Rules(judge=judge_mistral, tool_marks=False, part_marks=False, ranges={"temperature": (0, 1.5)})
