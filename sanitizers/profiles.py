"""The rules of each model family, one frozen table row per family: the fields, and the rows of OpenAI and Gemini.

Each fact carries its source and the month in which it was seen. A fact that no row needs is not a field. A new family,
or a model that became stricter, is a new row here or in :mod:`sanitizers.provider_profiles`.
:mod:`sanitizers.profile_names` chooses the row of a model.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from typing_extensions import override

from sanitizers.name_rules import GEMINI_NAMES, OPENAI_NAMES, NameRule


@dataclass(frozen=True, slots=True)
class Profile:
    """The facts about one model family that the steps and the checker read."""

    name: str
    """Stable name, shown by ``/v1/explain`` and ``turnright check``."""

    user_first: bool
    """The first turn after the system messages must be a user turn."""

    model_last: bool
    """A trailing model turn is accepted, as prefill."""

    assistant_runs: bool
    """Two assistant messages in a row are legal."""

    user_runs: bool
    """Two user messages in a row are legal."""

    system_anywhere: bool
    """System messages may stand after the first turn. Otherwise they may only stand before it."""

    turn_required: bool
    """A request of system messages alone is refused."""

    empty_texts: bool
    """An empty text is accepted as content."""

    ordered_results: bool
    """Results must be in the order of their calls. Otherwise any order directly after the calls is accepted."""

    call_ids: bool
    """The provider's API has ids for calls and results. Without ids, identical parallel calls become one call."""

    object_arguments: bool
    """Arguments must be a JSON object. Otherwise any string is accepted."""

    openai_forms: bool
    """OpenAI's other forms of a message are accepted: ``function_call``, role ``function``, ``refusal``, ``audio``."""

    custom_calls: bool
    """Tool calls of a type other than ``function`` are accepted."""

    signs_calls: bool
    """The models sign their calls. A signature may be a field of a call or a suffix of its id."""

    tool_names: NameRule
    """The rule for a tool's name, declared or called."""

    max_call_id_length: int | None
    """The longest tool-call id, in characters, or None where any length is accepted."""

    result_types: frozenset[str]
    """MIME types that media in a tool result may have. Other media moves to a user message after the results."""

    image_types: frozenset[str] | None
    """MIME types that an ``image_url`` part may have, or None where they are unknown, so that none is refused."""

    file_types: frozenset[str] | None
    """MIME types that ``file`` and ``input_audio`` parts may have, or None where they are unknown."""

    refused_parts: frozenset[str]
    """Types of content parts that the provider accepts in no role."""

    refused_fields: frozenset[str]
    """Fields of messages and parts that never reach the provider, or that change the request when they do."""

    remote_media: bool
    """Media may be named by URL. Otherwise it must be inline, as a ``data:`` URL."""

    schemas: str
    """The dialect of a tool's schema, by its name (:mod:`sanitizers.schemas.dialects`)."""

    # The rules below are none of OpenAI's: each default means that the rule does not exist.

    file_ids: bool = True
    """A file may be named by its id in the provider's own store."""

    refused_media: frozenset[str] = frozenset()
    """Types of media parts that cannot reach the provider, whatever they hold."""

    blank_texts: bool = True
    """A text of nothing but whitespace is accepted as content."""

    blank_results: bool = True
    """A tool result that holds nothing, or nothing but whitespace, is accepted."""

    call_id_form: Literal["any", "token", "nine"] = "any"
    """The form of call ids: ``token`` is letters, digits, ``_`` and ``-``. ``nine`` is nine letters or digits."""

    unique_call_ids: bool = False
    """No two calls of a history may have the same id, even if the first has its result."""

    user_after_result: bool = True
    """A user message may follow tool results directly. Otherwise an assistant message must stand between them."""

    calls_with_text: bool = True
    """An assistant message may hold a text and calls together."""

    system_role: bool = True
    """The provider has a role ``system``. Otherwise system messages become the user's."""

    many_systems: bool = True
    """Several system messages may lead the history."""

    developer_role: bool = True
    """The provider has a role ``developer``. Otherwise it becomes ``system``."""

    takes_prefix: bool = False
    """A trailing assistant message is accepted where it says ``prefix: true``."""

    trailing_space: bool = True
    """A trailing assistant message may end with whitespace."""

    echoes_reasoning: bool = False
    """Assistant messages must bring ``reasoning_content``, which may be empty."""

    echoes_if_asked: bool = False
    """Assistant messages must bring ``reasoning_content`` where the request asks the model to think."""

    only_fields: frozenset[str] | None = None
    """The only fields that a message may have, or None where others are ignored."""

    result_fields: frozenset[str] = frozenset()
    """The fields that a tool result may have beside :attr:`only_fields`."""

    @override
    def __hash__(self) -> int:
        """Hash the name, and the fields in which profiles of one name usually differ.

        Hashing all forty would take longer than the cache saves.
        """
        return hash(
            (self.name, self.remote_media, self.assistant_runs, self.user_runs, self.echoes_reasoning)
        )

    def fields_for(self, role: str) -> frozenset[str] | None:
        """Return the fields that a message of *role* may have, or None where all are accepted or ignored."""
        if self.only_fields is None:
            return None
        return self.only_fields | self.result_fields if role == "tool" else self.only_fields

    def thinking(self) -> Profile:
        """Return the row for a request that asks the model to think."""
        return _thinking(self) if self.echoes_if_asked else self

    def merging(self) -> Profile:
        """Return the same row with every run of one role merged (the setting ``sanitize.merge_same_role``)."""
        return _merging(self)


