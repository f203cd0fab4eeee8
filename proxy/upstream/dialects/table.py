"""The table of providers: how each takes the request parameters. A new provider is a new row, without code.

A run of litellm (1.105.3) against a recording server showed what litellm loses or changes without an error. The test
``tests/proxy/upstream/dialects/test_table_arrivals.py`` checks the fields that arrive at each provider. A rule with
another reason has its source in a comment. A parameter that a row does not mention is sent as it came.
"""

from __future__ import annotations

from dataclasses import replace

from proxy.upstream.dialects.dialect import CHOICES, FORMATS, Dialect

_PENALTIES = frozenset({"frequency_penalty", "presence_penalty"})
_TOP_K = frozenset({"top_k"})

LEVELS = ("low", "medium", "high")
"""The efforts of gpt-oss, which always thinks (docs.ollama.com/capabilities/thinking; Groq: docs/reasoning)."""

OTHERS = Dialect("others")
"""A provider without a row.

Through litellm, such a provider gets the parameters of litellm's own table. With the direct transport it gets every
parameter.
"""

COMPATIBLE = Dialect("openai-compatible", carried=_TOP_K | {"user"})
"""A server with OpenAI's API that the operator runs. vLLM and similar servers also take ``top_k``.

litellm's table lists ``user`` for the names of OpenAI's models only.
"""

# "Invalid tool_choice type: 'object'. Supported string values: none, auto, required" (lmstudio-bug-tracker#670)
LM_STUDIO = replace(COMPATIBLE, name="lm-studio", choices=CHOICES - {"named"})

OPENROUTER = replace(COMPATIBLE, name="openrouter")  # openrouter.ai/docs: Parameters
TOGETHER = replace(COMPATIBLE, name="together")  # docs.together.ai/reference/chat-completions

OPENAI = Dialect(
    "openai",
    dropped=_TOP_K,
    # "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported." (langgraph#5943)
    limit="one",
    stops=4,  # OpenAI's reference: "Up to 4 sequences"
)

ANTHROPIC = Dialect(
    "anthropic",
    carried=_TOP_K,
    limit="one",
    answers=1,
    temperature=(0.0, 1.0),  # Anthropic's reference: "Ranges from 0.0 to 1.0"
    blank_stops=False,  # "each stop sequence must contain non-whitespace" (litellm#3286)
    opaque_users=True,  # litellm drops such a `user` without an error: "anthropic fails on emails"
    # litellm drops a format without a schema.
    formats=frozenset({"json_schema"}),
    formats_with_tools=frozenset(),
    functions=False,
)

MESSAGES = replace(
    ANTHROPIC,
    name="anthropic-direct",
    # The Messages API has no such fields: "Extra inputs are not permitted".
    dropped=frozenset(
        {
            *("audio", "frequency_penalty", "logit_bias", "logprobs", "modalities", "prediction"),
            *("presence_penalty", "prompt_cache_key", "safety_identifier", "seed", "service_tier", "store"),
            *("top_logprobs", "verbosity"),
        }
    ),
    formats_with_tools=ANTHROPIC.formats,
    closed_schemas=True,
    declares_calls=True,  # "Requests which include `tool_use` or `tool_result` blocks must define tools" (litellm#5388)
)
"""Claude on Anthropic's own wire. A model before 4.5 is asked for a schema in words."""

MESSAGES_COMPATIBLE = replace(
    MESSAGES,
    name="messages-compatible",
    temperature=None,
    formats=frozenset(),
    formats_with_tools=frozenset(),
    closed_schemas=False,
    declares_calls=False,
)
"""Another vendor's model on a server with Anthropic's API."""

BEDROCK = Dialect(
    "bedrock",
    dropped=frozenset({"parallel_tool_calls", "top_k"}),
    limit="one",
    answers=1,
    temperature=(0.0, 1.0),
    formats=frozenset({"json_schema"}),
    formats_with_tools=frozenset(),
    choices=CHOICES - {"none"},  # Converse has any, auto and tool
    functions=False,
)

