"""The profiles of all providers other than OpenAI and Gemini.

A comment at a fact names the fact's source. The source "litellm" stands for what litellm 1.105 sends to the provider,
as a recording server received it. Where litellm would silently drop something, the steps change the history first and
report the change.
"""

from __future__ import annotations

from dataclasses import replace

from sanitizers.profiles import OPENAI, WEB_IMAGES

_OURS = OPENAI.refused_fields
_REASONING = frozenset({"reasoning", "reasoning_content", "reasoning_details", "thinking_blocks"})

_URLS = frozenset({"audio_url", "video_url"})

_ALIKE = replace(
    OPENAI,
    developer_role=False,
    openai_forms=False,
    custom_calls=False,
    file_ids=False,
    # litellm drops these silently. A refusal becomes text.
    refused_parts=frozenset({"redacted_thinking", "refusal", "thinking"}),
    refused_media=_URLS | {"input_audio"},
)
"""The base of every row in this module: the rules that most of these providers have in common."""

ANTHROPIC = replace(
    _ALIKE,
    name="anthropic",
    # "messages: first message must use the "user" role" [from memory]; "requires at least one non-system message"
    # (litellm).
    user_first=True,
    turn_required=True,
    # There is one `system` field. litellm turns a later system message into a user's, with words of its own.
    system_anywhere=False,
    # "text content blocks must be non-empty" (claude-code#59812, litellm#2549), "must contain non-whitespace text";
    # litellm writes words of its own into them.
    empty_texts=False,
    blank_texts=False,
    # `input` is an object; litellm refuses what is no JSON, and sends a list.
    object_arguments=True,
    # "String should match pattern '^[a-zA-Z0-9_-]+$'" (langchain#37756); litellm's rename makes `a.b` and `a:b` one.
    call_id_form="token",
    max_call_id_length=64,
    # "`tool_use` ids must be unique" [from memory].
    unique_call_ids=True,
    # "final assistant content cannot end with trailing whitespace" [from memory].
    trailing_space=False,
    # A `tool_result` takes images and documents, and a `document` the base64 of a PDF. litellm drops a recording
    # silently, in a result and elsewhere.
    result_types=WEB_IMAGES | {"application/pdf"},
    file_types=frozenset({"application/pdf"}),
    schemas="anthropic",
)
"""Claude up to 4.5: takes prefill. ``thinking_blocks`` and ``cache_control`` go through."""

ANTHROPIC_STRICT = replace(ANTHROPIC, name="anthropic-strict", model_last=False)
"""Claude from 4.6 on: "This model does not support assistant message prefill." (pipecat's Anthropic adapter)."""

BEDROCK_CLAUDE = replace(
    ANTHROPIC,
    name="bedrock-claude",
    # "A conversation must alternate between user and assistant roles." (langchain-aws#130)
    user_runs=False,
    assistant_runs=False,
    # "The text field in the ContentBlock object … is blank." [from memory]; litellm sends a blank result blank.
    blank_results=False,
    # litellm makes document blocks of these, and fails on others.
    file_types=frozenset({"application/pdf", "text/csv", "text/html", "text/markdown", "text/plain"}),
)
"""Claude behind Bedrock's Converse."""

BEDROCK_CLAUDE_STRICT = replace(BEDROCK_CLAUDE, name="bedrock-claude-strict", model_last=False)
"""Claude behind Bedrock's Converse, from 4.6 on."""

BEDROCK = replace(
    BEDROCK_CLAUDE,
    name="bedrock",
    model_last=False,
    # "Conversation blocks and tool use blocks cannot be provided in the same turn." (quarkus-langchain4j#1983)
    calls_with_text=False,
    # "Conversation blocks and tool result blocks cannot be provided in the same turn."; litellm joins a user's text to
    # the results before it.
    user_after_result=False,
    refused_fields=_OURS | _REASONING,
)
"""Other models behind Bedrock's Converse."""

MISTRAL = replace(
    _ALIKE,
    name="mistral",
    schemas="mistral",
    # "Expected last role to be one of: [tool, user] but got assistant", code 3230, unless `prefix: true`.
    model_last=False,
    takes_prefix=True,
    # "Unexpected role 'user' after role 'tool'" (datapizza#98, litellm#6323).
    user_after_result=False,
    # "Unexpected role RoleEnum.tool" and "Not the same number of function calls and responses" (litellm#4931): litellm
    # leaves out messages that hold nothing, results among them.
    user_first=True,
    turn_required=True,
    system_anywhere=False,
    assistant_runs=False,
    empty_texts=False,
    blank_texts=False,
    blank_results=False,
    object_arguments=True,
    # "must be a-z, A-Z, 0-9, with a length of 9", code 3280 (gptel#1203, magentic#276, eca#233).
    call_id_form="nine",
    unique_call_ids=True,
    refused_fields=_OURS | _REASONING | {"audio", "cache_control", "images", "provider_specific_fields"},
    # 422 "Extra inputs are not permitted"; litellm passes unknown fields on.
    only_fields=frozenset({"content", "prefix", "role", "tool_calls"}),
    result_fields=frozenset({"name", "tool_call_id"}),
    bare_calls=True,
    empty_names=False,
)
"""Mistral's own service, and its models on other services (omlx#1997)."""

