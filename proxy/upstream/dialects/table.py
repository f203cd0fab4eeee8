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

GROQ = Dialect(
    "groq",
    # console.groq.com/docs/openai: 400 for these
    dropped=frozenset({"logit_bias", "logprobs", "top_k", "top_logprobs"}),
    limit="one",
    answers=1,
    stops=4,
    formats_with_tools=frozenset({"json_object"}),  # litellm refuses a schema beside tools for most models
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

XAI = Dialect("xai", dropped=_TOP_K, limit="one", functions=False)  # docs.x.ai: not in the reference
CEREBRAS = Dialect("cerebras", dropped=_TOP_K, limit="one", functions=False)

FIREWORKS = Dialect(
    "fireworks",
    carried=frozenset({"tool_choice"}),  # docs.fireworks.ai, function calling
    limit="one",
    formats_with_tools=frozenset(),  # litellm drops the format beside tools
    functions=False,
)