BEDROCK_CLAUDE = replace(
    ANTHROPIC,
    name="bedrock-claude",
    dropped=frozenset({"parallel_tool_calls"}),
    choices=BEDROCK.choices,
)

# docs.aws.amazon.com/nova: at most four stop sequences. `top_k` is one of Nova's own fields.
NOVA = replace(BEDROCK, name="bedrock-nova", dropped=BEDROCK.dropped - _TOP_K, carried=_TOP_K, stops=4)

MISTRAL = Dialect(
    "mistral",
    # The API refuses all other parameters: "Extra inputs are not permitted" (eca#231). With an effort, litellm puts a
    # system prompt of its own into the history.
    dropped=frozenset(
        {
            *(
                "audio",
                "function_call",
                "functions",
                "logit_bias",
                "logprobs",
                "modalities",
                "prompt_cache_key",
            ),
            *("reasoning_effort", "safety_identifier", "service_tier", "store", "top_k", "top_logprobs"),
            *("user", "verbosity"),
        }
    ),
    # litellm's table lacks these. Without `tool_choice` listed, litellm drops a choice that names a function.
    carried=_PENALTIES | {"n", "prediction", "tool_choice"},
    limit="max_tokens",
    temperature=(0.0, 1.5),  # Mistral's reference: [0 .. 1.5]
    # Mistral's reference: no such field, and the last chunk of each stream has the usage.
    stream_usage=False,
    names=(("seed", "random_seed"),),  # Mistral's reference. litellm writes the same name.
    functions=False,
    tool_marks=False,  # "Extra inputs are not permitted" (eca#231). litellm removes the mark.
)

DEEPSEEK = Dialect(
    "deepseek",
    # Missing in DeepSeek's reference (api-docs.deepseek.com/api/create-chat-completion), so the API ignores them.
    dropped=frozenset(
        {
            *("audio", "logit_bias", "modalities", "parallel_tool_calls", "prediction", "prompt_cache_key"),
            *("safety_identifier", "seed", "service_tier", "store", "top_k", "user", "verbosity"),
        }
    ),
    limit="max_tokens",
    answers=1,
    stops=16,
    # litellm turns the effort into a switch, and so does every model before V4.
    efforts=("none", "high"),
    # "This response_format type is unavailable now" (llm-exe#662)
    formats=frozenset({"json_object"}),
    formats_with_tools=frozenset({"json_object"}),
    thinking_switch=True,  # api-docs.deepseek.com, "Thinking Mode". litellm sets the switch too.
    functions=False,
)

# V4 thinks unless the request turns thinking off (awesome-deepseek-integration#598). Both models refuse a forced tool
# call: "deepseek-reasoner does not support this tool_choice" (pydantic-ai#3644, eino#994). On the direct wire V4 has
# two efforts (api-docs.deepseek.com, "Thinking Mode").
DEEPSEEK_V4 = replace(DEEPSEEK, name="deepseek-v4", thinking="always")
DEEPSEEK_REASONER = replace(
    DEEPSEEK_V4,
    name="deepseek-reasoner",
    # "logprobs, top_logprobs ... will trigger an error" (api-docs.deepseek.com, reasoning model). Its thinking has no
    # switch.
    dropped=DEEPSEEK.dropped | {"logprobs", "reasoning_effort", "top_logprobs"},
)

COHERE = Dialect(
    "cohere",
    # docs.cohere.com/reference/chat. litellm drops the tool choice though its table lists it.
    dropped=frozenset({"n"}),
    carried=frozenset({"k"}),
    limit="one",
    answers=1,
    top_p=(0.01, 0.99),
    penalties=(0.0, 1.0),
    stops=5,
    stop_lists=True,
    top_k="k",
    formats=frozenset(),
    formats_with_tools=frozenset(),
    choices=frozenset(),
    functions=False,
)

