"""The profiles of Gemini's models. Each fact carries its source and the month in which it was seen."""

from __future__ import annotations

from dataclasses import replace

from sanitizers.name_rules import GEMINI_NAMES
from sanitizers.profiles import Profile

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
"""Gemini 1.0 and 1.5, where user turns may not follow each other either."""

GEMINI_3 = replace(
    GEMINI_2,
    name="gemini-3",
    call_ids=True,
    # `functionResponse.parts` (ai.google.dev/gemini-api/docs/function-calling, multimodal responses); recordings and
    # films are not among them, and litellm leaves those out of a result without a word.
    result_types=frozenset({"application/pdf", "image/jpeg", "image/png", "image/webp"}),
)
"""Gemini 3, 3.1 and 3.5-flash, which take ids on calls and results (laravel/ai#390; 2026-09)."""

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
"""The Gemma models that Gemini's API serves."""