DEEPSEEK = replace(
    _ALIKE,
    name="deepseek",
    # litellm drops images silently.
    refused_media=_URLS | {"file", "image_url", "input_audio"},
    refused_fields=_OURS | {"thinking_blocks"},
    # `reasoning_effort` makes litellm switch thinking on.
    echoes_if_asked=True,
)
"""DeepSeek's chat models: OpenAI's pairing, and no media."""

DEEPSEEK_THINKING = replace(DEEPSEEK, name="deepseek-thinking", echoes_reasoning=True)
"""DeepSeek's thinking models.

"The `reasoning_content` in the thinking mode must be passed back to the API." This holds for all assistant messages
(kimi-cli#2141). An empty text is accepted (hermes#15353).
"""

DEEPSEEK_REASONER = replace(
    DEEPSEEK_THINKING,
    name="deepseek-reasoner",
    # "deepseek-reasoner does not support successive user or assistant messages" (DeepSeek-R1#21).
    user_runs=False,
    assistant_runs=False,
    # "The last message of deepseek-reasoner must be a user message, or an assistant message with prefix mode on"
    # [from memory].
    model_last=False,
    takes_prefix=True,
)
"""DeepSeek's model ``deepseek-reasoner``."""

COHERE = replace(
    _ALIKE,
    name="cohere",
    schemas="cohere",
    empty_texts=False,
    # "all elements in history must have a message." (langchain-cohere#15)
    blank_texts=False,
    object_arguments=True,
    refused_fields=_OURS | {"cache_control"},
    # 422 "unknown field"; litellm passes them on.
    only_fields=frozenset({"citations", "content", "role", "tool_calls", "tool_plan"}),
    result_fields=frozenset({"tool_call_id"}),
    bare_calls=True,
)
"""Cohere's chat API, version 2, which litellm uses unless a name says ``v1/``.

"cannot specify message if the last entry in chat history contains tool results" (langchain-oracle#9) was version 1.
"""

CHAT_TEMPLATE = replace(
    _ALIKE,
    name="chat-template",
    schemas="template",
    # "After the optional system message, conversation roles must alternate user and assistant roles except for tool
    # calls and results." (llama.cpp#19851, #21879; llama_index#11731): the strictest template, since a server does not
    # tell which one it has.
    user_first=True,
    turn_required=True,  # "no user query found in messages" (leviath#471)
    system_anywhere=False,
    many_systems=False,
    assistant_runs=False,
    user_runs=False,
    user_after_result=False,
    ordered_results=True,  # Ollama's wire has no ids
    max_call_id_length=None,  # vLLM's own ids have 46 characters
    refused_media=frozenset(),
    # "failed to parse tool call arguments as json" (OpenHands)
    object_arguments=True,
    empty_texts=False,
    # Some templates join the content to a text: 'can only concatenate str (not "NoneType") to str'. An empty text does
    # no harm in any of 122 templates, and null fails in 33 (2026-11).
    null_content=False,
    image_types=None,  # whatever the server's library reads: bmp and tiff for most
    refused_fields=_OURS | {"cache_control", "reasoning_details", "thinking_blocks"},
)
"""Servers that write a prompt by a template: vLLM, llama.cpp, Ollama, LM Studio."""

CHAT_TEMPLATE_MISTRAL = replace(
    CHAT_TEMPLATE,
    name="chat-template-mistral",
    schemas="template-mistral",
    call_id_form="nine",
    unique_call_ids=True,
    # "Expected last role User or Tool (or Assistant with prefix or continue_final_message set to True)". A `prefix`
    # does not reach the check: mistral-common's `from_openai` leaves it out since 1.6 (vllm#9446).
    model_last=False,
    continues_if_asked=True,
    # "Extra inputs are not permitted": `name` of a user's or system message before 1.9, other fields in all versions.
    # Thoughts reach tokenizers before V13 as "Unexpected content chunk types in assistant message: ['ThinkChunk']".
    only_fields=frozenset({"content", "role", "tool_calls"}),
    result_fields=MISTRAL.result_fields,
    bare_calls=True,
    empty_names=False,
)
"""A Mistral model on a server with a chat template: mistral-common checks the request (omlx#1997).

The texts of its errors were seen from ``mistral_common.protocol.instruct`` 1.5.6, 1.8.8 and 1.13.1 (2026-11).
"""

CHAT_TEMPLATE_GEMMA = replace(CHAT_TEMPLATE, name="chat-template-gemma", system_role=False)
"""Gemma on a server with a chat template: "System role not supported" [from memory]."""