OLLAMA = Dialect(
    "ollama",
    # litellm sends `frequency_penalty` as `repeat_penalty`, a factor: 0.5 would ask for repetition.
    dropped=frozenset({"frequency_penalty"}),
    carried=frozenset({"presence_penalty", "top_k"}),
    limit="one",
    answers=1,
    # The effort is a switch. litellm reads `xhigh` and `max` as off.
    efforts=("none", "high"),
    choices=frozenset(),
    functions=False,
)

_OPENAI_ALONE = frozenset({"modalities", "prompt_cache_key", "safety_identifier", "store", "verbosity"})
"""Parameters that no other service has, and that strict services refuse."""

GROQ = Dialect(
    "groq",
    # console.groq.com/docs/openai: 400 for these. The others are missing in the types of Groq's own SDK, whose
    # service refuses unknown fields ("property 'include_reasoning' is unsupported", Roo-Code#673).
    dropped=_OPENAI_ALONE | {"logit_bias", "logprobs", "prediction", "top_k", "top_logprobs"},
    limit="one",
    answers=1,
    stops=4,
    # "This model does not support response format `json_schema`" (plune-ai/cairn#36)
    formats=frozenset({"json_object"}),
    formats_with_tools=frozenset({"json_object"}),
    # "response_format` does not support streaming" (langchain#23629, langgraphjs#1066)
    streams_formats=False,
    tool_marks=False,
)

GROQ_SCHEMAS = replace(
    GROQ,
    name="groq-schemas",
    formats=FORMATS,  # console.groq.com/docs/structured-outputs. litellm refuses a schema beside tools.
)

GEMINI = Dialect(
    "gemini",
    carried=_TOP_K | {"top_logprobs"},
    dropped=frozenset({"parallel_tool_calls"}),  # no such setting, though litellm's table lists it
    limit="one",
    answers=8,  # ai.google.dev/api/generate-content: candidateCount
    small_seeds=True,  # an int32 on this wire
    stops=5,  # ai.google.dev/api/generate-content: "up to 5"
    # "Function calling with a response mime type: 'application/json' is unsupported" (python-genai#867)
    formats_with_tools=frozenset(),
    functions=False,
)

GEMINI_3 = replace(
    GEMINI,
    name="gemini-3",
    dropped=GEMINI.dropped | _PENALTIES,  # litellm drops them without an error
    answers=1,  # "Multiple candidates is not enabled for this model" (js-genai#1609)
    always_reasons=True,
    formats_with_tools=FORMATS,
)

# docs.x.ai: not in the reference
XAI = Dialect("xai", dropped=_TOP_K, limit="one", functions=False)

# "Model xxx does not support parameter presencePenalty." (NativeTavern#83, for 4.20 to 4.6). docs.x.ai, "Reasoning":
# reasoning models refuse both penalties and `stop`.
XAI_REASONING = replace(XAI, name="xai-reasoning", dropped=XAI.dropped | _PENALTIES | {"stop"})
XAI_4 = replace(XAI, name="xai-4", dropped=XAI.dropped | _PENALTIES)

CEREBRAS = Dialect(
    "cerebras",
    # inference-docs.cerebras.ai, "OpenAI compatibility": 400 for these. Others are refused as well: "property
    # 'body.store' is unsupported" (openclaw#11490).
    dropped=_OPENAI_ALONE | _PENALTIES | _TOP_K | {"logit_bias", "service_tier"},
    limit="one",
    temperature=(0.0, 1.5),  # the types of Cerebras' own SDK
    functions=False,
    tool_marks=False,
)

FIREWORKS = Dialect(
    "fireworks",
    # "Extra inputs are not permitted" (FlowiseAI#2866, midscene#1322). The others are missing in litellm's table too.
    dropped=_OPENAI_ALONE - {"prompt_cache_key"},
    carried=frozenset({"tool_choice"}),  # docs.fireworks.ai, function calling
    limit="one",
    formats_with_tools=frozenset(),  # litellm drops the format beside tools
    functions=False,
    tool_marks=False,
)

MAX_TOKENS = replace(OTHERS, name="others-max-tokens", limit="max_tokens")
"""Another provider, which takes the answer's limit as ``max_tokens`` alone (litellm's table of providers)."""