# Made once for each row: a cache with profiles as keys is fastest for the same object.


@lru_cache(maxsize=64)
def _thinking(profile: Profile) -> Profile:
    return replace(profile, echoes_reasoning=True)


@lru_cache(maxsize=64)
def _merging(profile: Profile) -> Profile:
    return replace(profile, assistant_runs=False, user_runs=False)


WEB_IMAGES = frozenset({"image/gif", "image/jpeg", "image/png", "image/webp"})
"""MIME types of images that OpenAI, Anthropic and Mistral accept (their documentation, 2026-08)."""

GEMINI_MEDIA = frozenset(
    f"{kind}/{name}"
    for kind, names in {
        "application": "json pdf rtf x-javascript x-python xml",
        "audio": "aac aiff flac l16 m4a mp3 mp4 mpeg mpga ogg opus pcm wav webm x-wav",
        "image": "heic heif jpeg png webp",
        "text": "css csv html javascript markdown md plain rtf x-python x-typescript xml",
        "video": "3gpp avi mov mp4 mpeg mpg quicktime webm wmv x-flv",
    }.items()
    for name in names.split()
)
"""MIME types that Gemini accepts inline.

Source: ai.google.dev/gemini-api/docs, image-, document-, audio- and video-understanding.
"""

OPENAI = Profile(
    name="openai",
    user_first=False,
    model_last=True,
    assistant_runs=True,
    user_runs=True,
    system_anywhere=True,
    turn_required=False,
    empty_texts=True,
    # "must be followed by tool messages responding to each 'tool_call_id'": no order is asked (dataline#172).
    ordered_results=False,
    call_ids=True,
    object_arguments=False,
    openai_forms=True,
    custom_calls=True,
    signs_calls=False,
    # "does not match '^[a-zA-Z0-9_-]+$'", at most 64. Servers that speak this wire mostly copied it; where
    # one takes more, a rename that is undone in the answer loses nothing.
    tool_names=OPENAI_NAMES,
    # "Expected a string with maximum length 40" (vercel/ai#5171, 2025-03).
    max_call_id_length=40,
    # "Image URLs are only allowed for messages with role 'user'" (OpenAI API, 2026-08).
    result_types=frozenset(),
    # "unsupported image … one of the following formats: ['png', 'jpeg', 'gif', 'webp']" (OpenAI API, 2026-08).
    image_types=WEB_IMAGES,
    file_types=None,
    refused_parts=frozenset(),
    # Google's OpenAI endpoint and its clients keep thought signatures here. A request that fell back from Gemini
    # would carry them to another provider (litellm#41534).
    refused_fields=frozenset({"extra_content"}),
    remote_media=True,
    schemas="openai",
)
"""OpenAI's chat completions: pairing and shapes are checked, and the order of roles is free."""