GROQ = replace(
    OPENAI,
    name="groq",
    # "property 'reasoning_content' is unsupported" (freellmapi#1070, AstrBot#5946). Cerebras refuses such fields too:
    # litellm sends them to both. OpenAI's SDK sends the `annotations` of an answer back, and no request has them.
    refused_fields=_OURS | _REASONING | {"annotations", "cache_control", "provider_specific_fields"},
    # OpenAI's SDK writes `parsed_arguments` into calls.
    bare_calls=True,
    # 400 for `messages[].name` (console.groq.com/docs/openai). A function's result needs its name.
    named_roles=frozenset({"function"}),
)
"""Groq and Cerebras: OpenAI's rules, and no field that OpenAI does not have."""

DATABRICKS = replace(
    OPENAI,
    name="databricks",
    # Unknown fields are refused. litellm leaves thoughts out, and sends cache marks to Claude.
    refused_fields=_OURS | _REASONING | {"annotations", "provider_specific_fields"},
    bare_calls=True,
    # All names were refused until 2025-01 (autogen#4761). litellm sends those of users.
    named_roles=frozenset({"function", "user"}),
    # litellm, `llms/databricks`: empty texts are refused, and turns of the model that hold nothing.
    empty_texts=False,
    # litellm merges them for all models but Claude.
    many_systems=False,
    # "Multiple tool calls are not supported." (litellm#31633)
    parallel_calls=False,
)
"""Databricks: OpenAI's rules, one call in a turn, and no thoughts and empty texts."""

DATABRICKS_CLAUDE = replace(DATABRICKS, name="databricks-claude", parallel_calls=True)
"""Claude at Databricks, which takes several calls in a turn (litellm#31633)."""

FIREWORKS = replace(
    OPENAI,
    name="fireworks",
    # "Extra inputs are not permitted, field: 'messages[n].…'" (litellm, `llms/fireworks_ai`). Thoughts are read.
    refused_fields=_OURS | {"annotations", "cache_control", "provider_specific_fields", "thinking_blocks"},
    bare_calls=True,
)
"""Fireworks: OpenAI's rules, and no cache marks."""

KIMI = replace(
    OPENAI,
    name="kimi",
    # "thinking is enabled but reasoning_content is missing in assistant tool call message" (continue#11806). Kimi K2.6
    # takes an empty text for a missing one (pi#4178). litellm writes a blank.
    thinks_before_calls=True,
)
"""Kimi at Moonshot: OpenAI's rules, and thoughts beside calls."""

MINIMAX = replace(
    OPENAI,
    name="minimax",
    # "invalid chat setting (2013)" for two of them (openclaw#19386, MiniMax-M2#51).
    many_systems=False,
    # "chat content has invalid message role: system (2013)" (CodexPlusPlus#267, temm1e#59).
    system_anywhere=False,
)
"""MiniMax: OpenAI's rules, and one system message, at the head."""

PERPLEXITY = replace(
    OPENAI,
    name="perplexity",
    # "After the (optional) system message(s), user and assistant roles should be alternating." (api-discussion#265,
    # OpenManus#580)
    user_first=True,
    turn_required=True,
    system_anywhere=False,
    assistant_runs=False,
    user_runs=False,
    # "Last message must have role `user`." (litellm#3918)
    model_last=False,
    # "ChatMessage.__init__() got an unexpected keyword argument 'name'" (litellm#2373)
    refused_fields=_OURS | _REASONING | {"annotations", "cache_control", "provider_specific_fields"},
    bare_calls=True,
    named_roles=frozenset({"function"}),
)
"""Perplexity: turns that alternate, with the user's first and last."""

XAI = replace(
    OPENAI,
    name="xai",
    # "Each message must have at least one content element." (AstrBot#6447) "An empty message was provided. Every
    # message needs at least one non-empty content element." (LangBot#1205)
    empty_texts=False,
    blank_results=False,
    # "Only messages of role 'user' can have a name." (litellm#9720). A function's result needs its name.
    named_roles=frozenset({"function", "user"}),
)
"""xAI: OpenAI's rules, no empty texts and results, and names of users alone."""

PROVIDER_PROFILES = (
    ANTHROPIC,
    ANTHROPIC_STRICT,
    BEDROCK,
    BEDROCK_CLAUDE,
    BEDROCK_CLAUDE_STRICT,
    CHAT_TEMPLATE,
    CHAT_TEMPLATE_GEMMA,
    CHAT_TEMPLATE_MISTRAL,
    COHERE,
    DATABRICKS,
    DATABRICKS_CLAUDE,
    DEEPSEEK,
    DEEPSEEK_REASONER,
    DEEPSEEK_THINKING,
    FIREWORKS,
    GROQ,
    KIMI,
    MINIMAX,
    MISTRAL,
    PERPLEXITY,
    XAI,
)
"""Every profile of this module, sorted by name."""