DEEPINFRA = Dialect(
    "deepinfra",
    limit="max_tokens",
    choices=frozenset({"auto", "none"}),  # deepinfra.com/docs/advanced/function_calling (litellm#4655)
)

SAIL = Dialect(
    "sail",
    # The service has no such fields (litellm 1.105.3, `llms/sail`). It reads `metadata.completion_window` in the place
    # of a tier.
    dropped=_PENALTIES | {"logit_bias", "logprobs", "seed", "service_tier", "stop", "top_logprobs"},
)

MOONSHOT = Dialect(
    "moonshot",
    dropped=_OPENAI_ALONE | _TOP_K | {"logit_bias", "logprobs", "prediction", "service_tier", "top_logprobs"},
    limit="max_tokens",
    temperature=(0.0, 1.0),  # platform.moonshot.cn/docs, "migrating from OpenAI": [0, 1]
    efforts=(),
    choices=CHOICES - {"required"},  # platform.moonshot.cn/docs, "migrating from OpenAI"
    functions=False,
)
"""Moonshot's models ``moonshot-v1``."""

KIMI = replace(
    MOONSHOT,
    name="kimi",
    # "invalid temperature: only 1 is allowed for this model" (llmgateway#2159, cherry-studio#14573). The other sampling
    # parameters are fixed too (promptfoo#9672).
    dropped=MOONSHOT.dropped | _PENALTIES | {"n", "temperature", "top_p"},
    temperature=None,
    # "tool_choice 'required' is incompatible with thinking enabled", for a named function as well (harn-vm 0.10.34)
    thinking="always",
)
"""Moonshot's Kimi models, which think unless the request turns thinking off."""

# llmgateway#3065: `thinking` is a switch, and thinking is on by default.
KIMI_2 = replace(KIMI, name="kimi-2", efforts=("none",), thinking_switch=True)

# harn-vm 0.10.120: 3 has efforts, and takes a forced tool call.
KIMI_3 = replace(KIMI, name="kimi-3", efforts=("low", "high", "max"), choices=CHOICES, thinking="free")

NVIDIA = Dialect(
    "nvidia",
    # docs.api.nvidia.com: not in the reference of chat completions, which allows no further fields: "Validation:
    # Unsupported parameter(s): `prompt_cache_key`" (kimi-cli#2534, picoclaw#1019)
    dropped=_OPENAI_ALONE
    | _TOP_K
    | {"logit_bias", "logprobs", "n", "prediction", "service_tier", "top_logprobs", "user"},
    limit="max_tokens",
    answers=1,
    functions=False,
    tool_marks=False,
)

PERPLEXITY = Dialect(
    "perplexity",
    # docs.perplexity.ai/api-reference: no tools, and none of these
    dropped=frozenset(
        {
            *("function_call", "functions", "logit_bias", "logprobs", "modalities", "n"),
            *(
                "parallel_tool_calls",
                "prediction",
                "prompt_cache_key",
                "safety_identifier",
                "seed",
                "service_tier",
                "stop",
                "store",
            ),
            *("tool_choice", "tools", "top_logprobs", "user", "verbosity"),
        }
    ),
    answers=1,
    stream_usage=False,  # each chunk has the usage unasked
)

DATABRICKS = Dialect(
    "databricks",
    # docs.databricks.com, "Foundation model REST API reference": not among the fields of a chat request
    dropped=frozenset(
        {
            *(
                "frequency_penalty",
                "logit_bias",
                "logprobs",
                "modalities",
                "parallel_tool_calls",
                "prediction",
            ),
            *("presence_penalty", "prompt_cache_key", "safety_identifier", "seed", "service_tier", "store"),
            *("top_logprobs", "user", "verbosity"),
        }
    ),
    limit="max_tokens",
    # 'json: unknown field "stream_options"' (continue#12936)
    stream_usage=False,
    functions=False,
)

DATABRICKS_CLAUDE = replace(
    DATABRICKS,
    name="databricks-claude",
    thinking="budget",
    thinking_budget=True,  # docs.databricks.com, "Query reasoning models"
)