GEMINI_2 = Profile(
    name="gemini-2",
    # A leading call is refused by every model. No report says that a leading text is accepted, and a user turn
    # before it costs little (gemini-cli#11814, #26956; 2026-05).
    user_first=True,
    # 2.x, 3-, 3.1- and 3.5-flash take a trailing model turn as prefill (LibreChat agents#323; 2026-09).
    model_last=True,
    # "function call turn comes immediately after a user turn": a model text before it breaks that
    # (gemini-cli#11814, pi#471; 2026-09).
    assistant_runs=False,
    # user,user is accepted since 2024-11 (zuisong/gemini-openai-proxy#83, PR #87).
    user_runs=True,
    # The wire has one systemInstruction and no system role in `contents`.
    system_anywhere=False,
    # "contents is not specified" (langchain-google#1393), "at least one parts field" on Vertex (pydantic-ai#2203).
    turn_required=True,
    # "it has an empty text parameter" (zuisong#83), "contents.parts must not be empty" (vercel/ai#3775).
    empty_texts=False,
    # Pairing is positional where ids are absent (kimi-cli#1582, TanStack/ai#199).
    ordered_results=True,
    # litellm sends no ids below Gemini 3 and drops the second of two equal calls, but not its result.
    call_ids=False,
    # functionCall.args is a protobuf Struct (AstrBot#7134).
    object_arguments=True,
    openai_forms=False,
    custom_calls=False,
    signs_calls=True,
    tool_names=GEMINI_NAMES,
    max_call_id_length=None,
    # No nested parts before Gemini 3 (maximhq/bifrost#4202), and beside parallel results every part counts as one
    # more response (ag-ui#1334, gemini-cli#16137). litellm nests at every model.
    result_types=frozenset(),
    # "Unsupported MIME type: …" (crush#995); gif, bmp and tiff: a bare "invalid argument" (gemini-cli#14838).
    image_types=GEMINI_MEDIA,
    file_types=GEMINI_MEDIA,
    refused_parts=frozenset({"redacted_thinking", "refusal", "thinking"}),
    # cache_control makes litellm create a cachedContent; reasoning text would go back as `thought` parts;
    # Gemini refuses unknown part fields (ai.nvim#13).
    refused_fields=frozenset(
        {
            "audio",
            "cache_control",
            "images",
            "provider_specific_fields",
            "reasoning",
            "reasoning_content",
            "reasoning_details",
            "thinking_blocks",
        }
    ),
    remote_media=False,
    file_ids=False,
    refused_media=frozenset({"audio_url", "video_url"}),
    schemas="gemini",
)
"""Gemini 2.0 and 2.5."""

GEMINI_1 = replace(
    GEMINI_2,
    name="gemini-1",
    # "Please ensure that multiturn requests ends with a user role …" (one-api#836; 2023-12 to 2024).
    user_runs=False,
    schemas="gemini-1",
)
"""Gemini 1.0 and 1.5, where turns without calls and results had to alternate too."""

GEMINI_3 = replace(
    GEMINI_2,
    name="gemini-3",
    call_ids=True,
    # `functionResponse.parts` (ai.google.dev/gemini-api/docs/function-calling, multimodal responses); recordings and
    # films are not among them, and litellm leaves those out of a result without a word.
    result_types=frozenset({"application/pdf", "image/jpeg", "image/png", "image/webp"}),
)
"""Gemini 3, 3.1 and 3.5-flash: ids on calls and results (laravel/ai#390; 2026-09)."""

GEMINI_3_STRICT = replace(
    GEMINI_3,
    name="gemini-3-strict",
    # "Requests ending with a model turn are not supported." (LibreChat agents#323, langchain-google#1897; 2026-07).
    model_last=False,
)
"""Gemini 3.5-flash-lite, 3.6, 3.7, 3.8 and, as Google announced, all later ones."""

GEMMA = replace(
    GEMINI_2,
    name="gemma",
    # "Developer instruction is not enabled for models/…" (deprecated-generative-ai-python#278).
    system_role=False,
)
"""Gemma behind Gemini's API."""
